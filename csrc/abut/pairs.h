/* Pairs of spheres. */
#ifndef ABUT_PAIRS_H
#define ABUT_PAIRS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pairs of spheres ---- */

/* In a grid with a level for each range of sizes, a sphere meets those of its own level in the
 * cells around its own; and those of other levels in the cells that it reaches, of all levels below
 * its own, or of all above. D. Krijgsman, V. Ogarko, S. Luding, "Optimal parameters for a
 * hierarchical grid data structure", Computational Particle Mechanics 1 (2014),
 * doi:10.1007/s40571-014-0020-9. */
typedef enum abut_search { ABUT_TOP_DOWN = 0, ABUT_BOTTOM_UP = 1 } abut_search;

/* Most levels that a grid may have. */
#define ABUT_LEVEL_LIMIT 64

/* Of pairs: squares of smaller ones would vanish. */
#define ABUT_SMALLEST_RADIUS 0x1.cf2b1970e7258p-250 /* 1e-75 */

/* Spheres whose sizes stay, while their positions change. */
typedef struct abut_pair_finder abut_pair_finder;

/* What a finder of pairs is made of. */
typedef struct abut_pair_input {
    abut_index sphere_count;
    int dimension;       /* of the centers: 2 or 3 */
    const double *radii; /* sphere_count, >= ABUT_SMALLEST_RADIUS */
    double gap;          /* >= 0: also report pairs with overlap >= -gap */
    const double *gaps;  /* sphere_count, >= 0, instead of gap: overlap >= -(gaps[i] + gaps[j]) / 2;
                            NULL: gap for all */
    const double *sizes; /* level_count cell sizes, ascending, the last >= every 2 radius + gap: a
                            sphere is on the first level that is as large; NULL: chosen so that
                            cells of all levels hold as many spheres */
    abut_index level_count; /* 0 to ABUT_LEVEL_LIMIT; 0: as many as the work model finds best */
    abut_search search;
    const double *period; /* dimension: space repeats along the axes at these distances; 0: not
                             along this one; NULL: along none */
    int workers;          /* threads at most that build the finder */
    const abut_pair_finder *lender; /* lives longer, and lends its memory to this finder's queries:
                                       for spheres whose sizes change, of which each finder lives
                                       for one query; may lend to several at once. NULL: none */
} abut_pair_input;

/* No spheres, three dimensions, gap 0, levels chosen, top-down, no period, one worker, no lender.
 */
abut_pair_input abut_pair_input_default(void);

/* Copies what it needs of its input. */
abut_status abut_pair_finder_build(const abut_pair_input *input, abut_pair_finder **finder,
                                   abut_error *error);
void abut_pair_finder_free(abut_pair_finder *finder);

typedef struct abut_pair_query {
    const double *centers; /* sphere_count x dimension */

    /* Other spheres: pairs of a sphere and one of these instead of pairs of spheres. NULL: none. */
    const double *other_centers; /* other_count x dimension */
    const double *other_radii;   /* other_count */
    const double *other_gaps;    /* other_count; NULL: the finder's gap, 0 where it has several */
    abut_index other_count;

    int workers; /* threads at most, >= 1; results are the same to the bit for any number */
    abut_interrupted interrupted; /* may be NULL */
    void *interrupted_data;
} abut_pair_query;

/* One worker, no others, no callback. */
abut_pair_query abut_pair_query_default(void);

/* The pairs of a query, sorted by i, then j, then image. They borrow the finder and the query's
 * arrays until they are freed. */
typedef struct abut_pairs abut_pairs;

abut_status abut_pairs_find(const abut_pair_finder *finder, const abut_pair_query *query,
                            abut_pairs **pairs, abut_error *error);
void abut_pairs_free(abut_pairs *pairs);
abut_index abut_pairs_count(const abut_pairs *pairs);

/* Arrays of the caller that abut_pairs_write fills; m = abut_pairs_count, d = dimension. Any of
 * them may be NULL: then it is left out, and what only it needs is not computed. Who tells convex
 * bodies apart by spheres around them wants i and j only. */
#define ABUT_PAIR_COLUMNS(X)                                                                       \
    X(i, INDEX, 0, ROWS, ALWAYS, 0, "", "the first sphere")                                        \
    X(j, INDEX, 0, ROWS, ALWAYS, 0, "",                                                            \
      "the second; without others i < j, or i == j and the image's first number other than 0 is "  \
      "positive")                                                                                  \
    X(normal, REAL, ABUT_DIMENSION, ROWS, ALWAYS, 0, "",                                           \
      "unit, from j to i; +x where the centers are the same")                                      \
    X(overlap, REAL, 0, ROWS, ALWAYS, 0, "length", "sum of the radii - distance of the centers")   \
    X(point, REAL, ABUT_DIMENSION, ROWS, ALWAYS, 0, "length",                                      \
      "midway between the surfaces, on the line of the centers")                                   \
    X(image, INDEX, ABUT_DIMENSION, ROWS, WITH_PERIOD, 0, "",                                      \
      "sphere j shifted by image * period is what sphere i touches")                               \
    X(offsets, INDEX, 0, OFFSETS, ALWAYS, ABUT_LOCKED, "",                                         \
      "the pairs whose first sphere is i are rows offsets[i] ... offsets[i + 1] - 1")

