/* A query for pairs: from rows of spheres through the grid to lists by first sphere. */
#ifndef SPHERES_QUERY_PAIRS_H
#define SPHERES_QUERY_PAIRS_H

#include "pair_finder.h"
#include "kernels.h"

/* A set of spheres of a query: its own spheres, or the others. */
typedef struct row_set {
    const double *centers; /* the caller's array, which may change; `rows` is a checked copy */
    const double *radii, *reaches;
    abut_index count;
    const sphere_row *rows;
    row_bounds bounds;
    struct row_memory *memory;
} row_set;

/* Memory blocks of a row_set: its rows, copies of the caller's radii, the reaches, and the bounds
 * of each chunk of rows. */
enum { SET_ROWS, SET_RADII, SET_REACHES, SET_BOUNDS, ROW_BLOCKS };

typedef struct row_memory {
    memory_block blocks[ROW_BLOCKS];
} row_memory;

/* An image of a second sphere. Images are made if the box is so small that a sphere may touch
 * several images of another. */
typedef struct sphere_image {
    int32_t sphere;
    int32_t image[3];
} sphere_image;

typedef struct int_pair {
    int32_t first, second;
} int_pair;

/* A chunk of the search, and the pairs found there, sorted by block of their first sphere. */
typedef struct pair_chunk {
    /* the level of the chunk's spheres; -1: the query's own spheres, not in the grid */
    int32_t level;
    /* The range of the chunk: cells of the table. If level is -1: the query's own spheres. If level
     * is that of giants: spheres in the grid's order. */
    int32_t begin, end;
    /* arrays of int_pair, and of abut_index: the end of each block's pairs */
    memory_block pairs, ends;
} pair_chunk;

/* A query: its input, its results, and the data of all stages between. */
struct abut_pairs {
    struct pair_memory *memory;
    const abut_pair_finder *finder;
    abut_pair_query query;
    row_set own, others;
    const row_set *second_set; /* the second spheres of pairs: own or others */
    /* the images that are in the grid; NULL: the spheres of second_set are in the grid */
    const sphere_image *images;
    const sphere_row *image_rows;
    const double *image_reaches;
    abut_index image_count;
    abut_index image_pair_limit; /* the largest number of pairs allowed; 0: no limit */
    row_bounds image_bounds;
    level_set levels; /* levels of the spheres in the grid */
    abut_index chunk_count;
    int block_shift; /* block of a first sphere = its number >> block_shift */
    abut_index block_count;
    /* the number of pairs in the largest block, for which each thread has memory */
    abut_index largest_block;
    abut_index *offsets; /* own.count + 1: where the pairs of each first sphere begin */
    /* second sphere of each pair; pairs are sorted by first, then by second sphere */
    int32_t *seconds;
    abut_index count;
    abut_index distance_count;
    bool has_giants;  /* giants have no cells, or some pairs are compared at several images */
    double shortest;  /* the shortest period, if has_giants */
    bool is_searched; /* the grid holds the query's spheres */
    bool is_done;     /* the query has succeeded */
};

/* Memory of a query. PAIR_SUMS: for each block of first spheres, the number of pairs in the blocks
 * of spheres before it. */
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

/* The plan of a parallel run over chunks, with the query's threads and `interrupted`. */
static inline parallel_plan pairs_plan(const abut_pairs *pairs, abut_index chunk_count,
                                       abut_index work)
{
    return (parallel_plan){.chunk_count = chunk_count,
                           .work = work,
                           .workers = pairs->query.workers,
                           .interrupted = pairs->query.interrupted,
                           .interrupted_data = pairs->query.interrupted_data};
}

/* Makes and checks the rows of the query's spheres. The error names the first wrong coordinate. */
abut_status gather_rows(abut_pairs *pairs, abut_error *error);

/* Makes all images of the second spheres that may touch a sphere, for a box so small that one
 * sphere may touch several. The grid then holds these images. Returns ABUT_OK, ABUT_NO_MEMORY, or
 * ABUT_PERIOD_TOO_SHORT: there would be too many images. */
abut_status images_make(abut_pairs *pairs);

/* The largest number of pairs that a query may make if spheres touch several images of others. */
abut_index images_pair_limit(const abut_pairs *pairs);

/* A range of images along each axis. */
typedef struct box_images {
    double first[3], last[3];
} box_images;

/* The images of a sphere at `place` that a sphere anywhere in the box may touch; `reach` is the sum
 * of both reaches. */
box_images images_find(const abut_pair_finder *finder, const double place[3], double reach);

/* Finds the pairs of run->from with spheres begin ... end - 1 of the run, at all images. Sets
 * run->image to each of these in turn. `reach` is the reach of run->from plus the largest reach of
 * the others. False: the search must end. */
bool several_search(const abut_pairs *pairs, image_run *run, double reach, pair_queue *queue);

/* Finds the pairs of one of the query's spheres with images of itself. False: the search must
 * end. */
bool several_search_own(const abut_pairs *pairs, const sphere_row *row, int32_t number,
                        pair_queue *queue);

/* Whether a row's spheres touch at this image, and no other row has the same two spheres. */
bool several_has_image(const abut_pairs *pairs, abut_index row, int32_t first,
                       const double image[3]);

/* Takes `row` and the rows after it with the same two spheres, at most `most` in all. Writes the
 * image of each of them to `images`, and returns their number. */
int32_t several_find_images(const abut_pairs *pairs, abut_index row, int32_t first, int32_t most,
                            double (*images)[3]);

/* Reports too many images: the error has the shortest period. Returns ABUT_PERIOD_TOO_SHORT. */
abut_status images_report_many(const abut_pairs *pairs, abut_error *error);

/* Sets `wraps` to the numbers of periods by which a sphere's center was lowered, along each axis,
 * to move it into the box. */
void gather_wraps(const abut_pairs *pairs, const row_set *set, int32_t sphere, double wraps[3]);

typedef struct level_range {
    int32_t begin, end;
} level_range;

/* The other levels that are searched for spheres of this level. Level -1 stands for spheres that
 * are not in the grid, for which all levels are searched. */
level_range chunks_other_levels(const abut_pairs *pairs, int32_t level);

/* Whether this level of the grid holds the giants. */
static inline bool pairs_is_of_giants(const abut_pairs *pairs, int32_t level)
{
    return pairs->levels.has_giants && level == pairs->levels.count - 1;
}

/* Chooses the chunks of the search. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status chunks_make(abut_pairs *pairs);

/* Searches the grid; afterwards each chunk has its pairs. Returns ABUT_OK, ABUT_PERIOD_TOO_SHORT if
 * images make too many pairs, or another status that ends the query. */
abut_status search_grid(abut_pairs *pairs);

/* Lists the pairs of all chunks by first sphere. */
abut_status lists_make(abut_pairs *pairs);

/* Chooses the number of blocks of first spheres, and their size. */
void lists_choose_blocks(abut_pairs *pairs);

#endif
