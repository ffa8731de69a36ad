/* The motion of a rigid body: a cluster of spheres, or a convex body. */
#ifndef DEM_RIGID_H
#define DEM_RIGID_H

#include "../base/lattice.h"
#include "../base/pose.h"
#include "cell.h"
#include "store.h"

typedef struct rigid {
    vec3 position, velocity; /* of the center of mass */
    vec3 momentum;           /* angular momentum about the center of mass */
    double orientation[4];   /* a quaternion x, y, z, w: from the principal axes to the world */
    vec3 spin;               /* in the middle of the last step */
    vec3 began;              /* position at the beginning of the last step */
    double began_orientation[4];
    vec3 last_torque; /* about the center of mass, in the last step */
    double mass;
    double inertia[3];
    books books;
    int32_t images[3]; /* the number of periods subtracted from the position so far */
    bool is_fixed;     /* the body does not move */
    bool is_locked[3]; /* whether rotation about x, y, z is locked */
} rigid;

/* A force, and its torque about the center of mass. */
typedef struct wrench {
    vec3 force, torque;
} wrench;

/* Adds a wrench that acts at the end of an arm from the center of mass. */
static inline void wrench_add(wrench *sum, wrench exerted, vec3 arm)
{
    sum->force = vec3_add(sum->force, exerted.force);
    sum->torque = vec3_add(sum->torque, vec3_add(vec3_cross(arm, exerted.force), exerted.torque));
}

/* Input of one step of motion. */
typedef struct rigid_step {
    double step; /* duration for positions */
    double kick; /* duration for velocities: from the middle of the last step to that of this one */
    vec3 gravity;
    const lattice *lattice;
    const deforming_cell *cell; /* the periodic cell if it deforms; else NULL */
} rigid_step;

/* The acceleration of a grain in addition to its forces. */
static inline vec3 rigid_step_pull(const rigid_step *by, vec3 position)
{
    const bool pulls = by->cell && by->cell->pulls;
    return pulls ? vec3_add(by->gravity, cell_acceleration(by->cell, position)) : by->gravity;
}

/* The rows of the rotation matrix from the principal axes to the world. */
void rigid_rows(const double q[4], vec3 rows[3]);

/* The quaternion product a b: the rotation b, then a. */
void rigid_multiply(const double a[4], const double b[4], double product[4]);

/* Computes the unit quaternion along whole q + half spin q (quaternion products). It rotates q by 2
 * atan(half |spin| / whole) about the spin, which is given in the world's axes. */
void rigid_turn(const double q[4], vec3 spin, double half, double whole, double turned[4]);

/* The spin of a body with this angular momentum at an orientation. About locked axes it is 0,
 * whatever the momentum is. */
vec3 rigid_spin(const rigid *r, const double orientation[4], vec3 momentum);

/* The mass of a body in contact laws. */
static inline double rigid_mass(const rigid *r)
{
    return r->is_fixed ? FIXED : r->mass;
}

/* The smallest moment of inertia. */
static inline double rigid_own_inertia(const rigid *r)
{
    return smaller(r->inertia[0], smaller(r->inertia[1], r->inertia[2]));
}

/* The moment of inertia of a body in rolling laws of type C. */
static inline double rigid_least_inertia(const rigid *r)
{
    return r->is_fixed ? FIXED : rigid_own_inertia(r);
}

/* Whether the next position and momentum of a body are finite, and the position within limits. */
bool rigid_will_be_finite(const rigid *r, wrench sum, const rigid_step *by);

/* Moves a body by the force and torque `sum`. contacts: the part of `sum` that contacts exert. The
 * work of this part is added to the body's books, and so is wall_work, the work on walls. */
void rigid_move(rigid *r, wrench sum, wrench contacts, double wall_work, const rigid_step *by);

/* Fixes a body at its position, or frees it. */
static inline void rigid_set_fixed(rigid *r, bool is_fixed)
{
    r->is_fixed = is_fixed;
    if (is_fixed) {
        r->velocity = r->momentum = r->spin = (vec3){0.0, 0.0, 0.0};
    }
}

/* Records a step of a fixed body, which does not move. wall_work: its work on walls. */
void rigid_stay(rigid *r, double wall_work);

/* Starts a body at its present position, as after a step. Its spin follows from its momentum. */
void rigid_place(rigid *r);

#endif
