/* Giants: spheres too large for three cells along a period. */
#ifndef SPHERES_GIANTS_H
#define SPHERES_GIANTS_H

#include "grid.h"
#include "grid_levels.h"

/* Counts of giants, made before levels are chosen. */
typedef struct giant_counts {
    abut_index giants;   /* giants among the spheres that the grid would hold */
    abut_index twice;    /* lookers that may touch a non-giant at several images */
    double giant, usual; /* the largest reach of giants, and of others */
} giant_counts;

/* Whether giants without cells save time, compared with searching all images of all spheres. If so,
 * sets *counts. The grid would hold `spheres`, and is searched for `lookers`. Both may be the same
 * spheres, and both may include giants. */
bool giants_do_pay(const lattice *l, const level_input *spheres, const level_input *lookers,
                   giant_counts *counts);

/* Copies the reaches of spheres that are no giants; returns how many there are. */
abut_index giants_leave_out(const lattice *l, const level_input *spheres, double *reaches);

/* Adds the level of giants, as the last one, if there are giants. */
void giants_add_level(const giant_counts *counts, level_set *levels);

/* Whether two spheres may touch at other images than the nearest; `reach` is the sum of their
 * reaches, and `shortest` the shortest period. */
static inline bool giants_may_touch_twice(double shortest, double reach)
{
    return shortest <= 2.0 * reach * (1.0 + GRID_ROUNDING);
}

#endif
