/* Planes that several facets of a mesh lie in: floors, walls, plates.
 *
 * Where all facets that a sphere may touch lie in one plane, and the foot of its center on the
 * plane is inside of one of them, that facet has the nearest contact, and its contact eliminates
 * all others (docs/method.md, section 3). So only facets at the foot have to be tested. If the foot
 * turns out to be inside of none, the sphere comes again and is tested with all. */
#ifndef MESH_PLANES_H
#define MESH_PLANES_H

#include "facet.h"

/* The facet is in no plane with others. */
enum { NO_PLANE = -1 };

/* What the facets of a plane have in common, and by how much they are off it. */
typedef struct plane {
    vec3 normal;   /* unit, as good as the facets' own */
    double height; /* of the points with normal . x = height */
    double off;    /* the largest distance of a corner, and what rounding may have left out of it */
    double tilt;   /* the largest difference of a facet's normal */
    double extent; /* the longest edge */
    double noise;  /* the least eps_n of a facet */
    int32_t facet_count;
} plane;

/* The planes of a mesh. */
typedef struct plane_set {
    int32_t *plane_of; /* of each facet; NULL in a mesh that is not of triangles */
    plane *planes;
    int32_t count;
} plane_set;

/* The planes of facets that are one triangle each; ABUT_OK or ABUT_NO_MEMORY. Free in any case. */
abut_status planes_find(const triangle *triangles, abut_index count, plane_set *set);
void planes_free(plane_set *set);

/* The memory that the planes of so many facets take, in bytes. */
abut_index planes_byte_count(const plane_set *set, abut_index facet_count);

/* Whether facets at the foot are all that has to be tested in the plane, whatever is rounded, for
 * spheres of at most that reach: the contacts of facets that are at least `margin` from the foot
 * are farther than that of the facet with the foot inside by more than rounding, and it eliminates
 * them.
 *
 * With d, the distance of the center from the plane, and o, by how much the plane, the facets and
 * what is computed of them are off each other: such a facet is sqrt(d^2 + margin^2 - 2 d o) away at
 * least, the one with the foot d + o at most, where o is far less than the margin, and this less
 * than the reach, or nothing beside the foot is in reach. Its point stands in front of the tangent
 * plane at the foot by 2 o + tilt |P_i - P_j| at most. Smaller spheres have as much noise, in parts
 * of their reach, or more. */
bool plane_is_sure(const plane *of, double reach, double margin);

#endif
