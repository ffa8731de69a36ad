/* Deforming walls: motion of their contacts from step to step, and the loads on them. */
#include "deforming.h"

#include <string.h>

#include "shared.h"

/* ---- from step to step ---- */

static void carry_row(const abut_simulation *s, abut_index row)
{
    const abut_columns *c = &s->before->tables[ABUT_SPHERE_WALL].contact;
    const deforming_mesh *surface = simulation_deforming(s, c->mesh[row]);
    double *point = s->walls.points + 3 * row, *normal = s->walls.normals + 3 * row;
    memcpy(point, c->point + 3 * row, 3 * sizeof *point);
    memcpy(normal, c->normal + 3 * row, 3 * sizeof *normal);
    if (surface) {
        const abut_mesh *mesh = simulation_mesh(s, c->mesh[row]);
        const vec3 way = vec3_sub(deforming_at(c, row, deforming_vertices(mesh)),
                                  deforming_at(c, row, surface->before));
        const pose turn = deforming_turn(mesh, surface->before, c->facet[row]);
        vec3_store(point, vec3_add(vec3_load(point), way));
        vec3_store(normal, pose_turn(&turn, vec3_load(normal)));
    }
}

abut_status deforming_carry(abut_simulation *s)
{
    const abut_index rows = s->before->tables[ABUT_SPHERE_WALL].count;
    wall_set *walls = &s->walls;
    if (!walls->has_deforming) {
        return ABUT_OK;
    }
    walls->points = memory_reserve(&walls->carried[0], 3 * rows, sizeof *walls->points);
    walls->normals = memory_reserve(&walls->carried[1], 3 * rows, sizeof *walls->normals);
    if (!walls->points || !walls->normals) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index row = 0; row < rows; row++) {
        carry_row(s, row);
    }
    return ABUT_OK;
}

void deforming_keep(abut_simulation *s)
{
    for (abut_index k = 0; s->walls.has_deforming && k < s->walls.mesh_count; k++) {
        deforming_mesh *surface = &s->walls.deforming[k];
        const size_t bytes = 3 * (size_t)surface->vertex_count * sizeof *surface->before;
        if (bytes > 0) {
            memcpy(surface->before, deforming_vertices(simulation_mesh(s, k)), bytes);
            memcpy(surface->velocities_before, surface->velocities, bytes);
        }
    }
}

/* ---- loads ---- */

/* The power of a row on its surface if the vertices have these velocities. */
static double power_with(const abut_simulation *s, abut_index row, const double *velocities)
{
    const interaction_table *t = &s->before->tables[ABUT_SPHERE_WALL];
    const abut_index wall = t->contact.mesh[row];
    const vec3 velocity = deforming_at(&t->contact, row, velocities);
    const double *moment = table_vector(t->moment, row);
    const double power = -vec3_dot(vec3_load(t->effects[row].force), velocity);
    if (!moment) {
        return power;
    }
    const double *before = s->walls.deforming[wall].before;
    const vec3 spin =
        deforming_spin(simulation_mesh(s, wall), before, before, velocities, t->contact.facet[row]);
    return power - vec3_dot(vec3_load(moment), spin);
}

double deforming_power(const abut_simulation *s, abut_index row)
{
    const interaction_table *t = &s->before->tables[ABUT_SPHERE_WALL];
    const deforming_mesh *surface = &s->walls.deforming[t->contact.mesh[row]];
    return 0.5 * (power_with(s, row, surface->velocities_before) +
                  power_with(s, row, surface->velocities));
}

/* Corrects the power and the work of a row of the last step after velocities were assigned. */
static void correct_power(abut_simulation *s, abut_index row)
{
    const interaction_table *t = &s->before->tables[ABUT_SPHERE_WALL];
    const double power = deforming_power(s, row);
    const double work = s->last.step * (power - t->power[row]);
    books *b = &s->store.books[t->contact.sphere[row]];
    t->power[row] = power;
    b->wall_work += 0.5 * work, b->last_wall_work += work;
}

int abut_simulation_deforms(const abut_simulation *s, abut_index wall, abut_index vertex_count)
{
    return vertex_count > 0 && s->walls.deforming[wall].vertex_count == vertex_count;
}

void abut_simulation_deform(abut_simulation *s, abut_index wall, const double *velocities)
{
    const interaction_table *t = &s->before->tables[ABUT_SPHERE_WALL];
    deforming_mesh *surface = &s->walls.deforming[wall];
    memcpy(surface->velocities, velocities, 3 * (size_t)surface->vertex_count * sizeof *velocities);
    for (abut_index row = 0; row < t->count; row++) {
        if (t->contact.mesh[row] == wall) {
            correct_power(s, row);
        }
    }
}

/* Adds the force of a row to the nodes of its contact. */
static void add_nodal_forces(const interaction_table *t, abut_index row, double *forces)
{
    const abut_columns *c = &t->contact;
    const vec3 force = vec3_load(t->effects[row].force);
    for (abut_index k = c->node_offsets[row]; k < c->node_offsets[row + 1]; k++) {
        double *to = forces + 3 * c->node[k];
        vec3_store(to, vec3_sub(vec3_load(to), vec3_scale(force, c->weight[k])));
    }
}

void abut_simulation_nodal_forces(const abut_simulation *s, abut_index wall,
                                  abut_index vertex_count, double *forces)
{
    const interaction_table *t = &s->before->tables[ABUT_SPHERE_WALL];
    memset(forces, 0, 3 * (size_t)vertex_count * sizeof *forces);
    for (abut_index row = 0; row < t->count; row++) {
        if (t->contact.mesh[row] == wall) {
            add_nodal_forces(t, row, forces);
        }
    }
}

/* ---- restart ---- */

void abut_simulation_restore_deforming(abut_simulation *s, abut_index wall,
                                       const abut_deforming_state *state)
{
    deforming_mesh *surface = &s->walls.deforming[wall];
    const size_t bytes = 3 * (size_t)surface->vertex_count * sizeof *surface->before;
    memcpy(surface->before, state->before, bytes);
    memcpy(surface->velocities_before, state->velocities_before, bytes);
    memcpy(surface->velocities, state->velocities, bytes);
}
