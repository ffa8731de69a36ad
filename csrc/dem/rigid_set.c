/* Rigid bodies. Centers of mass and principal axes are moved, and surfaces follow from them. */
#include "rigid_set.h"

#include <string.h>

/* ---- memory ---- */

abut_status rigid_set_reserve(rigid_set *set, abut_index count, abut_index member_count)
{
    rigid_body *bodies = memory_extend(&set->blocks[0], count, sizeof *bodies);
    set->bodies = bodies ? bodies : set->bodies;
    double *members = memory_extend(&set->blocks[1], 3 * member_count, sizeof *members);
    set->members = members ? members : set->members;
    return bodies && members ? ABUT_OK : ABUT_NO_MEMORY;
}

void rigid_set_free(rigid_set *set)
{
    memory_free_blocks(set->blocks, 2);
    memory_free(set->shapes);
    abut_shape_free(set->point);
    *set = (rigid_set){0};
}

/* Moves the members of a cluster to position `first` in the set's `members`. */
static void move_members(rigid_set *set, rigid_body *body, abut_index first)
{
    memmove(set->members + 3 * first, set->members + 3 * body->first_member,
            3 * (size_t)body->member_count * sizeof *set->members);
    body->first_member = first;
}

void rigid_set_compact(rigid_set *set, const uint8_t *is_gone)
{
    abut_index kept = 0, members = 0;
    for (abut_index k = 0; k < set->count; k++) {
        rigid_body *body = &set->bodies[k];
        if (is_gone ? is_gone[k] != 0 : body->first_row < 0) {
            continue;
        }
        if (!is_gone) {
            move_members(set, body, members);
            members += body->member_count;
        }
        set->bodies[kept++] = *body;
    }
    set->count = kept, set->member_count = members;
}

/* ---- surfaces ---- */

/* The vector from the origin of the surface's frame to the center of mass, in the world. */
static vec3 turn_offset(const rigid_body *body, const double orientation[4])
{
    vec3 rows[3];
    rigid_rows(orientation, rows);
    return rows_turn(rows, body->offset);
}

rigid_frame rigid_body_frame(const rigid_body *body)
{
    rigid_frame frame;
    const double back[4] = {-body->axes[0], -body->axes[1], -body->axes[2], body->axes[3]};
    rigid_multiply(body->rigid.orientation, back, frame.orientation);
    frame.origin = vec3_sub(body->rigid.position, turn_offset(body, frame.orientation));
    return frame;
}

void rigid_body_set_frame(rigid_body *body, const rigid_frame *frame)
{
    rigid_multiply(frame->orientation, body->axes, body->rigid.orientation);
    body->rigid.position = vec3_add(frame->origin, turn_offset(body, frame->orientation));
}

/* ---- clusters ---- */

static int32_t place_of(const store *s, const rigid_body *body, int32_t member)
{
    return s->places[body->first_row + member];
}

static vec3 arm_of(const rigid_set *set, const rigid_body *body, const vec3 rows[3], int32_t member)
{
    return rows_turn(rows, vec3_load(set->members + 3 * (body->first_member + member)));
}

/* A member moves on a circle about the center of mass, so its velocity is that at the mean of both
 * arms. If the center is wrapped into the box, members are shifted with it, and may be outside. */
void rigid_set_place_members(const rigid_set *set, const rigid_body *body, store *s)
{
    vec3 rows[3], began_rows[3];
    rigid_rows(body->rigid.orientation, rows);
    rigid_rows(body->rigid.began_orientation, began_rows);
    for (int32_t k = 0; k < body->member_count; k++) {
        const int32_t place = place_of(s, body, k);
        const vec3 arm = arm_of(set, body, rows, k), began_arm = arm_of(set, body, began_rows, k);
        const vec3 mean = vec3_scale(vec3_add(arm, began_arm), 0.5);
        vec3_store(s->centers + 3 * (abut_index)place, vec3_add(body->rigid.position, arm));
        memcpy(s->images + 3 * (abut_index)place, body->rigid.images, sizeof body->rigid.images);
        vec3_store(s->movers[place].velocity,
                   vec3_add(body->rigid.velocity, vec3_cross(body->rigid.spin, mean)));
        vec3_store(s->movers[place].spin, body->rigid.spin);
    }
}

void rigid_set_place_clusters(rigid_set *set, store *s)
{
    for (abut_index k = 0; k < set->count; k++) {
        rigid_place(&set->bodies[k].rigid);
        rigid_set_place_members(set, &set->bodies[k], s);
    }
}

/* Forces and torques by place. */
typedef struct member_vectors {
    const double *forces, *torques;
    abut_index stride; /* numbers from one sphere to the next */
} member_vectors;

static wrench sum_members(const rigid_set *set, const rigid_body *body, member_vectors vectors,
                          const store *s)
{
    vec3 rows[3];
    wrench sum = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    rigid_rows(body->rigid.orientation, rows);
    for (int32_t k = 0; k < body->member_count; k++) {
        const abut_index at = vectors.stride * place_of(s, body, k);
        wrench_add(&sum, (wrench){vec3_load(vectors.forces + at), vec3_load(vectors.torques + at)},
                   arm_of(set, body, rows, k));
    }
    return sum;
}

void rigid_set_sum_members(const rigid_set *set, rigid_body *body, const store *s)
{
    const member_vectors next = {&s->sums->force.x, &s->sums->torque.x,
                                 sizeof(sphere_sum) / sizeof(double)};
    body->next = sum_members(set, body, next, s);
    if (s->has_applied) {
        body->applied = sum_members(set, body, (member_vectors){s->pushes, s->twists, 3}, s);
    }
}

/* ---- a step ---- */

/* Only the work of contacts is counted, not that of applied forces. */
void rigid_body_move(rigid_body *body, bool has_applied, const rigid_step *by)
{
    body->sum = body->next;
    if (body->rigid.is_fixed) {
        rigid_stay(&body->rigid, by->kick * body->power);
        return;
    }
    wrench contacts = body->sum;
    if (has_applied) {
        contacts.force = vec3_sub(contacts.force, body->applied.force);
        contacts.torque = vec3_sub(contacts.torque, body->applied.torque);
    }
    rigid_move(&body->rigid, body->sum, contacts, by->kick * body->power, by);
}
