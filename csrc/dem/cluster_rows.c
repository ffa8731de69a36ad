/* Clusters as callers have them, in the order in which they came. */
#include <string.h>

#include "simulation.h"

/* Put members where their clusters are, and let them move as these do. */
void clusters_place_all(abut_simulation *s)
{
    for (abut_index k = 0; k < s->clusters.count; k++) {
        clusters_place(&s->clusters, k, &s->store);
    }
}

void clusters_remove(abut_simulation *s, const uint8_t *is_gone, int32_t *numbers)
{
    cluster_set *set = &s->clusters;
    abut_index kept = 0, members = 0;
    for (abut_index k = 0; k < set->count; k++) {
        const cluster c = set->clusters[k];
        numbers[k] = is_gone[c.first_row] ? -1 : (int32_t)kept;
        if (!is_gone[c.first_row]) {
            memmove(set->members + 3 * members, set->members + 3 * c.first_member,
                    3 * (size_t)c.member_count * sizeof *set->members);
            set->clusters[kept] = c;
            set->clusters[kept].first_member = members;
            members += c.member_count;
            kept++;
        }
    }
    set->count = kept, set->member_count = members;
}

abut_index abut_simulation_cluster_count(const abut_simulation *s)
{
    return s->clusters.count;
}

static cluster *append_cluster(abut_simulation *s, const abut_clusters *from, abut_index k,
                               abut_index first_row, abut_index first_member)
{
    cluster_set *set = &s->clusters;
    cluster *c = &set->clusters[set->count++];
    *c = (cluster){.rigid = {.position = vec3_load(from->positions + 3 * k),
                             .velocity = vec3_load(from->velocities + 3 * k),
                             .momentum = vec3_load(from->angular_momenta + 3 * k),
                             .mass = from->masses[k]},
                   .first_row = (int32_t)first_row,
                   .member_count = (int32_t)from->member_counts[k],
                   .first_member = set->member_count};
    memcpy(c->rigid.orientation, from->orientations + 4 * k, sizeof c->rigid.orientation);
    memcpy(c->rigid.inertia, from->inertias + 3 * k, sizeof c->rigid.inertia);
    memcpy(set->members + 3 * set->member_count, from->members + 3 * first_member,
           3 * (size_t)c->member_count * sizeof *set->members);
    set->member_count += c->member_count;
    return c;
}

/* Tell members their cluster, and laws its mass. */
static void join_members(abut_simulation *s, abut_index number)
{
    const cluster *c = &s->clusters.clusters[number];
    for (int32_t k = 0; k < c->member_count; k++) {
        const int32_t place = s->store.places[c->first_row + k];
        s->store.clusters[place] = (int32_t)number;
        spheres_set_mass(s, place);
    }
}

static void restore_cluster(cluster *c, const abut_clusters *from, abut_index k)
{
    if (from->spins) {
        c->rigid.spin = vec3_load(from->spins + 3 * k);
    }
    for (int axis = 0; from->images && axis < 3; axis++) {
        c->rigid.images[axis] = (int32_t)from->images[3 * k + axis];
    }
    if (from->began) {
        const double *began = from->began + 10 * k;
        c->rigid.began = vec3_load(began);
        memcpy(c->rigid.began_orientation, began + 3, sizeof c->rigid.began_orientation);
        c->rigid.last_torque = vec3_load(began + 7);
    }
    if (from->works) {
        memcpy(&c->rigid.books, from->works + 4 * k, sizeof c->rigid.books);
    }
}

/* Let the members of a cluster that goes on move as they did over the last step: where that began,
 * a cluster that is placed anew does not know. */
static void restore_members(abut_simulation *s, const cluster *c, const abut_spheres *rows,
                            abut_index first)
{
    for (int32_t k = 0; k < c->member_count; k++) {
        mover *b = &s->store.movers[s->store.places[c->first_row + k]];
        memcpy(b->velocity, rows->velocities + 3 * (first + k), sizeof b->velocity);
        memcpy(b->spin, rows->spins + 3 * (first + k), sizeof b->spin);
    }
}

