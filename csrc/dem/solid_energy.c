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
            /* linear laws do not ask for the radius */
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

/* What holds a body: stiffness against its six ways to move, by mass and inertia; and the largest
 * ratio of a spot's damping to its stiffness. */
enum { WAYS = 6 };

typedef struct solid_hold {
    double stiffness[WAYS][WAYS], damping;
    abut_index spot_count;
} solid_hold;

/* A spot that holds a body; of two bodies both give way. */
typedef struct spot_hold {
    const law *law;
    vec3 point, normal;
    double both, mass; /* m* */
    double bearing;    /* spots that share the mass */
} spot_hold;

static double damping_of(const law *l, double mass, double bearing)
{
    const law_stiffness of = laws_stiffness(l, 1.0, 1.0);
    return of.normal > 0.0 ? 2.0 * of.damping_ratio * sqrt(mass / (bearing * of.normal)) : 0.0;
}

/* A spring along a direction, both in the frame of the principal axes. */
static void add_spring(solid_hold *h, double stiffness, const rigid *r, vec3 arm, vec3 direction)
{
    const double root = sqrt(r->mass);
    const vec3 turn = vec3_cross(arm, direction);
    const double ways[WAYS] = {direction.x / root,           direction.y / root,
                               direction.z / root,           turn.x / sqrt(r->inertia[0]),
                               turn.y / sqrt(r->inertia[1]), turn.z / sqrt(r->inertia[2])};
    for (int i = 0; i < WAYS; i++) {
        for (int k = 0; k < WAYS; k++) {
            h->stiffness[i][k] += stiffness * ways[i] * ways[k];
        }
    }
}

static void add_hold(solid_hold *h, const spot_hold *spot, const rigid *r)
{
    static const vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    vec3 rows[3];
    rigid_rows(r->began_orientation, rows);
    const law_stiffness of = laws_stiffness(spot->law, 1.0, 1.0);
    const vec3 arm = rows_turn_back(rows, vec3_sub(spot->point, r->began));
    for (int axis = 0; axis < 3; axis++) {
        add_spring(h, spot->both * of.shear, r, arm, axes[axis]);
    }
    add_spring(h, spot->both * (of.normal - of.shear), r, arm, rows_turn_back(rows, spot->normal));
    h->damping = larger(h->damping, damping_of(spot->law, spot->mass, spot->bearing));
    h->spot_count++;
}

static void add_row_holds(const abut_simulation *s, abut_meeting meeting, abut_index row,
                          solid_hold *holds)
{
    const spot_table *t = &s->before.spots[meeting];
    const abut_convex_columns *c = &t->columns;
    const rigid *own = &s->solids.solids[c->i[row]].rigid;
    const rigid *other = meeting == ABUT_WITH_BODIES ? &s->solids.solids[c->j[row]].rigid : NULL;
    spot_hold h = {.law = simulation_spot_law(s, t, meeting, row),
                   .normal = vec3_load(c->normal + 3 * row),
                   .both = meeting == ABUT_WITH_WALLS ? 1.0 : 2.0,
                   .mass = other ? own->mass * other->mass / (own->mass + other->mass) : own->mass,
                   .bearing = larger(simulation_bearing_spots(t, meeting, row), 1.0)};
    const vec3 shift = simulation_spot_shift(s, t, row);
    for (abut_index spot = c->spot_offsets[row]; spot < c->spot_offsets[row + 1]; spot++) {
        if (!(c->spot_overlap[spot] > 0.0)) {
            continue;
        }
        h.point = vec3_load(c->spot + 3 * spot);
        add_hold(&holds[c->i[row]], &h, own);
        if (other) {
            h.point = vec3_sub(h.point, shift);
            add_hold(&holds[c->j[row]], &h, other);
        }
    }
}

/* The square of the largest frequency, by multiplying again and again: a body has few ways to move,
 * so this comes near soon. */
enum { PRODUCTS = 64 };

static double find_frequency_sq(const solid_hold *h)
{
    double way[WAYS] = {1.0, 0.9, 0.8, 0.7, 0.6, 0.5}, length = 0.0;
    for (int product = 0; product < PRODUCTS; product++) {
        double next[WAYS] = {0.0};
        length = 0.0;
        for (int i = 0; i < WAYS; i++) {
            for (int k = 0; k < WAYS; k++) {
                next[i] += h->stiffness[i][k] * way[k];
            }
            length += next[i] * next[i];
        }
        length = sqrt(length);
        for (int i = 0; i < WAYS && length > 0.0; i++) {
            way[i] = next[i] / length;
        }
    }
    return length;
}

static double limit_of(double frequency_sq, double damping)
{
    const double frequency = sqrt(frequency_sq);
    return 2.0 / frequency * laws_stable_part(0.5 * damping * frequency);
}

/* The longest stable step of a body that touches nothing: as if four spots bore it, like a cube at
 * its corners. */
static double step_of_free(const abut_simulation *s, const solid *of)
{
    const double *inertia = of->rigid.inertia;
    const double most = larger(inertia[0], larger(inertia[1], inertia[2]));
    const double gives_way = 1.0 / of->rigid.mass + of->reach * of->reach / (3.0 * most);
    double step = INFINITY;
    for (abut_index other = 0; other < s->laws.material_count; other++) {
        const law *l = &s->laws.laws[laws_number(&s->laws, of->material, other)];
        if (!(l->is_hertz > 0.0) && l->elastic > 0.0) {
            const double damping = damping_of(l, of->rigid.mass, 4.0);
            step = fmin(step, limit_of(4.0 * l->elastic * gives_way, damping));
        }
    }
    return step;
}

abut_status abut_simulation_stable_step_of_bodies(const abut_simulation *s,
                                                  abut_stable_step *longest)
{
    solid_hold *holds = memory_alloc_zeroed(s->solids.count, sizeof *holds);
    *longest = (abut_stable_step){.step = INFINITY, .index = -1};
    if (!holds) {
        return ABUT_NO_MEMORY;
    }
    for (int k = 0; k < ABUT_MEETING_COUNT; k++) {
        for (abut_index row = 0; row < s->before.spots[k].count; row++) {
            add_row_holds(s, (abut_meeting)k, row, holds);
        }
    }
    for (abut_index k = 0; k < s->solids.count; k++) {
        const solid_hold *h = &holds[k];
        const double step = h->spot_count > 0 ? limit_of(find_frequency_sq(h), h->damping)
                                              : step_of_free(s, &s->solids.solids[k]);
        if (step < longest->step) {
            *longest = (abut_stable_step){step, k, h->spot_count};
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
