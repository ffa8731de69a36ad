/* Energies of what bodies touch, which step they are stable with, and what walls bear of them. */
#include "solid_energy.h"

#include "apart.h"
#include "law_of.h"
#include "solid_spots.h"

/* What a row takes, as parallel_report counts it. */
enum { WORK_OF_ROW = 20 };

/* ---- energy ---- */

typedef struct table_energy {
    const abut_simulation *simulation;
    const interaction_table *table;
} table_energy;

static double energy_of_row(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    const spot_row r = simulation_spot_row(s, t, row);
    double sum = 0.0;
    for (abut_index spot = r.begin; spot < r.end; spot++) {
        const double overlap = t->body.spot_overlap[spot];
        if (apart_spot_lived(t, spot)) {
            sum += simulation_stored(t, spot, r.law, r.radius, overlap);
        }
    }
    return sum;
}

static void add_rows(const void *context, abut_index begin, abut_index end, void *part)
{
    const table_energy *e = context;
    double *sum = part;
    for (abut_index row = begin; row < end; row++) {
        *sum += energy_of_row(e->simulation, e->table, row);
    }
}

static void join_sums(void *total, const void *part)
{
    parallel_add_numbers(total, part, 1);
}

double solids_elastic_energy(const abut_simulation *s)
{
    static const double none = 0.0;
    double sum = 0.0;
    for (int k = 0; k < ABUT_BODY_INTERACTIONS; k++) {
        const table_energy e = {s, &s->before->tables[k]};
        const parallel_folding rows = {add_rows, join_sums, &e, &none, sizeof none};
        parallel_fold(s->input.workers, e.table->count, WORK_OF_ROW * e.table->count, &rows, &sum);
    }
    return sum;
}

/* ---- which step is stable ---- */

/* What holds a body against its six ways to move, by mass and inertia: springs, and dampers of laws
 * whose stiffness goes with the overlap. Of linear laws, whose ratio of damping to stiffness is the
 * same at all spots, the largest ratio. */
enum { WAYS = 6 };

typedef struct solid_hold {
    double stiffness[WAYS][WAYS], damping[WAYS][WAYS];
    double ratio;
    abut_index spot_count;
} solid_hold;

/* A spot that holds a body; of two bodies both give way. */
typedef struct spot_hold {
    const law *law;
    own_contact contact; /* with the parts of m* and I* that the spot bears */
    law_stiffness of;
    vec3 point, normal;
    double both;
} spot_hold;

/* How stiff a spot is, and how much it damps: along the normal, across it, and against rolling. */
typedef struct spot_springs {
    double normal, shear, roll;
} spot_springs;

static double ratio_of(const spot_hold *h)
{
    const law_stiffness *of = &h->of;
    return of->normal > 0.0 ? 2.0 * of->damping_ratio * sqrt(h->contact.mass / of->normal) : 0.0;
}

static spot_springs stiffness_of(const spot_hold *h)
{
    const double radius = h->contact.radius;
    const bool has_roll = h->law->rolling_friction > 0.0;
    return (spot_springs){h->of.normal, h->of.shear,
                          has_roll ? h->of.shear * radius * radius : 0.0};
}

/* The dampers beside these springs; of linear laws that against rolling alone. */
static spot_springs damping_of(const spot_hold *h, const spot_springs *k)
{
    spot_springs c = {.roll = h->law->rolling_damping * sqrt(k->roll * h->contact.inertia)};
    if (h->law->exponent > 1.0) {
        const double ratio = 2.0 * h->of.damping_ratio;
        c.normal = ratio * sqrt(k->normal * h->contact.mass);
        c.shear = ratio * sqrt(k->shear * h->contact.mass);
    }
    return c;
}

/* A spring or a damper along a way, which is a displacement and a rotation, both in the frame of
 * the principal axes. */
static void add_way(double sum[WAYS][WAYS], double stiffness, const rigid *r, vec3 along, vec3 turn)
{
    const double root = sqrt(r->mass);
    const double ways[WAYS] = {along.x / root,
                               along.y / root,
                               along.z / root,
                               turn.x / sqrt(r->inertia[0]),
                               turn.y / sqrt(r->inertia[1]),
                               turn.z / sqrt(r->inertia[2])};
    for (int i = 0; i < WAYS; i++) {
        for (int k = 0; k < WAYS; k++) {
            sum[i][k] += stiffness * ways[i] * ways[k];
        }
    }
}

/* Those of a spot: across the normal, along it, and against rolling. */
static void add_springs(double sum[WAYS][WAYS], const spot_springs *k, double both, const rigid *r,
                        vec3 arm, vec3 normal)
{
    static const vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    static const vec3 none = {0.0, 0.0, 0.0};
    for (int axis = 0; axis < 3; axis++) {
        add_way(sum, both * k->shear, r, axes[axis], vec3_cross(arm, axes[axis]));
    }
    add_way(sum, both * (k->normal - k->shear), r, normal, vec3_cross(arm, normal));
    if (k->roll > 0.0) {
        for (int axis = 0; axis < 3; axis++) {
            add_way(sum, both * k->roll, r, none, axes[axis]);
        }
        add_way(sum, -both * k->roll, r, none, normal);
    }
}

