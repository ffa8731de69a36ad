/* Periods along the axes, as queries read them. */
#ifndef TESTS_PERIODS_H
#define TESTS_PERIODS_H

#include <string.h>

/* The vectors of a period along the axes, `dimension` rows. The next call overwrites them. */
static inline const double *vectors_along(const double *lengths, int dimension)
{
    static double rows[9];
    memset(rows, 0, sizeof rows);
    for (int axis = 0; axis < dimension; axis++) {
        rows[(dimension + 1) * axis] = lengths[axis];
    }
    return rows;
}

#endif
