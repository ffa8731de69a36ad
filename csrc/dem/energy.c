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

static vec3 mean_spin(const abut_simulation *s, abut_index place)
{
    const double turn = 0.5 * s->last.step / s->store.inertias[place];
    return vec3_sub(vec3_load(s->store.movers[place].spin),
                    vec3_scale(vec3_load(s->store.torques + 3 * place), turn));
}

static void add_sphere(const abut_simulation *s, abut_index place, abut_energy *sum)
{
    const store *of = &s->store;
    sum->kinetic += 0.5 * of->movers[place].mass * vec3_norm_sq(grains_sphere_velocity(s, place));
    sum->rotational += 0.5 * of->inertias[place] * vec3_norm_sq(mean_spin(s, place));
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
    const row_span rows = table_contacts_of(t, place);
    double sum = 0.0;
    for (abut_index row = rows.first; row < rows.first + rows.count; row++) {
        sum += energy_of_row(s, t, row);
    }
    return sum;
}

/* Energies of pairs are summed with the rounding error kept beside the sum (Neumaier), so that the
 * order in which pairs are stored does not show. */
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
    const exact_sum *of = part;
    add_exactly(total, of->sum);
    add_exactly(total, of->correction);
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
    return sum.sum + sum.correction;
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
    for (int set = 0; set < 2; set++) {
        const rigid_set *of = set ? &s->solids : &s->clusters;
        for (abut_index k = 0; k < of->count; k++) {
            const rigid *r = &of->bodies[k].rigid;
            const vec3 at = spheres_unwrap(s, r->position, r->position, r->images);
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

/* Which spheres come or go, by row: those that are marked, or all from one on. */
typedef struct some_spheres {
    const uint8_t *marks; /* NULL: there are none */
    abut_index first;
} some_spheres;

static bool is_one(const abut_simulation *s, const some_spheres *of, abut_index place)
{
    const int32_t row = s->store.rows[place];
    return of->marks ? of->marks[row] : row >= of->first;
}

/* The next row of a table in which one of these spheres touches something; -1: there is none. */
static abut_index next_touch(const abut_simulation *s, const interaction_table *t,
                             const some_spheres *of, row_walk *w)
{
    const bool has_second = t->kind == ABUT_SPHERE_SPHERE;
    for (abut_index row; (row = table_walk(t, w)) >= 0;) {
        if (is_one(s, of, table_first(t, row)) ||
            (has_second && is_one(s, of, table_second(t, row)))) {
            return row;
        }
    }
    return -1;
}

/* Whether these spheres touch walls, other spheres or bodies in a step. */
static bool do_touch(const abut_simulation *s, const step_tables *in, const some_spheres *of)
{
    const interaction_table *bodies = &in->tables[ABUT_BODY_SPHERE];
    row_walk walls = {0}, pairs = {0};
    bool touches = next_touch(s, &in->tables[ABUT_SPHERE_WALL], of, &walls) >= 0 ||
                   next_touch(s, &in->tables[ABUT_SPHERE_SPHERE], of, &pairs) >= 0;
    for (abut_index row = 0; !touches && row < bodies->count; row++) {
        touches = is_one(s, of, s->store.places[bodies->body.j[row]]);
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

/* ---- spheres that go ---- */

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

/* A contact that ends does no more work on a partner that stays: half of what it did in the last
 * step would count in the next one. sign: of the force on that partner. */
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

/* End the contacts of spheres that go with others; returns what they hold. */
static double end_pairs(abut_simulation *s, const some_spheres *gone)
{
    const interaction_table *t = &s->before->tables[ABUT_SPHERE_SPHERE];
    double elastic = 0.0;
    row_walk w = {0};
    for (abut_index row; (row = next_touch(s, t, gone, &w)) >= 0;) {
        const abut_index i = table_first(t, row), j = table_second(t, row);
        elastic += energy_of_row(s, t, row);
        if (!is_one(s, gone, i)) {
            end_work(s, t, row, i, 1.0);
        } else if (!is_one(s, gone, j)) {
            end_work(s, t, row, j, -1.0);
        }
    }
    return elastic;
}

void energy_let_go(abut_simulation *s, const uint8_t *is_gone)
{
    account *a = &s->account;
    const some_spheres gone = {.marks = is_gone};
    const abut_index new_from = a->new_from;
    const bool has_rigids = s->clusters.count + s->solids.count > 0;
    const bool holds = a->is_held || are_held_together(s, is_gone) ||
                       (has_rigids && do_touch(s, s->before, &gone));
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
