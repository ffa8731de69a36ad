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

/* What holds a body: stiffness by mass, and by inertia about its principal axes; and the largest
 * ratio of a spot's damping to its stiffness. */
typedef struct solid_hold {
    double push, turn[3], damping;
} solid_hold;

/* Bodies that touch each other give way both. */
typedef struct spot_hold {
    const law *law;
    vec3 point, normal;
    double both;
    abut_index bearing; /* spots that share the body's mass */
} spot_hold;

static double damping_of(const law *l, double mass, abut_index bearing)
{
    const law_stiffness of = laws_stiffness(l, 1.0, 1.0);
    return of.normal > 0.0 ? 2.0 * of.damping_ratio * sqrt(mass / ((double)bearing * of.normal))
                           : 0.0;
}

static void add_hold(solid_hold *h, const spot_hold *spot, const rigid *r)
{
    vec3 rows[3];
    rigid_rows(r->began_orientation, rows);
    const law_stiffness of = laws_stiffness(spot->law, 1.0, 1.0);
    const vec3 arm = rigid_to_axes(rows, vec3_sub(spot->point, r->began));
    const vec3 turning = vec3_cross(arm, rigid_to_axes(rows, spot->normal));
    const double arms[3] = {arm.x, arm.y, arm.z}, along[3] = {turning.x, turning.y, turning.z};
    const double damping = damping_of(spot->law, r->mass, spot->bearing);
    h->push += spot->both * (of.normal > of.shear ? of.normal : of.shear) / r->mass;
    for (int axis = 0; axis < 3; axis++) {
        const double normal_sq = along[axis] * along[axis];
        const double all_sq = vec3_norm_sq(arm) - arms[axis] * arms[axis];
        const double stiffness = of.normal * normal_sq + of.shear * (all_sq - normal_sq);
        h->turn[axis] += spot->both * stiffness / r->inertia[axis];
    }
    h->damping = damping > h->damping ? damping : h->damping;
}

static abut_index count_bearing(const abut_convex_columns *c, abut_index row)
{
    abut_index count = 0;
    for (abut_index spot = c->spot_offsets[row]; spot < c->spot_offsets[row + 1]; spot++) {
        count += c->spot_overlap[spot] > 0.0;
    }
    return count;
}

static void add_row_holds(const abut_simulation *s, abut_meeting meeting, abut_index row,
                          solid_hold *holds)
{
    const spot_table *t = &s->before.spots[meeting];
    const abut_convex_columns *c = &t->columns;
    spot_hold h = {.law = simulation_spot_law(s, t, meeting, row),
                   .normal = vec3_load(c->normal + 3 * row),
                   .both = meeting == ABUT_WITH_WALLS ? 1.0 : 2.0,
                   .bearing = count_bearing(c, row)};
    const vec3 shift = simulation_spot_shift(s, t, row);
    for (abut_index spot = c->spot_offsets[row]; spot < c->spot_offsets[row + 1]; spot++) {
        if (!(c->spot_overlap[spot] > 0.0)) {
            continue;
        }
        h.point = vec3_load(c->spot + 3 * spot);
        add_hold(&holds[c->i[row]], &h, &s->solids.solids[c->i[row]].rigid);
        if (meeting == ABUT_WITH_BODIES) {
            h.point = vec3_sub(h.point, shift);
            add_hold(&holds[c->j[row]], &h, &s->solids.solids[c->j[row]].rigid);
        }
    }
}

/* Of a body that touches nothing: as if four spots of its stiffest law bore it, a cube's at its
 * corners. */
static solid_hold hold_of_free(const abut_simulation *s, const solid *of)
{
    const double *inertia = of->rigid.inertia;
    const double most = larger(inertia[0], larger(inertia[1], inertia[2]));
    const double arm_sq = of->reach * of->reach / 3.0;
    solid_hold h = {0};
    for (abut_index other = 0; other < s->laws.material_count; other++) {
        const law *l = &s->laws.laws[laws_number(&s->laws, of->material, other)];
        const double stiffness = l->is_hertz > 0.0 ? 0.0 : laws_stiffness(l, 1.0, 1.0).normal;
        h.push = larger(h.push, 4.0 * stiffness / of->rigid.mass);
        h.turn[0] = larger(h.turn[0], 4.0 * stiffness * arm_sq / most);
        if (stiffness > 0.0) {
            h.damping = larger(h.damping, damping_of(l, of->rigid.mass, 4));
        }
    }
    return h;
}

/* Both ways to give way add up where contacts are off the center. */
static double step_of_hold(const solid_hold *h)
{
    const double turn = larger(h->turn[0], larger(h->turn[1], h->turn[2]));
    const double frequency = sqrt(h->push + turn), ratio = 0.5 * h->damping * frequency;
    return 2.0 / frequency * (sqrt(1.0 + ratio * ratio) - ratio);
}

abut_status abut_simulation_stable_step_of_bodies(const abut_simulation *s, double *step)
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
        if (holds[k].push == 0.0) {
            holds[k] = hold_of_free(s, &s->solids.solids[k]);
        }
        if (holds[k].push > 0.0) {
            *step = fmin(*step, step_of_hold(&holds[k]));
        }
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
