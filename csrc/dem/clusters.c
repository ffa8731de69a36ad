/* Clusters, which are rigid bodies of spheres: forces on their members move them, and the members
 * go along. */
#include "clusters.h"

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

/* ---- members ---- */

static int32_t place_of(const store *s, const cluster *c, int32_t member)
{
    return s->places[c->first_row + member];
}

static vec3 arm_of(const cluster_set *set, const cluster *c, const vec3 rows[3], int32_t member)
{
    return rows_turn(rows, vec3_load(set->members + 3 * (c->first_member + member)));
}

/* Forces and torques by place. */
typedef struct member_vectors {
    const double *forces, *torques;
    abut_index stride; /* from one sphere's to the next one's */
} member_vectors;

/* What acts on them in this step, which may still end. */
static member_vectors next_of(const store *s)
{
    return (member_vectors){&s->sums->force.x, &s->sums->torque.x,
                            sizeof(sphere_sum) / sizeof(double)};
}

/* The force on all members. */
static wrench sum_members(const cluster_set *set, const cluster *c, member_vectors of,
                          const store *s)
{
    vec3 rows[3];
    wrench sum = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    rigid_rows(c->rigid.orientation, rows);
    for (int32_t k = 0; k < c->member_count; k++) {
        const abut_index at = of.stride * place_of(s, c, k);
        const vec3 force = vec3_load(of.forces + at);
        const vec3 turning = vec3_cross(arm_of(set, c, rows, k), force);
        sum.force = vec3_add(sum.force, force);
        sum.torque = vec3_add(sum.torque, vec3_add(vec3_load(of.torques + at), turning));
    }
    return sum;
}

/* Members move on a circle about the center: over a step by the mean of both arms. */
static void place_members(cluster_set *set, cluster *c, store *s)
{
    vec3 rows[3], old_rows[3];
    rigid_rows(c->rigid.orientation, rows);
    rigid_rows(c->rigid.began_orientation, old_rows);
    for (int32_t k = 0; k < c->member_count; k++) {
        const int32_t at = place_of(s, c, k);
        const vec3 arm = arm_of(set, c, rows, k), old_arm = arm_of(set, c, old_rows, k);
        const vec3 mean = vec3_scale(vec3_add(arm, old_arm), 0.5);
        vec3_store(s->centers + 3 * (abut_index)at, vec3_add(c->rigid.position, arm));
        vec3_store(s->movers[at].velocity,
                   vec3_add(c->rigid.velocity, vec3_cross(c->rigid.spin, mean)));
        vec3_store(s->movers[at].spin, c->rigid.spin);
    }
}

void clusters_place(cluster_set *set, abut_index number, store *s)
{
    cluster *c = &set->clusters[number];
    rigid_place(&c->rigid);
    place_members(set, c, s);
}

/* ---- a step ---- */

bool clusters_will_be_finite(const cluster_set *set, abut_index number, const store *s,
                             const rigid_step *by)
{
    const cluster *c = &set->clusters[number];
    return rigid_will_be_finite(&c->rigid, sum_members(set, c, next_of(s), s), by);
}

/* The force and torque that contacts exert on a cluster. What the caller applied is left out, since
 * its work is not counted as that of contacts. */
static wrench sum_contacts(const cluster_set *set, const cluster *c, const store *s, wrench all)
{
    if (!s->has_applied) {
        return all;
    }
    const wrench applied = sum_members(set, c, (member_vectors){s->pushes, s->twists, 3}, s);
    return (wrench){vec3_sub(all.force, applied.force), vec3_sub(all.torque, applied.torque)};
}

void clusters_move(cluster_set *set, abut_index number, store *s, const rigid_step *by)
{
    cluster *c = &set->clusters[number];
    const wrench sum = sum_members(set, c, next_of(s), s);
    rigid_move(&c->rigid, sum, sum_contacts(set, c, s, sum), by);
    place_members(set, c, s);
}
