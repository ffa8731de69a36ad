/* Rigid bodies of spheres: how they move, and their members with them. */
#ifndef DEM_CLUSTERS_H
#define DEM_CLUSTERS_H

#include "rigid.h"

typedef struct cluster {
    rigid rigid;
    int32_t first_row, member_count;
    abut_index first_member;
} cluster;

/* Zero-initialize. */
typedef struct cluster_set {
    cluster *clusters;
    abut_index count, capacity;
    double *members; /* their centers in the frame of the principal axes */
    abut_index member_count, member_capacity;
} cluster_set;

abut_status clusters_reserve(cluster_set *set, abut_index count, abut_index member_count);
void clusters_free(cluster_set *set);

/* Move the cluster by the forces on its members, and the members with it. */
void clusters_move(cluster_set *set, abut_index number, store *s, const rigid_step *by);

/* Whether the next position and momentum are finite. */
bool clusters_will_be_finite(const cluster_set *set, abut_index number, const store *s,
                             const rigid_step *by);

/* Put the members where the cluster is, with its velocity and spin, which follow from its momentum
 * where it has not moved yet. */
void clusters_place(cluster_set *set, abut_index number, store *s);

#endif
