/* Walls and their motions. Poses follow from the time, so rounding errors do not accumulate. */
#include "walls.h"

#include <string.h>

#include "../base/rounded.h"

/* ---- memory ---- */

static abut_index count_motions(const abut_wall *walls, abut_index count)
{
    abut_index sum = 0;
    for (abut_index k = 0; k < count; k++) {
        sum += walls[k].motion_count;
    }
    return sum;
}

static bool allocate(wall_set *set, const abut_wall *walls)
{
    const abut_index planes = set->touched_count - set->mesh_count;
    set->walls = memory_alloc_zeroed(set->count, sizeof *set->walls);
    set->motions = memory_alloc(count_motions(walls, set->count), sizeof *set->motions);
    set->deforming = memory_alloc_zeroed(set->count, sizeof *set->deforming);
    set->numbers = memory_alloc(2 * (16 * set->count + 6 * planes), sizeof *set->numbers);
    if (!set->walls || !set->motions || !set->deforming || !set->numbers) {
        return false;
    }
    set->poses = set->numbers;
    set->poses_before = set->poses + 16 * set->count;
    set->half_spaces = set->poses_before + 16 * set->count;
    set->placed = set->half_spaces + 6 * planes;
    return true;
}

abut_status wall_set_make(wall_set *set, const abut_finder *finder, const abut_wall *walls,
                          abut_index count)
{
    const abut_index mesh_count = finder ? abut_finder_mesh_count(finder) : 0;
    *set = (wall_set){
        .finder = finder, .count = count, .touched_count = count, .mesh_count = mesh_count};
    while (set->touched_count > 0 && walls[set->touched_count - 1].is_off) {
        set->touched_count--;
    }
    bool is_made = allocate(set, walls);
    abut_motion *motions = set->motions;
    for (abut_index k = 0; is_made && k < count; k++) {
        wall_record *record = &set->walls[k];
        record->given = walls[k];
        record->given.motions = motions;
        for (abut_index m = 0; m < walls[k].motion_count; m++) {
            *motions++ = walls[k].motions[m];
        }
        memcpy(record->next_state.pose, walls[k].pose, sizeof walls[k].pose);
        set->has_driven |= walls_are_driven(record);
        is_made = deforming_make(&set->deforming[k], walls[k].vertex_count);
        set->has_deforming |= walls[k].vertex_count > 0;
    }
    for (abut_index k = mesh_count; is_made && k < set->touched_count; k++) {
        double *plane = set->half_spaces + 6 * (k - mesh_count);
        memcpy(plane, walls[k].point, sizeof walls[k].point);
        memcpy(plane + 3, walls[k].normal, sizeof walls[k].normal);
    }
    return is_made ? ABUT_OK : ABUT_NO_MEMORY;
}

void wall_set_free(wall_set *set)
{
    for (abut_index k = 0; set->deforming && k < set->count; k++) {
        deforming_free(&set->deforming[k]);
    }
    memory_free(set->walls);
    memory_free(set->motions);
    memory_free(set->deforming);
    memory_free(set->numbers);
    motion_free(&set->motion);
    memory_free_blocks(set->carried, sizeof set->carried / sizeof *set->carried);
}

void wall_set_step(wall_set *set)
{
    double *poses = set->poses;
    set->poses = set->poses_before;
    set->poses_before = poses;
    for (abut_index k = 0; k < set->count; k++) {
        set->walls[k].before = set->walls[k].now;
    }
}

/* ---- motions ---- */

/* A rigid motion at a time: the pose, and the velocity of a point x: velocity + cross(spin, x). */
typedef struct moved_space {
    pose pose;
    vec3 velocity, spin;
} moved_space;

/* The rotation by an angle about an axis through the origin, by Rodrigues' formula. */
static pose turn_about(vec3 axis, vec3 origin, double angle)
{
    const double s = rounded_sin(angle), half = rounded_sin(0.5 * angle);
    const double d = 2.0 * half * half, c = 1.0 - d; /* d: 1 - cos(angle), without cancellation */
    pose p = pose_identity();
    p.rows[0] = (vec3){c + d * axis.x * axis.x, d * axis.x * axis.y - s * axis.z,
                       d * axis.x * axis.z + s * axis.y};
    p.rows[1] = (vec3){d * axis.y * axis.x + s * axis.z, c + d * axis.y * axis.y,
                       d * axis.y * axis.z - s * axis.x};
    p.rows[2] = (vec3){d * axis.z * axis.x - s * axis.y, d * axis.z * axis.y + s * axis.x,
                       c + d * axis.z * axis.z};
    p.turns = true;
    p.shift = vec3_sub(origin, pose_turn(&p, origin));
    return p;
}

