/* A cell is moved exactly: h+ = h expm(dt L)^T. The order of a step, and why images need the
 * acceleration L^2 (x - center), are in docs/dem.md, section 16. */
#include "cell_motion.h"

#include <string.h>

static const vec3 ZERO = {0.0, 0.0, 0.0};

static void copy(vec3 to[3], const vec3 from[3])
{
    memcpy(to, from, 3 * sizeof *to);
}

static bool is_zero(const vec3 rows[3])
{
    return matrix_norm(rows, 0.0) == 0.0;
}

/* ---- rates ---- */

/* The velocity gradient half a step ago, relative to present places: (1 - expm(-dt L)) / dt. */
static void gradient_before(const vec3 gradient[3], double step, vec3 before[3])
{
    matrix_exponential_minus_one(gradient, -step, before);
    for (int k = 0; k < 3; k++) {
        before[k] = vec3_scale(before[k], -1.0 / step);
    }
}

void cell_place(const abut_simulation *s, double place[3], int32_t images[3], vec3 *velocity)
{
    const vec3 from = vec3_load(place);
    lattice_wrap_place(&s->lattice, place, images);
    if (s->cell.deforms) {
        vec3 before[3];
        gradient_before(s->cell.gradient, s->last.step, before);
        const vec3 image = lattice_nearest(&s->lattice, vec3_sub(from, vec3_load(place)));
        *velocity = vec3_sub(*velocity, rows_turn(before, image));
    }
}

/* The acceleration by which places x of central differences are exactly expm(t L) x:
 * (expm(dt L) + expm(-dt L) - 2) / dt^2. */
static void set_pull(abut_simulation *s)
{
    const double step = s->next.step;
    vec3 after[3], before[3];
    matrix_exponential_minus_one(s->cell.gradient, step, after);
    matrix_exponential_minus_one(s->cell.gradient, -step, before);
    for (int k = 0; k < 3; k++) {
        s->cell.pull[k] = vec3_scale(vec3_add(after[k], before[k]), 1.0 / (step * step));
    }
    s->cell.pulls = !is_zero(s->cell.pull);
}

void cell_begin_step(abut_simulation *s)
{
    deforming_cell *c = &s->cell;
    if (!c->deforms) {
        return;
    }
    vec3 before[3];
    gradient_before(c->gradient, s->last.step, before);
    set_pull(s);
    for (int k = 0; k < 3; k++) {
        c->rates[k] = rows_turn(before, s->lattice.vectors[k]);
    }
    copy(c->field.rows, c->gradient);
    c->field.shift = vec3_sub(c->center_velocity, rows_turn(c->gradient, c->center));
}

/* ---- sums over grains ---- */

/* Sums over free spheres, clusters and bodies. */
typedef struct grain_sums {
    double mass;
    vec3 places, velocities, images; /* each multiplied by the masses */
} grain_sums;

static void add_grain(grain_sums *sums, double mass, vec3 place, vec3 velocity,
                      const int32_t images[3])
{
    const vec3 counts = lattice_counts(images);
    sums->mass += mass;
    sums->places = vec3_add(sums->places, vec3_scale(place, mass));
    sums->velocities = vec3_add(sums->velocities, vec3_scale(velocity, mass));
    sums->images = vec3_add(sums->images, vec3_scale(counts, mass));
}

static void add_spheres(const void *context, abut_index begin, abut_index end, void *part)
{
    const abut_simulation *s = context;
    const store *spheres = &s->store;
    for (abut_index row = begin; row < end; row++) {
        const abut_index place = spheres->places[row];
        if (!simulation_is_member(s, place)) {
            add_grain(part, spheres->masses[place], vec3_load(spheres->centers + 3 * place),
                      vec3_load(spheres->movers[place].velocity), spheres->images + 3 * place);
        }
    }
}

static void add_sums(void *total, const void *part)
{
    grain_sums *sum = total;
    const grain_sums *own = part;
    sum->mass += own->mass;
    sum->places = vec3_add(sum->places, own->places);
    sum->velocities = vec3_add(sum->velocities, own->velocities);
    sum->images = vec3_add(sum->images, own->images);
}

static grain_sums sum_grains(const abut_simulation *s)
{
    const abut_index count = s->store.count;
    const rigid_set *sets[] = {&s->clusters, &s->solids};
    grain_sums sums = {.mass = 0.0};
    const parallel_folding folding = {add_spheres, add_sums, s, NULL, sizeof sums};
    parallel_fold(s->input.workers, count, count, &folding, &sums);
    for (int k = 0; k < 2; k++) {
        for (abut_index number = 0; number < sets[k]->count; number++) {
            const rigid *r = &sets[k]->bodies[number].rigid;
            add_grain(&sums, r->mass, r->position, r->velocity, r->images);
        }
    }
    return sums;
}

