/* The law is that of a servo-controlled wall (docs/dem.md eq. 39), for each component: a step of
 * Newton's method with the stiffness and the damping of the cell, so it has no gain. */
#include "cell_control.h"

#include "bond_pairs.h"
#include "cell_motion.h"
#include "pair_rows.h"
#include "view.h"

/* While the stress is far from its target, grains with fewer contacts do not count in the stiffness
 * of the cell. A few passing contacts would make the cell too stiff where nothing bears it. */
enum { LEAST_CONTACTS = 4 };

/* From this part of the target on, all contacts count: then they bear the cell, even if they are a
 * chain of grains with two contacts each. */
#define PART_OF_TARGET 0.5

/* A free cell may grow to this many times the volume with which control began. */
#define MOST_GROWTH 8.0

/* The response of the cell is averaged over at least this many steps. */
#define LEAST_STEPS 20.0

/* The slow mean of the rate is taken over this many times tau (docs/dem.md eq. 58). With ten, the
 * stress returns to its target without overshoot where the cell has at least 0.4 times the
 * stiffness C, and with a decaying one where it is softer. */
#define STEADY_TIMES 10.0

/* ---- grains ---- */

/* Sums over free spheres, clusters and bodies. Velocities are relative to the linear field. */
typedef struct grain_flow {
    double mass, solid; /* solid: volume, at least */
    double momentum[3], flux[9];
} grain_flow;

static void add_grain(grain_flow *sum, const deforming_cell *c, double mass, vec3 place,
                      vec3 velocity)
{
    double own[3];
    vec3_store(own, vec3_sub(velocity, affine_apply(&c->field, place)));
    sum->mass += mass;
    for (int a = 0; a < 3; a++) {
        sum->momentum[a] += mass * own[a];
        for (int b = 0; b < 3; b++) {
            sum->flux[3 * a + b] += mass * own[a] * own[b];
        }
    }
}

static double volume_of_sphere(double radius)
{
    return 4.0 / 3.0 * PI * radius * radius * radius;
}

static void add_spheres(const void *context, abut_index begin, abut_index end, void *part)
{
    const abut_simulation *s = context;
    const store *spheres = &s->store;
    grain_flow *sum = part;
    for (abut_index row = begin; row < end; row++) {
        const abut_index place = spheres->places[row];
        if (!simulation_is_member(s, place)) {
            add_grain(sum, &s->cell, spheres->masses[place],
                      vec3_load(spheres->centers + 3 * place),
                      vec3_load(spheres->movers[place].velocity));
            sum->solid += volume_of_sphere(spheres->radii[place]);
        }
    }
}

static void join_flows(void *total, const void *part)
{
    double *sum = total;
    const double *own = part;
    for (size_t k = 0; k < sizeof(grain_flow) / sizeof(double); k++) {
        sum[k] += own[k];
    }
}

/* A volume that a body has at least: bodies that fill space overlap under pressure, and so do the
 * spheres of a cluster. So the largest sphere in it stands for the body. */
static double solid_of(const abut_simulation *s, const rigid_set *set, const rigid_body *body)
{
    if (set == &s->solids) {
        return volume_of_sphere(body->inner);
    }
    double radius = 0.0;
    for (abut_index row = body->first_row; row < body->first_row + body->member_count; row++) {
        radius = larger(radius, s->store.radii[s->store.places[row]]);
    }
    return volume_of_sphere(radius);
}

static grain_flow sum_grains(const abut_simulation *s)
{
    const rigid_set *sets[] = {&s->clusters, &s->solids};
    const parallel_folding folding = {add_spheres, join_flows, s, NULL, sizeof(grain_flow)};
    grain_flow sum = {.mass = 0.0};
    parallel_fold(s->input.workers, s->store.count, s->store.count, &folding, &sum);
    for (int k = 0; k < 2; k++) {
        for (abut_index number = 0; number < sets[k]->count; number++) {
            const rigid_body *body = &sets[k]->bodies[number];
            add_grain(&sum, &s->cell, body->rigid.mass, body->rigid.position, body->rigid.velocity);
            sum.solid += solid_of(s, sets[k], body);
        }
    }
    return sum;
}

/* ---- contacts of each grain ---- */

/* Grains are counted: spheres by place, then clusters, then bodies. */
static abut_index grain_of_sphere(const abut_simulation *s, abut_index place)
{
    return simulation_is_member(s, place) ? s->store.count + s->store.clusters[place] : place;
}

