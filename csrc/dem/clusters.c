/* Rigid bodies. The angular momentum is kept in space, where torques change it alone; the
 * orientation follows by a half step and a whole one (docs/dem.md, section 5). */
#include "clusters.h"

#include <string.h>

#include "../spheres/period.h"

/* ---- memory ---- */

abut_status clusters_reserve(cluster_set *set, abut_index count, abut_index member_count)
{
    cluster *clusters = memory_grow(set->clusters, count, &set->capacity, sizeof *clusters);
    if (!clusters) {
        return ABUT_NO_MEMORY;
    }
    set->clusters = clusters;
    double *members =
        memory_grow(set->members, 3 * member_count, &set->member_capacity, sizeof *members);
    if (!members) {
        return ABUT_NO_MEMORY;
    }
    set->members = members;
    return ABUT_OK;
}

void clusters_free(cluster_set *set)
{
    memory_free(set->clusters);
    memory_free(set->members);
    *set = (cluster_set){0};
}

/* ---- orientations ---- */

/* Rows of the rotation from the principal axes to the world. */
static void rows_of(const double q[4], vec3 rows[3])
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    rows[0] = (vec3){1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)};
    rows[1] = (vec3){2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)};
    rows[2] = (vec3){2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)};
}

static vec3 to_world(const vec3 rows[3], vec3 a)
{
    return (vec3){vec3_dot(rows[0], a), vec3_dot(rows[1], a), vec3_dot(rows[2], a)};
}

static vec3 to_axes(const vec3 rows[3], vec3 a)
{
    const vec3 xy = vec3_add(vec3_scale(rows[0], a.x), vec3_scale(rows[1], a.y));
    return vec3_add(xy, vec3_scale(rows[2], a.z));
}

vec3 clusters_spin(const cluster *c, const double orientation[4], vec3 momentum)
{
    vec3 rows[3];
    rows_of(orientation, rows);
    const vec3 own = to_axes(rows, momentum);
    return to_world(rows,
                    (vec3){own.x / c->inertia[0], own.y / c->inertia[1], own.z / c->inertia[2]});
}

/* q + step/2 spin q, of unit length; spin is in the world. */
static void turn(const double q[4], vec3 spin, double step, double turned[4])
{
    const double h = 0.5 * step;
    turned[0] = q[0] + h * (spin.x * q[3] + spin.y * q[2] - spin.z * q[1]);
    turned[1] = q[1] + h * (spin.y * q[3] + spin.z * q[0] - spin.x * q[2]);
    turned[2] = q[2] + h * (spin.z * q[3] + spin.x * q[1] - spin.y * q[0]);
    turned[3] = q[3] - h * (spin.x * q[0] + spin.y * q[1] + spin.z * q[2]);
    const double length = sqrt(turned[0] * turned[0] + turned[1] * turned[1] +
                               turned[2] * turned[2] + turned[3] * turned[3]);
    for (int k = 0; k < 4; k++) {
        turned[k] /= length;
    }
}

/* ---- members ---- */

static int32_t place_of(const store *s, const cluster *c, int32_t member)
{
    return s->places[c->first_row + member];
}

static vec3 arm_of(const cluster_set *set, const cluster *c, const vec3 rows[3], int32_t member)
{
    return to_world(rows, vec3_load(set->members + 3 * (c->first_member + member)));
}

/* The force on all members, and its torque about the center of mass. */
typedef struct wrench {
    vec3 force, torque;
} wrench;

static wrench sum_members(const cluster_set *set, const cluster *c, const double *forces,
                          const double *torques, const store *s)
{
    vec3 rows[3];
    wrench sum = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    rows_of(c->orientation, rows);
    for (int32_t k = 0; k < c->member_count; k++) {
        const abut_index at = 3 * (abut_index)place_of(s, c, k);
        const vec3 force = vec3_load(forces + at);
        const vec3 turning = vec3_cross(arm_of(set, c, rows, k), force);
        sum.force = vec3_add(sum.force, force);
        sum.torque = vec3_add(sum.torque, vec3_add(vec3_load(torques + at), turning));
    }
    return sum;
}