/* ---- the gradient ---- */

/* A change of the linear field of velocities. */
typedef struct field_change {
    abut_simulation *simulation;
    vec3 rows[3];
    vec3 half_kick; /* by which gravity changes velocities in half a step */
} field_change;

/* Adds the change to a grain's velocity. The kinetic energy that this adds is work from outside. */
static void add_field(const field_change *f, vec3 place, double mass, vec3 *velocity, books *b)
{
    const abut_simulation *s = f->simulation;
    const vec3 before = *velocity;
    *velocity = vec3_add(before, rows_turn(f->rows, vec3_sub(place, s->cell.center)));
    if (s->step_count > 0) { /* before the first step there are no energies */
        /* gravity has worked at the old velocity until now: docs/dem.md, section 16 */
        const vec3 mean = vec3_scale(vec3_add(*velocity, before), 0.5);
        const vec3 change = vec3_sub(*velocity, before);
        books_cross(b, mass * vec3_dot(change, vec3_add(mean, f->half_kick)));
    }
}

static void add_field_to_spheres(void *context, abut_index begin, abut_index end)
{
    const field_change *f = context;
    const store *spheres = &f->simulation->store;
    for (abut_index place = begin; place < end; place++) {
        if (!simulation_is_member(f->simulation, place)) {
            mover *sphere = &spheres->movers[place];
            vec3 velocity = vec3_load(sphere->velocity);
            add_field(f, vec3_load(spheres->centers + 3 * place), sphere->mass, &velocity,
                      &spheres->books[place]);
            vec3_store(sphere->velocity, velocity);
        }
    }
}

static void add_field_to_set(const field_change *f, rigid_set *set)
{
    abut_simulation *s = f->simulation;
    for (abut_index k = 0; k < set->count; k++) {
        rigid *r = &set->bodies[k].rigid;
        add_field(f, r->position, r->mass, &r->velocity, &r->books);
        if (set == &s->clusters) {
            rigid_set_place_members(set, &set->bodies[k], &s->store);
        }
    }
}

/* Spheres per task. */
enum { CHUNK_SPHERES = 4096 };

void cell_set_gradient(abut_simulation *s, const vec3 gradient[3], bool affine)
{
    deforming_cell *c = &s->cell;
    const rigid_step by = simulation_rigid_step(s);
    field_change f = {.simulation = s, .half_kick = vec3_scale(by.gravity, 0.5 * by.kick)};
    vec3 old[3], new[3];
    gradient_before(c->gradient, s->last.step, old);
    gradient_before(gradient, s->last.step, new);
    for (int k = 0; k < 3; k++) {
        f.rows[k] = vec3_sub(new[k], old[k]);
    }
    if (affine && !is_zero(f.rows)) {
        const abut_index count = s->store.count;
        parallel_loop(s->input.workers, count, CHUNK_SPHERES, count, add_field_to_spheres, &f);
        add_field_to_set(&f, &s->clusters);
        add_field_to_set(&f, &s->solids);
    }
    copy(c->gradient, gradient);
    set_pull(s);
}

/* The field is counted from the center of mass, which it moves with. */
static void begin_to_deform(abut_simulation *s)
{
    deforming_cell *c = &s->cell;
    const grain_sums sums = sum_grains(s);
    const double inverse = sums.mass > 0.0 ? 1.0 / sums.mass : 0.0;
    c->center = vec3_scale(sums.places, inverse);
    c->center_velocity = vec3_scale(sums.velocities, inverse);
}

/* Keeps the slow mean of the rates if the same components are held. It becomes smaller with the
 * given rates, and is 0 if they are reversed. */
static void keep_steady(const deforming_cell *c, const vec3 gradient[3], abut_cell_hold *next)
{
    double along = 0.0, before = 0.0, share = 1.0;
    bool is_same = true;
    for (int a = 0; a < 3; a++) {
        double rates[3], old[3];
        vec3_store(rates, gradient[a]), vec3_store(old, c->gradient[a]);
        for (int b = 0; b < 3; b++) {
            const double held = next->is_held[3 * b + a];
            is_same = is_same && held == c->hold.is_held[3 * b + a];
            along += held != 0.0 ? 0.0 : rates[b] * old[b];
            before += held != 0.0 ? 0.0 : old[b] * old[b];
        }
    }
    if (before > 0.0) {
        share = smaller(larger(along / before, 0.0), 1.0);
    }
    for (int k = 0; k < 9; k++) {
        next->steady[k] = is_same ? share * c->hold.steady[k] : 0.0;
    }
}

