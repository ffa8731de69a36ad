/* Spheres so large beside a period that no grid has cells for them. */
#ifndef SPHERES_GIANTS_H
#define SPHERES_GIANTS_H

#include "grid.h"
#include "grid_levels.h"

/* What is known of spheres before their levels are chosen. */
typedef struct giant_counts {
    abut_index giants;   /* of those that the grid would hold */
    abut_index twice;    /* who look, and may touch one that is no giant at several images */
    double giant, usual; /* the largest reach of giants, and of others */
} giant_counts;

/* Whether to leave giants out of cells takes less than to search for all images of all spheres:
 * giants among those that the grid would hold, or among the lookers, who look into it; the same
 * ones where spheres look for each other. */
bool giants_do_pay(const lattice *l, const level_input *spheres, const level_input *lookers,
                   giant_counts *counts);

/* Copy the reaches of those who are no giants; returns how many there are. */
abut_index giants_leave_out(const lattice *l, const level_input *spheres, double *reaches);

/* Add the level that giants are on: the last one. */
void giants_add_level(const giant_counts *counts, level_set *levels);

/* Whether the nearest image is not the only one at which two spheres may touch; `reach` is the sum
 * of both reaches, and `shortest` the shortest period. */
static inline bool giants_may_touch_twice(double shortest, double reach)
{
    return shortest <= 2.0 * reach * (1.0 + GRID_ROUNDING);
}

#endif
