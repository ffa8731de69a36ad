/* Where the meshes and half spaces of a query stand: their poses, and meshes' periodic images. */
#ifndef WALLS_SCENE_H
#define WALLS_SCENE_H

#include "../base/memory.h"
#include "../bins/sets.h"
#include "batch.h"

/* A mesh of the finder where it stands in the world, and the sets of bins that serve the query. */
typedef struct placed_mesh {
    const binned_mesh *binned;
    pose pose;
    box bounds; /* in the world; as bands, of a scene that was built for a profile */
    reach_band bands[BAND_LIMIT];
    int band_count;
} placed_mesh;

typedef struct scene {
    placed_mesh *meshes;
    half_space *half_spaces;
    abut_index mesh_count, half_space_count;
    lattice lattice;
    bool has_many; /* meshes: only those are looked into whose bounds are near some spheres */
} scene;

/* Numbers of surfaces are less. */
static inline abut_index scene_surface_count(const scene *s)
{
    return s->mesh_count + s->half_space_count;
}

/* Memory for meshes and half spaces. */
typedef struct scene_room {
    memory_block mesh_block, half_space_block;
} scene_room;

/* Place the surfaces in `room` and build the bins that spheres of this profile need; NULL: none.
 * ABUT_OK or ABUT_NO_MEMORY. */
abut_status scene_build(scene *s, scene_room *room, const abut_finder *finder,
                        const abut_query *query, const reach_profile *profile);

/* Give the batch a view of each mesh at image 0, without bins, and of all half spaces, where it has
 * none: they must be of this scene. ABUT_OK or ABUT_NO_MEMORY. */
abut_status scene_view_listed(const scene *s, batch *b);

/* Give the batch views of all half spaces, and of all images of all meshes that spheres of these
 * rows may touch, for as many of `*count` spheres from the first on as is well, at least one; these
 * are `*count` then. Where nothing depends on the spheres, and the batch has views already, it
 * keeps them: they must be of this scene. ABUT_OK, ABUT_NO_MEMORY, or ABUT_TOO_MANY_IMAGES. */
abut_status scene_view(const scene *s, const sphere_rows *rows, abut_index *count, batch *b);

/* A point of a mesh's frame, or of one of its images, in the world, and back. */
vec3 scene_to_world(const scene *s, abut_index mesh, const int32_t image[3], vec3 point);
vec3 scene_to_mesh(const scene *s, abut_index mesh, const int32_t image[3], vec3 point);

#endif
