/* Energies at the beginning of the last step, and loads of walls. Energies are summed in fixed
 * groups of rows, so the order of places does not change them. */
#include "energy.h"

#include "bond_laws.h"
#include "grains.h"
#include "move.h"
#include "view.h"

/* The work per sphere and per row of bodies, in units of parallel_report. */
enum { WORK_OF_SPHERE = 5, WORK_OF_ROW = 20 };

/* The items of a sum: all spheres, the bodies of a set, or the rows of a table of bodies. */
typedef struct summing {
    const abut_simulation *simulation;
    const rigid_set *set;
    const interaction_table *rows;
} summing;

/* ---- bodies ---- */

static vec3 mean_spin(const abut_simulation *s, abut_index place)
{
    const double turn = 0.5 * s->last.step / s->store.inertias[place];
    return vec3_sub(vec3_load(s->store.movers[place].spin),
                    vec3_scale(vec3_load(s->store.torques + 3 * place), turn));
}

static void add_sphere(const abut_simulation *s, abut_index place, abut_energy *sum)
{
    const store *spheres = &s->store;
    sum->kinetic +=
        0.5 * spheres->movers[place].mass * vec3_norm_sq(grains_sphere_velocity(s, place));
    sum->rotational += 0.5 * spheres->inertias[place] * vec3_norm_sq(mean_spin(s, place));
    const vec3 at =
        spheres_unwrap(s, vec3_load(spheres->began + 3 * place),
                       vec3_load(spheres->centers + 3 * place), spheres->images + 3 * place);
    sum->gravitational -= spheres->masses[place] * vec3_dot(vec3_load(s->last.gravity), at);
}

/* Adds the energies of a rigid body. Its spin follows from the momentum at the start of the
 * step. */
static void add_rigid(const abut_simulation *s, const rigid_set *set, const rigid_body *body,
                      abut_energy *sum)
{
    const rigid *r = &body->rigid;
    const vec3 velocity = grains_body_velocity(s, set, body);
    const vec3 momentum = vec3_sub(r->momentum, vec3_scale(r->last_torque, 0.5 * s->last.step));
    const vec3 spin = rigid_spin(r, r->began_orientation, momentum);
    sum->kinetic += 0.5 * r->mass * vec3_norm_sq(velocity);
    sum->rotational += 0.5 * vec3_dot(momentum, spin);
    const vec3 at = spheres_unwrap(s, r->began, r->position, r->images);
    sum->gravitational -= r->mass * vec3_dot(vec3_load(s->last.gravity), at);
    sum->dissipated -= r->books.work;
    sum->wall_work += r->books.wall_work;
}

/* ---- elastic energies ---- */

static double energy_of_row(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    const view v = view_row(s, t, row);
    return view_energy(&v);
}

static double energy_of_contacts(const abut_simulation *s, abut_index place)
{
    const interaction_table *t = &s->before->tables[ABUT_SPHERE_WALL];
    const row_span rows = table_contacts_of(t, place);
    double sum = 0.0;
    for (abut_index row = rows.first; row < rows.first + rows.count; row++) {
        sum += energy_of_row(s, t, row);
    }
    return sum;
}

/* A sum and its rounding error (Neumaier), which do not depend on the order of pairs. */
typedef struct exact_sum {
    double sum, correction;
} exact_sum;

static void add_exactly(exact_sum *to, double number)
{
    const double next = to->sum + number;
    to->correction += to->sum >= number ? (to->sum - next) + number : (number - next) + to->sum;
    to->sum = next;
}

static void join_exact(void *total, const void *part)
{
    const exact_sum *other = part;
    add_exactly(total, other->sum);
    add_exactly(total, other->correction);
}

static void add_pairs(const void *context, abut_index begin, abut_index end, void *part)
{
    const abut_simulation *s = context;
    const interaction_table *t = &s->before->tables[ABUT_SPHERE_SPHERE];
    row_span rows = {0, 0};
    for (abut_index place = begin; place < end; place++) {
        rows = table_pairs_of(t, place, place > begin ? &rows : NULL);
        for (abut_index row = rows.first; row < rows.first + rows.count; row++) {
            add_exactly(part, energy_of_row(s, t, row));
        }
    }
}

