/* Partners of contacts as laws read them, effects of contacts, and sums of effects. */
#ifndef INTERACTIONS_MOVER_H
#define INTERACTIONS_MOVER_H

#include <stdint.h>

#include "../base/vec3.h"

/* The numbers of a sphere that laws read: a cache line. For a wall, and for both partners at a
 * spot, it has one contact's velocity of the point, spin and, at a spot, mass. Velocities are those
 * of half a step ago. */
typedef struct mover {
    double velocity[3], spin[3];
    double radius;
    double mass; /* for a member of a cluster that of the cluster */
} mover;

enum { MOVER_NUMBERS = sizeof(mover) / sizeof(double) };

/* The effect of a contact: a cache line. The torque on either sphere is -(radius - arm) n x force.
 */
typedef struct effect {
    double force[3]; /* on the sphere, or on i */
    double cross[3]; /* n x force */
    double arm;      /* the overlap; for a pair half of it */
    double brake;    /* rolling of type A: its part of the torque against the spin (docs/dem.md eq.
                        15) */
} effect;

enum { EFFECT_NUMBERS = sizeof(effect) / sizeof(double) };

/* The sums of a step for one sphere: a cache line in the order of `effect`. The sums of the last
 * step stay until the sphere moves, since a step may end with an error. */
typedef struct sphere_sum {
    vec3 force, torque;
    double power; /* on walls */
    double brake; /* rolling of type A */
} sphere_sum;

/* The effects of one chunk's pairs on spheres of a later chunk, which adds them. */
typedef struct sum_bucket {
    int32_t target;       /* the later chunk */
    int32_t begin, count; /* entries of the step */
} sum_bucket;

#endif
