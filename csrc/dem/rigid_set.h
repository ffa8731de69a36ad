/* Rigid bodies with their surfaces. A set has either clusters of spheres, or convex bodies. */
#ifndef DEM_RIGID_SET_H
#define DEM_RIGID_SET_H

#include "../abut/convex.h"
#include "rigid.h"

typedef struct rigid_body {
    rigid rigid;
    vec3 offset;    /* the center of mass in the surface's frame; 0 for clusters */
    double axes[4]; /* quaternion from principal axes to the surface's frame; not for clusters */
    union {
        struct { /* a cluster, which has spheres in consecutive rows */
            int32_t first_row, member_count;
            abut_index first_member; /* position of its first sphere in the set's `members` */
        };
        struct { /* a convex body */
            double scale;
            double reach; /* radius of the sphere about the center of mass that encloses the body */
            double inner; /* radius of the largest sphere about that center in the body */
            double rounding; /* radius of the shape's rounding, times `scale` */
            int32_t shape, material;
        };
    };
    wrench sum;     /* force and torque in the last step, including applied forces */
    wrench next;    /* force and torque in this step, which may still fail */
    wrench applied; /* by the caller in the next step; for clusters computed in the step */
    double power;   /* power on walls in the last step, without that of a cluster's spheres */
} rigid_body;

/* Zero-initialize. */
typedef struct rigid_set {
    rigid_body *bodies;
    abut_index count;
    bool has_applied;

    /* only clusters: centers of spheres in the frames of principal axes */
    double *members;
    abut_index member_count;

    /* only convex bodies: the caller's shapes, then a point, which with rounding is a sphere */
    const abut_shape **shapes;
    abut_index shape_count; /* the number of the caller's shapes */
    abut_shape *point;

    memory_block blocks[2]; /* memory of bodies and of members */
} rigid_set;

/* Reserves memory for `count` bodies and `member_count` members. ABUT_OK or ABUT_NO_MEMORY. */
abut_status rigid_set_reserve(rigid_set *set, abut_index count, abut_index member_count);
void rigid_set_free(rigid_set *set);

/* Removes convex bodies with a mark; is_gone NULL: clusters with first_row -1. */
void rigid_set_compact(rigid_set *set, const uint8_t *is_gone);

/* Position and orientation of the frame of a body's surface. */
typedef struct rigid_frame {
    vec3 origin;
    double orientation[4];
} rigid_frame;

rigid_frame rigid_body_frame(const rigid_body *body);

/* Places a body so that its surface has this frame. */
void rigid_body_set_frame(rigid_body *body, const rigid_frame *frame);

/* Sets the positions and velocities of a cluster's spheres from its motion over the last step. */
void rigid_set_place_members(const rigid_set *set, const rigid_body *body, store *s);

/* Sets the state that a step would leave: the last position of each cluster is its present one, and
 * its spheres get their positions and velocities from it. */
void rigid_set_place_clusters(rigid_set *set, store *s);

/* Sums up the forces and torques on the spheres of a cluster in this step. */
void rigid_set_sum_members(const rigid_set *set, rigid_body *body, const store *s);

/* Moves a body by the force and torque of this step. */
void rigid_body_move(rigid_body *body, bool has_applied, const rigid_step *by);

/* The mean velocity since the last step of a point of a body: docs/dem.md eq. 41. round: the last
 * part of the arm, through the body's rounding. It stays along the contact's normal and does not
 * rotate with the body. */
static inline vec3 rigid_point_velocity(vec3 velocity, vec3 spin, vec3 arm, vec3 round, double step)
{
    const vec3 way = vec3_cross(spin, vec3_sub(arm, round));
    const vec3 mean = vec3_sub(arm, vec3_scale(way, 0.5 * step));
    return vec3_add(velocity, vec3_cross(spin, mean));
}

#endif