static double kinetic_energy(const abut_simulation *s)
{
    return s->step_count > 0 ? abut_simulation_energy(s).kinetic : 0.0;
}

void abut_simulation_deform_cell(abut_simulation *s, const double gradient[9], int affine,
                                 const abut_cell_hold *hold)
{
    static const abut_cell_hold none;
    const vec3 rows[3] = {vec3_load(gradient), vec3_load(gradient + 3), vec3_load(gradient + 6)};
    const double before = kinetic_energy(s);
    const bool will_deform = hold || !is_zero(rows);
    if (!s->cell.deforms && will_deform) {
        begin_to_deform(s);
    }
    abut_cell_hold next = hold ? *hold : none;
    keep_steady(&s->cell, rows, &next);
    next.first_volume = hold ? cell_volume(&s->lattice) : 0.0;
    cell_set_gradient(s, rows, affine);
    s->cell.deforms = will_deform;
    s->cell.pending += kinetic_energy(s) - before;
    s->cell.is_held = hold != NULL;
    s->cell.hold = next;
}

void abut_simulation_set_targets(abut_simulation *s, const double targets[9], double largest_rate)
{
    memcpy(s->cell.hold.targets, targets, sizeof s->cell.hold.targets);
    s->cell.hold.largest_rate = largest_rate;
}

void abut_simulation_set_deformation(abut_simulation *s, const double deformation[9])
{
    for (int k = 0; k < 3; k++) {
        s->cell.deformation[k] = vec3_load(deformation + 3 * k);
    }
}

/* ---- the vectors ---- */

static void rename_image(const deforming_cell *c, int32_t image[3])
{
    const vec3 then = {(double)image[0], (double)image[1], (double)image[2]};
    const vec3 now = cell_image_now(c, then);
    image[0] = (int32_t)now.x, image[1] = (int32_t)now.y, image[2] = (int32_t)now.z;
}

/* Gives all images that later steps read their names in the present basis. */
static void rename_images(abut_simulation *s)
{
    const deforming_cell *c = &s->cell;
    rigid_set *sets[] = {&s->clusters, &s->solids};
    for (abut_index place = 0; place < s->store.count; place++) {
        rename_image(c, s->store.images + 3 * place);
    }
    for (int k = 0; k < 2; k++) {
        for (abut_index number = 0; number < sets[k]->count; number++) {
            rename_image(c, sets[k]->bodies[number].rigid.images);
        }
    }
    for (abut_index k = 0; k < s->bonds.count; k++) {
        rename_image(c, s->bonds.bonds[k].shift);
    }
    for (abut_index k = 0; k < s->bonds.rest_count; k++) {
        rename_image(c, s->bonds.rests[k].shift);
    }
    neighbor_list_rename(&s->neighbors);
}

/* Exchanges vectors that are shorter when exchanged. */
static void exchange_vectors(abut_simulation *s)
{
    deforming_cell *c = &s->cell;
    lattice_basis basis = lattice_basis_of(&s->lattice);
    c->is_exchanged = false;
    while (lattice_exchange(&basis)) {
        c->is_exchanged = true;
    }
    copy(c->numbers, basis.numbers), copy(c->back, basis.back);
    if (c->is_exchanged) {
        s->lattice = basis.lattice;
        vec3 rates[3];
        matrix_multiply(c->numbers, c->rates_of_wraps, rates);
        copy(c->rates_of_wraps, rates);
        rename_images(s);
    }
    c->reduced = lattice_basis_of(&s->lattice);
}

/* The gravitational energy is that of unwrapped places, which move with the cell, but gravity does
 * no work on this motion. */
static double lift_of(const abut_simulation *s)
{
    const vec3 gravity = vec3_load(s->next.gravity);
    if (vec3_norm_sq(gravity) == 0.0) {
        return 0.0;
    }
    const vec3 rate = rows_turn_back(s->cell.rates_of_wraps, sum_grains(s).images);
    return s->next.step * vec3_dot(gravity, rate);
}

/* How the last step, in which the cell is at rest again, has found the cell. */
static void rest(abut_simulation *s)
{
    deforming_cell *c = &s->cell;
    c->began = s->lattice;
    c->has_moved = c->is_exchanged = false;
    for (int k = 0; k < 3; k++) {
        c->rates[k] = c->rates_of_wraps[k] = c->pull_began[k] = ZERO;
    }
    s->neighbors.flow_before = s->neighbors.flow;
}