static void add_hold(solid_hold *h, const spot_hold *spot, const rigid *r)
{
    vec3 rows[3];
    rigid_rows(r->began_orientation, rows);
    const vec3 arm = rows_turn_back(rows, vec3_sub(spot->point, r->began));
    const vec3 normal = rows_turn_back(rows, spot->normal);
    const spot_springs stiffness = stiffness_of(spot), damping = damping_of(spot, &stiffness);
    add_springs(h->stiffness, &stiffness, spot->both, r, arm, normal);
    add_springs(h->damping, &damping, spot->both, r, arm, normal);
    if (!(spot->law->exponent > 1.0)) {
        h->ratio = larger(h->ratio, ratio_of(spot));
    }
    h->spot_count++;
}

/* A contact of a body without an overlap so far, of which each of so many spots bears its part. */
static own_contact contact_of(const rigid *own, const rigid *other, double radius, double bearing)
{
    const double mass = other ? reduced(rigid_mass(own), rigid_mass(other)) : own->mass;
    const double both = other ? reduced(rigid_least_inertia(own), rigid_least_inertia(other))
                              : rigid_own_inertia(own);
    return (own_contact){.radius = radius,
                         .mass = mass / bearing,
                         .inertia = both / bearing,
                         .radius_i = radius,
                         .radius_j = radius};
}

static spot_hold begin_hold(const abut_simulation *s, const interaction_table *t, const spot_row *r,
                            const rigid *own, const rigid *other)
{
    const double bearing = larger(simulation_bearing_spots(t, r->row), 1.0);
    spot_hold h = {.law = r->law,
                   .contact = contact_of(own, other, r->radius, bearing),
                   .normal = r->normal,
                   .both = t->kind == ABUT_BODY_WALL ? 1.0 : 2.0};
    if (t->kind == ABUT_BODY_WALL) {
        h.contact.radius_j = INFINITY;
        const double mass =
            simulation_mass_on_wall(s, t->body.mesh[r->row], rigid_mass(own), own->mass);
        h.contact.mass = mass / bearing;
    }
    return h;
}

static void add_row_holds(const abut_simulation *s, const interaction_table *t, abut_index row,
                          solid_hold *holds)
{
    const abut_convex_columns *c = &t->body;
    const rigid *own = &s->solids.bodies[c->i[row]].rigid;
    const rigid *other = t->kind == ABUT_BODY_BODY ? &s->solids.bodies[c->j[row]].rigid : NULL;
    const spot_row r = simulation_spot_row(s, t, row);
    spot_hold h = begin_hold(s, t, &r, own, other);
    for (abut_index spot = r.begin; spot < r.end; spot++) {
        h.contact.overlap = c->spot_overlap[spot];
        h.of = simulation_stiffness(t, spot, r.law, h.contact);
        if (!apart_spot_lived(t, spot) || !(h.of.normal > 0.0)) {
            continue;
        }
        h.point = simulation_spot_point(t, &r, spot);
        add_hold(&holds[c->i[row]], &h, own);
        if (other) {
            h.point = vec3_sub(h.point, r.shift);
            add_hold(&holds[c->j[row]], &h, other);
        }
    }
}

/* The largest eigenvalue, by multiplying again and again: a body has few ways to move, so this
 * comes near soon. */
enum { PRODUCTS = 64 };

