/* Where the meshes of a query stand: their poses and periodic images. */
#ifndef WALLS_PLACE_H
#define WALLS_PLACE_H

#include "finder.h"
#include "intersect.h"

/* A mesh of the finder where it stands in the world. */
typedef struct placed_mesh {
    const binned_mesh *binned;
    pose pose;
    box bounds; /* in the world */
} placed_mesh;

typedef struct placement {
    placed_mesh *meshes;
    abut_index mesh_count;
    double period[3]; /* 0: not periodic along this axis */
} placement;

/* ABUT_OK or ABUT_NO_MEMORY; free with placement_free. */
abut_status placement_build(placement *p, const abut_finder *finder, const abut_query *query);
void placement_free(placement *p);

/* Build the bins for every reach of the query's spheres before threads start, so that no two build
 * the same. */
abut_status placement_build_sets(const placement *p, const abut_query *query);

/* Replace the list's views by all images of all meshes that a sphere may touch, and its touches by
 * none. ABUT_OK, ABUT_NO_MEMORY or ABUT_TOO_MANY_IMAGES. */
abut_status placement_view(const placement *p, vec3 center, double radius, double reach,
                           touches *list);

/* A point of a mesh's frame, or of one of its images, in the world. */
vec3 placement_to_world(const placement *p, int32_t mesh, const int32_t image[3], vec3 point);

#endif
