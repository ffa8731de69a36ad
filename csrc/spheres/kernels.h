/* The vector code of this folder: a table of functions for each instruction level. */
#ifndef SPHERES_KERNELS_H
#define SPHERES_KERNELS_H

#include "../base/simd.h"
#include "queue.h"

/* Spheres in the caller's arrays. */
typedef struct row_source {
    const double *centers; /* count x dimension */
    const double *reaches; /* count */
    int dimension;
    const lattice *lattice;
} row_source;

/* Bounds of coordinates. */
typedef struct row_bounds {
    double low[3], high[3];
    bool is_outside; /* a coordinate was outside of the periodic box and was moved into it */
} row_bounds;

/* Pairs, and the columns that are computed for them. */
typedef struct pair_block {
    int32_t count;
    const int32_t *firsts, *seconds; /* indices of rows, count + GRID_PADDING */
    /* count: indices of second rows that are read soon after, to fetch them into the cache */
    const int32_t *next_seconds;
    const sphere_row *first_rows, *second_rows;
    const double *first_radii, *second_radii; /* by row; NULL: the reaches are the radii */
    const double *shifts[3];                  /* count + GRID_PADDING: to images; NULL: none */
    const lattice *lattice; /* for nearest images if there are no shifts; NULL: no periods */
    int dimension;
    abut_index *i, *j; /* arrays for the results; i, j and point may be NULL */
    double *normal, *overlap, *point;
} pair_block;

/* The largest number of rows ahead (see row_task): 4 in space, 1 in the plane. */
enum { MOST_AHEAD = 4 };

/* Consecutive cells of a row along x, and the rows ahead: half of the rows around it, so that each
 * pair is found once. */
typedef struct row_task {
    const grid_level *level;
    int32_t row;               /* cell 0 of the row */
    int32_t begin, end;        /* the task's cells in the row */
    int32_t ahead[MOST_AHEAD]; /* cell 0 of each row ahead */
    int32_t ahead_count;
} row_task;

/* Makes rows of spheres begin ... end - 1, and their bounds. False: a center is wrong. */
typedef bool gather_load_kernel(const row_source *source, abut_index begin, abut_index end,
                                sphere_row *rows, row_bounds *bounds);

/* Finds the cells of spheres begin ... end - 1; cells[0] is the cell of sphere `begin`. */
typedef void grid_find_cells_kernel(const grid *g, const sphere_row *rows, abut_index begin,
                                    abut_index end, int32_t *cells);

/* Writes spheres begin ... end - 1 of the grid's order into its arrays of floats or doubles. */
typedef void grid_gather_kernel(const grid *g, abut_index begin, abut_index end);

/* Finds the smallest and the largest coordinate, along an axis, of spheres begin ... end - 1 of the
 * grid's order. If the grid has floats, both are relative to the grid's low corner. */
typedef void grid_bound_kernel(const grid *g, int axis, abut_index begin, abut_index end,
                               double *least, double *most);

/* Finds the pairs of a task's spheres with others of the same level. False: the search must end. */
typedef bool near_row_kernel(const grid *g, const row_task *task, pair_queue *queue);

/* Adds tasks to compare one sphere with those in a level's cells; `number` is as in look_task.
 * False: the search must end. */
typedef bool across_level_kernel(const grid *g, const grid_level *level, const sphere_row *from,
                                 int32_t number, pair_queue *queue);

/* Finds the pairs of all tasks in the queue. False: the search must end. */
typedef bool across_finish_kernel(const grid *g, pair_queue *queue);

/* Sorts each of several consecutive lists into ascending order, and writes them to `to`. List i
 * ends before from[ends[i] - begin]; list 0 begins with from[0]. */
typedef void lists_sort_kernel(const int32_t *from, const abut_index *ends, abut_index list_count,
                               abut_index begin, int32_t *to);

typedef void pairs_compute_kernel(const pair_block *block);

/* The kernels of this folder. A build need not have all instruction levels. */
#define PAIR_KERNELS(ENTRY)                                                                        \
    ENTRY(gather_load)                                                                             \
    ENTRY(grid_find_cells)                                                                         \
    ENTRY(grid_gather)                                                                             \
    ENTRY(grid_bound)                                                                              \
    ENTRY(near_row)                                                                                \
    ENTRY(across_level)                                                                            \
    ENTRY(across_finish)                                                                           \
    ENTRY(lists_sort)                                                                              \
    ENTRY(pairs_compute)

PAIR_KERNELS(KERNEL_FUNCTIONS)

typedef struct pair_kernels {
    PAIR_KERNELS(KERNEL_POINTER)
} pair_kernels;

/* The functions of the instruction level in use. */
const pair_kernels *pair_kernels_take(void);

#endif
