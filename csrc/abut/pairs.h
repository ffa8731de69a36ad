/* Pairs of spheres. */
#ifndef ABUT_PAIRS_H
#define ABUT_PAIRS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pairs of spheres ---- */

/* The direction of a search in a grid with levels, one for each range of sizes. A sphere is
 * compared with spheres of its own level in neighboring cells. On other levels it is compared with
 * spheres in all cells within its reach: top-down on all levels with smaller cells, bottom-up on
 * all levels with larger cells. D. Krijgsman, V. Ogarko, S. Luding, "Optimal parameters for a
 * hierarchical grid data structure", Computational Particle Mechanics 1 (2014),
 * doi:10.1007/s40571-014-0020-9. */
typedef enum abut_search { ABUT_TOP_DOWN = 0, ABUT_BOTTOM_UP = 1 } abut_search;

/* The largest number of levels of a grid. */
#define ABUT_LEVEL_LIMIT 64

/* The smallest radius for pairs: squares of smaller radii would underflow. */
#define ABUT_SMALLEST_RADIUS 0x1.cf2b1970e7258p-250 /* 1e-75 */

/* Spheres with constant radii. Each query gives their positions. */
typedef struct abut_pair_finder abut_pair_finder;

/* The input of a pair finder. */
typedef struct abut_pair_input {
    abut_index sphere_count;
    int dimension;       /* number of dimensions of the centers: 2 or 3 */
    const double *radii; /* sphere_count, >= ABUT_SMALLEST_RADIUS */
    double gap;          /* >= 0: pairs with overlap >= -gap are reported */
    const double *gaps;  /* sphere_count, >= 0, replaces gap: overlap >= -(gaps[i] + gaps[j]) / 2;
                            NULL: gap for all */
    const double *sizes; /* level_count cell sizes, ascending, the last >= every 2 radius + gap. A
                            sphere is on the first level that is large enough. NULL: chosen so that
                            cells of all levels hold equally many spheres */
    abut_index level_count; /* 0 to ABUT_LEVEL_LIMIT; 0: chosen for the least expected work */
    abut_search search;
    const double *period; /* dimension x dimension: space repeats along each row; a row of zeros:
                             not along this vector; NULL: along none */
    int workers;          /* largest number of threads that build the finder */
    const abut_pair_finder *lender; /* a finder that must outlive this one and lends it memory for
                                       queries. Use it if radii change, so that each finder has one
                                       query. It may lend to several finders at once. NULL: none */
} abut_pair_input;

/* The default input: no spheres, three dimensions, gap 0, chosen levels, top-down, no period, one
 * worker, no lender. */
abut_pair_input abut_pair_input_default(void);

/* Builds a finder. It copies the input that it needs. */
abut_status abut_pair_finder_build(const abut_pair_input *input, abut_pair_finder **finder,
                                   abut_error *error);
void abut_pair_finder_free(abut_pair_finder *finder);

typedef struct abut_pair_query {
    const double *centers; /* sphere_count x dimension */

    /* Other spheres. With them the query finds pairs of a sphere and an other sphere, instead of
     * pairs of spheres. NULL: none. */
    const double *other_centers; /* other_count x dimension */
    const double *other_radii;   /* other_count */
    const double *other_gaps;    /* other_count; NULL: the finder's gap, or 0 where it has `gaps` */
    abut_index other_count;

    int workers; /* largest number of threads, >= 1; it does not change a bit of the results */
    abut_interrupted interrupted; /* may be NULL */
    void *interrupted_data;
} abut_pair_query;

/* The default query: one worker, no others, no callback. */
abut_pair_query abut_pair_query_default(void);

/* The pairs of a query, sorted by i, then j, then image. Until they are freed, they borrow the
 * finder and the query's arrays. */
typedef struct abut_pairs abut_pairs;

abut_status abut_pairs_find(const abut_pair_finder *finder, const abut_pair_query *query,
                            abut_pairs **pairs, abut_error *error);
void abut_pairs_free(abut_pairs *pairs);
abut_index abut_pairs_count(const abut_pairs *pairs);

/* Arrays of the caller that abut_pairs_write fills, with m = abut_pairs_count and d = dimension.
 * Arrays that are NULL are not written, and numbers that only they need are not computed. A broad
 * phase for convex bodies, with spheres around them, needs i and j alone. */
#define ABUT_PAIR_COLUMNS(X)                                                                       \
    X(i, INDEX, 0, ROWS, ALWAYS, 0, "", "the first sphere")                                        \
    X(j, INDEX, 0, ROWS, ALWAYS, 0, "",                                                            \
      "the second; without others i < j, or i == j where the first number of the image that is "   \
      "not 0 is positive")                                                                         \
    X(normal, REAL, ABUT_DIMENSION, ROWS, ALWAYS, 0, "",                                           \
      "unit normal, from j to i; +x where the centers coincide")                                   \
    X(overlap, REAL, 0, ROWS, ALWAYS, 0, "length", "sum of the radii - distance of the centers")   \
    X(point, REAL, ABUT_DIMENSION, ROWS, ALWAYS, 0, "length",                                      \
      "midway between the surfaces, on the line of the centers")                                   \
    X(image, INDEX, ABUT_DIMENSION, ROWS, WITH_PERIOD, 0, "",                                      \
      "sphere j shifted by image @ period is what sphere i touches")                               \
    X(offsets, INDEX, 0, OFFSETS, ALWAYS, ABUT_LOCKED, "",                                         \
      "the pairs whose first sphere is i are rows offsets[i] ... offsets[i + 1] - 1")

