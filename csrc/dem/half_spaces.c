/* Walls that are half spaces: all behind a plane is hard. Spheres' contacts with them are rows
 * beside those with meshes; the half space's point stands for a mesh's nodes. */
#include "simulation.h"

void half_spaces_place(abut_simulation *s)
{
    for (abut_index k = s->walls.mesh_count; k < s->walls.count; k++) {
        const abut_wall *wall = &s->walls.walls[k];
        const pose at = pose_load(s->now.poses + 16 * k);
        double *to = s->walls.half_spaces + 6 * (k - s->walls.mesh_count);
        vec3_store(to, pose_to_world(&at, vec3_load(wall->point)));
        vec3_store(to + 3, pose_turn(&at, vec3_load(wall->normal)));
    }
}

/* How far a sphere reaches behind the plane. */
static double find_overlap(const abut_simulation *s, abut_index place, abut_index half_space)
{
    const double *plane = s->walls.half_spaces + 6 * half_space;
    const vec3 center = vec3_load(s->store.centers + 3 * place);
    const double height = vec3_dot(vec3_load(plane + 3), vec3_sub(center, vec3_load(plane)));
    return s->store.radii[place] - height;
}

static abut_index count_rows(const abut_simulation *s)
{
    const abut_index half_spaces = s->walls.count - s->walls.mesh_count;
    abut_index rows = 0;
    for (abut_index place = 0; place < s->store.count; place++) {
        for (abut_index k = 0; k < half_spaces; k++) {
            rows += find_overlap(s, place, k) >= 0.0;
        }
    }
    return rows;
}

/* ---- rows ---- */

static void append_row(const abut_simulation *s, contact_table *t, abut_index place,
                       abut_index half_space)
{
    const abut_index row = t->count++, node = t->node_count++;
    const vec3 normal = vec3_load(s->walls.half_spaces + 6 * half_space + 3);
    const vec3 center = vec3_load(s->store.centers + 3 * place);
    const double overlap = find_overlap(s, place, half_space);
    const abut_columns *c = &t->columns;
    c->sphere[row] = place, c->mesh[row] = s->walls.mesh_count + half_space;
    c->facet[row] = c->feature[row] = 0;
    c->type[row] = ABUT_FACET;
    vec3_store(c->normal + 3 * row, normal);
    vec3_store(c->point + 3 * row,
               vec3_sub(center, vec3_scale(normal, s->store.radii[place] - overlap)));
    c->overlap[row] = overlap, c->share[row] = 1.0, c->tilt[row] = 0.0;
    for (int axis = 0; c->image && axis < 3; axis++) {
        c->image[3 * row + axis] = 0;
    }
    c->node[node] = 0, c->weight[node] = 1.0;
    c->node_offsets[row + 1] = t->node_count;
}

/* The half space that comes after half space `last` where a sphere's half spaces are sorted by
 * overlap, the largest first, and equal ones by number. -1: there is none. */
static abut_index next_half_space(const abut_simulation *s, abut_index place, abut_index last)
{
    const double limit = last < 0 ? INFINITY : find_overlap(s, place, last);
    abut_index found = -1;
    double largest = 0.0;
    for (abut_index k = 0; k < s->walls.count - s->walls.mesh_count; k++) {
        const double overlap = find_overlap(s, place, k);
        const bool is_after = overlap < limit || (overlap == limit && k > last);
        if (is_after && overlap >= 0.0 && (found < 0 || overlap > largest)) {
            found = k, largest = overlap;
        }
    }
    return found;
}

/* Put both lists of a sphere's contacts together, nearest first. */
static void merge_sphere(const abut_simulation *s, const contact_table *meshes, abut_index place,
                         contact_table *to)
{
    abut_index row = meshes->count > 0 ? meshes->columns.offsets[place] : 0;
    const abut_index end = meshes->count > 0 ? meshes->columns.offsets[place + 1] : 0;
    abut_index next = next_half_space(s, place, -1);
    while (row < end || next >= 0) {
        const bool is_mesh_first =
            row < end && (next < 0 || meshes->columns.overlap[row] >= find_overlap(s, place, next));
        if (is_mesh_first) {
            contact_table_append(to, meshes, row++);
        } else {
            append_row(s, to, place, next);
            next = next_half_space(s, place, next);
        }
    }
    to->columns.offsets[place + 1] = to->count;
}

abut_status half_spaces_find(abut_simulation *s)
{
    contact_table *t = &s->now.contacts, *to = &s->walls.together;
    const abut_index rows = count_rows(s);
    if (rows == 0) {
        return ABUT_OK;
    }
    abut_status status = contact_table_reserve(to, s->store.count, t->count + rows,
                                               t->node_count + rows, simulation_kind(s));
    if (status) {
        return status;
    }
    to->columns.offsets[0] = to->columns.node_offsets[0] = 0;
    for (abut_index place = 0; place < s->store.count; place++) {
        merge_sphere(s, t, place, to);
    }
    const contact_table meshes = *t;
    *t = *to;
    *to = meshes;
    return ABUT_OK;
}
