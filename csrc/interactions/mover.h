/* What laws read of partners, and what contacts do to them. */
#ifndef INTERACTIONS_MOVER_H
#define INTERACTIONS_MOVER_H

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

#endif
