/* Bodies, and what they touched in the last step, as callers have them. */
#include <stddef.h>
#include <string.h>

#include "../base/span.h"
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
static void compact(abut_simulation *s, const uint8_t *is_gone, int32_t *numbers)
{
    abut_index kept = 0;
    for (abut_index k = 0; k < s->solids.count; k++) {
        const solid of = s->solids.solids[k];
        const books *b = &of.rigid.books;
        numbers[k] = is_gone[k] ? -1 : (int32_t)kept;
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
    compact(s, is_gone, numbers);
    spot_table_renumber(&s->before.spots[ABUT_WITH_WALLS], numbers, NULL);
    spot_table_renumber(&s->before.spots[ABUT_WITH_BODIES], numbers, numbers);
    spot_table_renumber(&s->before.spots[ABUT_WITH_SPHERES], numbers, NULL);
    simulation_forget_bodies(s);
    memory_free(numbers);
    return ABUT_OK;
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

/* ---- contacts ---- */

abut_body_contacts abut_simulation_count_body_contacts(const abut_simulation *s,
                                                       abut_meeting meeting)
{
    const spot_table *t = &s->before.spots[meeting];
    return (abut_body_contacts){.row_count = t->count, .spot_count = t->spot_count};
}

void abut_simulation_write_body_contacts(const abut_simulation *s, abut_meeting meeting,
                                         const abut_body_contacts *to)
{
    const spot_table *t = &s->before.spots[meeting];
    spot_table_copy(&to->columns, &t->columns, t->count, t->spot_count);
    static const double nothing[3];
    const double *moment = t->springs.moment, *roll = t->springs.roll;
    for (abut_index spot = 0; spot < t->spot_count; spot++) {
        put_numbers(to->force, spot, t->springs.effects[spot].force, 3);
        put_numbers(to->spring, spot, t->springs.spring + 3 * spot, 3);
        put_numbers(to->moment, spot, moment ? moment + 3 * spot : nothing, 3);
        put_numbers(to->roll, spot, roll ? roll + 3 * spot : nothing, 3);
    }
}

/* ---- going on from a file ---- */

static abut_index others_of(const abut_simulation *s, abut_meeting meeting)
{
    switch (meeting) {
    case ABUT_WITH_WALLS:
        break;
    case ABUT_WITH_BODIES:
        return s->solids.count;
    case ABUT_WITH_SPHERES:
        return s->store.count;
    }
    return s->walls.count;
}

static abut_status check_row(const abut_simulation *s, abut_meeting meeting,
                             const abut_body_contacts *from, abut_index row, abut_error *error)
{
    const abut_convex_columns *c = &from->columns;
    const abut_index others = others_of(s, meeting);
    const abut_index other = meeting == ABUT_WITH_WALLS ? c->mesh[row] : c->j[row];
    const abut_status bad_other = meeting == ABUT_WITH_WALLS ? ABUT_BAD_MESH_NUMBER : ABUT_BAD_J;
    if (c->i[row] < 0 || c->i[row] >= s->solids.count) {
        return error_set(error, ABUT_BAD_I, row, c->i[row], (double)s->solids.count - 1.0);
    }
    if (other < 0 || other >= others) {
        return error_set(error, bad_other, row, other, (double)others - 1.0);
    }
    return ABUT_OK;
}

static abut_status check_contacts(const abut_simulation *s, abut_meeting meeting,
                                  const abut_body_contacts *from, abut_error *error)
{
    const abut_index wrong =
        span_find_wrong(from->columns.spot_offsets, from->row_count, from->spot_count);
    if (wrong >= 0) {
        return error_set(error, ABUT_BAD_PAIR_ROWS, wrong, from->spot_count, 0.0);
    }
    abut_status status = ABUT_OK;
    for (abut_index row = 0; !status && row < from->row_count; row++) {
        status = check_row(s, meeting, from, row, error);
    }
    return status;
}

/* Compute the power of forces and moments on the walls anew. */
static void restore_power(const abut_simulation *s, const spot_table *t, abut_index row)
{
    const abut_wall_state *state = &s->before.states[t->columns.mesh[row]];
    const spot_row r = simulation_spot_row(s, t, ABUT_WITH_WALLS, row);
    for (abut_index spot = r.begin; spot < r.end; spot++) {
        const vec3 point = vec3_sub(simulation_spot_point(t, &r, spot), r.shift);
        const vec3 force = vec3_load(t->springs.effects[spot].force);
        t->power[spot] = -vec3_dot(force, walls_velocity(state, point));
        if (t->springs.moment) {
            const vec3 moment = vec3_load(t->springs.moment + 3 * spot);
            t->power[spot] -= vec3_dot(moment, vec3_load(state->spin));
        }
    }
}

/* Have vectors of spots, or zeros where the caller has none; nowhere where there is no column. */
static void restore_vectors(double *to, const double *from, abut_index spots)
{
    const size_t size = 3 * (size_t)spots * sizeof *to;
    if (to && from) {
        memcpy(to, from, size);
    } else if (to) {
        memset(to, 0, size);
    }
}

abut_status abut_simulation_restore_body_contacts(abut_simulation *s, abut_meeting meeting,
                                                  const abut_body_contacts *from, abut_error *error)
{
    spot_table *t = &s->before.spots[meeting];
    abut_status status = check_contacts(s, meeting, from, error);
    if (status) {
        return status;
    }
    if (spot_table_reserve(t, meeting, from->row_count, from->spot_count, simulation_kind(s))) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    spot_table_copy(&t->columns, &from->columns, from->row_count, from->spot_count);
    t->count = from->row_count, t->spot_count = from->spot_count;
    for (abut_index spot = 0; spot < t->spot_count; spot++) {
        t->springs.effects[spot] = (effect){.arm = 0.0};
        memcpy(t->springs.effects[spot].force, from->force + 3 * spot, 3 * sizeof *from->force);
    }
    restore_vectors(t->springs.spring, from->spring, t->spot_count);
    restore_vectors(t->springs.roll, from->roll, t->spot_count);
    restore_vectors(t->springs.moment, from->moment, t->spot_count);
    for (abut_index row = 0; meeting == ABUT_WITH_WALLS && row < t->count; row++) {
        restore_power(s, t, row);
    }
    return ABUT_OK;
}
