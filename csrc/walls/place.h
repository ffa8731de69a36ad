/* Where the meshes of a query stand: their poses and periodic images. */
#ifndef WALLS_PLACE_H
#define WALLS_PLACE_H

#include "batch.h"
#include "finder.h"

/* A mesh of the finder where it stands in the world, and the sets of bins that serve the query. */
typedef struct placed_mesh {
    const binned_mesh *binned;
    pose pose;
    box bounds; /* in the world */
    reach_band bands[BAND_LIMIT];
    int band_count;
} placed_mesh;

typedef struct placement {
    placed_mesh *meshes;
    abut_index mesh_count;
    double period[3]; /* 0: not periodic along this axis */
    bool is_periodic;
} placement;

/* Place the meshes and build the bins that spheres of this profile need. ABUT_OK or
 * ABUT_NO_MEMORY; free with placement_free. */
abut_status placement_build(placement *p, const abut_finder *finder, const abut_query *query,
                            const reach_profile *profile);
void placement_free(placement *p);

/* Give the batch its views: all images of all meshes that its spheres may touch. ABUT_OK,
 * ABUT_NO_MEMORY, or ABUT_TOO_MANY_IMAGES: a batch of fewer spheres may do. */
abut_status placement_view(const placement *p, batch *b);

/* A point of a mesh's frame, or of one of its images, in the world, and back. */
vec3 placement_to_world(const placement *p, abut_index mesh, const int32_t image[3], vec3 point);
vec3 placement_to_mesh(const placement *p, abut_index mesh, const int32_t image[3], vec3 point);

#endif
