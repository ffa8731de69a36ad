/* A box with sides parallel to the axes. */
#ifndef BASE_BOX_H
#define BASE_BOX_H

#include "vec3.h"

typedef struct box {
    double low[3], high[3];
} box;

/* An empty box: after box_include it equals the box that was included. */
static inline box box_empty(void)
{
    return (box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

/* Enlarges `bounds` so that they contain the box. */
static inline void box_include(box *bounds, const box *b)
{
    for (int axis = 0; axis < 3; axis++) {
        bounds->low[axis] = b->low[axis] < bounds->low[axis] ? b->low[axis] : bounds->low[axis];
        bounds->high[axis] =
            b->high[axis] > bounds->high[axis] ? b->high[axis] : bounds->high[axis];
    }
}

static inline void box_include_point(box *bounds, vec3 point)
{
    box at;
    vec3_store(at.low, point);
    vec3_store(at.high, point);
    box_include(bounds, &at);
}

/* The largest absolute value of the box's coordinates. */
static inline double box_farthest(const box *b)
{
    return larger(vec3_max_abs(vec3_load(b->low)), vec3_max_abs(vec3_load(b->high)));
}

/* The longest side of the box. */
static inline double box_extent(const box *b)
{
    return vec3_max_abs(vec3_sub(vec3_load(b->high), vec3_load(b->low)));
}

#endif