abut_status abut_simulation_add_clusters(abut_simulation *s, const abut_clusters *clusters,
                                         const abut_spheres *rows, abut_error *error)
{
    const abut_index first = s->clusters.count, first_row = s->store.count;
    abut_status status = clusters_reserve(&s->clusters, first + clusters->count,
                                          s->clusters.member_count + rows->count);
    if (status) {
        return error_set_status(error, status);
    }
    status = abut_simulation_add(s, rows, error);
    abut_index member = 0;
    for (abut_index k = 0; !status && k < clusters->count; k++) {
        cluster *c = append_cluster(s, clusters, k, first_row + member, member);
        join_members(s, first + k);
        clusters_place(&s->clusters, first + k, &s->store);
        restore_cluster(c, clusters, k);
        if (clusters->spins) {
            restore_members(s, c, rows, member);
        }
        member += clusters->member_counts[k];
    }
    return status;
}

static void store_vectors(double *to, abut_index k, vec3 from)
{
    if (to) {
        vec3_store(to + 3 * k, from);
    }
}

static void copy_numbers(double *to, const double *from, size_t count)
{
    if (to && count > 0) {
        memcpy(to, from, count * sizeof *to);
    }
}

static void read_beginning(const cluster *c, double *began)
{
    vec3_store(began, c->rigid.began);
    memcpy(began + 3, c->rigid.began_orientation, sizeof c->rigid.began_orientation);
    vec3_store(began + 7, c->rigid.last_torque);
}

static void read_cluster(const cluster_set *set, abut_index k, const abut_clusters *to)
{
    const cluster *c = &set->clusters[k];
    store_vectors(to->positions, k, c->rigid.position);
    store_vectors(to->velocities, k, c->rigid.velocity);
    store_vectors(to->angular_momenta, k, c->rigid.momentum);
    store_vectors(to->spins, k, c->rigid.spin);
    for (int axis = 0; to->images && axis < 3; axis++) {
        to->images[3 * k + axis] = c->rigid.images[axis];
    }
    if (to->began) {
        read_beginning(c, to->began + 10 * k);
    }
    copy_numbers(to->orientations ? to->orientations + 4 * k : NULL, c->rigid.orientation, 4);
    copy_numbers(to->inertias ? to->inertias + 3 * k : NULL, c->rigid.inertia, 3);
    copy_numbers(to->masses ? to->masses + k : NULL, &c->rigid.mass, 1);
    copy_numbers(to->works ? to->works + 4 * k : NULL, &c->rigid.books.work, 4);
    if (to->member_counts) {
        to->member_counts[k] = c->member_count;
    }
}

void abut_simulation_read_clusters(const abut_simulation *s, const abut_clusters *to)
{
    for (abut_index k = 0; k < s->clusters.count; k++) {
        read_cluster(&s->clusters, k, to);
    }
    copy_numbers(to->members, s->clusters.members, 3 * (size_t)s->clusters.member_count);
}

void abut_simulation_assign_clusters(abut_simulation *s, const abut_clusters *from)
{
    energy_hold(s);
    s->watch.is_placed |= from->positions || from->orientations;
    for (abut_index k = 0; k < s->clusters.count; k++) {
        cluster *c = &s->clusters.clusters[k];
        c->rigid.position =
            from->positions ? vec3_load(from->positions + 3 * k) : c->rigid.position;
        c->rigid.velocity =
            from->velocities ? vec3_load(from->velocities + 3 * k) : c->rigid.velocity;
        c->rigid.momentum =
            from->angular_momenta ? vec3_load(from->angular_momenta + 3 * k) : c->rigid.momentum;
        if (from->orientations) {
            memcpy(c->rigid.orientation, from->orientations + 4 * k, sizeof c->rigid.orientation);
        }
    }
    clusters_place_all(s);
}