void cell_move(abut_simulation *s)
{
    deforming_cell *c = &s->cell;
    if (!c->deforms) {
        if (c->has_moved) {
            rest(s);
        }
        return;
    }
    const double step = s->next.step;
    vec3 moved[3], grown[3], vectors[3];
    matrix_exponential_minus_one(c->gradient, step, moved);
    matrix_multiply(moved, c->deformation, grown);
    c->began = s->lattice;
    for (int k = 0; k < 3; k++) {
        const vec3 way = rows_turn(moved, s->lattice.vectors[k]);
        vectors[k] = vec3_add(s->lattice.vectors[k], way);
        c->rates_of_wraps[k] = vec3_scale(way, 1.0 / step);
        c->deformation[k] = vec3_add(c->deformation[k], grown[k]);
    }
    c->lift = lift_of(s);
    s->lattice = lattice_load(&vectors[0].x, 3);
    exchange_vectors(s);
    c->has_moved = true;
}

/* The motion of space in this step: x -> center + way + expm(dt L) (x - center). */
static affine_map flow_of(const abut_simulation *s, vec3 way)
{
    const deforming_cell *c = &s->cell;
    affine_map flow;
    matrix_exponential_minus_one(c->gradient, s->next.step, flow.rows);
    flow.shift = vec3_sub(way, rows_turn(flow.rows, c->center));
    flow.rows[0].x += 1.0, flow.rows[1].y += 1.0, flow.rows[2].z += 1.0;
    return flow;
}

void cell_move_center(abut_simulation *s)
{
    deforming_cell *c = &s->cell;
    if (!c->deforms) {
        return;
    }
    const rigid_step by = simulation_rigid_step(s);
    c->center_velocity = vec3_add(c->center_velocity, vec3_scale(by.gravity, by.kick));
    const vec3 way = vec3_scale(c->center_velocity, by.step);
    const affine_map flow = flow_of(s, way);
    neighbor_list_flow(&s->neighbors, &flow);
    copy(c->pull_began, c->pull);
    c->center_began = c->center;
    c->center = vec3_add(c->center, way);
}

void cell_end_step(abut_simulation *s)
{
    s->next.lift += s->cell.lift;
    s->cell.lift = s->cell.pending = 0.0;
}

/* ---- reading and restoring ---- */

static void put_rows(double to[9], const vec3 rows[3])
{
    for (int k = 0; k < 3; k++) {
        vec3_store(to + 3 * k, rows[k]);
    }
}

static void take_rows(vec3 rows[3], const double from[9])
{
    for (int k = 0; k < 3; k++) {
        rows[k] = vec3_load(from + 3 * k);
    }
}

abut_cell abut_simulation_cell(const abut_simulation *s)
{
    const deforming_cell *c = &s->cell;
    abut_cell found = {
        .deforms = c->deforms, .has_moved = c->has_moved, .pending = c->pending, .hold = c->hold};
    put_rows(found.vectors, s->lattice.vectors);
    put_rows(found.gradient, c->gradient);
    put_rows(found.deformation, c->deformation);
    put_rows(found.began, c->began.vectors);
    put_rows(found.numbers, c->numbers);
    put_rows(found.back, c->back);
    put_rows(found.rates, c->rates_of_wraps);
    put_rows(found.pull, c->pull_began);
    vec3_store(found.center, c->center);
    vec3_store(found.center_velocity, c->center_velocity);
    vec3_store(found.center_began, c->center_began);
    return found;
}

void abut_simulation_restore_cell(abut_simulation *s, const abut_cell *from)
{
    static const vec3 one[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    deforming_cell *c = &s->cell;
    s->lattice = lattice_load(from->vectors, 3);
    c->reduced = lattice_reduce(&s->lattice);
    c->began = lattice_load(from->began, 3);
    c->deforms = from->deforms != 0.0, c->has_moved = from->has_moved != 0.0;
    c->pending = from->pending;
    c->hold = from->hold;
    c->is_held = c->hold.largest_rate > 0.0;
    take_rows(c->gradient, from->gradient);
    take_rows(c->deformation, from->deformation);
    take_rows(c->numbers, from->numbers);
    take_rows(c->back, from->back);
    take_rows(c->rates_of_wraps, from->rates);
    take_rows(c->pull_began, from->pull);
    c->center = vec3_load(from->center);
    c->center_velocity = vec3_load(from->center_velocity);
    c->center_began = vec3_load(from->center_began);
    c->is_exchanged = c->has_moved && memcmp(c->numbers, one, sizeof one) != 0;
    neighbor_list_forget(&s->neighbors);
}
