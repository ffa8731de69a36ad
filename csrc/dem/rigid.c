/* Motion of rigid bodies by docs/dem.md eq. 36 and 37. The angular momentum is stored in the
 * world's axes, where only torques change it. The orientation after half a step gives the spin
 * there. With this spin, the orientation advances by the whole step. */
#include "rigid.h"

#include <string.h>

/* ---- orientations ---- */

void rigid_rows(const double q[4], vec3 rows[3])
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    rows[0] = (vec3){1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)};
    rows[1] = (vec3){2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)};
    rows[2] = (vec3){2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)};
}

/* A column of the inertia tensor in the world's axes. The column of a locked axis is the unit
 * vector of the axis, and the other columns have no component along it. Then zero momentum about
 * the axis gives zero spin about it. */
static vec3 inertia_along(const rigid *r, const vec3 rows[3], int axis)
{
    const bool *locked = r->is_locked;
    const vec3 along = {axis == 0, axis == 1, axis == 2}, local = rows_turn_back(rows, along);
    const vec3 momentum = {local.x * r->inertia[0], local.y * r->inertia[1],
                           local.z * r->inertia[2]};
    const vec3 column = rows_turn(rows, momentum);
    return locked[axis] ? along
                        : (vec3){locked[0] ? 0.0 : column.x, locked[1] ? 0.0 : column.y,
                                 locked[2] ? 0.0 : column.z};
}

/* Solves for the spin about axes that are not locked, by Cramer's rule. Ignores the momentum about
 * locked axes. */
static vec3 spin_of_locked(const rigid *r, const vec3 rows[3], vec3 momentum)
{
    const bool *locked = r->is_locked;
    const vec3 m = {locked[0] ? 0.0 : momentum.x, locked[1] ? 0.0 : momentum.y,
                    locked[2] ? 0.0 : momentum.z};
    const vec3 x = inertia_along(r, rows, 0), y = inertia_along(r, rows, 1),
               z = inertia_along(r, rows, 2);
    const double volume = vec3_dot(x, vec3_cross(y, z));
    return vec3_scale((vec3){vec3_dot(m, vec3_cross(y, z)), vec3_dot(x, vec3_cross(m, z)),
                             vec3_dot(x, vec3_cross(y, m))},
                      1.0 / volume);
}

vec3 rigid_spin(const rigid *r, const double orientation[4], vec3 momentum)
{
    vec3 rows[3];
    rigid_rows(orientation, rows);
    if (r->is_locked[0] || r->is_locked[1] || r->is_locked[2]) {
        return spin_of_locked(r, rows, momentum);
    }
    const vec3 local = rows_turn_back(rows, momentum);
    return rows_turn(
        rows, (vec3){local.x / r->inertia[0], local.y / r->inertia[1], local.z / r->inertia[2]});
}

void rigid_multiply(const double a[4], const double b[4], double product[4])
{
    product[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    product[1] = a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
    product[2] = a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
    product[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

void rigid_turn(const double q[4], vec3 spin, double h, double whole, double turned[4])
{
    turned[0] = whole * q[0] + h * (spin.x * q[3] + spin.y * q[2] - spin.z * q[1]);
    turned[1] = whole * q[1] + h * (spin.y * q[3] + spin.z * q[0] - spin.x * q[2]);
    turned[2] = whole * q[2] + h * (spin.z * q[3] + spin.x * q[1] - spin.y * q[0]);
    turned[3] = whole * q[3] - h * (spin.x * q[0] + spin.y * q[1] + spin.z * q[2]);
    const double length = sqrt(turned[0] * turned[0] + turned[1] * turned[1] +
                               turned[2] * turned[2] + turned[3] * turned[3]);
    for (int k = 0; k < 4; k++) {
        turned[k] /= length;
    }
}

/* ---- a step ---- */

static vec3 next_velocity(const rigid *r, vec3 force, const rigid_step *by)
{
    const vec3 outer = rigid_step_pull(by, r->position);
    const vec3 pull = vec3_add(outer, vec3_scale(force, 1.0 / r->mass));
    return vec3_add(r->velocity, vec3_scale(pull, by->kick));
}

bool rigid_will_be_finite(const rigid *r, wrench sum, const rigid_step *by)
{
    const vec3 shift = vec3_scale(next_velocity(r, sum.force, by), by->step);
    const vec3 momentum = vec3_add(r->momentum, vec3_scale(sum.torque, by->kick));
    return vec3_max_abs(vec3_add(r->position, shift)) <= ABUT_COORDINATE_LIMIT &&
           isfinite(momentum.x + momentum.y + momentum.z) && isfinite(shift.x + shift.y + shift.z);
}

/* Moves the position into the periodic box. */
static void wrap_position(rigid *r, const lattice *l)
{
    double place[3];
    vec3_store(place, r->position);
    lattice_wrap_place(l, place, r->images);
    r->position = vec3_load(place);
}

/* Moves the position into the periodic cell, which deforms. */
static void wrap_in_cell(rigid *r, const rigid_step *by)
{
    double place[3];
    vec3_store(place, r->position);
    const vec3 kick = vec3_scale(by->gravity, by->kick);
    const double gained = cell_wrap(by->cell, by->lattice, place, r->images, &r->velocity, kick);
    r->position = vec3_load(place);
    books_cross(&r->books, r->mass * gained);
}

void rigid_move(rigid *r, wrench sum, wrench contacts, double wall_work, const rigid_step *by)
{
    const vec3 velocity = next_velocity(r, sum.force, by), spin_before = r->spin;
    double half[4];
    r->momentum = vec3_add(r->momentum, vec3_scale(sum.torque, by->kick));
    rigid_turn(r->orientation, rigid_spin(r, r->orientation, r->momentum), 0.25 * by->step, 1.0,
               half);
    r->spin = rigid_spin(r, half, r->momentum);
    r->last_torque = sum.torque;
    memcpy(r->began_orientation, r->orientation, sizeof half);
    rigid_turn(r->began_orientation, r->spin, 0.5 * by->step, 1.0, r->orientation);

    const vec3 velocities = vec3_add(r->velocity, velocity);
    double work = 0.5 * by->kick *
                  (vec3_dot(contacts.force, velocities) +
                   vec3_dot(contacts.torque, vec3_add(spin_before, r->spin)));
    if (by->cell && by->cell->pulls) {
        const vec3 pull = cell_acceleration(by->cell, r->position);
        const double outer = 0.5 * by->kick * r->mass * vec3_dot(pull, velocities);
        work += outer, wall_work -= outer;
    }
    books_keep(&r->books, work, wall_work);
    r->began = r->position;
    r->velocity = velocity;
    r->position = vec3_add(r->position, vec3_scale(velocity, by->step));
    if (by->cell) {
        wrap_in_cell(r, by);
    } else {
        wrap_position(r, by->lattice);
    }
}

void rigid_stay(rigid *r, double wall_work)
{
    books_keep(&r->books, 0.0, wall_work);
    r->last_torque = (vec3){0.0, 0.0, 0.0};
    r->began = r->position;
    memcpy(r->began_orientation, r->orientation, sizeof r->orientation);
}

void rigid_place(rigid *r)
{
    r->spin = rigid_spin(r, r->orientation, r->momentum);
    r->began = r->position;
    memcpy(r->began_orientation, r->orientation, sizeof r->orientation);
}