static abut_index grain_of_body(const abut_simulation *s, abut_index number)
{
    return s->store.count + s->clusters.count + number;
}

/* The two grains of a row of pairs or bodies. */
typedef struct two_grains {
    abut_index first, second;
} two_grains;

static two_grains grains_of_row(const abut_simulation *s, const interaction_table *t,
                                abut_index row)
{
    if (t->kind == ABUT_SPHERE_SPHERE) {
        return (two_grains){grain_of_sphere(s, table_first(t, row)),
                            grain_of_sphere(s, table_second(t, row))};
    }
    const abut_index other = table_second(t, row);
    return (two_grains){grain_of_body(s, table_first(t, row)),
                        t->kind == ABUT_BODY_BODY ? grain_of_body(s, other)
                                                  : grain_of_sphere(s, s->store.places[other])};
}

static two_grains grains_of_bond(const abut_simulation *s, const bond *b)
{
    const int32_t *places = s->store.places;
    return (two_grains){grain_of_sphere(s, places[b->rows[0]]),
                        grain_of_sphere(s, places[b->rows[1]])};
}

static const abut_interaction KINDS[] = {ABUT_SPHERE_SPHERE, ABUT_BODY_BODY, ABUT_BODY_SPHERE};

/* Counts the contacts, active spots and bonds of each grain. Returns the number of all. */
static abut_index count_contacts(const abut_simulation *s, int32_t *counts)
{
    abut_index sum = 0;
    for (int k = 0; k < 3; k++) {
        const interaction_table *t = &s->now->tables[KINDS[k]];
        row_walk walk = {0};
        for (abut_index row; (row = table_walk(t, &walk)) >= 0;) {
            const two_grains of = grains_of_row(s, t, row);
            const view v = view_row(s, t, row);
            for (abut_index at = v.begin; at < v.end; at++) {
                if (view_is_active(&v, at)) {
                    counts[of.first]++, counts[of.second]++, sum++;
                }
            }
        }
    }
    for (abut_index k = 0; k < s->bonds.count; k++) {
        const two_grains of = grains_of_bond(s, &s->bonds.bonds[k]);
        counts[of.first]++, counts[of.second]++, sum++;
    }
    return sum;
}

/* ---- stress, stiffness and damping ---- */

/* Stiffness and damping of a contact, along its normal and across it. */
typedef struct cell_springs {
    double normal, shear, normal_damping, shear_damping;
} cell_springs;

/* Stiffness and damping [a][b], which resist the rate [a][b]. */
typedef struct cell_resistance {
    double stiffness[9], damping[9];
} cell_resistance;

/* Sums over contacts. Entries of stress and places are [a][b]: b of the force on the first grain,
 * times a of the branch from the second grain's image to the first, or of the vector from the
 * second grain itself. `all` is of all contacts, `firm` of those between grains with at least
 * LEAST_CONTACTS. */
typedef struct contact_sums {
    double stress[9], places[9];
    cell_resistance all, firm;
} contact_sums;

/* A contact as the sums read it. */
typedef struct cell_contact {
    vec3 branch, apart, force, normal;
    cell_springs springs;
    bool is_firm; /* both grains have at least LEAST_CONTACTS */
} cell_contact;

static void add_resistance(cell_resistance *sum, int entry, double stiffness, double damping)
{
    sum->stiffness[entry] += stiffness;
    sum->damping[entry] += damping;
}

static void add_contact(contact_sums *sum, const cell_contact *c)
{
    double branch[3], apart[3], force[3], normal[3];
    vec3_store(branch, c->branch), vec3_store(apart, c->apart);
    vec3_store(force, c->force), vec3_store(normal, c->normal);
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            const double along = normal[a] * normal[a] * branch[b] * branch[b];
            const double across = (1.0 - normal[a] * normal[a]) * branch[b] * branch[b];
            const cell_springs *k = &c->springs;
            const double stiffness = k->normal * along + k->shear * across;
            const double damping = k->normal_damping * along + k->shear_damping * across;
            sum->stress[3 * a + b] += branch[a] * force[b];
            sum->places[3 * a + b] += apart[a] * force[b];
            add_resistance(&sum->all, 3 * a + b, stiffness, damping);
            if (c->is_firm) {
                add_resistance(&sum->firm, 3 * a + b, stiffness, damping);
            }
        }
    }
}

static void join_sums(void *total, const void *part)
{
    double *sum = total;
    const double *own = part;
    for (size_t k = 0; k < sizeof(contact_sums) / sizeof(double); k++) {
        sum[k] += own[k];
    }
}

