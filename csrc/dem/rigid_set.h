/* Rigid bodies with their surfaces: clusters, which are of spheres, and convex bodies, each of
 * which has a shape. One set holds those of one kind. */
#ifndef DEM_RIGID_SET_H
#define DEM_RIGID_SET_H

#include "../abut/convex.h"
#include "rigid.h"

typedef struct rigid_body {
    rigid rigid;
    vec3 offset;    /* the center of mass in the surface's frame; of a cluster 0 */
    double axes[4]; /* a quaternion: from the principal axes to that frame; of a cluster none */
    union {
        struct { /* a cluster's surface: spheres in rows that follow one another */
            int32_t first_row, member_count;
            abut_index first_member; /* in the set's members */
        };
        struct { /* that of a convex body */
            double scale;
            double reach;    /* of the sphere about the center of mass that holds the body */
            double inner;    /* of the largest one within it */
            double rounding; /* the radius of the shape's rounding, scaled */
            int32_t shape, material;
        };
    };
    wrench sum;     /* what acted on it in the last step, with what was applied */
    wrench next;    /* the same of this one, which may still end */
    wrench applied; /* what is applied to it in the next step; of a cluster in this one */
    double power;   /* what it did on walls in the last step; of a cluster its spheres know */
} rigid_body;

/* Zero-initialize. */
typedef struct rigid_set {
    rigid_body *bodies;
    abut_index count;
    bool has_applied;

    /* of clusters: spheres' centers in the frames of the principal axes */
    double *members;
    abut_index member_count;

    /* of convex bodies: the caller's shapes, and behind them the point that spheres are */
    const abut_shape **shapes;
    abut_index shape_count; /* without that point */
    abut_shape *point;

    memory_block blocks[2]; /* of bodies and members */
} rigid_set;

/* Room for so many. ABUT_OK or ABUT_NO_MEMORY. */
abut_status rigid_set_reserve(rigid_set *set, abut_index count, abut_index member_count);
void rigid_set_free(rigid_set *set);

/* Leave out convex bodies that are gone; NULL: clusters whose first sphere has no row any more. */
void rigid_set_compact(rigid_set *set, const uint8_t *is_gone);

/* Where a body's surface is: the origin of its frame, and its orientation. */
typedef struct rigid_frame {
    vec3 origin;
    double orientation[4];
} rigid_frame;

rigid_frame rigid_body_frame(const rigid_body *b);

/* Put a body's surface there. */
void rigid_body_set_frame(rigid_body *b, const rigid_frame *frame);

/* Put the spheres of a cluster where it is, with velocities and spins over the last step. */
void rigid_set_place_members(const rigid_set *set, const rigid_body *b, store *s);

/* Let all clusters begin where they are, with their spheres. */
void rigid_set_place_clusters(rigid_set *set, store *s);

/* Sum up what acts on the spheres of a cluster, in this step. */
void rigid_set_sum_members(const rigid_set *set, rigid_body *b, const store *s);

/* Move by what acts on it in this step. */
void rigid_body_move(rigid_body *b, bool has_applied, const rigid_step *by);

/* The mean velocity since the step before of a point on a rigid body: a point that goes with the
 * body moves on a circle, and was half a step on the way. Of the arm `round` does not: from what is
 * rounded to its surface, which stays in front of it however the body turns. */
static inline vec3 rigid_point_velocity(vec3 velocity, vec3 spin, vec3 arm, vec3 round, double step)
{
    const vec3 way = vec3_cross(spin, vec3_sub(arm, round));
    const vec3 mean = vec3_sub(arm, vec3_scale(way, 0.5 * step));
    return vec3_add(velocity, vec3_cross(spin, mean));
}

#endif
