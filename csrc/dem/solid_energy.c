/* Energies of what bodies touch, which step they are stable with, and what walls bear of them. */
#include "simulation.h"

/* ---- energy ---- */

static double energy_of_row(const abut_simulation *s, abut_meeting meeting, abut_index row)
{
    const spot_table *t = &s->before.spots[meeting];
    const law *l = simulation_spot_law(s, t, meeting, row);
    const abut_index end = t->columns.spot_offsets[row + 1];
    double sum = 0.0;
    for (abut_index spot = t->columns.spot_offsets[row]; spot < end; spot++) {
        const double overlap = t->columns.spot_overlap[spot];
        if (overlap > 0.0) {
            /* the radius is of no account to linear laws */
            sum += laws_energy(l, 1.0, overlap, t->springs.spring + 3 * spot);
        }
    }
    return sum;
}

double solids_elastic_energy(const abut_simulation *s)
{
    double sum = 0.0;
    for (int k = 0; k < ABUT_MEETING_COUNT; k++) {
        for (abut_index row = 0; row < s->before.spots[k].count; row++) {
            sum += energy_of_row(s, (abut_meeting)k, row);
        }
    }
    return sum;
}

/* ---- which step is stable ---- */

/* What holds a body: the sum over spots of the square of a frequency, the mass taken as 1 / (1 / m
 * + arm^2 / I), and the largest damping ratio of a spot, times the root of their number. */
typedef struct solid_hold {
    double frequency_sq, damping_ratio;
    abut_index spots;
} solid_hold;

static void add_hold(solid_hold *h, const law *l, const rigid *r, vec3 arm, vec3 normal)
{
    const law_stiffness of = laws_stiffness(l, 1.0, 1.0);
    const double xy = r->inertia[0] < r->inertia[1] ? r->inertia[0] : r->inertia[1];
    const double least = xy < r->inertia[2] ? xy : r->inertia[2];
    const vec3 turning = vec3_cross(arm, normal);
    const vec3 spin = rigid_spin(r, r->orientation, turning);
    const double along = of.normal * (1.0 / r->mass + vec3_dot(turning, spin));
    const double across = of.shear * (1.0 / r->mass + vec3_norm_sq(arm) / least);
    h->frequency_sq += along > across ? along : across;
    h->damping_ratio = of.damping_ratio > h->damping_ratio ? of.damping_ratio : h->damping_ratio;
    h->spots++;
}

static void add_row_holds(const abut_simulation *s, abut_meeting meeting, abut_index row,
                          solid_hold *holds)
{
    const spot_table *t = &s->before.spots[meeting];
    const abut_convex_columns *c = &t->columns;
    const law *l = simulation_spot_law(s, t, meeting, row);
    const vec3 normal = vec3_load(c->normal + 3 * row);
    const vec3 shift = simulation_spot_shift(s, t, row);
    for (abut_index spot = c->spot_offsets[row]; spot < c->spot_offsets[row + 1]; spot++) {
        const vec3 point = vec3_load(c->spot + 3 * spot);
        if (!(c->spot_overlap[spot] > 0.0)) {
            continue;
        }
        const rigid *own = &s->solids.solids[c->i[row]].rigid;
        add_hold(&holds[c->i[row]], l, own, vec3_sub(point, own->began), normal);
        if (meeting == ABUT_WITH_BODIES) {
            const rigid *other = &s->solids.solids[c->j[row]].rigid;
            const vec3 arm = vec3_sub(vec3_sub(point, shift), other->began);
            add_hold(&holds[c->j[row]], l, other, arm, normal);
        }
    }
}

/* As of a sphere: of two masses that meet each counts with half of the limit. */
static double step_of_hold(const solid_hold *h)
{
    const double ratio_sq = (double)h->spots * h->damping_ratio * h->damping_ratio;
    return sqrt(2.0 / h->frequency_sq) * (sqrt(1.0 + ratio_sq) - sqrt(ratio_sq));
}

abut_status abut_simulation_stable_step_of_bodies(const abut_simulation *s,
                                                  const double *free_steps, double *step)
{
    solid_hold *holds = memory_alloc_zeroed(s->solids.count, sizeof *holds);
    *step = INFINITY;
    if (!holds) {
        return ABUT_NO_MEMORY;
    }
    for (int k = 0; k < ABUT_MEETING_COUNT; k++) {
        for (abut_index row = 0; row < s->before.spots[k].count; row++) {
            add_row_holds(s, (abut_meeting)k, row, holds);
        }
    }
    for (abut_index k = 0; k < s->solids.count; k++) {
        const double free_step = free_steps ? free_steps[k] : INFINITY;
        const double own = holds[k].frequency_sq > 0.0 ? step_of_hold(&holds[k]) : free_step;
        *step = own < *step ? own : *step;
    }
    memory_free(holds);
    return ABUT_OK;
}

/* ---- what walls bear ---- */

static void add_spot(const abut_simulation *s, abut_index row, abut_index spot,
                     const abut_wall_state *state, abut_wall_load *load)
{
    const spot_table *t = &s->before.spots[ABUT_WITH_WALLS];
    const vec3 force = vec3_load(t->springs.effects[spot].force);
    const vec3 point =
        vec3_sub(vec3_load(t->columns.spot + 3 * spot), simulation_spot_shift(s, t, row));
    const vec3 torque = vec3_cross(vec3_sub(point, vec3_load(state->origin)), force);
    vec3_store(load->force, vec3_sub(vec3_load(load->force), force));
    vec3_store(load->torque, vec3_sub(vec3_load(load->torque), torque));
    load->power += t->power[spot];
}

void solids_add_load(const abut_simulation *s, abut_index wall, const abut_wall_state *state,
                     abut_wall_load *load)
{
    const abut_convex_columns *c = &s->before.spots[ABUT_WITH_WALLS].columns;
    for (abut_index row = 0; row < s->before.spots[ABUT_WITH_WALLS].count; row++) {
        for (abut_index spot = c->spot_offsets[row];
             c->mesh[row] == wall && spot < c->spot_offsets[row + 1]; spot++) {
            add_spot(s, row, spot, state, load);
        }
    }
}
