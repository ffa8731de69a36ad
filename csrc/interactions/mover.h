/* Data of contacts: partners as laws read them, effects on spheres, and sums of effects. */
#ifndef INTERACTIONS_MOVER_H
#define INTERACTIONS_MOVER_H

#include <stdint.h>

#include "../base/vec3.h"

/* The numbers of a sphere that laws read; they fill a cache line. For a wall, and for both partners
 * at a spot, a mover belongs to one contact. Its velocity is then that of the contact point, and at
 * a spot it has the mass, too. Velocities are those of half a step ago. */
typedef struct mover {
    double velocity[3], spin[3];
    double radius;
    double mass; /* for a member of a cluster: the cluster's mass */
} mover;

enum { MOVER_NUMBERS = sizeof(mover) / sizeof(double) };

/* The effect of a contact, which fills a cache line. The torque on either sphere is -(radius - arm)
 * n x force. */
typedef struct effect {
    double force[3]; /* on the sphere, or on i */
    double cross[3]; /* n x force */
    double arm;      /* depth of the contact point: the overlap; in a pair half of it */
    double brake; /* rolling of type A: the largest torque against the spin (docs/dem.md eq. 15) */
} effect;

enum { EFFECT_NUMBERS = sizeof(effect) / sizeof(double) };

/* The sums of effects on a sphere in a step; they fill a cache line, in the order of `effect`. The
 * sums of the last step stay until the sphere moves, since a step may end with an error. */
typedef struct sphere_sum {
    vec3 force, torque;
    double power; /* power on walls */
    double brake; /* sum of `brake` of effects */
} sphere_sum;

/* The effects of one chunk's pairs on spheres of a later chunk, which adds them to its sums. */
typedef struct sum_bucket {
    int32_t target;       /* the later chunk */
    int32_t begin, count; /* the range of its entries in `entries` */
} sum_bucket;

#endif
