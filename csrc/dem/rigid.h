/* How a rigid body moves: a cluster of spheres, or a convex body. */
#ifndef DEM_RIGID_H
#define DEM_RIGID_H

#include "../base/lattice.h"
#include "../base/pose.h"
#include "store.h"

typedef struct rigid {
    vec3 position, velocity; /* of the center of mass */
    vec3 momentum;           /* the angular one */
    double orientation[4];   /* a quaternion x, y, z, w: from the principal axes */
    vec3 spin;               /* of half a step ago */
    vec3 began;              /* at the beginning of the last step: position, orientation, and the */
    double began_orientation[4];
    vec3 last_torque; /* torque about the center; callers have all three as one column */
    double mass;
    double inertia[3];
    books books;
    int32_t images[3]; /* periods by which it was moved down so far */
    bool is_held;      /* it does not move */
    bool is_locked[3]; /* it does not turn about x, y, z */
} rigid;

/* A force, and its torque about the center of mass. */
typedef struct wrench {
    vec3 force, torque;
} wrench;

/* Add what acts at the end of an arm from the center of mass. */
static inline void wrench_add(wrench *sum, wrench w, vec3 arm)
{
    sum->force = vec3_add(sum->force, w.force);
    sum->torque = vec3_add(sum->torque, vec3_add(vec3_cross(arm, w.force), w.torque));
}

/* What one step needs to know. */
typedef struct rigid_step {
    double step; /* of positions */
    double kick; /* of velocities: from the middle of the step before to that of this one */
    vec3 gravity;
    const lattice *lattice;
} rigid_step;

/* Rows of the rotation from the principal axes to the world. */
void rigid_rows(const double q[4], vec3 rows[3]);

/* One rotation after another one: a quaternion b, and then a. */
void rigid_multiply(const double a[4], const double b[4], double product[4]);

/* whole q + half spin q, made a unit: a rotation by 2 atan(half |spin| / whole) about the spin,
 * which is in the world. */
void rigid_turn(const double q[4], vec3 spin, double half, double whole, double turned[4]);

/* The spin that an angular momentum has at an orientation. About axes that are locked it is 0, and
 * the momentum is not read. */
vec3 rigid_spin(const rigid *r, const double orientation[4], vec3 momentum);

/* What laws take for its mass beside another body. */
static inline double rigid_mass(const rigid *r)
{
    return r->is_held ? HELD : r->mass;
}

/* The smallest moment of inertia. */
static inline double rigid_own_inertia(const rigid *r)
{
    return smaller(r->inertia[0], smaller(r->inertia[1], r->inertia[2]));
}

/* What laws of type C take for it; likewise. */
static inline double rigid_least_inertia(const rigid *r)
{
    return r->is_held ? HELD : rigid_own_inertia(r);
}

/* Whether the next position and momentum are finite. */
bool rigid_will_be_finite(const rigid *r, wrench sum, const rigid_step *by);

/* Move by all forces, of which contacts do work that is counted, as is what it does on walls. */
void rigid_move(rigid *r, wrench sum, wrench contacts, double wall_work, const rigid_step *by);

/* Hold it where it is, or let it go. */
static inline void rigid_hold(rigid *r, bool is_held)
{
    r->is_held = is_held;
    if (is_held) {
        r->velocity = r->momentum = r->spin = (vec3){0.0, 0.0, 0.0};
    }
}

/* Let it stay where it is for a step, with what it does on walls. */
void rigid_stay(rigid *r, double wall_work);

/* Let it begin where it is: its spin follows from its momentum. */
void rigid_place(rigid *r);

/* Bring the position into the periodic box. */
void rigid_wrap(rigid *r, const lattice *l);

#endif
