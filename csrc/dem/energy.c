/* Energies at the beginning of the last step, which step is stable, and what walls bear. Sums of
 * energies go by parts of rows, so that they do not depend on where spheres are stored. */
#include "energy.h"

#include "../base/sort.h"
#include "bond_laws.h"
#include "bond_pairs.h"
#include "grains.h"
#include "law_of.h"
#include "move.h"
#include "simulation.h"
#include "solid_energy.h"

/* What a sphere takes, as parallel_report counts it. */
enum { WORK_OF_SPHERE = 5 };

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
static void add_rigid(const abut_simulation *s, const rigid *r, vec3 force, abut_energy *sum)
{
    const vec3 velocity = grains_mean_velocity(s, r->velocity, force, rigid_mass(r));
    const vec3 momentum = vec3_sub(r->momentum, vec3_scale(r->last_torque, 0.5 * s->last.step));
    const vec3 spin = rigid_spin(r, r->began_orientation, momentum);
    sum->kinetic += 0.5 * r->mass * vec3_norm_sq(velocity);
    sum->rotational += 0.5 * vec3_dot(momentum, spin);
    const vec3 at = spheres_unwrap(s, r->began, r->position, r->images);
    sum->gravitational -= r->mass * vec3_dot(vec3_load(s->last.gravity), at);
    sum->dissipated -= r->books.work;
}

/* ---- contacts ---- */

/* The part that a contact has in what its sphere's contacts share: what laws of users store is kept
 * with it. */
static double share_of(const abut_simulation *s, abut_index row, const law *l)
{
    return l->own ? 1.0 : s->before->tables[ABUT_SPHERE_WALL].contact.share[row];
}

static double energy_of_contacts(const abut_simulation *s, abut_index place)
{
    const interaction_table *t = &s->before->tables[ABUT_SPHERE_WALL];
    const abut_index begin = t->count > 0 ? t->contact.offsets[place] : 0;
    const abut_index end = t->count > 0 ? t->contact.offsets[place + 1] : 0;
    double sum = 0.0;
    for (abut_index row = begin; row < end; row++) {
        const law *l = simulation_wall_law(s, place, t->contact.mesh[row]);
        const double radius = s->store.radii[place];
        sum += share_of(s, row, l) * simulation_stored(t, row, l, radius, t->contact.overlap[row]);
    }
    return sum;
}

/* Of two spheres that are smaller by half of `rest`. */
static double reduced_radius(const store *s, abut_index i, abut_index j, double rest)
{
    return reduced(s->radii[i] - 0.5 * rest, s->radii[j] - 0.5 * rest);
}

static double energy_of_pair(const abut_simulation *s, abut_index row)
{
    const interaction_table *t = &s->before->tables[ABUT_SPHERE_SPHERE];
    const abut_index i = table_first(t, row), j = table_second(t, row);
    const pair_touch touch = pairs_touch(s, t, row);
    return simulation_stored(t, row, touch.law, reduced_radius(&s->store, i, j, touch.rest),
                             touch.overlap);
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
        rows = place > begin ? table_next_pairs(t, place, rows) : table_pairs_of(t, place);
        for (abut_index row = rows.first; row < rows.first + rows.count; row++) {
            add_exactly(part, energy_of_pair(s, row));
        }
    }
}

/* ---- sums ---- */

static void join_energies(void *total, const void *part)
{
    parallel_add_numbers(total, part, sizeof(abut_energy) / sizeof(double));
}