/* Members move on a circle about the center: over a step by the mean of both arms. */
static void place_members(cluster_set *set, cluster *c, store *s)
{
    vec3 rows[3], old_rows[3];
    rows_of(c->orientation, rows);
    rows_of(c->began_orientation, old_rows);
    for (int32_t k = 0; k < c->member_count; k++) {
        const int32_t at = place_of(s, c, k);
        const vec3 arm = arm_of(set, c, rows, k), old_arm = arm_of(set, c, old_rows, k);
        const vec3 mean = vec3_scale(vec3_add(arm, old_arm), 0.5);
        vec3_store(s->centers + 3 * (abut_index)at, vec3_add(c->position, arm));
        vec3_store(s->bodies[at].velocity, vec3_add(c->velocity, vec3_cross(c->spin, mean)));
        vec3_store(s->bodies[at].spin, c->spin);
    }
}

void clusters_place(cluster_set *set, abut_index number, store *s)
{
    cluster *c = &set->clusters[number];
    c->spin = clusters_spin(c, c->orientation, c->momentum);
    c->began = c->position;
    memcpy(c->began_orientation, c->orientation, sizeof c->orientation);
    place_members(set, c, s);
}

/* ---- a step ---- */

static vec3 next_velocity(const cluster *c, vec3 force, const cluster_step *by)
{
    const vec3 pull = vec3_add(by->gravity, vec3_scale(force, 1.0 / c->mass));
    return vec3_add(c->velocity, vec3_scale(pull, by->step));
}

bool clusters_will_be_finite(const cluster_set *set, abut_index number, const store *s,
                             const cluster_step *by)
{
    const cluster *c = &set->clusters[number];
    const wrench sum = sum_members(set, c, s->forces, s->torques, s);
    const vec3 shift = vec3_scale(next_velocity(c, sum.force, by), by->step);
    const vec3 momentum = vec3_add(c->momentum, vec3_scale(sum.torque, by->step));
    return vec3_max_abs(vec3_add(c->position, shift)) <= ABUT_COORDINATE_LIMIT &&
           isfinite(momentum.x + momentum.y + momentum.z) && isfinite(shift.x + shift.y + shift.z);
}

/* What was applied does no work of contacts. */
static wrench sum_contacts(const cluster_set *set, const cluster *c, const store *s, wrench all)
{
    if (!s->has_applied) {
        return all;
    }
    const wrench applied = sum_members(set, c, s->pushes, s->twists, s);
    return (wrench){vec3_sub(all.force, applied.force), vec3_sub(all.torque, applied.torque)};
}

static void wrap(cluster *c, const double *period)
{
    double *axes[3] = {&c->position.x, &c->position.y, &c->position.z};
    for (int axis = 0; axis < 3; axis++) {
        if (period[axis] > 0.0) {
            c->images[axis] += (int32_t)period_wrap(axes[axis], period[axis]);
        }
    }
}

void clusters_move(cluster_set *set, abut_index number, store *s, const cluster_step *by)
{
    cluster *c = &set->clusters[number];
    const wrench sum = sum_members(set, c, s->forces, s->torques, s);
    const wrench contacts = sum_contacts(set, c, s, sum);
    const vec3 velocity = next_velocity(c, sum.force, by), old_spin = c->spin;
    double half[4];
    c->momentum = vec3_add(c->momentum, vec3_scale(sum.torque, by->step));
    turn(c->orientation, clusters_spin(c, c->orientation, c->momentum), 0.5 * by->step, half);
    c->spin = clusters_spin(c, half, c->momentum);
    c->last_torque = sum.torque;
    memcpy(c->began_orientation, c->orientation, sizeof half);
    turn(c->began_orientation, c->spin, by->step, c->orientation);

    const double work = 0.5 * by->step *
                        (vec3_dot(contacts.force, vec3_add(c->velocity, velocity)) +
                         vec3_dot(contacts.torque, vec3_add(old_spin, c->spin)));
    c->books.work += 0.5 * (c->books.last_work + work);
    c->books.last_work = work;
    c->began = c->position;
    c->velocity = velocity;
    c->position = vec3_add(c->position, vec3_scale(velocity, by->step));
    wrap(c, by->period);
    place_members(set, c, s);
}
