/* Convex bodies as callers have them. */
#include <stddef.h>
#include <string.h>

#include "simulation.h"

/* ---- shapes ---- */

abut_status abut_simulation_set_shapes(abut_simulation *s, const abut_shape *const *shapes,
                                       abut_index shape_count, abut_error *error)
{
    solid_set *set = &s->solids;
    const abut_shape **made = memory_alloc(shape_count + 1, sizeof *made);
    abut_status status = made ? ABUT_OK : error_set_status(error, ABUT_NO_MEMORY);
    if (!status && !set->point) {
        status = abut_shape_build_point(3, 1.0, &set->point, error);
    }
    if (status) {
        memory_free(made);
        return status;
    }
    for (abut_index k = 0; k < shape_count; k++) {
        made[k] = shapes[k];
    }
    made[shape_count] = set->point;
    memory_free(set->shapes);
    set->shapes = made, set->shape_count = shape_count;
    simulation_forget_bodies(s);
    return ABUT_OK;
}

/* ---- checks ---- */

/* Columns by the number that an error names. */
enum {
    SHAPES,
    SCALES,
    MATERIALS,
    MASSES,
    INERTIAS,
    AXES,
    POSITIONS,
    ORIENTATIONS,
    VELOCITIES,
    MOMENTA,
    STATES = 14
};

static abut_status report_body(abut_error *error, abut_index row, abut_index column, double value)
{
    return error_set(error, ABUT_BAD_BODY, row, column, value);
}

static abut_status check_numbers(const double *numbers, abut_index count, abut_index width,
                                 abut_index column, abut_error *error)
{
    for (abut_index k = 0; numbers && k < width * count; k++) {
        if (!(fabs(numbers[k]) <= ABUT_COORDINATE_LIMIT)) {
            return report_body(error, k / width, column, numbers[k]);
        }
    }
    return ABUT_OK;
}

static abut_status check_positive(const double *numbers, abut_index count, abut_index width,
                                  abut_index column, abut_error *error)
{
    for (abut_index k = 0; k < width * count; k++) {
        if (!(numbers[k] > 0.0 && numbers[k] <= ABUT_COORDINATE_LIMIT)) {
            return report_body(error, k / width, column, numbers[k]);
        }
    }
    return ABUT_OK;
}

static abut_status check_names(const abut_index *names, abut_index count, abut_index end,
                               abut_index column, abut_error *error)
{
    for (abut_index k = 0; k < count; k++) {
        if (names[k] < 0 || names[k] >= end) {
            return report_body(error, k, column, (double)names[k]);
        }
    }
    return ABUT_OK;
}

static abut_status check_motion(const abut_bodies *b, abut_index count, abut_error *error)
{
    abut_status status = check_numbers(b->positions, count, 3, POSITIONS, error);
    status = status ? status : check_numbers(b->orientations, count, 4, ORIENTATIONS, error);
    status = status ? status : check_numbers(b->velocities, count, 3, VELOCITIES, error);
    return status ? status : check_numbers(b->angular_momenta, count, 3, MOMENTA, error);
}

/* What a body's state is made of. */
enum {
    RIGID_NUMBERS = offsetof(rigid, images) / sizeof(double),
    IMAGES = RIGID_NUMBERS,
    SUM = IMAGES + 3
};
_Static_assert(SUM + 6 == ABUT_BODY_STATE, "a body's state has all that it goes on from");

static abut_status check_states(const abut_bodies *b, abut_error *error)
{
    abut_status status = check_numbers(b->states, b->count, ABUT_BODY_STATE, STATES, error);
    for (abut_index k = 0; !status && b->states && k < 3 * b->count; k++) {
        const double image = b->states[ABUT_BODY_STATE * (k / 3) + IMAGES + k % 3];
        if (!(fabs(image) < INT32_MAX)) {
            status = report_body(error, k / 3, STATES, image);
        }
    }
    return status;
}

static abut_status check_bodies(const abut_simulation *s, const abut_bodies *b, abut_error *error)
{
    abut_status status = check_names(b->shapes, b->count, s->solids.shape_count, SHAPES, error);
    status = status ? status : check_positive(b->scales, b->count, 1, SCALES, error);
    status = status ? status
                    : check_names(b->materials, b->count, s->laws.material_count, MATERIALS, error);
    status = status ? status : check_positive(b->masses, b->count, 1, MASSES, error);
    status = status ? status : check_positive(b->inertias, b->count, 3, INERTIAS, error);
    status = status ? status : check_numbers(b->axes, b->count, 4, AXES, error);
    status = status ? status : check_states(b, error);
    return status ? status : check_motion(b, b->count, error);
}

