/* Freeing a mesh, and its view for callers. */
#include "mesh_data.h"

#include "../base/memory.h"

void abut_mesh_free(abut_mesh *mesh)
{
    if (!mesh) {
        return;
    }
    planes_free(&mesh->planes);
    void *arrays[] = {mesh->vertices,     mesh->indices,        mesh->offsets, mesh->source,
                      mesh->normals,      mesh->areas,          mesh->noise,   mesh->normal_noise,
                      mesh->noise_origin, mesh->triangle_block, mesh->fans,    mesh->flat,
                      mesh->kept,         mesh->bent,           mesh};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        memory_free(arrays[i]);
    }
}

abut_mesh_view abut_mesh_inspect(const abut_mesh *mesh)
{
    return mesh->view;
}
