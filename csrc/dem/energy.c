/* Energies at the beginning of the last step, and what walls bear. Sums of energies go by parts of
 * rows, so that they do not depend on where spheres are stored. */
#include "energy.h"

#include "bond_laws.h"
#include "grains.h"
#include "move.h"
#include "view.h"

/* What a sphere and a row of bodies take, as parallel_report counts it. */
enum { WORK_OF_SPHERE = 5, WORK_OF_ROW = 20 };

/* What is added up: all spheres, the bodies of a set, or rows of bodies. */
typedef struct summing {
    const abut_simulation *simulation;
    const rigid_set *set;
    const interaction_table *rows;
} summing;

/* ---- bodies ---- */

static void add_sphere(const abut_simulation *s, abut_index place, abut_energy *sum)
{
    const store *of = &s->store;
    const mover *b = &of->movers[place];
    const double inertia = of->inertias[place];
    const vec3 velocity = grains_sphere_velocity(s, place);
    const vec3 turning =
        vec3_scale(vec3_load(of->torques + 3 * place), 0.5 * s->last.step / inertia);
    const vec3 spin = vec3_sub(vec3_load(b->spin), turning);
    sum->kinetic += 0.5 * b->mass * vec3_norm_sq(velocity);
    sum->rotational += 0.5 * inertia * vec3_norm_sq(spin);
    const vec3 at = spheres_unwrap(s, vec3_load(of->began + 3 * place),
                                   vec3_load(of->centers + 3 * place), of->images + 3 * place);
    sum->gravitational -= of->masses[place] * vec3_dot(vec3_load(s->last.gravity), at);
}

/* The mean spin is that of half steps before and after: the momentum at the time between is in
 * their middle. */
static void add_rigid(const abut_simulation *s, const rigid_set *set, const rigid_body *of,
                      abut_energy *sum)
{
    const rigid *r = &of->rigid;
    const vec3 velocity = grains_body_velocity(s, set, of);
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
    const abut_index *offsets = t->contact.offsets + place;
    double sum = 0.0;
    for (abut_index k = 0; t->count > 0 && k < offsets[1] - offsets[0]; k++) {
        sum += energy_of_row(s, t, offsets[0] + k);
    }
    return sum;
}

/* Energies of pairs are summed with the rounding error kept beside the sum (Neumaier), so that the
 * order in which pairs are stored does not show. */
typedef struct exact_sum {
    double sum, rest;
} exact_sum;

static void add_exactly(exact_sum *to, double number)
{
    const double next = to->sum + number;
    to->rest += to->sum >= number ? (to->sum - next) + number : (number - next) + to->sum;
    to->sum = next;
}

static void join_exact(void *total, const void *part)
{
    const exact_sum *of = part;
    add_exactly(total, of->sum);
    add_exactly(total, of->rest);
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
    const summing *of = context;
    for (abut_index k = begin; k < end; k++) {
        add_rigid(of->simulation, of->set, &of->set->bodies[k], part);
    }
}

static void add_rows(const void *context, abut_index begin, abut_index end, void *part)
{
    const summing *of = context;
    abut_energy *sum = part;
    for (abut_index row = begin; row < end; row++) {
        sum->elastic += energy_of_row(of->simulation, of->rows, row);
    }
}

/* What so many things add, each of which takes so much work. */
static void add_all(summing of, abut_index count, abut_index work,
                    void (*add)(const void *, abut_index, abut_index, void *), abut_energy *sum)
{
    const parallel_folding folding = {.add = add, .context = &of, .size = sizeof *sum};
    parallel_fold(of.simulation->input.workers, count, work * count, &folding, sum);
}

static double energy_of_pairs(const abut_simulation *s)
{
    exact_sum sum = {0.0, 0.0};
    const parallel_folding folding = {add_pairs, join_exact, s, NULL, sizeof sum};
    parallel_fold(s->input.workers, s->store.count, WORK_OF_SPHERE * s->store.count, &folding,
                  &sum);
    return sum.sum + sum.rest;
}