static vec3 place_of(const abut_simulation *s, abut_index grain)
{
    const abut_index spheres = s->store.count, clusters = s->clusters.count;
    return grain < spheres ? vec3_load(s->store.centers + 3 * grain)
           : grain < spheres + clusters
               ? s->clusters.bodies[grain - spheres].rigid.position
               : s->solids.bodies[grain - spheres - clusters].rigid.position;
}

/* The vector from the second grain to the first. */
static vec3 apart_of(const abut_simulation *s, two_grains of)
{
    return vec3_sub(place_of(s, of.first), place_of(s, of.second));
}

/* The springs of an entry at rest. Without friction there is none across the normal. */
static cell_springs springs_of(const abut_simulation *s, const view *v, abut_index at)
{
    law_contact contact = view_contact(s, v);
    const law_stiffness k = view_stiffness(v, &contact, at);
    if (!(k.normal > 0.0)) {
        return (cell_springs){0};
    }
    const bool rubs = v->law->user || v->law->friction > 0.0;
    law_stiffness across = k;
    across.normal = rubs ? larger(k.shear, 0.0) : 0.0;
    return (cell_springs){k.normal, across.normal, view_damper(v->law, &k, contact.mass),
                          view_damper(v->law, &across, contact.mass)};
}

/* The state of one control, for sums over contacts. */
typedef struct controlling {
    const abut_simulation *simulation;
    const interaction_table *rows;
    const int32_t *counts; /* contacts of each grain */
} controlling;

static bool is_firm(const controlling *all, two_grains of)
{
    return all->counts[of.first] >= LEAST_CONTACTS && all->counts[of.second] >= LEAST_CONTACTS;
}

static void add_row(const controlling *all, abut_index row, vec3 normal, vec3 shift,
                    contact_sums *sum)
{
    const abut_simulation *s = all->simulation;
    const view v = view_row(s, all->rows, row);
    const two_grains of = grains_of_row(s, all->rows, row);
    cell_contact c = {.apart = apart_of(s, of), .normal = normal, .is_firm = is_firm(all, of)};
    c.branch = vec3_sub(c.apart, shift);
    for (abut_index at = v.begin; at < v.end; at++) {
        if (view_is_active(&v, at)) {
            c.force = vec3_load(table_force(all->rows, at));
            c.springs = springs_of(s, &v, at);
            add_contact(sum, &c);
        }
    }
}

static void add_pairs(const void *context, abut_index begin, abut_index end, void *part)
{
    const controlling *all = context;
    const abut_simulation *s = all->simulation;
    const interaction_table *t = all->rows;
    row_span rows = {0, 0};
    for (abut_index place = begin; place < end; place++) {
        rows = table_pairs_of(t, place, place > begin ? &rows : NULL);
        for (abut_index row = rows.first; row < rows.first + rows.count; row++) {
            const vec3 shift = lattice_shift(&s->lattice, pair_rows_image(s, t, row));
            add_row(all, row, vec3_load(t->pair.normal + 3 * row), shift, part);
        }
    }
}

static void add_bodies(const void *context, abut_index begin, abut_index end, void *part)
{
    const controlling *all = context;
    for (abut_index row = begin; row < end; row++) {
        const view v = view_row(all->simulation, all->rows, row);
        add_row(all, row, v.normal, v.shift, part);
    }
}

static void add_bonds(const void *context, abut_index begin, abut_index end, void *part)
{
    const controlling *all = context;
    const abut_simulation *s = all->simulation;
    for (abut_index number = begin; number < end; number++) {
        const bond *b = &s->bonds.bonds[number];
        const bond_stiffness *k = &s->bonds.stiffness[number];
        const two_grains of = grains_of_bond(s, b);
        const vec3 way = bonds_way(s, b->rows, b->shift), image = bonds_image(s, b->rows, b->shift);
        cell_contact c = {.apart = apart_of(s, of), .is_firm = is_firm(all, of)};
        c.force = s->bonds.now[number].force;
        c.branch = vec3_sub(c.apart, lattice_shift(&s->lattice, image));
        c.normal = vec3_scale(way, 1.0 / vec3_length(way));
        if (!s->bonds.now[number].is_broken) {
            c.springs = (cell_springs){k->stretch, k->shear / (b->length * b->length),
                                       k->dampers[0], k->dampers[1]};
        }
        add_contact(part, &c);
    }
}

