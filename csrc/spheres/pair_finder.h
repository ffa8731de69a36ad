/* Spheres whose sizes are known: their levels, and memory for one query after the other. */
#ifndef SPHERES_PAIR_FINDER_H
#define SPHERES_PAIR_FINDER_H

#include "../base/lattice.h"
#include "../base/parallel.h"
#include "../base/pool.h"
#include "grid.h"
#include "grid_levels.h"

#include <stdatomic.h>

/* What queries leave behind. */
typedef struct pair_leftovers {
    pool results;               /* pair_memory */
    pool searches, list_makers; /* scratch of threads */
    atomic_int octave_queries;  /* how many of the next queries take a level for each octave */
} pair_leftovers;

struct abut_pair_finder {
    abut_index sphere_count;
    int dimension;
    double *reaches; /* radius + half the gap */
    double *radii;   /* the same array where there is no gap */
    double gap;
    abut_search search;
    lattice lattice;
    level_set levels;
    level_set giant_levels; /* that the grid has in their place, with giants left out; count 0: none
                               are */
    abut_index wanted_levels; /* as the caller put it: 0 for the best number */
    bool has_sizes;           /* the caller gave the sizes of levels */
    pair_leftovers *leftovers;
    bool has_lender; /* the leftovers are another finder's */
};

/* What a radius may be, but for ABUT_SMALLEST_RADIUS, and what a gap may be. */
static inline bool finder_is_length(double value)
{
    return value > 0.0 && value <= ABUT_COORDINATE_LIMIT;
}

static inline bool finder_is_gap(double value)
{
    return value >= 0.0 && value <= ABUT_COORDINATE_LIMIT;
}

/* Radii and gaps of a caller, where the radii are copied to, and where reaches go: radius + half
 * the gap. */
typedef struct sphere_sizes {
    const double *radii, *gaps; /* gaps NULL: all have `gap` */
    double gap;
    abut_index count;
    int workers;
    double *to_radii, *to_reaches; /* the same where there is no gap */
} sphere_sizes;

/* Copy and check them: what is checked is the copy, since the caller's may change at any time. The
 * error names the first radius that is wrong, or else the first gap. */
abut_status finder_copy_sizes(const sphere_sizes *sizes, abut_error *error);

/* The reach of the largest sphere; 0 without any. */
double levels_reach(const level_set *levels);

/* Levels for these spheres, as the finder's input asks for. ABUT_OK, ABUT_NO_MEMORY, or
 * ABUT_SIZE_TOO_SMALL with the sphere in *index. */
abut_status finder_set_levels(const abut_pair_finder *finder, const level_input *input,
                              level_set *levels, abut_index *index);

/* Likewise as many levels as the finder's input asks for, or those of which the least work is
 * expected, whatever sizes the input names. ABUT_OK or ABUT_NO_MEMORY. */
abut_status finder_choose_levels(const abut_pair_finder *finder, const level_input *input,
                                 level_set *levels);

/* Likewise levels that leave out giants among these spheres, where that pays; `lookers` look into
 * them, the same ones where spheres look for each other. levels->count is 0 where it does not pay.
 */
abut_status finder_set_giant_levels(const abut_pair_finder *finder, const level_input *input,
                                    const level_input *lookers, level_set *levels);

/* Say that sphere `index` is larger than the last of these levels. Returns the status. */
abut_status finder_report_size(abut_error *error, abut_status status, abut_index index,
                               double reach, const level_set *levels);

/* Likewise a level for each octave of sizes, whatever the finder's input asks for; a level of
 * giants stays. */
void finder_set_octaves(const double *reaches, abut_index count, level_set *levels);

#endif