/* ---- sums ---- */

static void add_spheres(const void *context, abut_index begin, abut_index end, void *part)
{
    const abut_simulation *s = ((const summing *)context)->simulation;
    abut_energy *sum = part;
    for (abut_index row = begin; row < end; row++) {
        const int32_t place = s->store.places[row];
        if (!simulation_is_member(s, place)) {
            add_sphere(s, place, sum);
        }
        sum->elastic += energy_of_contacts(s, place);
        sum->wall_work += s->store.books[place].wall_work;
        sum->dissipated -= s->store.books[place].work;
    }
}

static void add_set(const void *context, abut_index begin, abut_index end, void *part)
{
    const summing *all = context;
    for (abut_index k = begin; k < end; k++) {
        add_rigid(all->simulation, all->set, &all->set->bodies[k], part);
    }
}

static void add_rows(const void *context, abut_index begin, abut_index end, void *part)
{
    const summing *all = context;
    abut_energy *sum = part;
    for (abut_index row = begin; row < end; row++) {
        sum->elastic += energy_of_row(all->simulation, all->rows, row);
    }
}

/* Adds the energies of `count` items in parallel. work: the work of one item. */
static void add_all(summing items, abut_index count, abut_index work,
                    void (*add)(const void *, abut_index, abut_index, void *), abut_energy *sum)
{
    const parallel_folding folding = {.add = add, .context = &items, .size = sizeof *sum};
    parallel_fold(items.simulation->input.workers, count, work * count, &folding, sum);
}

static double energy_of_pairs(const abut_simulation *s)
{
    exact_sum sum = {0.0, 0.0};
    const parallel_folding folding = {add_pairs, join_exact, s, NULL, sizeof sum};
    parallel_fold(s->input.workers, s->store.count, WORK_OF_SPHERE * s->store.count, &folding,
                  &sum);
    return sum.sum + sum.correction;
}

/* Computes the energies without the terms of the account. */
static abut_energy count_energy(const abut_simulation *s)
{
    const rigid_set *sets[] = {&s->clusters, &s->solids};
    abut_energy sum = {.gravitational = s->last.lift,
                       .wall_work =
                           s->account.gone_wall_work + s->account.driven_work - s->cell.pending};
    abut_energy spots = {.elastic = 0.0};
    add_all((summing){.simulation = s}, s->store.count, WORK_OF_SPHERE, add_spheres, &sum);
    for (int k = 0; k < 2; k++) {
        add_all((summing){s, .set = sets[k]}, sets[k]->count, WORK_OF_SPHERE, add_set, &sum);
    }
    for (int k = 0; k < ABUT_BODY_INTERACTIONS; k++) {
        const interaction_table *t = &s->before->tables[k];
        add_all((summing){s, .rows = t}, t->count, WORK_OF_ROW, add_rows, &spots);
    }
    sum.elastic += spots.elastic;
    sum.elastic += energy_of_pairs(s);
    sum.elastic += bonds_energy(s);
    sum.dissipated -= sum.wall_work + sum.elastic + s->cell.pending;
    return sum;
}

abut_energy abut_simulation_energy(const abut_simulation *s)
{
    abut_energy sum = count_energy(s);
    sum.dissipated = s->account.is_held ? s->account.held : sum.dissipated + s->account.base;
    return sum;
}

double energy_of_gravity(const abut_simulation *s, vec3 gravity)
{
    double sum = 0.0;
    for (abut_index row = 0; row < s->store.count; row++) {
        const abut_index place = s->store.places[row];
        const double *center = s->store.centers + 3 * place;
        const vec3 at = spheres_unwrap_now(s, vec3_load(center), s->store.images + 3 * place);
        sum -=
            simulation_is_member(s, place) ? 0.0 : s->store.masses[place] * vec3_dot(gravity, at);
    }
    for (int set = 0; set < 2; set++) {
        const rigid_set *rigids = set ? &s->solids : &s->clusters;
        for (abut_index k = 0; k < rigids->count; k++) {
            const rigid *r = &rigids->bodies[k].rigid;
            const vec3 at = spheres_unwrap_now(s, r->position, r->images);
            sum -= r->mass * vec3_dot(gravity, at);
        }
    }
    return sum;
}

