/* Planes that several facets of a mesh lie in: floors, walls, plates.
 *
 * If all facets that a sphere may touch lie in one plane, it is enough to test those at the foot:
 * the point of the plane that is closest to the center. The facet with the foot inside has the
 * nearest contact, which eliminates all others (docs/method.md, section 3). If the foot is inside
 * none of them, the sphere is searched a second time, with all facets. */
#ifndef MESH_PLANES_H
#define MESH_PLANES_H

#include "facet.h"

/* The facet lies in no plane with others. */
enum { NO_PLANE = -1 };

/* The common plane of some facets, and bounds on how far they are off it. */
typedef struct plane {
    vec3 normal;   /* of unit length, as exact as the facets' normals */
    double height; /* normal . x = height for its points */
    double off;    /* the largest distance of a corner from the plane, plus an upper bound of its
                      rounding error */
    double tilt;   /* the largest difference between this normal and a facet's */
    double extent; /* the longest edge of a facet */
    double noise;  /* the smallest eps_n of a facet */
    int32_t facet_count;
} plane;

/* The planes of a mesh. */
typedef struct plane_set {
    int32_t *plane_of; /* the plane of each facet; NULL in a mesh with polygons */
    plane *planes;
    int32_t count;
} plane_set;

/* Finds the planes of facets that are one triangle each. Returns ABUT_OK or ABUT_NO_MEMORY. Call
 * planes_free in any case. */
abut_status planes_find(const triangle *triangles, abut_index count, plane_set *set);
void planes_free(plane_set *set);

/* The number of bytes that the planes of a mesh with `facet_count` facets take. */
abut_index planes_byte_count(const plane_set *set, abut_index facet_count);

/* Whether spheres of at most this reach need to test only the facets at the foot, in spite of
 * rounding. The facet with the foot inside then has a nearer contact than all facets that are at
 * least `margin` from the foot. It is nearer by more than rounding, and eliminates their contacts.
 *
 * Let d be the distance of the center from the plane. Let o be the sum of the errors of the plane,
 * the facets and all computed from them, which is far less than the margin. A facet at the distance
 * `margin` from the foot is at least sqrt(d^2 + margin^2 - 2 d o) from the center. The facet with
 * the foot is at most d + o from it. This is less than the reach; otherwise nothing is in reach.
 * The farther point is in front of the tangent plane at the foot by at most 2 o plus `tilt` times
 * the distance between both points. Smaller spheres have at least as much noise, as a part of their
 * reach. */
bool plane_is_sure(const plane *common, double reach, double margin);

#endif
