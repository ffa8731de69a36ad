/* Grains (free spheres, clusters and convex bodies) at the beginning of the last step. */
#include "grains.h"

/* ---- velocities ---- */

/* A grain in the last step: where it began and ended, its present velocity, and the force on it. */
typedef struct grain_motion {
    vec3 began, position, velocity, force;
    double mass;
} grain_motion;

/* What a cell that deforms adds to the velocity at the beginning of the last step: the half of a
 * kick, and the change by which the grain was moved into the cell. */
static vec3 velocity_of_cell(const abut_simulation *s, const grain_motion *m)
{
    const deforming_cell *c = &s->cell;
    const vec3 wraps = lattice_nearest_image(&s->lattice, vec3_sub(m->began, m->position));
    return vec3_sub(rows_turn_back(c->rates_of_wraps, wraps),
                    vec3_scale(cell_acceleration_then(c, m->began), 0.5 * s->last.step));
}

/* The velocity at the beginning of the last step, by the present velocity and the force. */
static vec3 mean_velocity(const abut_simulation *s, const grain_motion *m)
{
    if (m->mass == FIXED) {
        return m->velocity;
    }
    const vec3 pull = vec3_add(vec3_load(s->last.gravity), vec3_scale(m->force, 1.0 / m->mass));
    const vec3 mean = vec3_sub(m->velocity, vec3_scale(pull, 0.5 * s->last.step));
    return s->cell.has_moved ? vec3_add(mean, velocity_of_cell(s, m)) : mean;
}

vec3 grains_sphere_velocity(const abut_simulation *s, abut_index place)
{
    const mover *sphere = &s->store.movers[place];
    const grain_motion m = {vec3_load(s->store.began + 3 * place),
                            vec3_load(s->store.centers + 3 * place), vec3_load(sphere->velocity),
                            vec3_load(s->store.forces + 3 * place), sphere->mass};
    return mean_velocity(s, &m);
}

/* The force on a cluster is the sum of the forces on its members. */
vec3 grains_body_velocity(const abut_simulation *s, const rigid_set *set, const rigid_body *body)
{
    const rigid *r = &body->rigid;
    vec3 force = body->sum.force;
    if (set == &s->clusters) {
        force = (vec3){0.0, 0.0, 0.0};
        for (int32_t k = 0; k < body->member_count; k++) {
            const abut_index place = s->store.places[body->first_row + k];
            force = vec3_add(force, vec3_load(s->store.forces + 3 * place));
        }
    }
    const grain_motion m = {r->began, r->position, r->velocity, force, rigid_mass(r)};
    return mean_velocity(s, &m);
}

/* ---- columns ---- */

static abut_index count_free(const abut_simulation *s)
{
    abut_index members = 0;
    for (abut_index k = 0; k < s->clusters.count; k++) {
        members += s->clusters.bodies[k].member_count;
    }
    return s->store.count - members;
}

abut_index abut_simulation_grain_count(const abut_simulation *s)
{
    return count_free(s) + s->clusters.count + s->solids.count;
}

static void put(const abut_grains *to, abut_index k, vec3 center, vec3 velocity, double mass)
{
    if (to->centers) {
        vec3_store(to->centers + 3 * k, center);
    }
    if (to->velocities) {
        vec3_store(to->velocities + 3 * k, velocity);
    }
    if (to->masses) {
        to->masses[k] = mass;
    }
}

/* Reads free spheres, and for each sphere the number of the grain that contains it. */
static void read_spheres(const abut_simulation *s, abut_index first_cluster, const abut_grains *to)
{
    abut_index next = 0;
    for (abut_index row = 0; row < s->store.count; row++) {
        const abut_index place = s->store.places[row];
        const bool is_member = simulation_is_member(s, place);
        if (to->of_sphere) {
            to->of_sphere[row] = is_member ? first_cluster + s->store.clusters[place] : next;
        }
        if (!is_member) {
            put(to, next++, vec3_load(s->store.began + 3 * place), grains_sphere_velocity(s, place),
                s->store.masses[place]);
        }
    }
}

static void read_set(const abut_simulation *s, const rigid_set *set, const abut_grains *to,
                     abut_index first)
{
    for (abut_index k = 0; k < set->count; k++) {
        const rigid *r = &set->bodies[k].rigid;
        put(to, first + k, r->began, grains_body_velocity(s, set, &set->bodies[k]), r->mass);
    }
}

void abut_simulation_read_grains(const abut_simulation *s, const abut_grains *grains)
{
    const abut_index first = count_free(s);
    read_spheres(s, first, grains);
    read_set(s, &s->clusters, grains, first);
    read_set(s, &s->solids, grains, first + s->clusters.count);
}
