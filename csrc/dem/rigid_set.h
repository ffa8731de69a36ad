/* Rigid bodies with their surfaces: a set of either clusters of spheres, or convex bodies. */
#ifndef DEM_RIGID_SET_H
#define DEM_RIGID_SET_H

#include "../abut/convex.h"
#include "rigid.h"

typedef struct rigid_body {
    rigid rigid;
    vec3 offset;    /* the center of mass in the surface's frame; 0 for clusters */
    double axes[4]; /* a quaternion: from the principal axes to that frame; unused for clusters */
    union {
        struct { /* a cluster: spheres in consecutive rows */
            int32_t first_row, member_count;
            abut_index first_member; /* the first position in the set's members */
        };
        struct { /* a convex body */
            double scale;
            double reach; /* radius of the sphere about the center of mass that encloses the body */
            double inner; /* radius of the largest sphere about that center inside it */
            double rounding; /* the radius of the shape's rounding, scaled */
            int32_t shape, material;
        };
    };
    wrench sum;     /* the total wrench in the last step, applied forces included */
    wrench next;    /* the total wrench in this step, which may still end */
    wrench applied; /* applied in the next step by the caller; for clusters set in the step */
    double power;   /* power on walls in the last step; the spheres of a cluster count theirs */
} rigid_body;

/* Zero-initialize. */
typedef struct rigid_set {
    rigid_body *bodies;
    abut_index count;
    bool has_applied;

    /* clusters: centers of the spheres in the frames of the principal axes */
    double *members;
    abut_index member_count;

    /* convex bodies: the caller's shapes, then the point that stands for spheres */
    const abut_shape **shapes;
    abut_index shape_count; /* without the point */
    abut_shape *point;

    memory_block blocks[2]; /* bodies and members */
} rigid_set;

/* Reserves memory. ABUT_OK or ABUT_NO_MEMORY. */
abut_status rigid_set_reserve(rigid_set *set, abut_index count, abut_index member_count);
void rigid_set_free(rigid_set *set);

/* Removes marked convex bodies; is_gone: NULL: clusters that have lost their first row. */
void rigid_set_compact(rigid_set *set, const uint8_t *is_gone);

/* The frame of a body's surface: its origin and orientation. */
typedef struct rigid_frame {
    vec3 origin;
    double orientation[4];
} rigid_frame;

rigid_frame rigid_body_frame(const rigid_body *body);

/* Places a body so that its surface has this frame. */
void rigid_body_set_frame(rigid_body *body, const rigid_frame *frame);

/* Sets a cluster's spheres by its motion over the last step. */
void rigid_set_place_members(const rigid_set *set, const rigid_body *body, store *s);

/* Starts all clusters and their spheres at their present positions. */
void rigid_set_place_clusters(rigid_set *set, store *s);

/* Sums up the forces on the spheres of a cluster in this step. */
void rigid_set_sum_members(const rigid_set *set, rigid_body *body, const store *s);

/* Moves a body by the wrench of this step. */
void rigid_body_move(rigid_body *body, bool has_applied, const rigid_step *by);

/* The mean velocity of a body's point since the last step: docs/dem.md eq. 41. `round`, the part of
 * the arm through the body's rounding, does not turn: it stays along the normal. */
static inline vec3 rigid_point_velocity(vec3 velocity, vec3 spin, vec3 arm, vec3 round, double step)
{
    const vec3 way = vec3_cross(spin, vec3_sub(arm, round));
    const vec3 mean = vec3_sub(arm, vec3_scale(way, 0.5 * step));
    return vec3_add(velocity, vec3_cross(spin, mean));
}

#endif