/* Count the energies, without what the account adds. */
static abut_energy count_energy(const abut_simulation *s)
{
    const rigid_set *sets[] = {&s->clusters, &s->solids};
    abut_energy sum = {.gravitational = s->last.lift,
                       .wall_work = s->account.gone_wall_work + s->account.driven_work};
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
    sum.dissipated -= sum.wall_work + sum.elastic;
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
        const vec3 at =
            spheres_unwrap(s, vec3_load(center), vec3_load(center), s->store.images + 3 * place);
        sum -=
            simulation_is_member(s, place) ? 0.0 : s->store.masses[place] * vec3_dot(gravity, at);
    }
    for (abut_index k = 0; k < s->clusters.count + s->solids.count; k++) {
        const bool is_cluster = k < s->clusters.count;
        const rigid *r = is_cluster ? &s->clusters.bodies[k].rigid
                                    : &s->solids.bodies[k - s->clusters.count].rigid;
        sum -= r->mass * vec3_dot(gravity, spheres_unwrap(s, r->position, r->position, r->images));
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

void energy_await(abut_simulation *s, abut_index first)
{
    account *a = &s->account;
    if (a->is_held) {
        energy_hold(s);
    } else if (!a->has_new) {
        s->walls.grain_size = 0.0;
        a->has_new = true, a->new_from = first;
    }
}

/* Some spheres, by row: those that are marked, or all from one on. */
typedef struct some_spheres {
    const uint8_t *marks; /* NULL: there are none */
    abut_index first;
} some_spheres;

static bool is_one(const some_spheres *of, abut_index row)
{
    return of->marks ? of->marks[row] : row >= of->first;
}

/* Whether some spheres touch walls, bodies or each other and all others in a step. */
static bool do_touch(const abut_simulation *s, const step_tables *in, const some_spheres *of)
{
    const interaction_table *walls = &in->tables[ABUT_SPHERE_WALL];
    const interaction_table *pairs = &in->tables[ABUT_SPHERE_SPHERE];
    const interaction_table *bodies = &in->tables[ABUT_BODY_SPHERE];
    const int32_t *rows = s->store.rows;
    bool touches = false;
    row_walk w = {0};
    for (abut_index pair; (pair = table_walk(pairs, &w)) >= 0;) {
        touches |= is_one(of, rows[table_first(pairs, pair)]) ||
                   is_one(of, rows[table_second(pairs, pair)]);
    }
    for (abut_index row = 0; row < walls->count; row++) {
        touches |= is_one(of, rows[walls->contact.sphere[row]]);
    }
    for (abut_index row = 0; row < bodies->count; row++) {
        touches |= is_one(of, bodies->body.j[row]);
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

/* Whether something holds spheres that go: clusters, or bonds. */
static bool are_held_together(const abut_simulation *s, const uint8_t *is_gone)
{
    bool are = false;
    for (abut_index row = 0; row < s->store.count; row++) {
        const bool is_bonded =
            s->bonds.count > 0 && s->bonds.begins[row] < s->bonds.begins[row + 1];
        are |= is_gone[row] && (is_bonded || simulation_is_member(s, s->store.places[row]));
    }
    return are;
}

void energy_let_go(abut_simulation *s, const uint8_t *is_gone)
{
    account *a = &s->account;
    const some_spheres gone = {.marks = is_gone};
    const abut_index new_from = a->new_from;
    if (a->is_held || are_held_together(s, is_gone) || do_touch(s, s->before, &gone)) {
        energy_hold(s);
        return;
    }
    s->walls.grain_size = 0.0;
    for (abut_index row = 0; row < s->store.count; row++) {
        a->base -= is_gone[row] ? s->store.books[s->store.places[row]].work : 0.0;
        a->new_from -= is_gone[row] && row < new_from;
    }
}

/* wall_work less this work, and the dissipated energy as it is. */
static void take_work(account *a, double work)
{
    a->gone_wall_work -= work;
    a->base -= work;
}

void energy_count_outside(abut_simulation *s, abut_energy before)
{
    if (s->step_count == 0) {
        return; /* energies count from the first step on */
    }
    const abut_energy after = abut_simulation_energy(s);
    const double dissipated = after.dissipated - before.dissipated;
    s->account.base -= dissipated;
    take_work(&s->account, total_of(after) - total_of(before) - dissipated);
}

void energy_lose(abut_simulation *s, double elastic)
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

/* ---- what walls bear ---- */

static void add_load(const abut_simulation *s, const step_tables *of, const view *v, abut_index at,
                     void *load)
{
    (void)s;
    view_add_load(s, of, v, at, load);
}

abut_wall_load abut_simulation_load(const abut_simulation *s, abut_index wall)
{
    abut_wall_load load = {.power = 0.0};
    view_visit_wall(s, s->before, wall, add_load, (parallel_folding){.size = sizeof load}, &load);
    return load;
}
