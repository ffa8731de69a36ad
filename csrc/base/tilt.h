/* From one tangent plane into another. */
#ifndef BASE_TILT_H
#define BASE_TILT_H

#include <float.h>

#include "vec3.h"

/* The unit vector along the axis, of the first `axes`, that is farthest from a vector. */
static inline vec3 tilt_axis(vec3 from, int axes)
{
    const double x = fabs(from.x), y = fabs(from.y), z = fabs(from.z);
    if (axes == 3 && z < x && z < y) {
        return (vec3){0.0, 0.0, 1.0};
    }
    return y < x ? (vec3){0.0, 1.0, 0.0} : (vec3){1.0, 0.0, 0.0};
}

/* Halfway between unit vectors, of any length; where these are opposite, one across them. */
static inline vec3 tilt_middle(vec3 old, vec3 new, int axes)
{
    const vec3 sum = vec3_add(old, new), apart = vec3_sub(old, new);
    if (!(vec3_norm_sq(sum) < 1.0)) {
        return sum;
    }
    /* what rounding left of the difference would tilt a short sum */
    const double length = vec3_length(apart);
    const vec3 across = {apart.x / length, apart.y / length, apart.z / length};
    const vec3 middle = vec3_sub(sum, vec3_scale(across, vec3_dot(sum, across)));
    if (vec3_norm_sq(middle) > DBL_EPSILON * DBL_EPSILON) {
        return middle;
    }
    const vec3 axis = tilt_axis(across, axes);
    return vec3_sub(axis, vec3_scale(across, vec3_dot(axis, across)));
}

/* A vector turned by the smallest rotation that takes the unit vector `old` to `new`, in a space of
 * 3 axes, or of 2: then z is 0, and a half turn stays in the plane.
 *
 * Reflected across the plane of `old`, and then across that of the sum s of both: the same as v - 2
 * (s.v) / (s.s) s + 2 (old.v) new, which leaves tangent vectors as they are, to the bit, where
 * nothing turns. */
static inline vec3 tilt_in(vec3 vector, vec3 old, vec3 new, int axes)
{
    const vec3 middle = tilt_middle(old, new, axes);
    const double along = 2.0 * vec3_dot(middle, vector) / vec3_dot(middle, middle);
    const vec3 reflected = vec3_sub(vector, vec3_scale(middle, along));
    return vec3_add(reflected, vec3_scale(new, 2.0 * vec3_dot(old, vector)));
}

static inline vec3 tilt(vec3 vector, vec3 old, vec3 new)
{
    return tilt_in(vector, old, new, 3);
}

#endif
