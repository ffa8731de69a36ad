/* Rigid bodies of spheres: how they move, and their members with them. */
#ifndef DEM_CLUSTERS_H
#define DEM_CLUSTERS_H

#include "store.h"

typedef struct cluster {
    vec3 position, velocity, momentum; /* of its center of mass; momentum: angular */
    vec3 began;                        /* position at the beginning of the last step */
    int32_t images[3];                 /* periods by which it was moved down so far */
    double orientation[4];             /* a quaternion x, y, z, w: from the principal axes */
    double began_orientation[4];
    vec3 spin;        /* of half a step ago */
    vec3 last_torque; /* about the center, of the last step */
    double mass;
    double inertia[3];
    books books;
    int32_t first_row, member_count;
    abut_index first_member;
} cluster;

/* Zero-initialize. */
typedef struct cluster_set {
    cluster *clusters;
    abut_index count, capacity;
    double *members; /* centers in the frame of the principal axes */
    abut_index member_count, member_capacity;
} cluster_set;

abut_status clusters_reserve(cluster_set *set, abut_index count, abut_index member_count);
void clusters_free(cluster_set *set);

/* What one step needs to know. */
typedef struct cluster_step {
    double step;
    vec3 gravity;
    const double *period;
} cluster_step;

/* Move the cluster by the forces on its members, and the members with it. */
void clusters_move(cluster_set *set, abut_index number, store *s, const cluster_step *by);

/* Whether the next position and momentum are finite. */
bool clusters_will_be_finite(const cluster_set *set, abut_index number, const store *s,
                             const cluster_step *by);

/* Put the members where the cluster is, with its velocity and spin, which follow from its momentum
 * where it has not moved yet. */
void clusters_place(cluster_set *set, abut_index number, store *s);

/* The spin that an angular momentum has at an orientation. */
vec3 clusters_spin(const cluster *c, const double orientation[4], vec3 momentum);

#endif
