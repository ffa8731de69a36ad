/* The pairs of a query: from the spheres' rows over the grid to lists by first sphere. */
#ifndef SPHERES_QUERY_PAIRS_H
#define SPHERES_QUERY_PAIRS_H

#include "pair_finder.h"
#include "kernels.h"

/* Spheres of a query, or their images. */
typedef struct row_set {
    const double *centers; /* the caller's, who may change them: rows are what was checked */
    const double *radii, *reaches;
    abut_index count;
    const sphere_row *rows;
    row_bounds bounds;
    struct row_memory *memory;
} row_set;

/* Memory of a row_set: its rows, copies of the caller's radii, and what follows from them; bounds
 * are those of each chunk of rows. */
enum { SET_ROWS, SET_RADII, SET_REACHES, SET_BOUNDS, ROW_BLOCKS };

typedef struct row_memory {
    memory_block blocks[ROW_BLOCKS];
} row_memory;

/* A sphere of the second kind as it is searched for, where the box is so small that several of its
 * images may touch one sphere. */
typedef struct sphere_image {
    int32_t sphere;
    int32_t image[3];
} sphere_image;

typedef struct int_pair {
    int32_t first, second;
} int_pair;

/* Pairs of a chunk, by block of first spheres. */
typedef struct pair_chunk {
    int32_t level;      /* whose spheres look, in the grid; -1: the query's own spheres look */
    int32_t begin, end; /* cells of the grid, or spheres; of a level of giants, spheres in its order
                         */
    memory_block pairs, ends; /* int_pair; abut_index: where each block's pairs end */
} pair_chunk;

/* One query: what it has found, and what it has found out on the way there. */
struct abut_pairs {
    struct pair_memory *memory;
    const abut_pair_finder *finder;
    abut_pair_query query;
    row_set own, others;
    const row_set *second_set;  /* the spheres that second numbers of pairs count: own or others */
    const sphere_image *images; /* what the grid holds in place of that set; NULL: the set itself */
    const sphere_row *image_rows;
    const double *image_reaches;
    abut_index image_count;
    abut_index image_pair_limit; /* 0: there is none */
    row_bounds image_bounds;
    level_set levels; /* of the spheres that the grid holds */
    abut_index chunk_count;
    int block_shift; /* block of a first sphere = its number >> block_shift */
    abut_index block_count;
    abut_index largest_block; /* how many pairs it has: each thread has room for them */
    abut_index *offsets;      /* own.count + 1 */
    int32_t *seconds;         /* by first sphere, ascending */
    abut_index count;
    abut_index distance_count;
    bool has_giants;  /* levels leave giants out, or some pairs are compared at several images */
    double shortest;  /* period, where there are giants */
    bool is_searched; /* the grid holds the query's spheres */
    bool is_done;     /* the query has ended well */
};

/* Arrays of a query; sums are how many pairs are in the blocks before each. */
enum { IMAGES, IMAGE_ROWS, IMAGE_REACHES, PAIR_OFFSETS, PAIR_SECONDS, PAIR_SUMS, PAIR_BLOCKS };

/* Memory that one query after the other uses. */
typedef struct pair_memory {
    pooled pooled;
    abut_pairs pairs; /* the query that uses it, or used it last: begins anew each time */
    row_memory own, others;
    level_memory levels;
    grid grid; /* is filled anew each time */
    pair_chunk *chunks;
    abut_index chunk_capacity;
    memory_block blocks[PAIR_BLOCKS];
} pair_memory;

/* A run of the query over so many chunks. */
static inline parallel_plan pairs_plan(const abut_pairs *pairs, abut_index chunk_count,
                                       abut_index work)
{
    return (parallel_plan){.chunk_count = chunk_count,
                           .work = work,
                           .workers = pairs->query.workers,
                           .interrupted = pairs->query.interrupted,
                           .interrupted_data = pairs->query.interrupted_data};
}

/* Make rows of the query's spheres; error names the first that is wrong. */
abut_status gather_rows(abut_pairs *pairs, abut_error *error);

/* Exchange the others for all images that may touch a sphere, in a box that is too small for one
 * image each. ABUT_OK, ABUT_NO_MEMORY, or ABUT_PERIOD_TOO_SHORT: there would be too many. */
abut_status images_make(abut_pairs *pairs);

/* How many pairs a query may make where spheres touch several images of others. */
abut_index images_pair_limit(const abut_pairs *pairs);

/* Images along each axis. */
typedef struct image_range {
    double first[3], last[3];
} image_range;

/* The images of a place that a sphere anywhere in the box may touch; `reach` is the sum of both
 * reaches. */
image_range images_find(const abut_pair_finder *finder, const double place[3], double reach);

/* Pairs of a sphere and the run's at all their images; run->image is set. `reach` is the sum of the
 * sphere's reach and the largest of theirs. False: the search is to end. */
bool several_search(const abut_pairs *pairs, image_run *run, double reach, pair_queue *queue);

/* Pairs of one of the query's own spheres and its own images. False: the search is to end. */
bool several_search_own(const abut_pairs *pairs, const sphere_row *row, int32_t number,
                        pair_queue *queue);

/* Whether a row's second sphere is at this image, and no other row is of the same two spheres. */
bool several_has_image(const abut_pairs *pairs, abut_index row, int32_t first,
                       const double image[3]);

/* The images that the second sphere of a row and of those after it is at, as long as these are of
 * the same two spheres, `most` rows at most; returns how many there are. */
int32_t several_find_images(const abut_pairs *pairs, abut_index row, int32_t first, int32_t most,
                            double (*images)[3]);

/* Say that spheres reach over too many images; names the shortest period, returns the status. */
abut_status images_report_many(const abut_pairs *pairs, abut_error *error);

/* By how many periods a sphere's center was moved down, along each axis; {0} in most cases. */
void gather_wraps(const abut_pairs *pairs, const row_set *set, int32_t sphere, double wraps[3]);

typedef struct level_range {
    int32_t begin, end;
} level_range;

/* The levels that a level's spheres look into; level -1: of spheres that are on none. */
level_range chunks_other_levels(const abut_pairs *pairs, int32_t level);

/* Whether a level of the grid is one of giants. */
static inline bool pairs_is_of_giants(const abut_pairs *pairs, int32_t level)
{
    return pairs->levels.has_giants && level == pairs->levels.count - 1;
}

/* Choose the chunks of the search. ABUT_OK or ABUT_NO_MEMORY. */
abut_status chunks_make(abut_pairs *pairs);

/* Search the grid; each chunk has its pairs afterwards. ABUT_OK, ABUT_PERIOD_TOO_SHORT where images
 * make more pairs than they may, or why else the query is to end. */
abut_status search_grid(abut_pairs *pairs);

/* Make lists by first sphere of what chunks have found. */
abut_status lists_make(abut_pairs *pairs);

/* How many blocks of first spheres there are, and how large they are. */
void lists_choose_blocks(abut_pairs *pairs);

#endif