static moved_space rotate(const abut_motion *m, double time)
{
    const vec3 axis = vec3_load(m->vector), origin = vec3_load(m->origin);
    const vec3 spin = vec3_scale(axis, m->rate);
    return (moved_space){turn_about(axis, origin, m->rate * time), vec3_cross(origin, spin), spin};
}

static moved_space shift_by(vec3 shift, vec3 velocity)
{
    moved_space moved = {.pose = pose_identity(), .velocity = velocity};
    moved.pose.shift = shift;
    return moved;
}

static moved_space oscillate(const abut_motion *m, double time)
{
    const vec3 amplitude = vec3_load(m->vector);
    const double frequency = 2.0 * PI * m->rate, angle = frequency * time + m->phase;
    return shift_by(vec3_scale(amplitude, rounded_sin(angle) - rounded_sin(m->phase)),
                    vec3_scale(amplitude, frequency * rounded_cos(angle)));
}

static moved_space move_space(const abut_motion *m, double time)
{
    switch (m->kind) {
    case ABUT_ROTATING:
        return rotate(m, time);
    case ABUT_TRANSLATING: {
        const vec3 velocity = vec3_load(m->vector);
        return shift_by(vec3_scale(velocity, time), velocity);
    }
    case ABUT_OSCILLATING:
        return oscillate(m, time);
    case ABUT_GIVEN:
    case ABUT_SERVO:
    case ABUT_FREE:
        break;
    }
    return shift_by((vec3){0.0, 0.0, 0.0}, (vec3){0.0, 0.0, 0.0});
}

/* The first motion followed by the second one, which also rotates the velocities of the first. */
static moved_space move_after(const moved_space *second, const moved_space *first)
{
    const vec3 spin = pose_turn(&second->pose, first->spin);
    const vec3 turned = pose_turn(&second->pose, first->velocity);
    const vec3 carried = vec3_sub(turned, vec3_cross(spin, second->pose.shift));
    return (moved_space){pose_after(&second->pose, &first->pose),
                         vec3_add(second->velocity, carried), vec3_add(second->spin, spin)};
}

/* The origin of the first rotation (0 if there is none), moved by the later motions. */
static vec3 find_origin(const abut_wall *wall, double time)
{
    vec3 origin = {0.0, 0.0, 0.0};
    abut_index k = 0;
    while (k < wall->motion_count && wall->motions[k].kind != ABUT_ROTATING) {
        k++;
    }
    if (k < wall->motion_count) {
        origin = vec3_load(wall->motions[k].origin);
    } else {
        k = 0;
    }
    for (; k < wall->motion_count; k++) {
        const moved_space moved = move_space(&wall->motions[k], time);
        origin = pose_to_world(&moved.pose, origin);
    }
    return origin;
}

/* With the poses x = R p + s of two steps, a point is displaced by (R - R_0) R^T (x - s) + s - s_0.
 * Without rotation no digits cancel.
 * Relative to the middle of its two positions, a point moves with a spin of 2 tan(angle / 2) per
 * step about the axis. The skew part of the matrix gives sin(angle), which is divided by
 * cos^2(angle / 2). For angles above a right angle, this divisor is limited to 1/2. */
wall_way walls_way(const double *before, const abut_wall_state *now, double step)
{
    const pose old = pose_load(before), new = pose_load(now->pose);
    const double rate = 1.0 / step;
    wall_way way = {.velocity = vec3_scale(vec3_sub(new.shift, old.shift), rate),
                    .at = new.shift,
                    .turns = memcmp(old.rows, new.rows, sizeof old.rows) != 0};
    if (!way.turns) {
        return way;
    }
    for (int k = 0; k < 3; k++) {
        const vec3 change = vec3_sub(new.rows[k], old.rows[k]);
        way.rows[k] = vec3_scale(rows_turn(new.rows, change), rate);
    }
    const vec3 *m = way.rows;
    const vec3 skew = {m[2].y - m[1].z, m[0].z - m[2].x, m[1].x - m[0].y};
    const double half_angle_cosine_sq = 1.0 - 0.25 * step * (m[0].x + m[1].y + m[2].z);
    way.spin = vec3_scale(skew, 0.5 / larger(half_angle_cosine_sq, 0.5));
    way.left[0] = vec3_scale((vec3){m[0].x, m[1].x, m[2].x}, step);
    way.left[1] = vec3_scale((vec3){m[0].y, m[1].y, m[2].y}, step);
    way.left[2] = vec3_scale((vec3){m[0].z, m[1].z, m[2].z}, step);
    return way;
}