/* ---- coming ---- */

static void restore_state(solid *to, const double *state)
{
    memcpy(&to->rigid, state, RIGID_NUMBERS * sizeof *state);
    for (int axis = 0; axis < 3; axis++) {
        to->rigid.images[axis] = (int32_t)state[IMAGES + axis];
    }
    to->sum = (wrench){vec3_load(state + SUM), vec3_load(state + SUM + 3)};
}

static void write_state(const solid *from, double *state)
{
    memcpy(state, &from->rigid, RIGID_NUMBERS * sizeof *state);
    for (int axis = 0; axis < 3; axis++) {
        state[IMAGES + axis] = from->rigid.images[axis];
    }
    vec3_store(state + SUM, from->sum.force);
    vec3_store(state + SUM + 3, from->sum.torque);
}

/* The radii of two spheres about the center of mass: that which holds the shape, and the largest
 * one within it. */
static void measure(const abut_simulation *s, solid *to)
{
    const abut_shape_view view = abut_shape_inspect(s->solids.shapes[to->shape]);
    to->offset = vec3_scale(vec3_load(view.centroid), to->scale);
    to->reach = view.circumradius * to->scale;
    to->inner = view.inradius * to->scale;
    to->rounding = view.radius * to->scale;
}

static void begin_motion(solid *to, const abut_bodies *b, abut_index k)
{
    solid_frame frame = solids_frame(to);
    frame.origin = b->positions ? vec3_load(b->positions + 3 * k) : frame.origin;
    if (b->orientations) {
        memcpy(frame.orientation, b->orientations + 4 * k, sizeof frame.orientation);
    }
    if (b->positions || b->orientations) {
        solids_place(to, &frame);
    }
    rigid *r = &to->rigid;
    r->velocity = b->velocities ? vec3_load(b->velocities + 3 * k) : r->velocity;
    r->momentum = b->angular_momenta ? vec3_load(b->angular_momenta + 3 * k) : r->momentum;
}

static void append_body(abut_simulation *s, const abut_bodies *b, abut_index k)
{
    solid *to = &s->solids.solids[s->solids.count++];
    *to = (solid){.scale = b->scales[k],
                  .shape = (int32_t)b->shapes[k],
                  .material = (int32_t)b->materials[k],
                  .rigid = {.mass = b->masses[k], .orientation = {0.0, 0.0, 0.0, 1.0}}};
    memcpy(to->rigid.inertia, b->inertias + 3 * k, sizeof to->rigid.inertia);
    memcpy(to->axes, b->axes + 4 * k, sizeof to->axes);
    measure(s, to);
    begin_motion(to, b, k);
    rigid_wrap(&to->rigid, &s->lattice);
    rigid_place(&to->rigid);
    if (b->states) {
        restore_state(to, b->states + ABUT_BODY_STATE * k);
    }
}

abut_status abut_simulation_add_bodies(abut_simulation *s, const abut_bodies *bodies,
                                       abut_error *error)
{
    const abut_index count = s->solids.count + bodies->count;
    abut_status status = check_bodies(s, bodies, error);
    if (status) {
        return status;
    }
    if (count > INT32_MAX - 2) {
        return error_set(error, ABUT_TOO_MANY_SPHERES, count, 0, 0.0);
    }
    status = solids_reserve(&s->solids, count);
    if (status) {
        return error_set_status(error, status);
    }
    energy_hold(s);
    s->watch.is_placed = true;
    for (abut_index k = 0; k < bodies->count; k++) {
        append_body(s, bodies, k);
    }
    simulation_forget_bodies(s);
    return ABUT_OK;
}

/* ---- going ---- */

/* Leave out bodies that go; walls keep what these have done on them. */
static abut_index number_kept(const abut_simulation *s, const uint8_t *is_gone, int32_t *numbers)
{
    int32_t kept = 0;
    for (abut_index k = 0; k < s->solids.count; k++) {
        numbers[k] = is_gone[k] ? -1 : kept;
        kept += !is_gone[k];
    }
    return kept;
}

