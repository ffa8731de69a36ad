/* A query for pairs: from rows of spheres through the grid to lists by first sphere. */
#ifndef SPHERES_QUERY_PAIRS_H
#define SPHERES_QUERY_PAIRS_H

#include "pair_finder.h"
#include "kernels.h"

/* The sphere and the image of a copy (copies.h). */
typedef struct sphere_copy {
    int32_t sphere;
    int32_t image[3];
} sphere_copy;

/* A set of spheres of a query: its own spheres, or the others. Its items are its spheres, then
 * their copies. */
typedef struct row_set {
    const double *centers; /* the caller's array, which may change; `rows` is a checked copy */
    const double *radii, *reaches;
    abut_index count, item_count;
    const sphere_row *rows;    /* of all items */
    const sphere_copy *copies; /* item_count - count */
    row_bounds bounds, item_bounds;
    struct row_memory *memory;
} row_set;

/* Memory blocks of a row_set: rows of items, copies of the caller's radii, the reaches, the bounds
 * of each chunk of rows, copies, their counts by chunk, spheres near the border, and reaches of
 * items. */
enum {
    SET_ROWS,
    SET_RADII,
    SET_REACHES,
    SET_BOUNDS,
    SET_COPIES,
    SET_COPY_CHUNKS,
    SET_BORDER,
    SET_ITEM_REACHES,
    ROW_BLOCKS
};

typedef struct row_memory {
    memory_block blocks[ROW_BLOCKS];
} row_memory;

typedef struct int_pair {
    int32_t first, second;
} int_pair;

/* A chunk of the search, and the pairs found there, sorted by block of their first sphere. */
typedef struct pair_chunk {
    /* the level of the chunk's spheres; -1: items of the query's own set, not in the grid */
    int32_t level;
    /* The range of the chunk: cells of the table. If level is -1: items of the own set. */
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
    const row_set *second_set;   /* the second spheres of pairs: own or others */
    const double *grid_reaches;  /* reaches of the items in the grid */
    abut_index grid_count;       /* how many items of second_set are in the grid */
    abut_index image_pair_limit; /* the largest number of pairs allowed; 0: no limit */
    double width;                /* the smallest width of the periodic box, or INFINITY */
    /* of all spheres of the query, set if there is a period; inv_most_reach is a little less than
     * 1 / most_reach */
    double least_reach, most_reach, inv_most_reach;
    level_set levels; /* levels of the items in the grid */
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
    bool is_searched; /* the grid holds the query's spheres */
    bool is_done;     /* the query has succeeded */
};

/* Memory of a query. PAIR_SUMS: for each block of first spheres, the number of pairs in the blocks
 * of spheres before it. */
enum { PAIR_OFFSETS, PAIR_SECONDS, PAIR_SUMS, PAIR_BLOCKS };

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

/* Whether two spheres may touch at other images than the nearest; `reach` is the sum of their
 * reaches. */
static inline bool pairs_may_touch_twice(const abut_pairs *pairs, double reach)
{
    return pairs->width <= 2.0 * reach * (1.0 + GRID_ROUNDING);
}

/* How many of each vector of the period were subtracted from a sphere's center, to move it into the
 * box. */
vec3 gather_wraps(const abut_pairs *pairs, const row_set *set, int32_t sphere);

typedef struct level_range {
    int32_t begin, end;
} level_range;

/* The other levels that are searched for spheres of this level. Level -1 stands for spheres that
 * are not in the grid, for which all levels are searched. */
level_range chunks_other_levels(const abut_pairs *pairs, int32_t level);

/* Chooses the chunks of the search. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status chunks_make(abut_pairs *pairs);

/* Searches the grid; afterwards each chunk has its pairs. Returns ABUT_OK, ABUT_PERIOD_TOO_SHORT if
 * spheres touch too many images, or another status that ends the query. */
abut_status search_grid(abut_pairs *pairs);

/* Lists the pairs of all chunks by first sphere. */
abut_status lists_make(abut_pairs *pairs);

/* Chooses the number of blocks of first spheres, and their size. */
void lists_choose_blocks(abut_pairs *pairs);

#endif
