/* Space that repeats. */
#ifndef SPHERES_PERIOD_H
#define SPHERES_PERIOD_H

#include <math.h>
#include <stdbool.h>

/* More periods away from the box than this, coordinates are no longer told apart. */
#define PERIOD_LIMIT 0x1p31

static inline bool period_is_near(double x, double period)
{
    return fabs(x) <= PERIOD_LIMIT * period;
}

/* Bring a coordinate into 0 <= x < period; returns by how many periods it was moved down. */
static inline double period_wrap(double *x, double period)
{
    double count = floor(*x / period);
    double inside = *x - period * count;
    if (inside < 0.0) { /* the quotient was rounded up to a whole number */
        inside += period;
        count -= 1.0;
    }
    if (inside >= period) { /* the sum was rounded up to the period */
        inside -= period;
        count += 1.0;
    }
    *x = inside;
    return count;
}

#endif
