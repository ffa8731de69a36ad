/* Walls that deform: motion of their facets and vertices. */
#include "deforming_mesh.h"

#include <string.h>

#include "../base/memory.h"
#include "../mesh/mesh_data.h"

const double *deforming_vertices(const abut_mesh *mesh)
{
    return mesh->vertices;
}

bool deforming_make(deforming_mesh *s, abut_index vertex_count)
{
    *s = (deforming_mesh){.vertex_count = vertex_count};
    if (vertex_count > 0) {
        s->before = memory_alloc_zeroed(vertex_count, 3 * sizeof *s->before);
        s->velocities = memory_alloc_zeroed(vertex_count, 3 * sizeof *s->velocities);
        s->velocities_before = memory_alloc_zeroed(vertex_count, 3 * sizeof *s->velocities_before);
    }
    return vertex_count == 0 || (s->before && s->velocities && s->velocities_before);
}

void deforming_free(deforming_mesh *s)
{
    memory_free(s->before);
    memory_free(s->velocities);
    memory_free(s->velocities_before);
    *s = (deforming_mesh){.vertex_count = 0};
}

vec3 deforming_at(const abut_columns *contacts, abut_index row, const double *values)
{
    vec3 sum = {0.0, 0.0, 0.0};
    const abut_index end = contacts->node_offsets[row + 1];
    for (abut_index k = contacts->node_offsets[row]; k < end; k++) {
        const vec3 value = vec3_load(values + 3 * contacts->node[k]);
        sum = vec3_add(sum, vec3_scale(value, contacts->weight[k]));
    }
    return sum;
}

/* Two edges from a triangle's first corner: their vectors, or the rates of change of these. */
typedef struct edges {
    vec3 first, second;
} edges;

static edges edges_of(const abut_mesh *mesh, const double *values, abut_index facet)
{
    const abut_index *corners = mesh->indices + mesh->offsets[facet];
    const vec3 origin = vec3_load(values + 3 * corners[0]);
    return (edges){vec3_sub(vec3_load(values + 3 * corners[1]), origin),
                   vec3_sub(vec3_load(values + 3 * corners[2]), origin)};
}

static vec3 unit(vec3 a)
{
    return vec3_scale(a, 1.0 / vec3_length(a));
}

/* By docs/dem.md eq. 51, with the edges a and b and their rates of change. The normal rotates with
 * a x b. The velocity field is linear on the facet, so it rotates about the normal with half its
 * curl, (a' . b - b' . a) / |a x b|. */
vec3 deforming_spin(const abut_mesh *mesh, const double *from, const double *to,
                    const double *velocities, abut_index facet)
{
    const edges begin = edges_of(mesh, from, facet), end = edges_of(mesh, to, facet);
    const edges at = {vec3_scale(vec3_add(begin.first, end.first), 0.5),
                      vec3_scale(vec3_add(begin.second, end.second), 0.5)};
    const edges by = edges_of(mesh, velocities, facet);
    const vec3 area = vec3_cross(at.first, at.second);
    const double size = vec3_length(area);
    const vec3 normal = vec3_scale(area, 1.0 / size);
    const vec3 change = vec3_add(vec3_cross(by.first, at.second), vec3_cross(at.first, by.second));
    const double curl = (vec3_dot(by.first, at.second) - vec3_dot(by.second, at.first)) / size;
    return vec3_add(vec3_scale(vec3_cross(normal, change), 1.0 / size),
                    vec3_scale(normal, 0.5 * curl));
}

/* Computes the axes of a facet: along its first edge, along the normal, and normal to both. */
static void axes_of(const abut_mesh *mesh, const double *vertices, abut_index facet, vec3 axes[3])
{
    const edges at = edges_of(mesh, vertices, facet);
    axes[0] = unit(at.first);
    axes[1] = unit(vec3_cross(at.first, at.second));
    axes[2] = vec3_cross(axes[0], axes[1]);
}

pose deforming_turn(const abut_mesh *mesh, const double *before, abut_index facet)
{
    vec3 old[3], now[3], rows[3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    axes_of(mesh, before, facet, old);
    axes_of(mesh, mesh->vertices, facet, now);
    for (int k = 0; k < 3; k++) {
        rows[0] = vec3_add(rows[0], vec3_scale(old[k], now[k].x));
        rows[1] = vec3_add(rows[1], vec3_scale(old[k], now[k].y));
        rows[2] = vec3_add(rows[2], vec3_scale(old[k], now[k].z));
    }
    pose turn = pose_identity();
    turn.turns = true;
    memcpy(turn.rows, rows, sizeof rows);
    return turn;
}

double deforming_displacement(const abut_mesh *mesh, const double *before)
{
    double farthest = 0.0;
    for (abut_index k = 0; k < mesh->view.vertex_count; k++) {
        const vec3 way = vec3_sub(vec3_load(mesh->vertices + 3 * k), vec3_load(before + 3 * k));
        farthest = larger(farthest, vec3_norm_sq(way));
    }
    return sqrt(farthest);
}