/* The work of a sphere, a row and a bond, in units of parallel_report. */
enum { WORK_OF_CONTACTS = 20 };

static contact_sums sum_contacts(const abut_simulation *s, const int32_t *counts)
{
    const int workers = s->input.workers;
    controlling all = {s, &s->now->tables[ABUT_SPHERE_SPHERE], counts};
    parallel_folding folding = {add_pairs, join_sums, &all, NULL, sizeof(contact_sums)};
    contact_sums sum = {.stress = {0.0}};
    parallel_fold(workers, s->store.count, WORK_OF_CONTACTS * s->store.count, &folding, &sum);
    folding.add = add_bodies;
    for (int k = 1; k < 3; k++) {
        all.rows = &s->now->tables[KINDS[k]];
        parallel_fold(workers, all.rows->count, WORK_OF_CONTACTS * all.rows->count, &folding, &sum);
    }
    folding.add = add_bonds;
    parallel_fold(workers, s->bonds.count, WORK_OF_CONTACTS * s->bonds.count, &folding, &sum);
    return sum;
}

/* ---- the law ---- */

/* Stress, stiffness and damping of the cell, by rows. The stress is indexed as the caller's, with
 * the plane first; the others as the velocity gradient. */
typedef struct cell_response {
    double volume, density, step;
    double stress[9];
    cell_resistance all, firm;
} cell_response;

/* The cube root of a positive number, by arithmetic alone: it has the same bits on every machine.
 */
static double cube_root(double x)
{
    int exponent;
    const double part = frexp(x, &exponent);
    const int third = exponent >= 0 ? exponent / 3 : -((2 - exponent) / 3);
    const double rest = ldexp(part, exponent - 3 * third); /* from 1/2 to 4 */
    double root = 1.25;
    for (int k = 0; k < 7; k++) { /* Newton's method; five are enough */
        root -= (root - rest / (root * root)) / 3.0;
    }
    return ldexp(root, third);
}

/* What crosses planes of b carries momentum along b: a rate [a][b] changes it by that, and a rate
 * [a][a] changes the volume and the crossings, too. */
static cell_resistance resistance_of(const cell_resistance *contacts, const grain_flow *grains,
                                     double volume)
{
    cell_resistance r;
    for (int k = 0; k < 9; k++) {
        const int a = k / 3, b = k % 3;
        const double flux =
            grains->flux[4 * b] - grains->momentum[b] * grains->momentum[b] / grains->mass;
        r.stiffness[k] = contacts->stiffness[k] / volume;
        r.stiffness[k] += (a == b ? 3.0 : 1.0) * flux / volume;
        r.damping[k] = contacts->damping[k] / volume;
    }
    return r;
}

static cell_response respond(const abut_simulation *s, const grain_flow *grains,
                             const contact_sums *contacts)
{
    cell_response r = {.volume = cell_volume(&s->lattice), .step = s->next.step};
    r.density = grains->mass / r.volume;
    for (int k = 0; k < 9; k++) {
        const int a = k / 3, b = k % 3;
        const double mean = grains->momentum[a] * grains->momentum[b] / grains->mass;
        const double flux = grains->flux[k] - mean;
        r.stress[k] = (contacts->stress[k] + flux) / r.volume;
    }
    r.all = resistance_of(&contacts->all, grains, r.volume);
    r.firm = resistance_of(&contacts->firm, grains, r.volume);
    return r;
}

/* A component of the gradient, or two equal ones of a symmetric shear, under stress. */
typedef struct cell_part {
    double rate, steady; /* steady: the slow mean of the rate */
    double excess;       /* stress above its target */
    double stiffness, damping;
} cell_part;

static cell_part part_of(const abut_cell_hold *hold, const vec3 gradient[3], const cell_response *r,
                         int a, int b)
{
    const int rate = 3 * a + b, stress = 3 * b + a;
    double rates[3];
    vec3_store(rates, gradient[a]);
    const bool is_pair = a != b && hold->is_held[rate] != 0.0;
    const double found = is_pair ? 0.5 * (r->stress[stress] + r->stress[rate]) : r->stress[stress];
    const double target = hold->targets[stress];
    const bool is_near = found * target >= PART_OF_TARGET * target * target;
    const cell_resistance *counted = is_near ? &r->all : &r->firm;
    cell_part p = {rates[b], hold->steady[rate], found - target, counted->stiffness[rate],
                   counted->damping[rate]};
    if (is_pair) {
        p.stiffness += counted->stiffness[stress], p.damping += counted->damping[stress];
    }
    return p;
}