wall_way walls_way_of(const abut_wall_state *state)
{
    const vec3 s = vec3_load(state->spin);
    return (wall_way){.velocity = vec3_load(state->velocity),
                      .at = {state->pose[3], state->pose[7], state->pose[11]},
                      .rows = {{0.0, -s.z, s.y}, {s.z, 0.0, -s.x}, {-s.y, s.x, 0.0}},
                      .spin = s};
}

vec3 walls_way_velocity(const wall_way *way, vec3 point)
{
    return vec3_add(way->velocity, rows_turn(way->rows, vec3_sub(point, way->at)));
}

vec3 walls_velocity(const abut_wall_state *wall, vec3 point)
{
    const vec3 at = {wall->pose[3], wall->pose[7], wall->pose[11]};
    const vec3 turning = vec3_cross(vec3_load(wall->spin), vec3_sub(point, at));
    return vec3_add(vec3_load(wall->velocity), turning);
}

double walls_power(const abut_wall_state *wall, vec3 point, vec3 force, const double *moment)
{
    const double power = -vec3_dot(force, walls_velocity(wall, point));
    return moment ? power - vec3_dot(vec3_load(moment), vec3_load(wall->spin)) : power;
}

void walls_add_load(abut_wall_load *load, const abut_wall_state *wall, vec3 point, vec3 force,
                    const double *moment, double power)
{
    vec3 torque = vec3_cross(vec3_sub(point, vec3_load(wall->origin)), force);
    if (moment) {
        torque = vec3_add(torque, vec3_load(moment));
    }
    vec3_store(load->force, vec3_sub(vec3_load(load->force), force));
    vec3_store(load->torque, vec3_sub(vec3_load(load->torque), torque));
    load->power += power;
}

static abut_wall_state move(const abut_wall *wall, double time)
{
    if (wall->motion_count == 0) {
        abut_wall_state at_rest = {.origin = {0.0, 0.0, 0.0}};
        memcpy(at_rest.pose, wall->pose, 12 * sizeof *at_rest.pose);
        at_rest.pose[15] = 1.0;
        return at_rest;
    }
    const double own_time = time - wall->start;
    moved_space moved = shift_by((vec3){0.0, 0.0, 0.0}, (vec3){0.0, 0.0, 0.0});
    for (abut_index k = 0; k < wall->motion_count; k++) {
        const moved_space next = move_space(&wall->motions[k], own_time);
        moved = k == 0 ? next : move_after(&next, &moved);
    }
    const pose start = pose_load(wall->pose);
    const pose now = pose_after(&moved.pose, &start);
    abut_wall_state state;
    pose_store(state.pose, &now);
    vec3_store(state.velocity, vec3_add(moved.velocity, vec3_cross(moved.spin, now.shift)));
    vec3_store(state.spin, moved.spin);
    vec3_store(state.origin, find_origin(wall, own_time));
    return state;
}

/* The state of a servo-controlled wall: that of its other motions, moved along the axis. */
static abut_wall_state move_servo(const wall_record *record, double time)
{
    const abut_drive *d = &record->drive;
    const vec3 axis = vec3_load(d->axis), way = vec3_scale(axis, d->travel);
    const vec3 velocity = vec3_scale(axis, d->speed);
    abut_wall others = record->given;
    others.motion_count--;
    abut_wall_state state = move(&others, time);
    pose at = pose_load(state.pose);
    at.shift = vec3_add(at.shift, way);
    pose_store(state.pose, &at);
    /* a sum with 0.0 would change the sign of -0.0 */
    const bool is_alone = others.motion_count == 0;
    vec3_store(state.velocity, is_alone ? velocity : vec3_add(vec3_load(state.velocity), velocity));
    vec3_store(state.origin, is_alone ? way : vec3_add(vec3_load(state.origin), way));
    return state;
}

abut_wall_state walls_next(const wall_record *record, double time)
{
    if (walls_move_by(record, ABUT_SERVO)) {
        return move_servo(record, time);
    }
    const bool has_state = walls_move_by(record, ABUT_GIVEN) || walls_move_by(record, ABUT_FREE);
    return has_state ? record->next_state : move(&record->given, time);
}