typedef struct abut_pair_columns {
    ABUT_PAIR_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_pair_columns;

void abut_pairs_write(const abut_pairs *pairs, const abut_pair_columns *columns);

/* The pairs of a step, as columns of the caller; both steps are of one dimension, have others or
 * have none, and have images or have none. Zero-initialize: left as it is, it stands for no step
 * before the first. Those of convex bodies are matched as pairs of spheres, and bodies on walls as
 * pairs with others, the walls, where facets are told apart as images are. */
typedef struct abut_pair_step {
    int dimension;                       /* 2 or 3 */
    int has_others;                      /* whether j counts others; else the same spheres */
    abut_index sphere_count, pair_count; /* and so on: as abut_pair_columns has them */
    abut_index other_count;              /* where there are others */
    const abut_index *i, *j;
    const double *normal;    /* to match NULL in both: not known yet */
    const abut_index *image; /* NULL: there is no period, so that two spheres are one pair */
    const abut_index *offsets;
    int any_order; /* to match: rows are not sorted, i may be larger than j, offsets are not read */
    const abut_index *guess; /* of now, in any order: rows of before, or -1, that are looked at
                                first. NULL: none. The match is the same, unless the same image
                                of the same two is there twice */

    abut_interrupted interrupted; /* asked of the step now, while it is matched; may be NULL */
    void *interrupted_data;
} abut_pair_step;

/* For each pair of `now` the row of the pair of `before` that it continues, or -1: that of the same
 * two spheres. Of several images of the same two it continues the same image; where its normal has
 * turned there by more than 60 degrees, since a sphere left the box and came in on the other side,
 * the image whose normal is closest. No row is there twice. Where normals are not known, one of
 * several images continues the same image alone, and a row may be there twice. earlier[i] is the
 * number that sphere i of `now` had in `before`, or -1; no two have had the same. NULL: the spheres
 * are the same as before, in the same order. other_earlier tells it of the others. Offsets, i, j
 * and numbers are checked. */
abut_status abut_pairs_match(const abut_pair_step *now, const abut_pair_step *before,
                             const abut_index *earlier, const abut_index *other_earlier,
                             int workers, abut_index *match, abut_error *error);

/* Tangential vectors of the pairs of `before`, pair_count x dimension, taken along to those of
 * `now`: turned by the smallest rotation from the old normal to the new one, with the other sign
 * where the first sphere has become the second; 0 where match is -1. `match` is what
 * abut_pairs_match wrote, with the same earlier and other_earlier, or other rows of the same
 * spheres. */
abut_status abut_pairs_carry(const abut_pair_step *now, const abut_pair_step *before,
                             const abut_index *earlier, const abut_index *other_earlier,
                             const abut_index *match, const double *tangent, int workers,
                             double *carried, abut_error *error);

/* One level of a finder's grid, and what its last query found there. */
typedef struct abut_pair_level {
    double size;       /* of the level: spheres up to this diameter, gap included, are on it */
    double lengths[3]; /* of its cells: not less than size, and parts of a period */
    abut_index sphere_count;               /* on the level */
    abut_index cell_count, occupied_count; /* cells that there are, and those with spheres */
    abut_index test_count;   /* T_cd: spheres in the cells that this level's spheres look into */
    abut_index access_count; /* T_ca: those cells, the own and half of those around it included */
} abut_pair_level;

/* What a finder's last query did. Of queries that several threads made at once, one of them. */
typedef struct abut_pair_statistics {
    abut_index sphere_count; /* of the last query; 0 before the first */
    abut_index pair_count;
    abut_index distance_count; /* distances computed: fewer than the sum of test_count, mostly,
                                  since cells that a sphere cannot reach are left out */
    abut_index level_count;
    abut_index byte_count; /* memory kept for the next query, but for scratch of threads */
} abut_pair_statistics;

/* Counts the work of the last query anew, which takes about as long as that took. `levels` has room
 * for ABUT_LEVEL_LIMIT; statistics->level_count of them are filled: others than the finder's where
 * the last query was for other spheres, or where some are too large beside the period for cells,
 * which are a last level of one cell. With others, or where all images were searched for, a level
 * counts the work of those who look into it. A finder with a lender tells its levels alone. */
void abut_pair_finder_inspect(const abut_pair_finder *finder, abut_pair_statistics *statistics,
                              abut_pair_level *levels);

/* The finder's levels, and their sizes. */
abut_index abut_pair_level_count(const abut_pair_finder *finder);
const double *abut_pair_level_sizes(const abut_pair_finder *finder);

#ifdef __cplusplus
}
#endif

#endif