static double limited(double rate, double most)
{
    return smaller(larger(rate, -most), most);
}

/* The time tau in which the stress follows the rate: docs/dem.md eq. 58. */
static double time_of(const cell_part *p, const cell_response *r)
{
    const double least = LEAST_STEPS * r->step;
    return p->stiffness > 0.0
               ? larger(least, cube_root(r->volume) * sqrt(r->density / p->stiffness))
               : least;
}

/* The new rate, by docs/dem.md eq. 57. */
static double settle(const cell_part *p, double time, double most)
{
    const double drag = p->stiffness > 0.0 ? p->stiffness * time : 0.0;
    if (!(drag + p->damping > 0.0)) {
        return p->excess > 0.0 ? most : p->excess < 0.0 ? -most : 0.0;
    }
    const double own = drag * (p->rate - p->steady);
    return limited(p->rate + (p->excess - own) / (drag + p->damping), most);
}

/* The largest rate that may drive a steady flow: a given one, or a shear rate under stress. It is
 * 0 while pressures alone are held, since then the cell comes to rest. */
static double drive_of(const deforming_cell *c)
{
    double most = 0.0;
    for (int a = 0; a < 3; a++) {
        double rates[3];
        vec3_store(rates, c->gradient[a]);
        for (int b = 0; b < 3; b++) {
            if (a != b || c->hold.is_held[3 * b + a] == 0.0) {
                most = larger(most, fabs(rates[b]));
            }
        }
    }
    return most;
}

static void set_rates(abut_simulation *s, const cell_response *r, vec3 gradient[3])
{
    abut_cell_hold *hold = &s->cell.hold;
    const double drive = drive_of(&s->cell);
    for (int a = 0; a < 3; a++) {
        double rates[3];
        vec3_store(rates, s->cell.gradient[a]);
        for (int b = 0; b < 3; b++) {
            if (hold->is_held[3 * b + a] != 0.0) {
                const cell_part part = part_of(hold, s->cell.gradient, r, a, b);
                const double time = time_of(&part, r);
                double *steady = &hold->steady[3 * a + b];
                rates[b] = settle(&part, time, hold->largest_rate);
                *steady += (rates[b] - *steady) * r->step / (STEADY_TIMES * time);
                *steady = limited(*steady, drive);
            }
        }
        gradient[a] = vec3_load(rates);
    }
}

/* The energy that the balance of this step would call dissipated, because the gradient changes in
 * the middle of the step: docs/dem.md, section 16. */
static double excess_work(const abut_simulation *s, const contact_sums *sums,
                          const vec3 gradient[3])
{
    double work = 0.0;
    for (int a = 0; a < 3; a++) {
        double change[3];
        vec3_store(change, vec3_sub(gradient[a], s->cell.gradient[a]));
        for (int b = 0; b < 3; b++) {
            work += change[b] * (2.0 * sums->places[3 * b + a] - sums->stress[3 * b + a]);
        }
    }
    return 0.5 * simulation_rigid_step(s).kick * work;
}

/* ---- one step ---- */

static int32_t *clear_counts(abut_simulation *s)
{
    const abut_index count = s->store.count + s->clusters.count + s->solids.count;
    int32_t *counts = memory_reserve(&s->count_block, count, sizeof *counts);
    for (abut_index k = 0; counts && k < count; k++) {
        counts[k] = 0;
    }
    return counts;
}

abut_status cell_control(abut_simulation *s, abut_error *error)
{
    int32_t *counts = clear_counts(s);
    const grain_flow grains = sum_grains(s);
    if (!counts) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    if (!(grains.mass > 0.0)) {
        return ABUT_OK;
    }
    const abut_index contacts = count_contacts(s, counts);
    const contact_sums sums = sum_contacts(s, counts);
    const cell_response r = respond(s, &grains, &sums);
    if (r.volume < grains.solid) {
        return error_set(error, ABUT_CELL_SMALL, 0, s->step_count, r.volume);
    }
    if (contacts == 0 && r.volume > MOST_GROWTH * s->cell.hold.first_volume) {
        return error_set(error, ABUT_CELL_LARGE, 0, s->step_count, r.volume);
    }
    vec3 gradient[3];
    set_rates(s, &r, gradient);
    s->account.driven_work -= excess_work(s, &sums, gradient);
    cell_set_gradient(s, gradient, true);
    return ABUT_OK;
}