static void add_spheres(const void *context, abut_index begin, abut_index end, void *part)
{
    const abut_simulation *s = context;
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

static void add_clusters(const void *context, abut_index begin, abut_index end, void *part)
{
    const abut_simulation *s = context;
    for (abut_index k = begin; k < end; k++) {
        const rigid_body *c = &s->clusters.bodies[k];
        add_rigid(s, &c->rigid, grains_cluster_force(s, c), part);
    }
}

static void add_bodies(const void *context, abut_index begin, abut_index end, void *part)
{
    const abut_simulation *s = context;
    abut_energy *sum = part;
    for (abut_index k = begin; k < end; k++) {
        const rigid_body *of = &s->solids.bodies[k];
        add_rigid(s, &of->rigid, of->sum.force, sum);
        sum->wall_work += of->rigid.books.wall_work;
    }
}

/* What so many things add, each of which takes so much work. */
static void add_all(const abut_simulation *s, abut_index count, abut_index work,
                    void (*add)(const void *, abut_index, abut_index, void *), abut_energy *sum)
{
    static const abut_energy none;
    const parallel_folding folding = {add, join_energies, s, &none, sizeof none};
    parallel_fold(s->input.workers, count, work * count, &folding, sum);
}

static double energy_of_pairs(const abut_simulation *s)
{
    static const exact_sum none;
    const parallel_folding folding = {add_pairs, join_exact, s, &none, sizeof none};
    exact_sum sum = none;
    parallel_fold(s->input.workers, s->store.count, WORK_OF_SPHERE * s->store.count, &folding,
                  &sum);
    return sum.sum + sum.rest;
}

/* Count the energies, without what the account adds. */
static abut_energy count_energy(const abut_simulation *s)
{
    abut_energy sum = {.gravitational = s->last.lift,
                       .wall_work = s->account.gone_wall_work + s->account.driven_work};
    add_all(s, s->store.count, WORK_OF_SPHERE, add_spheres, &sum);
    add_all(s, s->clusters.count, WORK_OF_SPHERE, add_clusters, &sum);
    add_all(s, s->solids.count, WORK_OF_SPHERE, add_bodies, &sum);
    if (s->solids.count > 0) {
        sum.elastic += solids_elastic_energy(s);
    }
    sum.elastic += energy_of_pairs(s);
    if (s->bonds.count > 0) {
        sum.elastic += bonds_energy(s);
    }
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

/* Whether new spheres touch walls, bodies or each other and all others. */
static bool are_new_touched(const abut_simulation *s)
{
    const abut_index first = s->account.new_from;
    const interaction_table *walls = &s->now->tables[ABUT_SPHERE_WALL];
    const interaction_table *pairs = &s->now->tables[ABUT_SPHERE_SPHERE];
    const interaction_table *bodies = &s->now->tables[ABUT_BODY_SPHERE];
    bool touches = false;
    row_walk w = {0};
    for (abut_index pair; (pair = table_walk(pairs, &w)) >= 0;) {
        touches |= s->store.rows[table_first(pairs, pair)] >= first ||
                   s->store.rows[table_second(pairs, pair)] >= first;
    }
    for (abut_index row = first; walls->count > 0 && row < s->store.count; row++) {
        const abut_index *offsets = walls->contact.offsets + s->store.places[row];
        touches |= offsets[0] < offsets[1];
    }
    for (abut_index row = 0; row < bodies->count; row++) {
        touches |= bodies->body.j[row] >= first;
    }
    return touches;
}

void energy_hold_touched(abut_simulation *s)
{
    if (s->account.has_new && are_new_touched(s)) {
        energy_hold(s);
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

/* ---- which step is stable ---- */

/* How stiffly contacts hold a sphere: the longest stable step follows from it. */
typedef struct hold {
    double stiffness, damping_ratio;
    abut_index contact_count;
} hold;

static void add_hold(hold *h, law_stiffness of)
{
    const double shear = 3.5 * of.shear; /* a solid sphere is turned, too */
    h->stiffness += of.normal > shear ? of.normal : shear;
    h->damping_ratio = of.damping_ratio > h->damping_ratio ? of.damping_ratio : h->damping_ratio;
    h->contact_count += of.normal > 0.0;
}

/* How stiff a pair is. */
static law_stiffness stiffness_of_pair(const abut_simulation *s, abut_index row)
{
    const interaction_table *t = &s->before->tables[ABUT_SPHERE_SPHERE];
    const abut_index i = table_first(t, row), j = table_second(t, row);
    const pair_touch touch = pairs_touch(s, t, row);
    const own_contact c = {.overlap = touch.overlap,
                           .radius = reduced_radius(&s->store, i, j, touch.rest),
                           .mass = reduced(s->store.movers[i].mass, s->store.movers[j].mass),
                           .inertia = reduced(s->store.inertias[i], s->store.inertias[j]),
                           .radius_i = s->store.radii[i] - 0.5 * touch.rest,
                           .radius_j = s->store.radii[j] - 0.5 * touch.rest};
    return simulation_stiffness(t, row, touch.law, c);
}

/* How stiff a contact with a wall is, and the mass that its law takes. */
static law_stiffness stiffness_on_wall(const abut_simulation *s, const interaction_table *t,
                                       abut_index row, double *mass)
{
    const abut_index place = t->contact.sphere[row], wall = t->contact.mesh[row];
    const inertness free = spheres_own_inertness(s, place);
    *mass = simulation_mass_on_wall(s, wall, s->store.movers[place].mass, free.mass);
    const own_contact c = {.overlap = t->contact.overlap[row],
                           .radius = s->store.radii[place],
                           .mass = *mass,
                           .inertia = free.inertia,
                           .radius_i = s->store.radii[place],
                           .radius_j = INFINITY};
    return simulation_stiffness(t, row, simulation_wall_law(s, place, wall), c);
}

/* docs/dem.md, section 2: tangential motion with 3.5 of the stiffness and the root of it of the
 * damping. */
static double step_of_hold(const hold *h, double mass)
{
    return sqrt(2.0 * mass / h->stiffness) * law_stable_part(sqrt(3.5) * h->damping_ratio);
}

/* The first contacts of a sphere are pressed in by this part of its radius. */
static const double FIRST_OVERLAP = 0.01;

law_stiffness energy_first_stiffness(const law *l, double radius, double mass, double speed)
{
    own_contact c = {.overlap = FIRST_OVERLAP * radius,
                     .radius = radius,
                     .mass = mass,
                     .inertia = store_inertia(mass, radius),
                     .radius_i = radius,
                     .radius_j = INFINITY};
    c.overlap = law_overlap_of_blow(l, &c, speed);
    return law_stiffness_at(l, &c);
}

double energy_step_of_first_contacts(const law_table *laws, int32_t material, double count,
                                     double radius, double mass, double speed)
{
    double step = INFINITY;
    for (abut_index other = 0; other < laws->material_count; other++) {
        const law *l = &laws->laws[laws_number(laws, material, other)];
        hold h = {.stiffness = 0.0};
        add_hold(&h, energy_first_stiffness(l, radius, mass, speed));
        h.stiffness *= count;
        if (h.stiffness > 0.0) {
            step = smaller(step, step_of_hold(&h, mass));
        }
    }
    return step;
}

/* A member of a cluster counts with its part of the mass. */
static double step_of_free(const abut_simulation *s, abut_index place, double first_contacts)
{
    const store *of = &s->store;
    return energy_step_of_first_contacts(&s->laws, of->materials[place], first_contacts,
                                         of->radii[place], of->masses[place],
                                         vec3_length(vec3_load(of->movers[place].velocity)));
}

/* The longest stable step of a sphere by its contacts and its bonds: squares of frequencies add up
 * at most. A sphere without both has first_contacts of them; 0: it does not count. */
static double step_of_sphere(const abut_simulation *s, abut_index row, const hold *h,
                             double first_contacts)
{
    const abut_index place = s->store.places[row];
    if (store_holds(&s->store, place)) {
        return INFINITY;
    }
    const double by_bonds = s->bonds.count > 0 ? bonds_stable_step(s, row) : INFINITY;
    if (h->stiffness > 0.0) {
        const double step = step_of_hold(h, s->store.movers[place].mass);
        const double ratio = step / by_bonds;
        return by_bonds < INFINITY ? step / sqrt(1.0 + ratio * ratio) : step;
    }
    const bool is_free = by_bonds == INFINITY && first_contacts > 0.0;
    return is_free ? step_of_free(s, place, first_contacts) : by_bonds;
}

static abut_index count_bonds(const abut_simulation *s, abut_index row)
{
    return s->bonds.count > 0 ? s->bonds.begins[row + 1] - s->bonds.begins[row] : 0;
}

/* What holds each sphere, found chunk by chunk. For a chunk first the pairs are added whose second
 * sphere alone is in it, and then the pairs whose first sphere is. */
typedef struct holding {
    const abut_simulation *simulation;
    double first_contacts;
    hold *holds;
    abut_index size, chunk_count;
    sorted_items by_second; /* rows by the chunk of their second sphere */
} holding;

/* Spheres of a chunk; of very many it has more. */
enum { CHUNK_HOLDS = 512 };

/* The keys of rows: the chunk of the second sphere, where it is not that of the first one. */
static void fill_second_chunks(void *context, abut_index begin, abut_index end, uint16_t *keys)
{
    const holding *all = context;
    const interaction_table *t = &all->simulation->before->tables[ABUT_SPHERE_SPHERE];
    for (abut_index row = begin; row < end; row++) {
        keys[row - begin] = (uint16_t)all->chunk_count;
    }
    for (abut_index k = 0; k < table_span_count(t); k++) {
        const row_span span = table_span(t, k);
        const abut_index last = span.first + span.count < end ? span.first + span.count : end;
        for (abut_index row = span.first > begin ? span.first : begin; row < last; row++) {
            const abut_index second = table_second(t, row) / all->size;
            if (second != table_first(t, row) / all->size) {
                keys[row - begin] = (uint16_t)second;
            }
        }
    }
}

static abut_status sort_by_second(holding *all)
{
    const abut_simulation *s = all->simulation;
    const interaction_table *t = &s->before->tables[ABUT_SPHERE_SPHERE];
    const row_span last = table_span(t, table_span_count(t) - 1);
    const sort_task task = {.count = last.first + last.count,
                            .key_count = (int32_t)all->chunk_count + 1,
                            .fill = fill_second_chunks,
                            .context = all,
                            .workers = s->input.workers};
    return sort_by_key(&all->by_second, &task);
}

static void hold_sphere(const holding *all, abut_index place, abut_index chunk, row_span rows)
{
    const abut_simulation *s = all->simulation;
    const interaction_table *pairs = &s->before->tables[ABUT_SPHERE_SPHERE],
                            *walls = &s->before->tables[ABUT_SPHERE_WALL];
    for (abut_index row = rows.first; row < rows.first + rows.count; row++) {
        const law_stiffness of = stiffness_of_pair(s, row);
        add_hold(&all->holds[place], of);
        const abut_index second = table_second(pairs, row);
        if (second / all->size == chunk) {
            add_hold(&all->holds[second], of);
        }
    }
    const abut_index *offsets = walls->contact.offsets + place;
    for (abut_index k = 0; walls->count > 0 && k < offsets[1] - offsets[0]; k++) {
        double mass;
        add_hold(&all->holds[place], stiffness_on_wall(s, walls, offsets[0] + k, &mass));
    }
}

static void hold_chunk(void *context, abut_index begin, abut_index end)
{
    const holding *all = context;
    const interaction_table *t = &all->simulation->before->tables[ABUT_SPHERE_SPHERE];
    const abut_index chunk = begin / all->size;
    const int32_t *begins = all->by_second.key_begins + chunk;
    for (int32_t k = begins[0]; k < begins[1]; k++) {
        const abut_index row = all->by_second.items[k];
        add_hold(&all->holds[table_second(t, row)], stiffness_of_pair(all->simulation, row));
    }
    row_span rows = {0, 0};
    for (abut_index place = begin; place < end; place++) {
        rows = place > begin ? table_next_pairs(t, place, rows) : table_pairs_of(t, place);
        hold_sphere(all, place, chunk, rows);
    }
}

static void keep_shortest(void *total, const void *part)
{
    abut_stable_step *longest = total;
    const abut_stable_step *of = part;
    if (of->step < longest->step) {
        *longest = *of;
    }
}

static void find_shortest(const void *context, abut_index begin, abut_index end, void *part)
{
    const holding *all = context;
    const abut_simulation *s = all->simulation;
    for (abut_index row = begin; row < end; row++) {
        const hold *h = &all->holds[s->store.places[row]];
        const abut_stable_step own = {step_of_sphere(s, row, h, all->first_contacts), row,
                                      h->contact_count + count_bonds(s, row)};
        keep_shortest(part, &own);
    }
}

abut_status energy_stable_step(const abut_simulation *s, double first_contacts,
                               abut_stable_step *longest)
{
    static const abut_stable_step none = {.step = INFINITY, .index = -1};
    const abut_index count = s->store.count, work = WORK_OF_SPHERE * count;
    const abut_index even = parallel_chunk_count(count, SORT_KEY_LIMIT - 1);
    holding all = {.simulation = s,
                   .first_contacts = first_contacts,
                   .holds = memory_alloc_zeroed(count, sizeof *all.holds),
                   .size = even > CHUNK_HOLDS ? even : CHUNK_HOLDS};
    const parallel_folding folding = {find_shortest, keep_shortest, &all, &none, sizeof none};
    all.chunk_count = parallel_chunk_count(count, all.size);
    *longest = none;
    const abut_status status = all.holds ? sort_by_second(&all) : ABUT_NO_MEMORY;
    if (!status) {
        parallel_loop(s->input.workers, count, all.size, work, hold_chunk, &all);
        parallel_fold(s->input.workers, count, work, &folding, longest);
    }
    sorted_free(&all.by_second);
    memory_free(all.holds);
    return status;
}

abut_status abut_simulation_stable_step(const abut_simulation *s, abut_stable_step *longest)
{
    return energy_stable_step(s, FIRST_CONTACTS, longest);
}

/* ---- what walls bear ---- */

void energy_add_load(const abut_simulation *s, const step_tables *of, abut_index row,
                     abut_wall_load *load)
{
    const interaction_table *t = &of->tables[ABUT_SPHERE_WALL];
    walls_add_load(load, &of->states[t->contact.mesh[row]], table_wall_point(t, row, &s->lattice),
                   vec3_load(t->springs.effects[row].force), table_vector(t->springs.moment, row),
                   t->springs.power[row]);
}

/* A wall, and a step in which it bears something. */
typedef struct bearing_wall {
    const abut_simulation *simulation;
    const step_tables *tables;
    abut_index wall;
} bearing_wall;

static void bear_rows(const void *context, abut_index begin, abut_index end, void *part)
{
    const bearing_wall *w = context;
    const abut_columns *c = &w->tables->tables[ABUT_SPHERE_WALL].contact;
    for (abut_index row = begin; row < end; row++) {
        if (c->mesh[row] == w->wall) {
            energy_add_load(w->simulation, w->tables, row, part);
        }
    }
}

static void bear_body_rows(const void *context, abut_index begin, abut_index end, void *part)
{
    const bearing_wall *w = context;
    solids_add_load(w->simulation, w->tables, (row_span){begin, end - begin}, w->wall, part);
}

static void join_loads(void *total, const void *part)
{
    parallel_add_numbers(total, part, sizeof(abut_wall_load) / sizeof(double));
}

abut_wall_load energy_load(const abut_simulation *s, const step_tables *of, abut_index wall)
{
    static const abut_wall_load none;
    const bearing_wall w = {s, of, wall};
    const parallel_folding rows = {bear_rows, join_loads, &w, &none, sizeof none};
    const parallel_folding body_rows = {bear_body_rows, join_loads, &w, &none, sizeof none};
    const abut_index count = of->tables[ABUT_SPHERE_WALL].count;
    const abut_index body_count = of->tables[ABUT_BODY_WALL].count;
    abut_wall_load load = none;
    parallel_fold(s->input.workers, count, count, &rows, &load);
    parallel_fold(s->input.workers, body_count, WORK_OF_SPHERE * body_count, &body_rows, &load);
    return load;
}

abut_wall_load abut_simulation_load(const abut_simulation *s, abut_index wall)
{
    return energy_load(s, s->before, wall);
}

wall_touch energy_wall_touch(const abut_simulation *s, const step_tables *of, abut_index row)
{
    const interaction_table *t = &of->tables[ABUT_SPHERE_WALL];
    const abut_index place = t->contact.sphere[row], wall = t->contact.mesh[row];
    double mass;
    const law_stiffness stiffness = stiffness_on_wall(s, t, row, &mass);
    const double share = t->contact.share[row], normal = larger(stiffness.normal, 0.0);
    const law *l = simulation_wall_law(s, place, wall);
    return (wall_touch){.point = table_wall_point(t, row, &s->lattice),
                        .normal = vec3_load(t->contact.normal + 3 * row),
                        .stiffness = share * normal,
                        .damping =
                            normal > 0.0 ? share * simulation_damper(l, &stiffness, mass) : 0.0,
                        .wall = wall};
}
