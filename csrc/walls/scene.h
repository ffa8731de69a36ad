/* The meshes and half spaces of a query in the world: poses, and periodic images of meshes. */
#ifndef WALLS_SCENE_H
#define WALLS_SCENE_H

#include "../base/memory.h"
#include "../bins/sets.h"
#include "batch.h"

/* A mesh of the finder in the world, with the sets of bins for the query. */
typedef struct placed_mesh {
    const binned_mesh *binned;
    pose pose;
    box bounds; /* bounds in the world; set, like the bands, only if scene_build gets a profile */
    reach_band bands[BAND_LIMIT];
    int band_count;
} placed_mesh;

typedef struct scene {
    placed_mesh *meshes;
    half_space *half_spaces;
    abut_index mesh_count, half_space_count;
    lattice lattice;
    bool has_many; /* there are many meshes: only meshes near a batch have views */
} scene;

/* The number of surfaces: meshes and half spaces. */
static inline abut_index scene_surface_count(const scene *s)
{
    return s->mesh_count + s->half_space_count;
}

/* Memory for meshes and half spaces. */
typedef struct scene_room {
    memory_block mesh_block, half_space_block;
} scene_room;

/* Places the surfaces, in `room`, and builds the bins for spheres of this profile; no bins if it is
 * NULL. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status scene_build(scene *s, scene_room *room, const abut_finder *finder,
                        const abut_query *query, const reach_profile *profile);

/* If the batch has no views yet, gives it a view of each mesh, at image 0 and without bins, and of
 * all half spaces. Views that it already has must be of this scene. Returns ABUT_OK or
 * ABUT_NO_MEMORY. */
abut_status scene_view_listed(const scene *s, batch *b);

/* Gives the batch views of all half spaces, and of the mesh images that its spheres may touch.
 * Reduces *count, to at least one, if the spheres are too far from each other. Views that do not
 * depend on spheres are kept: they must be of this scene. Returns ABUT_OK, ABUT_NO_MEMORY or
 * ABUT_TOO_MANY_IMAGES. */
abut_status scene_view(const scene *s, const sphere_rows *rows, abut_index *count, batch *b);

/* Move a point from the frame of a mesh's image to the world, and back. */
vec3 scene_to_world(const scene *s, abut_index mesh, const int32_t image[3], vec3 point);
vec3 scene_to_mesh(const scene *s, abut_index mesh, const int32_t image[3], vec3 point);

#endif
