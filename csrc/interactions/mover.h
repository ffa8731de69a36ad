/* What laws read of partners, what contacts do to them, and what is added up of that. */
#ifndef INTERACTIONS_MOVER_H
#define INTERACTIONS_MOVER_H

#include <stdint.h>

#include "../base/vec3.h"

/* What the laws read of a sphere: a cache line. Of a wall, and of both partners at a spot, for one
 * contact: the velocity of the point, the spin and, at a spot, the mass. Velocities are of half a
 * step ago. */
typedef struct mover {
    double velocity[3], spin[3];
    double radius;
    double mass; /* of a cluster's member that of the cluster */
} mover;

enum { MOVER_NUMBERS = sizeof(mover) / sizeof(double) };

/* What a contact does: a cache line. The torque on either sphere is -(radius - arm) n x force. */
typedef struct effect {
    double force[3]; /* on the sphere, or on i */
    double cross[3]; /* n x force */
    double arm;      /* the overlap; of a pair half of it */
    double brake;    /* type A: what the contact adds to the torque against spin */
} effect;

enum { EFFECT_NUMBERS = sizeof(effect) / sizeof(double) };

/* What a step adds up of a sphere: a cache line, with its numbers where an effect has them. Until
 * the sphere moves, the step may end, and what acted on it in the last one stays. */
typedef struct sphere_sum {
    vec3 force, torque;
    double power; /* on walls */
    double brake; /* type A */
} sphere_sum;

/* What the pairs of one chunk of spheres exert on spheres of a later chunk, which adds it. */
typedef struct sum_bucket {
    int32_t target;       /* the later chunk */
    int32_t begin, count; /* entries of the step */
} sum_bucket;

#endif