static double total_of(abut_energy e)
{
    return e.kinetic + e.rotational + e.gravitational + e.elastic + e.dissipated + e.wall_work;
}

static void hold_energy(abut_simulation *s, bool keeps_total)
{
    s->walls.grain_size = 0.0;
    if (!s->account.is_held) {
        const abut_energy now = abut_simulation_energy(s);
        s->account.held = now.dissipated;
        s->account.total = total_of(now);
        s->account.is_held = s->account.keeps_total = true;
    }
    s->account.keeps_total &= keeps_total;
    s->account.has_new = false;
}

void energy_hold(abut_simulation *s)
{
    hold_energy(s, false);
}

void energy_hold_total(abut_simulation *s)
{
    hold_energy(s, true);
}

void energy_add_spheres(abut_simulation *s, abut_index first)
{
    account *a = &s->account;
    if (a->is_held) {
        energy_hold(s);
    } else if (!a->has_new) {
        s->walls.grain_size = 0.0;
        a->has_new = true, a->new_from = first;
    }
}

/* A set of spheres: those with marks, or all from row `first` on. */
typedef struct some_spheres {
    const uint8_t *marks; /* by row: whether the sphere belongs to the set; NULL: `first` decides */
    abut_index first;
} some_spheres;

static bool is_one(const abut_simulation *s, const some_spheres *some, abut_index place)
{
    const int32_t row = s->store.rows[place];
    return some->marks ? some->marks[row] : row >= some->first;
}

/* The next row of a table with a sphere of this set; -1: none. */
static abut_index next_touch(const abut_simulation *s, const interaction_table *t,
                             const some_spheres *some, row_walk *walk)
{
    const bool has_second = t->kind == ABUT_SPHERE_SPHERE;
    for (abut_index row; (row = table_walk(t, walk)) >= 0;) {
        if (is_one(s, some, table_first(t, row)) ||
            (has_second && is_one(s, some, table_second(t, row)))) {
            return row;
        }
    }
    return -1;
}

/* Whether spheres of this set have contacts in a step. */
static bool do_touch(const abut_simulation *s, const step_tables *in, const some_spheres *some)
{
    const interaction_table *bodies = &in->tables[ABUT_BODY_SPHERE];
    row_walk walls = {0}, pairs = {0};
    bool touches = next_touch(s, &in->tables[ABUT_SPHERE_WALL], some, &walls) >= 0 ||
                   next_touch(s, &in->tables[ABUT_SPHERE_SPHERE], some, &pairs) >= 0;
    for (abut_index row = 0; !touches && row < bodies->count; row++) {
        touches = is_one(s, some, s->store.places[bodies->body.j[row]]);
    }
    return touches;
}

void energy_hold_touched(abut_simulation *s)
{
    const some_spheres fresh = {.first = s->account.new_from};
    if (s->account.has_new && do_touch(s, s->now, &fresh)) {
        energy_hold(s);
    }
}

/* ---- spheres that are removed ---- */

/* Whether a removed sphere is in a cluster or has a bond. */
static bool are_bound(const abut_simulation *s, const uint8_t *is_gone)
{
    bool are = false;
    for (abut_index row = 0; row < s->store.count; row++) {
        const bool is_bonded =
            s->bonds.count > 0 && s->bonds.begins[row] < s->bonds.begins[row + 1];
        are |= is_gone[row] && (is_bonded || simulation_is_member(s, s->store.places[row]));
    }
    return are;
}

/* Removes a contact's work in the last step on a partner that stays. Otherwise half of it would
 * count in the next step. sign: 1 or -1, that of the force on this partner. */
