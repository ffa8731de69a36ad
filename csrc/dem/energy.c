/* Energies at the beginning of the last step, which step is stable, and what walls bear. Sums go by
 * rows, so that they do not depend on where spheres are stored. */
#include "energy.h"

#include "../interactions/touching.h"
#include "bond_laws.h"
#include "bond_pairs.h"
#include "grains.h"
#include "law_of.h"
#include "move.h"
#include "simulation.h"
#include "solid_energy.h"

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
    return laws_own(&s->laws, l) ? 1.0 : s->before->tables[ABUT_SPHERE_WALL].contact.share[row];
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
        sum +=
            share_of(s, row, l) * simulation_stored(s, t, row, l, radius, t->contact.overlap[row]);
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
    const abut_index i = t->pair.i[row], j = t->pair.j[row];
    const pair_touch touch = pairs_touch(s, t, row);
    return simulation_stored(s, t, row, touch.law, reduced_radius(&s->store, i, j, touch.rest),
                             touch.overlap);
}

/* Energies of pairs are summed with the rounding error kept beside the sum (Neumaier), so that the
 * order in which pairs are stored does not show. */
static double energy_of_pairs(const abut_simulation *s)
{
    const interaction_table *t = &s->before->tables[ABUT_SPHERE_SPHERE];
    double sum = 0.0, rest = 0.0;
    for (abut_index k = 0; k < table_span_count(t); k++) {
        const row_span rows = table_span(t, k);
        for (abut_index row = rows.first; row < rows.first + rows.count; row++) {
            const double own = energy_of_pair(s, row), next = sum + own;
            rest += sum >= own ? (sum - next) + own : (own - next) + sum;
            sum = next;
        }
    }
    return sum + rest;
}

/* Count the energies, without what the account adds. */
static abut_energy count_energy(const abut_simulation *s)
{
    abut_energy sum = {.gravitational = s->last.lift,
                       .wall_work = s->account.gone_wall_work + s->account.driven_work};
    for (abut_index row = 0; row < s->store.count; row++) {
        const int32_t place = s->store.places[row];
        if (!simulation_is_member(s, place)) {
            add_sphere(s, place, &sum);
        }
        sum.elastic += energy_of_contacts(s, place);
        sum.wall_work += s->store.books[place].wall_work;
        sum.dissipated -= s->store.books[place].work;
    }
    for (abut_index k = 0; k < s->clusters.count; k++) {
        const rigid_body *c = &s->clusters.bodies[k];
        add_rigid(s, &c->rigid, grains_cluster_force(s, c), &sum);
    }
    for (abut_index k = 0; k < s->solids.count; k++) {
        const rigid_body *of = &s->solids.bodies[k];
        add_rigid(s, &of->rigid, of->sum.force, &sum);
        sum.wall_work += of->rigid.books.wall_work;
    }
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
    const interaction_table *bodies = &s->now->tables[ABUT_BODY_SPHERE];
    bool touches = touching_has_row(&s->neighbors, s->store.rows, first);
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

static void add_pair_holds(const abut_simulation *s, row_span rows, hold *holds)
{
    const interaction_table *t = &s->before->tables[ABUT_SPHERE_SPHERE];
    for (abut_index row = rows.first; row < rows.first + rows.count; row++) {
        const abut_index i = t->pair.i[row], j = t->pair.j[row];
        const pair_touch touch = pairs_touch(s, t, row);
        const own_contact c = {.overlap = touch.overlap,
                               .radius = reduced_radius(&s->store, i, j, touch.rest),
                               .mass = reduced(s->store.movers[i].mass, s->store.movers[j].mass),
                               .inertia = reduced(s->store.inertias[i], s->store.inertias[j]),
                               .radius_i = s->store.radii[i] - 0.5 * touch.rest,
                               .radius_j = s->store.radii[j] - 0.5 * touch.rest};
        const law_stiffness of = simulation_stiffness(s, t, row, touch.law, c);
        add_hold(&holds[i], of);
        add_hold(&holds[j], of);
    }
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
    return simulation_stiffness(s, t, row, simulation_wall_law(s, place, wall), c);
}

static void add_wall_holds(const abut_simulation *s, hold *holds)
{
    const interaction_table *t = &s->before->tables[ABUT_SPHERE_WALL];
    for (abut_index row = 0; row < t->count; row++) {
        double mass;
        add_hold(&holds[t->contact.sphere[row]], stiffness_on_wall(s, t, row, &mass));
    }
}

/* docs/dem.md, section 2: tangential motion with 3.5 of the stiffness and the root of it of the
 * damping. */
static double step_of_hold(const hold *h, double mass)
{
    return sqrt(2.0 * mass / h->stiffness) * laws_stable_part(sqrt(3.5) * h->damping_ratio);
}

/* The first contacts of a sphere are pressed in by this part of its radius. */
static const double FIRST_OVERLAP = 0.01;

law_stiffness energy_first_stiffness(const law_table *laws, const law *l, double radius,
                                     double mass, double speed)
{
    own_contact c = {.overlap = FIRST_OVERLAP * radius,
                     .radius = radius,
                     .mass = mass,
                     .inertia = store_inertia(mass, radius),
                     .radius_i = radius,
                     .radius_j = INFINITY};
    c.overlap = laws_overlap_of_blow(l, &c, speed);
    return laws_stiffness(laws, l, &c);
}

double energy_step_of_first_contacts(const law_table *laws, int32_t material, double count,
                                     double radius, double mass, double speed)
{
    double step = INFINITY;
    for (abut_index other = 0; other < laws->material_count; other++) {
        const law *l = &laws->laws[laws_number(laws, material, other)];
        hold h = {.stiffness = 0.0};
        add_hold(&h, energy_first_stiffness(laws, l, radius, mass, speed));
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

abut_status energy_stable_step(const abut_simulation *s, double first_contacts,
                               abut_stable_step *longest)
{
    const store *of = &s->store;
    hold *holds = memory_alloc_zeroed(of->count, sizeof *holds);
    *longest = (abut_stable_step){.step = INFINITY, .index = -1};
    if (!holds) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index k = 0; k < table_span_count(&s->before->tables[ABUT_SPHERE_SPHERE]); k++) {
        add_pair_holds(s, table_span(&s->before->tables[ABUT_SPHERE_SPHERE], k), holds);
    }
    add_wall_holds(s, holds);
    for (abut_index row = 0; row < of->count; row++) {
        const abut_index place = of->places[row];
        const hold *h = &holds[place];
        const double step = step_of_sphere(s, row, h, first_contacts);
        if (step < longest->step) {
            *longest = (abut_stable_step){step, row, h->contact_count + count_bonds(s, row)};
        }
    }
    memory_free(holds);
    return ABUT_OK;
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

/* What a wall bears, row by row. */
typedef struct bearing_wall {
    const abut_simulation *simulation;
    abut_index wall;
    abut_wall_load load;
} bearing_wall;

static void bear_row(void *context, abut_index row)
{
    bearing_wall *w = context;
    const abut_simulation *s = w->simulation;
    if (s->before->tables[ABUT_SPHERE_WALL].contact.mesh[row] == w->wall) {
        energy_add_load(s, s->before, row, &w->load);
    }
}

abut_wall_load abut_simulation_load(const abut_simulation *s, abut_index wall)
{
    bearing_wall w = {.simulation = s, .wall = wall};
    simulation_visit_wall_rows(s, s->before, bear_row, &w);
    solids_add_load(s, s->before, wall, &w.load);
    return w.load;
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
