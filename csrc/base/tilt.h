/* The smallest rotation that turns one direction into another. It turns vectors of one tangent
 * plane into vectors of the next. */
#ifndef BASE_TILT_H
#define BASE_TILT_H

#include "vec3.h"

/* The unit vector along the axis for which the vector's component has the smallest absolute value.
 * Only the first `axes` axes, 2 or 3, are compared. */
static inline vec3 tilt_least_axis(vec3 a, int axes)
{
    const double x = fabs(a.x), y = fabs(a.y), z = axes == 3 ? fabs(a.z) : INFINITY;
    if (x <= y && x <= z) {
        return (vec3){1.0, 0.0, 0.0};
    }
    return y <= z ? (vec3){0.0, 1.0, 0.0} : (vec3){0.0, 0.0, 1.0};
}

static inline vec3 tilt_without_part_along(vec3 a, vec3 direction)
{
    return vec3_sub(a, vec3_scale(direction, vec3_dot(a, direction)));
}

/* Returns a vector, of any length, halfway between two unit vectors. If these are opposite, it is
 * one of the directions perpendicular to them, all of which are halfway. */
static inline vec3 tilt_middle(vec3 old, vec3 new, int axes)
{
    const vec3 sum = vec3_add(old, new);
    if (vec3_norm_sq(sum) >= 1.0) {
        return sum;
    }
    /* In a short sum, rounding errors along the difference are large. They are removed. */
    const vec3 apart = vec3_sub(old, new);
    const double length = vec3_length(apart);
    const vec3 across = {apart.x / length, apart.y / length, apart.z / length};
    const vec3 middle = tilt_without_part_along(sum, across);
    const bool is_rounding = vec3_norm_sq(middle) <= 0x1p-104;
    return is_rounding ? tilt_without_part_along(tilt_least_axis(across, axes), across) : middle;
}

/* Turns a vector by the smallest rotation that takes the unit vector `old` to `new`. If these are
 * equal, the vector is returned unchanged, to the bit. In the plane (2 axes), z is 0, and a turn by
 * 180 degrees stays in the plane.
 *
 * The rotation is made of two reflections: across the plane perpendicular to `old`, then across the
 * plane perpendicular to m, the direction halfway between `old` and `new`. Together they give v - 2
 * (m.v) / (m.m) m + 2 (old.v) new. */
static inline vec3 tilt_in(vec3 vector, vec3 old, vec3 new, int axes)
{
    if (vec3_compare(old, new) == 0) {
        return vector;
    }
    const vec3 middle = tilt_middle(old, new, axes);
    const double along = 2.0 * vec3_dot(middle, vector) / vec3_norm_sq(middle);
    const vec3 reflected = vec3_sub(vector, vec3_scale(middle, along));
    return vec3_add(reflected, vec3_scale(new, 2.0 * vec3_dot(old, vector)));
}

static inline vec3 tilt(vec3 vector, vec3 old, vec3 new)
{
    return tilt_in(vector, old, new, 3);
}

#endif
