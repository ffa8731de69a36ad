/* Rigid bodies as callers have them, in the order in which they came. */
#include <stddef.h>
#include <string.h>

#include "energy.h"
#include "order.h"
#include "simulation.h"
#include "sphere_rows.h"
#include "watch.h"

static rigid_set *set_of(abut_simulation *s, abut_rigid_kind kind)
{
    return kind == ABUT_CLUSTERS ? &s->clusters : &s->solids;
}

static const rigid_set *look_at(const abut_simulation *s, abut_rigid_kind kind)
{
    return kind == ABUT_CLUSTERS ? &s->clusters : &s->solids;
}

abut_index abut_simulation_rigid_count(const abut_simulation *s, abut_rigid_kind kind)
{
    return look_at(s, kind)->count;
}

/* ---- shapes ---- */

abut_status abut_simulation_set_shapes(abut_simulation *s, const abut_shape *const *shapes,
                                       abut_index shape_count, abut_error *error)
{
    rigid_set *set = &s->solids;
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
    POSITIONS,
    ORIENTATIONS,
    VELOCITIES,
    MOMENTA,
    MASSES,
    INERTIAS,
    STATES = 10,
    SHAPES = 15,
    SCALES,
    MATERIALS,
    AXES
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

static abut_status check_motion(const abut_rigids *b, abut_index count, abut_error *error)
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

static abut_status check_states(const abut_rigids *b, abut_error *error)
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

static abut_status check_shapes(const abut_simulation *s, const abut_rigids *b, abut_error *error)
{
    abut_status status = check_names(b->shapes, b->count, s->solids.shape_count, SHAPES, error);
    status = status ? status : check_positive(b->scales, b->count, 1, SCALES, error);
    status = status ? status
                    : check_names(b->materials, b->count, s->laws.material_count, MATERIALS, error);
    return status ? status : check_numbers(b->axes, b->count, 4, AXES, error);
}

static abut_status check_bodies(const abut_simulation *s, abut_rigid_kind kind,
                                const abut_rigids *b, abut_error *error)
{
    abut_status status = check_positive(b->masses, b->count, 1, MASSES, error);
    status = status ? status : check_positive(b->inertias, b->count, 3, INERTIAS, error);
    status = status ? status : check_motion(b, b->count, error);
    status = status ? status : check_states(b, error);
    return status || kind == ABUT_CLUSTERS ? status : check_shapes(s, b, error);
}

/* ---- what steps make of them ---- */

static void restore_state(rigid_body *to, const double *state)
{
    memcpy(&to->rigid, state, RIGID_NUMBERS * sizeof *state);
    for (int axis = 0; axis < 3; axis++) {
        to->rigid.images[axis] = (int32_t)state[IMAGES + axis];
    }
    to->sum = (wrench){vec3_load(state + SUM), vec3_load(state + SUM + 3)};
}

static void write_state(const rigid_body *from, double *state)
{
    memcpy(state, &from->rigid, RIGID_NUMBERS * sizeof *state);
    for (int axis = 0; axis < 3; axis++) {
        state[IMAGES + axis] = from->rigid.images[axis];
    }
    vec3_store(state + SUM, from->sum.force);
    vec3_store(state + SUM + 3, from->sum.torque);
}

static void restore(rigid_body *to, const abut_rigids *from, abut_index k)
{
    rigid *r = &to->rigid;
    r->spin = from->spins ? vec3_load(from->spins + 3 * k) : r->spin;
    for (int axis = 0; from->images && axis < 3; axis++) {
        r->images[axis] = (int32_t)from->images[3 * k + axis];
    }
    if (from->began) {
        const double *began = from->began + 10 * k;
        r->began = vec3_load(began);
        memcpy(r->began_orientation, began + 3, sizeof r->began_orientation);
        r->last_torque = vec3_load(began + 7);
    }
    if (from->works) {
        memcpy(&r->books, from->works + 4 * k, sizeof r->books);
    }
    if (from->states) {
        restore_state(to, from->states + ABUT_BODY_STATE * k);
    }
}

static void write_beginning(const rigid *r, double *began)
{
    vec3_store(began, r->began);
    memcpy(began + 3, r->began_orientation, sizeof r->began_orientation);
    vec3_store(began + 7, r->last_torque);
}

/* ---- coming ---- */

/* Where a body begins, and how it moves, as far as it is given. */
static void begin_motion(const abut_simulation *s, rigid_body *to, const abut_rigids *from,
                         abut_index k)
{
    rigid_frame frame = rigid_body_frame(to);
    frame.origin = from->positions ? vec3_load(from->positions + 3 * k) : frame.origin;
    if (from->orientations) {
        memcpy(frame.orientation, from->orientations + 4 * k, sizeof frame.orientation);
    }
    if (from->positions || from->orientations) {
        rigid_body_set_frame(to, &frame);
    }
    rigid *r = &to->rigid;
    r->velocity = from->velocities ? vec3_load(from->velocities + 3 * k) : r->velocity;
    r->momentum = from->angular_momenta ? vec3_load(from->angular_momenta + 3 * k) : r->momentum;
    rigid_hold(r, from->fixed ? from->fixed[k] != 0 : r->is_held);
    rigid_wrap(r, &s->lattice);
    rigid_place(r);
}

static rigid_body *append_body(rigid_set *set, const abut_rigids *from, abut_index k)
{
    rigid_body *to = &set->bodies[set->count++];
    *to = (rigid_body){.axes = {0.0, 0.0, 0.0, 1.0},
                       .rigid = {.mass = from->masses[k], .orientation = {0.0, 0.0, 0.0, 1.0}}};
    memcpy(to->rigid.inertia, from->inertias + 3 * k, sizeof to->rigid.inertia);
    return to;
}

/* A convex body's surface, and the radii of two spheres about the center of mass: that which holds
 * the shape, and the largest one within it. */
static void set_shape(const rigid_set *set, rigid_body *to, const abut_rigids *from, abut_index k)
{
    const abut_shape_view view = abut_shape_inspect(set->shapes[from->shapes[k]]);
    to->shape = (int32_t)from->shapes[k];
    to->material = (int32_t)from->materials[k];
    to->scale = from->scales[k];
    to->offset = vec3_scale(vec3_load(view.centroid), to->scale);
    to->reach = view.circumradius * to->scale;
    to->inner = view.inradius * to->scale;
    to->rounding = view.radius * to->scale;
    memcpy(to->axes, from->axes + 4 * k, sizeof to->axes);
}

static void append_convex(abut_simulation *s, const abut_rigids *from)
{
    for (abut_index k = 0; k < from->count; k++) {
        rigid_body *to = append_body(&s->solids, from, k);
        set_shape(&s->solids, to, from, k);
        begin_motion(s, to, from, k);
        restore(to, from, k);
    }
    simulation_forget_bodies(s);
}

/* A cluster's surface. Its members are told the cluster, and laws its mass. */
static void join_members(abut_simulation *s, const rigid_body *c)
{
    for (int32_t k = 0; k < c->member_count; k++) {
        const int32_t place = s->store.places[c->first_row + k];
        s->store.clusters[place] = (int32_t)(c - s->clusters.bodies);
        spheres_set_mass(s, place, c->rigid.is_held);
    }
}

/* Let the members of a cluster that goes on move as they did over the last step: where that began,
 * a cluster that is placed anew does not know. */
static void restore_members(abut_simulation *s, const rigid_body *c, const abut_spheres *spheres,
                            abut_index first)
{
    for (int32_t k = 0; k < c->member_count; k++) {
        const int32_t place = s->store.places[c->first_row + k];
        mover *b = &s->store.movers[place];
        memcpy(b->velocity, spheres->velocities + 3 * (first + k), sizeof b->velocity);
        memcpy(b->spin, spheres->spins + 3 * (first + k), sizeof b->spin);
        memcpy(s->store.images + 3 * (abut_index)place, c->rigid.images, sizeof c->rigid.images);
    }
}

static void append_clusters(abut_simulation *s, const abut_rigids *from,
                            const abut_spheres *spheres)
{
    rigid_set *set = &s->clusters;
    const abut_index first_row = s->store.count - spheres->count;
    abut_index member = 0;
    if (spheres->count > 0) {
        memcpy(set->members + 3 * set->member_count, from->members,
               3 * (size_t)spheres->count * sizeof *set->members);
    }
    for (abut_index k = 0; k < from->count; k++) {
        rigid_body *to = append_body(set, from, k);
        to->first_row = (int32_t)(first_row + member);
        to->first_member = set->member_count + member;
        to->member_count = (int32_t)from->member_counts[k];
        begin_motion(s, to, from, k);
        join_members(s, to);
        rigid_set_place_members(set, to, &s->store);
        restore(to, from, k);
        if (from->spins) {
            restore_members(s, to, spheres, member);
        }
        member += to->member_count;
    }
    set->member_count += member;
}

abut_status abut_simulation_add_rigids(abut_simulation *s, abut_rigid_kind kind,
                                       const abut_rigids *from, const abut_spheres *spheres,
                                       abut_error *error)
{
    rigid_set *set = set_of(s, kind);
    const abut_index count = set->count + from->count;
    abut_status status = check_bodies(s, kind, from, error);
    if (status) {
        return status;
    }
    if (count > INT32_MAX - 2) {
        return error_set(error, ABUT_TOO_MANY_SPHERES, count, 0, 0.0);
    }
    status = rigid_set_reserve(set, count, set->member_count + (spheres ? spheres->count : 0));
    status = error_set_status(error, status);
    status = status || !spheres ? status : abut_simulation_add(s, spheres, error);
    if (status) {
        return status;
    }
    energy_hold(s);
    s->watch.is_placed = true;
    if (kind == ABUT_CLUSTERS) {
        append_clusters(s, from, spheres);
    } else {
        append_convex(s, from);
    }
    return ABUT_OK;
}

/* ---- going ---- */

/* Walls keep what bodies that go have done on them. */
static void settle_gone_bodies(abut_simulation *s, const uint8_t *is_gone)
{
    for (abut_index k = 0; k < s->solids.count; k++) {
        const double done = books_wall_work(&s->solids.bodies[k].rigid.books);
        s->account.gone_wall_work += is_gone[k] ? done : 0.0;
    }
}

abut_status abut_simulation_remove_bodies(abut_simulation *s, const uint8_t *is_gone,
                                          abut_error *error)
{
    rigid_set *set = &s->solids;
    int32_t *numbers = memory_alloc(set->count, sizeof *numbers), kept = 0;
    if (!numbers) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    energy_hold(s);
    for (abut_index k = 0; k < set->count; k++) {
        numbers[k] = is_gone[k] ? -1 : kept;
        kept += !is_gone[k];
    }
    const renaming by = {.bodies = numbers, .place_count = s->store.count, .body_count = kept};
    const abut_status status = order_renumber_tables(s, &by);
    if (!status) {
        watch_forget(s);
        settle_gone_bodies(s, is_gone);
        rigid_set_compact(set, numbers);
        simulation_forget_bodies(s);
    }
    memory_free(numbers);
    return error_set_status(error, status);
}

/* ---- reading and assigning ---- */

static void put_vector(double *to, abut_index k, vec3 from)
{
    if (to) {
        vec3_store(to + 3 * k, from);
    }
}

static void put_numbers(double *to, abut_index k, const double *from, abut_index count)
{
    if (to && count > 0) {
        memcpy(to + count * k, from, (size_t)count * sizeof *to);
    }
}

static void put_index(abut_index *to, abut_index k, abut_index from)
{
    if (to) {
        to[k] = from;
    }
}

static void read_motion(const rigid_body *b, abut_index k, const abut_rigids *to)
{
    const rigid *r = &b->rigid;
    const rigid_frame frame = rigid_body_frame(b);
    put_vector(to->positions, k, frame.origin);
    put_numbers(to->orientations, k, frame.orientation, 4);
    put_vector(to->velocities, k, r->velocity);
    put_vector(to->angular_momenta, k, r->momentum);
    put_numbers(to->masses, k, &r->mass, 1);
    put_numbers(to->inertias, k, r->inertia, 3);
    put_index(to->fixed, k, r->is_held);
}

static void read_past(const rigid_body *b, abut_index k, const abut_rigids *to)
{
    const rigid *r = &b->rigid;
    put_vector(to->spins, k, r->spin);
    for (int axis = 0; axis < 3; axis++) {
        put_index(to->images, 3 * k + axis, r->images[axis]);
    }
    put_numbers(to->works, k, &r->books.work, 4);
    put_vector(to->forces, k, b->sum.force);
    put_vector(to->torques, k, b->sum.torque);
    if (to->began) {
        write_beginning(r, to->began + 10 * k);
    }
    if (to->states) {
        write_state(b, to->states + ABUT_BODY_STATE * k);
    }
}

static void read_shape(const rigid_body *b, abut_index k, const abut_rigids *to)
{
    put_index(to->shapes, k, b->shape);
    put_numbers(to->scales, k, &b->scale, 1);
    put_index(to->materials, k, b->material);
    put_numbers(to->axes, k, b->axes, 4);
}

void abut_simulation_read_rigids(const abut_simulation *s, abut_rigid_kind kind,
                                 const abut_rigids *to)
{
    const rigid_set *set = look_at(s, kind);
    for (abut_index k = 0; k < set->count; k++) {
        read_motion(&set->bodies[k], k, to);
        read_past(&set->bodies[k], k, to);
        if (kind == ABUT_CLUSTERS) {
            put_index(to->member_counts, k, set->bodies[k].member_count);
        } else {
            read_shape(&set->bodies[k], k, to);
        }
    }
    put_numbers(to->members, 0, set->members, 3 * set->member_count);
}

/* Whether a body that is held is free from now on: others that are held may touch it. */
static bool frees_any(const rigid_set *set, const abut_index *fixed)
{
    bool frees = false;
    for (abut_index k = 0; fixed && k < set->count; k++) {
        frees |= !fixed[k] && set->bodies[k].rigid.is_held;
    }
    return frees;
}

abut_status abut_simulation_assign_rigids(abut_simulation *s, abut_rigid_kind kind,
                                          const abut_rigids *from, abut_error *error)
{
    rigid_set *set = set_of(s, kind);
    const abut_status status = check_motion(from, set->count, error);
    if (status) {
        return status;
    }
    const abut_energy energy = abut_simulation_energy(s);
    if (from->positions || from->orientations || frees_any(set, from->fixed)) {
        energy_hold_total(s);
    }
    s->watch.is_placed |= from->positions || from->orientations || from->fixed;
    s->watch.is_freed |= frees_any(set, from->fixed);
    for (abut_index k = 0; k < set->count; k++) {
        begin_motion(s, &set->bodies[k], from, k);
    }
    if (kind == ABUT_CLUSTERS) {
        rigid_set_place_clusters(set, &s->store);
    } else if (from->fixed) {
        neighbor_list_forget(&s->neighbors);
    }
    energy_count_outside(s, energy);
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
        s->solids.bodies[k].applied = (wrench){forces ? vec3_load(forces + 3 * k) : none,
                                               torques ? vec3_load(torques + 3 * k) : none};
    }
    s->solids.has_applied = forces || torques;
    return ABUT_OK;
}
