/* Convex bodies: how they move, and where their shapes are. */
#ifndef DEM_SOLIDS_H
#define DEM_SOLIDS_H

#include "rigid.h"

typedef struct solid {
    rigid rigid;
    double scale;
    vec3 offset;     /* the center of mass in the shape's frame, scaled */
    double axes[4];  /* a quaternion: from the principal axes to the shape's frame */
    double reach;    /* of the sphere about the center of mass that holds the body */
    double inner;    /* of the largest one within it */
    double rounding; /* the radius of the shape's rounding, scaled */
    int32_t shape, material;
    wrench sum;     /* what acted on it in the last step, with what was applied */
    wrench next;    /* the same of this one, which may still end */
    wrench applied; /* what is applied to it in the next step */
    double power;   /* what it did on walls in the last step */
} solid;

/* Zero-initialize. */
typedef struct solid_set {
    solid *solids;
    abut_index count, capacity;
    const abut_shape **shapes; /* the caller's, and behind them the point that spheres are */
    abut_index shape_count;    /* without that point */
    abut_shape *point;
    bool has_applied;
} solid_set;

abut_status solids_reserve(solid_set *set, abut_index count);
void solids_free(solid_set *set);

/* Where a body's shape is: the origin of its frame, and its orientation. */
typedef struct solid_frame {
    vec3 origin;
    double orientation[4];
} solid_frame;

solid_frame solids_frame(const solid *s);

/* Put a body's shape there. */
void solids_place(solid *s, const solid_frame *frame);

/* The mean velocity since the step before of a point on a rigid body: a point that goes with the
 * body moves on a circle, and was half a step on the way. Of the arm `round` does not: from what is
 * rounded to its surface, which stays in front of it however the body turns. */
static inline vec3 solids_velocity(vec3 velocity, vec3 spin, vec3 arm, vec3 round, double step)
{
    const vec3 way = vec3_cross(spin, vec3_sub(arm, round));
    const vec3 mean = vec3_sub(arm, vec3_scale(way, 0.5 * step));
    return vec3_add(velocity, vec3_cross(spin, mean));
}

#endif
