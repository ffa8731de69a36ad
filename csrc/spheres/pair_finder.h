/* A finder of pairs: the sizes of spheres, their levels, and memory that queries share. */
#ifndef SPHERES_PAIR_FINDER_H
#define SPHERES_PAIR_FINDER_H

#include "../base/lattice_basis.h"
#include "../base/parallel.h"
#include "../base/pool.h"
#include "grid.h"
#include "grid_levels.h"

#include <stdatomic.h>

/* Memory and counts that queries leave for later ones. */
typedef struct pair_leftovers {
    pool results;               /* pair_memory */
    pool searches, list_makers; /* working memory of threads */
    atomic_int octave_queries;  /* how many of the next queries use a level for each octave */
} pair_leftovers;

struct abut_pair_finder {
    abut_index sphere_count;
    int dimension;
    double *reaches; /* radius + half the gap */
    double *radii;   /* the same array where there is no gap */
    double gap;
    abut_search search;
    lattice_basis basis;  /* the shortest vectors of the caller's period: they have few copies */
    lattice lattice;      /* of the basis */
    bool has_other_basis; /* it differs from the caller's period */
    level_set levels;
    abut_index wanted_levels; /* how many levels the caller wants; 0: the best number */
    bool has_sizes;           /* the caller has given the sizes of levels */
    pair_leftovers *leftovers;
    bool has_lender; /* the leftovers belong to another finder */
};

/* Whether a number may be a radius, apart from the limit ABUT_SMALLEST_RADIUS. */
static inline bool finder_is_length(double value)
{
    return value > 0.0 && value <= ABUT_COORDINATE_LIMIT;
}

/* Whether a number may be a gap. */
static inline bool finder_is_gap(double value)
{
    return value >= 0.0 && value <= ABUT_COORDINATE_LIMIT;
}

/* A caller's radii and gaps, and the arrays for copies of the radii and for reaches, radius + half
 * the gap. */
typedef struct sphere_sizes {
    const double *radii, *gaps; /* gaps NULL: all have `gap` */
    double gap;
    abut_index count;
    int workers;
    double *to_radii, *to_reaches; /* the same array if there is no gap */
} sphere_sizes;

/* Copies and checks sizes. The copy is checked, since the caller's arrays may change at any time.
 * The error names the first wrong radius, or else the first wrong gap. */
abut_status finder_copy_sizes(const sphere_sizes *sizes, abut_error *error);

/* The reach of the largest sphere; 0 if there are no spheres. */
double levels_reach(const level_set *levels);

/* Sets levels for these spheres, with the cell sizes that the caller has given, or else with chosen
 * ones. Returns ABUT_OK, ABUT_NO_MEMORY, or ABUT_SIZE_TOO_SMALL with the number of a sphere in
 * *index. */
abut_status finder_set_levels(const abut_pair_finder *finder, const level_input *input,
                              level_set *levels, abut_index *index);

/* Chooses levels for these spheres: the number that the caller wants, or else the number with the
 * least expected work. Sizes that the caller has given are ignored. Returns ABUT_OK or
 * ABUT_NO_MEMORY. */
abut_status finder_choose_levels(const abut_pair_finder *finder, const level_input *input,
                                 level_set *levels);

/* Sets levels for these items, which include copies: chosen ones, or those of `levels` if the
 * caller has given sizes. Then the last one is widened to `size`, if need be. */
abut_status finder_widen_levels(const abut_pair_finder *finder, const level_input *input,
                                double size, level_set *levels);

/* Reports that sphere `index` is larger than the cells of the last level. Returns the status. */
abut_status finder_report_size(abut_error *error, abut_status status, abut_index index,
                               double reach, const level_set *levels);

/* Sets a level for each octave of sizes. Ignores wanted_levels. */
void finder_set_octaves(const double *reaches, abut_index count, level_set *levels);

#endif
