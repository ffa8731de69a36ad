/* Planes that many facets of a mesh lie in: floors, walls, plates.
 *
 * A sphere that touches facets of one plane alone, and stands over one of them, has its contact
 * there, and that contact eliminates all others (docs/method.md, section 3). So only facets whose
 * boxes the foot of its center lies in have to be tested. */
#ifndef WALLS_PLANES_H
#define WALLS_PLANES_H

#include "mesh.h"

/* The facet is in no plane with others. */
enum { NO_PLANE = -1 };

/* What the facets of a plane have in common, and by how much they are off it. */
struct plane {
    vec3 normal;   /* unit, as good as the facets' own */
    double height; /* of the points with normal . x = height */
    double off;    /* the largest distance of a corner */
    double tilt;   /* the largest difference of a facet's normal */
    double extent; /* of the largest facet */
    double noise;  /* the least eps_n of a facet */
    int32_t facet_count;
};

/* Set mesh->planes and mesh->plane_of, of a mesh that has all else; ABUT_OK or ABUT_NO_MEMORY. */
abut_status planes_find(abut_mesh *mesh);

/* Whether the plane's contacts are sure for spheres of at most that reach: a facet that is farther
 * than `margin` from the foot of a center neither touches where the one that the foot is in does
 * not, nor is nearer, nor stays a contact beside it. */
bool plane_is_sure(const plane *of, double reach, double margin);

#endif