static void compact(abut_simulation *s, const uint8_t *is_gone)
{
    abut_index kept = 0;
    for (abut_index k = 0; k < s->solids.count; k++) {
        const solid of = s->solids.solids[k];
        const books *b = &of.rigid.books;
        if (is_gone[k]) {
            s->account.gone_wall_work += b->wall_work + 0.5 * b->last_wall_work;
        } else {
            s->solids.solids[kept++] = of;
        }
    }
    s->solids.count = kept;
}

abut_status abut_simulation_remove_bodies(abut_simulation *s, const uint8_t *is_gone,
                                          abut_error *error)
{
    int32_t *numbers = memory_alloc(s->solids.count, sizeof *numbers);
    if (!numbers) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    energy_hold(s);
    watch_forget(s);
    const renaming by = {.bodies = numbers,
                         .place_count = s->store.count,
                         .body_count = number_kept(s, is_gone, numbers)};
    const abut_status status = order_renumber_tables(s, &by);
    if (!status) {
        compact(s, is_gone);
        simulation_forget_bodies(s);
    }
    memory_free(numbers);
    return error_set_status(error, status);
}

/* ---- reading and assigning ---- */

abut_index abut_simulation_body_count(const abut_simulation *s)
{
    return s->solids.count;
}

static void put_vector(double *to, abut_index k, vec3 from)
{
    if (to) {
        vec3_store(to + 3 * k, from);
    }
}

static void put_numbers(double *to, abut_index k, const double *from, abut_index count)
{
    if (to) {
        memcpy(to + count * k, from, (size_t)count * sizeof *to);
    }
}

static void put_index(abut_index *to, abut_index k, abut_index from)
{
    if (to) {
        to[k] = from;
    }
}

static void read_body(const solid *of, abut_index k, const abut_bodies *to)
{
    const rigid *r = &of->rigid;
    const solid_frame frame = solids_frame(of);
    put_index(to->shapes, k, of->shape);
    put_index(to->materials, k, of->material);
    put_numbers(to->scales, k, &of->scale, 1);
    put_numbers(to->masses, k, &r->mass, 1);
    put_numbers(to->inertias, k, r->inertia, 3);
    put_numbers(to->axes, k, of->axes, 4);
    put_vector(to->positions, k, frame.origin);
    put_numbers(to->orientations, k, frame.orientation, 4);
    put_vector(to->velocities, k, r->velocity);
    put_vector(to->angular_momenta, k, r->momentum);
    put_vector(to->spins, k, r->spin);
    put_vector(to->forces, k, of->sum.force);
    put_vector(to->torques, k, of->sum.torque);
    for (int axis = 0; axis < 3; axis++) {
        put_index(to->images, 3 * k + axis, r->images[axis]);
    }
    if (to->states) {
        write_state(of, to->states + ABUT_BODY_STATE * k);
    }
}

void abut_simulation_read_bodies(const abut_simulation *s, const abut_bodies *to)
{
    for (abut_index k = 0; k < s->solids.count; k++) {
        read_body(&s->solids.solids[k], k, to);
    }
}

abut_status abut_simulation_assign_bodies(abut_simulation *s, const abut_bodies *from,
                                          abut_error *error)
{
    const abut_status status = check_motion(from, s->solids.count, error);
    if (status) {
        return status;
    }
    energy_hold(s);
    s->watch.is_placed |= from->positions || from->orientations;
    for (abut_index k = 0; k < s->solids.count; k++) {
        solid *to = &s->solids.solids[k];
        begin_motion(to, from, k);
        rigid_wrap(&to->rigid, &s->lattice);
        rigid_place(&to->rigid);
    }
    return ABUT_OK;
}

abut_status abut_simulation_apply_to_bodies(abut_simulation *s, const double *forces,
                                            const double *torques, abut_error *error)
{
    abut_error unused;
    abut_error *to = error ? error : &unused;
    const vec3 none = {0.0, 0.0, 0.0};
    abut_status status = check_numbers(forces, s->solids.count, 3, 0, to);
    status = status ? status : check_numbers(torques, s->solids.count, 3, 0, to);
    if (status) {
        to->status = ABUT_BAD_FORCE;
        return ABUT_BAD_FORCE;
    }
    for (abut_index k = 0; k < s->solids.count; k++) {
        s->solids.solids[k].applied = (wrench){forces ? vec3_load(forces + 3 * k) : none,
                                               torques ? vec3_load(torques + 3 * k) : none};
    }
    s->solids.has_applied = forces || torques;
    return ABUT_OK;
}
