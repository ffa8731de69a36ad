/* The data of a mesh that follow from its vertices. */
#include "derive.h"

#include <string.h>

#include "../base/error.h"
#include "../base/memory.h"

static bool allocate_corners(abut_mesh *mesh, mesh_counts capacity)
{
    mesh->indices = memory_alloc(capacity.indices, sizeof *mesh->indices);
    mesh->offsets = memory_alloc_zeroed(capacity.facets + 1, sizeof *mesh->offsets);
    mesh->source = memory_alloc(capacity.facets, sizeof *mesh->source);
    mesh->fans = memory_alloc_zeroed(capacity.facets + 1, sizeof *mesh->fans);
    return mesh->indices && mesh->offsets && mesh->source && mesh->fans;
}

bool derive_allocate(abut_mesh *mesh, mesh_counts capacity)
{
    const abut_index facets = capacity.facets;
    mesh->normals = memory_alloc(facets, 3 * sizeof *mesh->normals);
    mesh->areas = memory_alloc(facets, sizeof *mesh->areas);
    mesh->noise = memory_alloc(facets, sizeof *mesh->noise);
    mesh->normal_noise = memory_alloc(facets, sizeof *mesh->normal_noise);
    mesh->noise_origin = memory_alloc(facets, sizeof *mesh->noise_origin);
    mesh->triangle_block = memory_alloc(capacity.triangles + 1, sizeof *mesh->triangles);
    mesh->flat = memory_alloc(capacity.indices, sizeof *mesh->flat);
    mesh->kept = memory_alloc(facets, sizeof *mesh->kept);
    mesh->bent = memory_alloc(facets, sizeof *mesh->bent);
    if (!allocate_corners(mesh, capacity) || !mesh->triangle_block) {
        return false;
    }
    mesh->triangles = memory_first_line(mesh->triangle_block);
    return mesh->normals && mesh->areas && mesh->noise && mesh->normal_noise &&
           mesh->noise_origin && mesh->flat && mesh->kept && mesh->bent;
}

static abut_status check_vertices(const double *vertices, abut_index count, abut_error *error)
{
    for (abut_index i = 0; i < 3 * count; i++) {
        const double x = vertices[i];
        if (!isfinite(x)) {
            return error_set(error, ABUT_VERTEX_NOT_FINITE, i / 3, i % 3, x);
        }
        if (fabs(x) > ABUT_COORDINATE_LIMIT) {
            return error_set(error, ABUT_VERTEX_TOO_FAR, i / 3, i % 3, x);
        }
    }
    return ABUT_OK;
}

abut_status derive_vertices(abut_mesh *mesh, const double *vertices, abut_index count,
                            abut_error *error)
{
    mesh->vertices = memory_alloc(count, 3 * sizeof *mesh->vertices);
    if (!mesh->vertices) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    if (count > 0) {
        memcpy(mesh->vertices, vertices, (size_t)count * 3 * sizeof *mesh->vertices);
    }
    return check_vertices(mesh->vertices, count, error);
}

void derive_facet(abut_mesh *mesh, abut_index facet, const polygon *p, const facet_shape *shape)
{
    uint8_t *flat = mesh->flat + mesh->offsets[facet];
    mesh->areas[facet] = shape->area;
    vec3_store(mesh->normals + 3 * facet, shape->normal);
    mesh->bent[facet] = facet_is_bent(p, shape, mesh->noise[facet]);
    mesh->kept[facet] = (int32_t)facet_mark_flat(p, shape, mesh->noise[facet], flat);
    triangle common = {.facet = (int32_t)facet,
                       .noise = mesh->noise[facet],
                       .normal_noise = mesh->normal_noise[facet]};
    facet_fan(p, shape, flat, &common, mesh->triangles + mesh->fans[facet]);
    if (mesh->bent[facet]) {
        memset(flat, 0, (size_t)p->count);
        mesh->kept[facet] = (int32_t)p->count;
    }
}

void derive_view(abut_mesh *mesh, mesh_counts counts)
{
    mesh->view = (abut_mesh_view){.vertex_count = counts.vertices,
                                  .facet_count = counts.facets,
                                  .index_count = counts.indices,
                                  .vertices = mesh->vertices,
                                  .indices = mesh->indices,
                                  .offsets = mesh->offsets,
                                  .source = mesh->source,
                                  .normals = mesh->normals,
                                  .areas = mesh->areas,
                                  .noise = mesh->noise,
                                  .normal_noise = mesh->normal_noise,
                                  .noise_origin = mesh->noise_origin,
                                  .doubt = {.facet = -1}};
}

abut_index derive_bytes(const abut_mesh *mesh, mesh_counts capacity)
{
    size_t bytes = sizeof *mesh + sizeof *mesh->triangles + sizeof *mesh->offsets +
                   sizeof *mesh->fans; /* these arrays have one element more than counted below */
    bytes += (size_t)capacity.vertices * 3 * sizeof *mesh->vertices;
    bytes += (size_t)capacity.indices * (sizeof *mesh->indices + sizeof *mesh->flat);
    bytes += (size_t)capacity.triangles * sizeof *mesh->triangles;
    bytes +=
        (size_t)capacity.facets *
        (sizeof *mesh->offsets + sizeof *mesh->source + 3 * sizeof *mesh->normals +
         sizeof *mesh->areas + sizeof *mesh->noise + sizeof *mesh->normal_noise +
         sizeof *mesh->noise_origin + sizeof *mesh->fans + sizeof *mesh->kept + sizeof *mesh->bent);
    return (abut_index)bytes + planes_byte_count(&mesh->planes, mesh->view.facet_count);
}