typedef struct abut_pair_columns {
    ABUT_PAIR_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_pair_columns;

void abut_pairs_write(const abut_pairs *pairs, const abut_pair_columns *columns);

/* The pairs of a step, as columns of the caller. Both steps must have the same dimension. Either
 * both or none of them have others; the same holds for images. Zero-initialize; a struct of zeros
 * means that there is no step before. Pairs of convex bodies are matched like pairs of spheres.
 * Bodies on walls are matched like pairs with others: walls are the others, and facets replace
 * images. */
typedef struct abut_pair_step {
    int dimension;  /* 2 or 3 */
    int has_others; /* 1: j is the number of an other sphere; 0: that of a sphere */
    abut_index sphere_count, pair_count; /* pair_count: the length of the columns below, which are
                                            those of abut_pair_columns */
    abut_index other_count;              /* used if has_others is 1 */
    const abut_index *i, *j;
    const double *normal;    /* may be NULL in both steps for matching: not known yet */
    const abut_index *image; /* NULL: there is no period, so two spheres form at most one pair */
    const abut_index *offsets;
    int any_order; /* 1, for matching: rows are not sorted, i may exceed j, offsets are not read */
    const abut_index *guess; /* of the present step, read only if both steps have any_order: rows of
                                `before`, or -1, that are tried first; NULL: none. They change the
                                match only if the same image of two spheres has two rows */

    abut_interrupted interrupted; /* of the present step, called during matching; may be NULL */
    void *interrupted_data;
} abut_pair_step;

/* Finds the row of `before` that each pair of `now` continues, or -1: the pair of the same two
 * spheres. If two spheres have pairs at several images, a pair continues the same image. There is
 * one exception: if the pair's normal has turned by more than 60 degrees, a sphere has left the box
 * and entered it on the other side. Then the pair continues the image with the closest normal. No
 * row occurs twice. Where normals are not known, a pair always continues the same image, and a row
 * may occur twice. earlier[i] is the number that sphere i of `now` had in `before`, or -1; each
 * number may occur once. NULL: the spheres and their order are unchanged. other_earlier is the same
 * for the others. Offsets, i, j and numbers are checked. */
abut_status abut_pairs_match(const abut_pair_step *now, const abut_pair_step *before,
                             const abut_index *earlier, const abut_index *other_earlier,
                             int workers, abut_index *match, abut_error *error);

/* Transfers the tangential vectors of the pairs of `before`, pair_count x dimension, to the
 * pairs of `now`. Each is rotated by the smallest rotation from the old normal to the new one.
 * It changes its sign if the first sphere has become the second, and is 0 if match is -1.
 * `match` usually comes from abut_pairs_match with the same earlier and other_earlier. Each entry
 * is -1, or a row of `before` with the same two spheres; others are an error. */
abut_status abut_pairs_carry(const abut_pair_step *now, const abut_pair_step *before,
                             const abut_index *earlier, const abut_index *other_earlier,
                             const abut_index *match, const double *tangent, int workers,
                             double *carried, abut_error *error);

/* One level of a finder's grid, and the work of the last query on it. */
typedef struct abut_pair_level {
    double size;             /* the largest diameter, including the gap, of spheres on the level */
    double lengths[3];       /* lengths of cells: at least `size` */
    abut_index sphere_count; /* spheres on the level */
    abut_index cell_count, occupied_count; /* all cells, and cells with spheres */
    abut_index test_count;   /* T_cd: spheres in the cells that spheres of this level search */
    abut_index access_count; /* T_ca: number of these cells, including a sphere's own cell and half
                                of its neighbors */
} abut_pair_level;

/* The work of a finder's last query. If several threads made queries at once, it is that of one of
 * these queries. */
typedef struct abut_pair_statistics {
    abut_index sphere_count; /* of the last query; 0 before the first query */
    abut_index pair_count;
    abut_index distance_count; /* distances that were computed: usually fewer than the sum of
                                  test_count, since cells beyond a sphere's reach are skipped */
    abut_index level_count;
    abut_index byte_count; /* memory kept for the next query, without scratch memory of threads */
} abut_pair_statistics;

/* Counts the work of the last query again, which takes about as long as the query. `levels` has
 * room for ABUT_LEVEL_LIMIT; statistics->level_count of them are filled. They differ from the
 * finder's levels if the last query was for other spheres. They also differ if cells were so
 * crowded that the query used a level for each octave of sizes. With others, and for copies of
 * spheres across the border of a period, a level counts the work of the spheres that search it. For
 * a finder with a lender only `levels` is filled. */
void abut_pair_finder_inspect(const abut_pair_finder *finder, abut_pair_statistics *statistics,
                              abut_pair_level *levels);

/* The number of the finder's levels. */
abut_index abut_pair_level_count(const abut_pair_finder *finder);
/* The cell sizes of these levels. */
const double *abut_pair_level_sizes(const abut_pair_finder *finder);

#ifdef __cplusplus
}
#endif

#endif