static void end_work(abut_simulation *s, const interaction_table *t, abut_index row,
                     abut_index place, double sign)
{
    const double length = s->store.radii[place] - 0.5 * t->pair.overlap[row];
    const vec3 arm = vec3_scale(vec3_load(t->pair.normal + 3 * row), -sign * length);
    const vec3 spin = mean_spin(s, place);
    const vec3 velocity = vec3_add(grains_sphere_velocity(s, place), vec3_cross(spin, arm));
    const double power = vec3_dot(vec3_load(table_force(t, row)), velocity) +
                         vec3_dot(vec3_load(table_vector_or_zeros(t->moment, row)), spin);
    s->store.books[place].last_work -= sign * s->last.step * power;
}

/* Ends the work of pairs with a removed sphere on the partner that stays. Returns the elastic
 * energy of these pairs. */
static double end_pairs(abut_simulation *s, const some_spheres *gone)
{
    const interaction_table *t = &s->before->tables[ABUT_SPHERE_SPHERE];
    double elastic = 0.0;
    row_walk walk = {0};
    for (abut_index row; (row = next_touch(s, t, gone, &walk)) >= 0;) {
        const abut_index place_i = table_first(t, row), place_j = table_second(t, row);
        elastic += energy_of_row(s, t, row);
        if (!is_one(s, gone, place_i)) {
            end_work(s, t, row, place_i, 1.0);
        } else if (!is_one(s, gone, place_j)) {
            end_work(s, t, row, place_j, -1.0);
        }
    }
    return elastic;
}

void energy_remove_spheres(abut_simulation *s, const uint8_t *is_gone)
{
    account *a = &s->account;
    const some_spheres gone = {.marks = is_gone};
    const abut_index new_from = a->new_from;
    const bool has_rigids = s->clusters.count + s->solids.count > 0;
    const bool holds =
        a->is_held || are_bound(s, is_gone) || (has_rigids && do_touch(s, s->before, &gone));
    s->walls.grain_size = 0.0;
    if (holds) {
        energy_hold(s);
    } else {
        a->base -= end_pairs(s, &gone);
    }
    for (abut_index row = 0; row < s->store.count; row++) {
        const abut_index place = s->store.places[row];
        const books *b = &s->store.books[place];
        if (is_gone[row]) {
            a->gone_wall_work += books_wall_work(b);
            a->new_from -= row < new_from;
        }
        if (is_gone[row] && !holds) {
            a->base += books_wall_work(b) - b->wall_work - b->work - energy_of_contacts(s, place);
        }
    }
}

/* Subtracts work from wall_work without a change of the dissipated energy. */
static void take_work(account *a, double work)
{
    a->gone_wall_work -= work;
    a->base -= work;
}

void energy_count_outside(abut_simulation *s, abut_energy before)
{
    if (s->step_count == 0) {
        return; /* before the first step there are no energies */
    }
    const abut_energy after = abut_simulation_energy(s);
    const double dissipated = after.dissipated - before.dissipated;
    s->account.base -= dissipated;
    take_work(&s->account, total_of(after) - total_of(before) - dissipated);
}

void energy_dissipate(abut_simulation *s, double elastic)
{
    if (s->account.is_held) {
        s->account.held += elastic - count_energy(s).elastic;
    }
}

void energy_settle(abut_simulation *s)
{
    account *a = &s->account;
    if (a->is_held) {
        a->base = a->held - count_energy(s).dissipated;
        a->is_held = false;
    }
    if (a->keeps_total) {
        take_work(a, total_of(abut_simulation_energy(s)) - a->total);
        a->keeps_total = false;
    }
    a->has_new = false;
}

/* ---- loads of walls ---- */

static void add_load(const abut_simulation *s, const step_tables *tables, const view *v,
                     abut_index at, void *load)
{
    (void)s;
    view_add_load(s, tables, v, at, load);
}

abut_wall_load abut_simulation_load(const abut_simulation *s, abut_index wall)
{
    abut_wall_load load = {.power = 0.0};
    view_visit_wall(s, s->before, wall, add_load, (parallel_folding){.size = sizeof load}, &load);
    return load;
}