static double find_largest(const double matrix[WAYS][WAYS])
{
    double way[WAYS] = {1.0, 0.9, 0.8, 0.7, 0.6, 0.5}, length = 0.0;
    for (int product = 0; product < PRODUCTS; product++) {
        double next[WAYS] = {0.0};
        length = 0.0;
        for (int i = 0; i < WAYS; i++) {
            for (int k = 0; k < WAYS; k++) {
                next[i] += matrix[i][k] * way[k];
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

static double limit_of(double frequency_sq, double ratio)
{
    const double frequency = sqrt(frequency_sq);
    return 2.0 / frequency * law_stable_part(0.5 * ratio * frequency);
}

/* Dampers take from each swing no more than by their largest eigenvalue, which by the square of the
 * frequency is a ratio as that of linear laws. */
static double step_of_held(const solid_hold *h)
{
    const double frequency_sq = find_largest(h->stiffness), damping = find_largest(h->damping);
    const double ratio = damping > 0.0 ? damping / frequency_sq : 0.0;
    return limit_of(frequency_sq, h->ratio + ratio);
}

/* The stiffness along the normal of a spot of a body that touches nothing; 0: there is no such law,
 * or no radius. Of Hertz' law that of the deepest overlap which laws mean, a tenth of the radius,
 * or where its corners are so fast, a deeper one. */
static spot_hold guess_hold(const rigid_body *of, const law *l)
{
    const double radius = law_asks_for_radius(l) ? law_radius_of_body(l, of->rounding) : 1.0;
    spot_hold h = {.law = l, .contact = contact_of(&of->rigid, NULL, radius, 4.0)};
    h.contact.overlap = 0.1 * radius;
    const double speed = vec3_length(of->rigid.velocity) + of->reach * vec3_length(of->rigid.spin);
    h.contact.overlap = law_overlap_of_blow(l, &h.contact, speed);
    h.of = law_stiffness_at(l, &h.contact);
    return h;
}

law_stiffness solids_first_stiffness(const rigid_body *of, const law *l, double *mass)
{
    const spot_hold h = guess_hold(of, l);
    *mass = h.contact.mass;
    return h.of;
}

/* The longest stable step of a body that touches nothing: as if four spots bore it, like a cube at
 * its corners. */
static double step_of_free(const abut_simulation *s, const rigid_body *of)
{
    const double *inertia = of->rigid.inertia;
    const double most = larger(inertia[0], larger(inertia[1], inertia[2]));
    const double gives_way = 1.0 / of->rigid.mass + of->reach * of->reach / (3.0 * most);
    double step = INFINITY;
    for (abut_index other = 0; other < s->laws.material_count; other++) {
        const law *l = &s->laws.laws[laws_number(&s->laws, of->material, other)];
        const spot_hold h = guess_hold(of, l);
        const spot_springs k = stiffness_of(&h);
        if (k.normal > 0.0) {
            const double ratio =
                l->exponent > 1.0 ? damping_of(&h, &k).normal / k.normal : ratio_of(&h);
            step = fmin(step, limit_of(4.0 * k.normal * gives_way, ratio));
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
    for (int k = 0; k < ABUT_BODY_INTERACTIONS; k++) {
        for (abut_index row = 0; row < s->before->tables[k].count; row++) {
            add_row_holds(s, &s->before->tables[k], row, holds);
        }
    }
    for (abut_index k = 0; k < s->solids.count; k++) {
        const solid_hold *h = &holds[k];
        const double step =
            h->spot_count > 0 ? step_of_held(h) : step_of_free(s, &s->solids.bodies[k]);
        if (step < longest->step && !s->solids.bodies[k].rigid.is_held) {
            *longest = (abut_stable_step){step, k, h->spot_count};
        }
    }
    memory_free(holds);
    return ABUT_OK;
}

/* ---- what walls bear ---- */

void solids_add_load(const abut_simulation *s, const step_tables *of, row_span rows,
                     abut_index wall, abut_wall_load *load)
{
    const interaction_table *t = &of->tables[ABUT_BODY_WALL];
    for (abut_index row = rows.first; row < rows.first + rows.count; row++) {
        if (t->body.mesh[row] == wall) {
            const spot_row r = simulation_spot_row(s, t, row);
            for (abut_index spot = r.begin; spot < r.end; spot++) {
                walls_add_load(load, &of->states[wall],
                               vec3_sub(simulation_spot_point(t, &r, spot), r.shift),
                               vec3_load(t->springs.effects[spot].force),
                               table_vector(t->springs.moment, spot), t->springs.power[spot]);
            }
        }
    }
}

static void visit_row(const abut_simulation *s, const interaction_table *t, abut_index row,
                      wall_touch_visit *visit, void *part)
{
    const spot_row r = simulation_spot_row(s, t, row);
    spot_hold h = begin_hold(s, t, &r, &s->solids.bodies[t->body.i[row]].rigid, NULL);
    for (abut_index spot = r.begin; spot < r.end; spot++) {
        h.contact.overlap = t->body.spot_overlap[spot];
        h.of = simulation_stiffness(t, spot, r.law, h.contact);
        if (apart_spot_lived(t, spot) && h.of.normal > 0.0) {
            const wall_touch touch = {.point =
                                          vec3_sub(simulation_spot_point(t, &r, spot), r.shift),
                                      .normal = r.normal,
                                      .stiffness = h.of.normal,
                                      .damping = simulation_damper(r.law, &h.of, h.contact.mass),
                                      .wall = t->body.mesh[row]};
            visit(s, &touch, part);
        }
    }
}

void solids_visit_touches(const abut_simulation *s, const step_tables *of, row_span rows,
                          abut_index wall, wall_touch_visit *visit, void *part)
{
    const interaction_table *t = &of->tables[ABUT_BODY_WALL];
    for (abut_index row = rows.first; row < rows.first + rows.count; row++) {
        if (t->body.mesh[row] == wall) {
            visit_row(s, t, row, visit, part);
        }
    }
}
