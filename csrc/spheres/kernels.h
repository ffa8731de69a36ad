/* The room's vector code, a table of functions for each instruction level. */
#ifndef SPHERES_KERNELS_H
#define SPHERES_KERNELS_H

#include "../base/simd.h"
#include "queue.h"

/* Spheres as they come in. */
typedef struct row_source {
    const double *centers; /* count x dimension */
    const double *reaches; /* count */
    int dimension;
    const lattice *lattice;
} row_source;

/* Bounds of places. */
typedef struct row_bounds {
    double low[3], high[3];
    bool is_outside; /* of the periodic box: some places were wrapped */
} row_bounds;

/* Pairs whose columns are to be written. */
typedef struct pair_block {
    int32_t count;
    const int32_t *firsts, *seconds; /* numbers of rows, count + GRID_PADDING */
    const int32_t *next_seconds;     /* count; of rows that are read soon after */
    const sphere_row *first_rows, *second_rows;
    const double *first_radii, *second_radii; /* by row; NULL: the reaches are the radii */
    const double *shifts[3];                  /* count + GRID_PADDING: image * period; NULL: none */
    const lattice *lattice; /* of nearest images, where there are no shifts; NULL: likewise */
    int dimension;
    abut_index *i, *j; /* columns, from the first pair on; these and points: NULL: left out */
    double *normal, *overlap, *point;
} pair_block;

/* Rows ahead of a row in space; in the plane there is one. */
enum { MOST_AHEAD = 4 };

/* Cells of one row along x, and the rows of cells before which it stands. */
typedef struct row_task {
    const grid_level *level;
    int32_t row;               /* cell 0 of the row */
    int32_t begin, end;        /* cells of it that look */
    int32_t ahead[MOST_AHEAD]; /* cell 0 of each row ahead */
    int32_t ahead_count;
    bool wraps; /* a row ahead is beyond the end of a period */
} row_task;

/* Spheres begin ... end - 1 of the grid's order, and another one that is compared with them, all at
 * the same image of theirs: as far away as image * period. */
typedef struct image_run {
    const sphere_row *from;
    int32_t number; /* the caller's, of the other one */
    int32_t begin, end;
    double image[3];
} image_run;

/* Rows of the spheres begin ... end - 1, and their bounds. False: a center is not finite, or
 * too far. */
typedef bool gather_load_kernel(const row_source *source, abut_index begin, abut_index end,
                                sphere_row *rows, row_bounds *bounds);

/* The cells of the spheres begin ... end - 1: cells[0] is that of begin. */
typedef void grid_find_cells_kernel(const grid *g, const sphere_row *rows, abut_index begin,
                                    abut_index end, int32_t *cells);

/* Put spheres begin ... end - 1 of the grid's order into its arrays: whichever are there. */
typedef void grid_gather_kernel(const grid *g, abut_index begin, abut_index end);

/* Bounds of the spheres begin ... end - 1 of the grid's order along an axis: as the grid's
 * arrays have them, which are counted from low where they are floats. */
typedef void grid_bound_kernel(const grid *g, int axis, abut_index begin, abut_index end,
                               double *least, double *most);

/* Pairs of a level's spheres in cells of one row with others of the level. False: end. */
typedef bool near_row_kernel(const grid *g, const row_task *task, pair_queue *queue);

/* Let a sphere look into a level's cells; `number` as the queue's lookers count. False: end. */
typedef bool across_level_kernel(const grid *g, const grid_level *level, const sphere_row *from,
                                 int32_t number, pair_queue *queue);

/* Pairs of all tasks that wait. False: end. */
typedef bool across_finish_kernel(const grid *g, pair_queue *queue);

/* Pairs of a sphere and a run. False: end. */
typedef bool several_run_kernel(const grid *g, const image_run *run, pair_queue *queue);

/* Lists, one after the other, each in ascending order to where they stay; there the first
 * number is number `begin`, and list i ends before number ends[i]. */
typedef void lists_sort_kernel(const int32_t *from, const abut_index *ends, abut_index list_count,
                               abut_index begin, int32_t *to);

typedef void pairs_compute_kernel(const pair_block *block);

/* The functions of each level, and their table; a build need not have all levels. */
#define PAIR_KERNELS(ENTRY)                                                                        \
    ENTRY(gather_load)                                                                             \
    ENTRY(grid_find_cells)                                                                         \
    ENTRY(grid_gather)                                                                             \
    ENTRY(grid_bound)                                                                              \
    ENTRY(near_row)                                                                                \
    ENTRY(across_level)                                                                            \
    ENTRY(across_finish)                                                                           \
    ENTRY(several_run)                                                                             \
    ENTRY(lists_sort)                                                                              \
    ENTRY(pairs_compute)

PAIR_KERNELS(KERNEL_FUNCTIONS)

typedef struct pair_kernels {
    PAIR_KERNELS(KERNEL_POINTER)
} pair_kernels;

/* The functions of the instruction level in use. */
const pair_kernels *pair_kernels_take(void);

#endif
