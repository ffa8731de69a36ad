/* Spheres in the cells of a grid with a level for each range of sizes.
 *
 * A sphere is on the first level with cells at least as large as its diameter, gap included. So
 * spheres of its own level that it can touch are in its own cell or the cells around it. All cells
 * of all levels are in one table, level by level, along x first. The spheres are in the order of
 * their cells.
 *
 * If a table of all cells would be too large, cells of space that are `count` cells apart along an
 * axis share one cell of the table: they are folded. Then cells wrap around: a search may read
 * spheres that are far away, but misses none that are near. So memory depends only on the number of
 * spheres. The grid does not know periods: see copies.h. */
#ifndef SPHERES_GRID_H
#define SPHERES_GRID_H

#include "../abut/pairs.h"
#include "../base/lattice.h"
#include "../base/memory.h"
#include "../base/sort.h"

#include <math.h>
#include <stdbool.h>

/* A sphere: its coordinates, moved into the periodic box, and its reach: radius + half the gap.
 * Spheres are read in any order, so each row lies within one cache line. */
typedef struct sphere_row {
    double place[3];
    double reach;
} sphere_row;

enum { ROW_DOUBLES = 4 };

/* Vector code reads and writes up to this many items behind the last. */
enum { GRID_PADDING = 16 };

/* The cells along an axis. A coordinate is in cell floor((coordinate - low) * inv_length). */
typedef struct grid_axis {
    double length, inv_length;
    double last;     /* number of the last cell of space */
    double inv_fold; /* 1 / count where cells are folded, else 0 */
    int32_t count;   /* the number of cells in the table */
    bool wraps;      /* folded: the last cell is a neighbor of the first */
} grid_axis;

typedef struct grid_level {
    double size;
    double reach; /* reach of its largest sphere */
    double slack; /* largest error by rounding of the distance of two spheres, in cells */
    grid_axis axes[3];
    int32_t first_cell, cell_count; /* its range of cells in the table */
    double least[3], most[3];       /* bounds of its spheres, with a margin */
    double first[3], last[3];       /* the cells of space at these bounds */
} grid_level;

/* Memory blocks of a grid. */
enum { CELLS_OF_SPHERES, GRID_BEGINS, GRID_PLACES, GRID_IDS, GRID_CELLS, GRID_BLOCKS };

typedef struct grid {
    double low[3], high[3]; /* the box; spheres outside count as being at its border */
    grid_level levels[ABUT_LEVEL_LIMIT];
    int32_t level_count, cell_count;
    double occupancy;       /* the number of spheres in a sphere's cell, averaged over spheres */
    const int32_t *begins;  /* cell_count + 1: cell c has spheres begins[c] ... begins[c + 1] - 1 */
    const sphere_row *rows; /* in the caller's order */

    /* Coordinates and reaches in the order of cells, sphere_count + GRID_PADDING of each. They are
     * floats, relative to `low`, if floats decide nearly all pairs, else doubles. The pointers of
     * the type that is not used are NULL. */
    const float *near_place[3], *near_reach;
    const double *place[3], *reach;
    /* largest error, in floats, of (distance - sum of reaches); 0: doubles are used */
    float margin;

    /* the caller's number of each sphere, in the order of cells; within a cell, numbers ascend */
    const int32_t *ids;
    const int32_t *cells; /* the cell of each sphere, in the order of cells */
    sorted_items sorted;
    memory_block blocks[GRID_BLOCKS];
} grid;

/* The input from which a grid is made. */
typedef struct grid_plan {
    const sphere_row *rows;
    abut_index count;
    double low[3], high[3]; /* bounds of their coordinates */

    /* Bounds and largest reach of all spheres that are compared, in the grid or not. */
    double all_low[3], all_high[3], all_reach;
    const double *sizes;           /* cell sizes of the levels, ascending */
    const double *reaches;         /* reach of each level's largest sphere; 0: it has no spheres */
    const abut_index *populations; /* number of spheres on each level */
    int32_t level_count;
    bool has_lookers; /* spheres are compared with levels other than their own */
    int workers;
    abut_interrupted interrupted;
    void *interrupted_data;
} grid_plan;

/* A bound for the relative error of a few roundings of coordinates, reaches and their sums. */
#define GRID_ROUNDING 0x1p-48

/* The distance of a coordinate, limited to the box, from the box's low corner along an axis. */
static inline double grid_distance(const grid *g, int axis, double place)
{
    place = place > g->low[axis] ? place : g->low[axis];
    place = place < g->high[axis] ? place : g->high[axis];
    return place - g->low[axis];
}

/* The index in the table, along an axis, of a cell of space. */
static inline int32_t grid_fold(const grid_axis *at, double cell)
{
    return (int32_t)(cell - floor(cell / at->count) * at->count);
}

/* Whether sphere i touches an image of sphere j, by the test of compare_kernel.h. Exchanging the
 * spheres and negating the image gives the same result, to the bit. */
static inline bool grid_touches(const lattice *l, const sphere_row *i, const sphere_row *j,
                                vec3 image)
{
    const vec3 apart = vec3_sub(vec3_load(i->place), vec3_load(j->place));
    const double reach = i->reach + j->reach;
    return vec3_norm_sq(vec3_sub(apart, lattice_shift(l, image))) <= reach * reach;
}

/* Chooses the box, the cells of each level, and whether coordinates are floats or doubles. Does not
 * fill the arrays. */
void grid_lay_out(grid *g, const grid_plan *plan);

void grid_free(grid *g);

/* The size of the grid's memory in bytes. */
abut_index grid_bytes(const grid *g);

#endif
