/* A query for pairs: from rows of spheres through the grid to lists by first sphere. */
#ifndef SPHERES_QUERY_PAIRS_H
#define SPHERES_QUERY_PAIRS_H

#include "pair_finder.h"
#include "kernels.h"

/* Spheres of a query, or their images. */
typedef struct row_set {
    const double *centers; /* the caller's, which may change: rows are the checked copy */
    const double *radii, *reaches;
    abut_index count;
    const sphere_row *rows;
    row_bounds bounds;
    struct row_memory *memory;
} row_set;

/* Memory of a row_set: its rows, copies of the caller's radii, reaches, and the bounds of each
 * chunk of rows. */
enum { SET_ROWS, SET_RADII, SET_REACHES, SET_BOUNDS, ROW_BLOCKS };

typedef struct row_memory {
    memory_block blocks[ROW_BLOCKS];
} row_memory;

/* An image of a second sphere, where the box is so small that several images of it may touch one
 * sphere. */
typedef struct sphere_image {
    int32_t sphere;
    int32_t image[3];
} sphere_image;

typedef struct int_pair {
    int32_t first, second;
} int_pair;

/* A chunk of the search, and its pairs by block of first spheres. */
typedef struct pair_chunk {
    int32_t level;      /* level of its spheres; -1: the query's own spheres */
    int32_t begin, end; /* cells; for level -1 spheres; for giants, spheres in the grid's order */
    memory_block pairs, ends; /* int_pair; abut_index: where each block's pairs end */
} pair_chunk;

/* A query, its results, and what it needs on the way to them. */
struct abut_pairs {
    struct pair_memory *memory;
    const abut_pair_finder *finder;
    abut_pair_query query;
    row_set own, others;
    const row_set *second_set;  /* the second spheres of pairs: own or others */
    const sphere_image *images; /* the grid's spheres in place of that set; NULL: the set itself */
    const sphere_row *image_rows;
    const double *image_reaches;
    abut_index image_count;
    abut_index image_pair_limit; /* 0: no limit */
    row_bounds image_bounds;
    level_set levels; /* for the spheres in the grid */
    abut_index chunk_count;
    int block_shift; /* block of a first sphere = its number >> block_shift */
    abut_index block_count;
    abut_index largest_block; /* its number of pairs: each thread has room for as many */
    abut_index *offsets;      /* own.count + 1 */
    int32_t *seconds;         /* by first sphere, ascending */
    abut_index count;
    abut_index distance_count;
    bool has_giants;  /* giants have no cells, or some pairs are compared at several images */
    double shortest;  /* the shortest period, if has_giants */
    bool is_searched; /* the grid holds the query's spheres */
    bool is_done;     /* the query has ended well */
};

/* Arrays of a query; PAIR_SUMS has the number of pairs in the blocks before each one. */
enum { IMAGES, IMAGE_ROWS, IMAGE_REACHES, PAIR_OFFSETS, PAIR_SECONDS, PAIR_SUMS, PAIR_BLOCKS };

/* Memory that one query after the other uses. */
typedef struct pair_memory {
    pooled pooled;
    abut_pairs pairs; /* the query that uses this memory, or used it last */
    row_memory own, others;
    level_memory levels;
    grid grid; /* filled anew for each query */
    pair_chunk *chunks;
    abut_index chunk_capacity;
    memory_block blocks[PAIR_BLOCKS];
} pair_memory;

/* A run of the query over chunks. */
static inline parallel_plan pairs_plan(const abut_pairs *pairs, abut_index chunk_count,
                                       abut_index work)
{
    return (parallel_plan){.chunk_count = chunk_count,
                           .work = work,
                           .workers = pairs->query.workers,
                           .interrupted = pairs->query.interrupted,
                           .interrupted_data = pairs->query.interrupted_data};
}

/* Makes rows of the query's spheres; the error names the first wrong one. */
abut_status gather_rows(abut_pairs *pairs, abut_error *error);

/* Replaces the second spheres by all their images that may touch a sphere, in a box too small for
 * one image each. Returns ABUT_OK, ABUT_NO_MEMORY, or ABUT_PERIOD_TOO_SHORT: there would be too
 * many images. */
abut_status images_make(abut_pairs *pairs);

/* The most pairs that a query may make if spheres touch several images of others. */
abut_index images_pair_limit(const abut_pairs *pairs);

/* A range of images along each axis. */
typedef struct image_range {
    double first[3], last[3];
} image_range;

/* The images of a sphere at `place` that a sphere anywhere in the box may touch; `reach` is the sum
 * of both reaches. */
image_range images_find(const abut_pair_finder *finder, const double place[3], double reach);

/* Finds the pairs of a sphere with the run's spheres at all images, which run->image takes in turn.
 * `reach` is the sphere's reach plus the largest of the run's. False: the search is to end. */
bool several_search(const abut_pairs *pairs, image_run *run, double reach, pair_queue *queue);

/* Finds the pairs of one of the query's own spheres with its own images. False: the search is to
 * end. */
bool several_search_own(const abut_pairs *pairs, const sphere_row *row, int32_t number,
                        pair_queue *queue);

/* Whether a row's second sphere is at this image, and no other row has the same two spheres. */
bool several_has_image(const abut_pairs *pairs, abut_index row, int32_t first,
                       const double image[3]);

/* Finds the images of the second sphere for a row and those after it with the same two spheres, at
 * most `most` rows. Returns how many there are. */
int32_t several_find_images(const abut_pairs *pairs, abut_index row, int32_t first, int32_t most,
                            double (*images)[3]);

/* Reports that spheres reach over too many images, with the shortest period. Returns the status. */
abut_status images_report_many(const abut_pairs *pairs, abut_error *error);

/* By how many periods a sphere's center was moved down, along each axis; {0} in most cases. */
void gather_wraps(const abut_pairs *pairs, const row_set *set, int32_t sphere, double wraps[3]);

typedef struct level_range {
    int32_t begin, end;
} level_range;

/* The levels that a level's spheres search beside their own; level -1: spheres that are not in the
 * grid. */
level_range chunks_other_levels(const abut_pairs *pairs, int32_t level);

/* Whether a level of the grid is that of giants. */
static inline bool pairs_is_of_giants(const abut_pairs *pairs, int32_t level)
{
    return pairs->levels.has_giants && level == pairs->levels.count - 1;
}

/* Chooses the chunks of the search. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status chunks_make(abut_pairs *pairs);

/* Searches the grid; afterwards each chunk has its pairs. Returns ABUT_OK, ABUT_PERIOD_TOO_SHORT if
 * images make too many pairs, or another status that ends the query. */
abut_status search_grid(abut_pairs *pairs);

/* Makes lists by first sphere of the pairs that chunks have found. */
abut_status lists_make(abut_pairs *pairs);

/* Chooses the number of blocks of first spheres, and their size. */
void lists_choose_blocks(abut_pairs *pairs);

#endif
