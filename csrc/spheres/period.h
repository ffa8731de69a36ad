/* Space that repeats. */
#ifndef SPHERES_PERIOD_H
#define SPHERES_PERIOD_H

#include <math.h>

/* Bring a coordinate into 0 <= x < period; returns by how many periods it was moved down. */
static inline double period_wrap(double *x, double period)
{
    double count = floor(*x / period);
    double inside = *x - period * count;
    if (inside >= period) { /* a number so little below 0 that rounding hides it */
        inside -= period;
        count += 1.0;
    }
    *x = inside;
    return count;
}

#endif
