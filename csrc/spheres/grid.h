/* Spheres in the cells of a grid with a level for each range of sizes.
 *
 * A sphere is on the first level with cells at least as large as its diameter, gap included. So
 * spheres of its own level that it can touch are in its own cell or the cells around it. All cells
 * of all levels are in one table, level by level, along x first. The spheres are in the order of
 * their cells.
 *
 * Along an axis where a table of all cells would be too large, several cells of space share one of
 * the table, `count` cells apart: the cells are folded. Along a periodic axis the last cell is
 * beside the first. In both cases cells wrap around, and a search finds too many spheres, never too
 * few. So the number of spheres bounds the memory, wherever they are.
 *
 * Spheres too large for three cells along a period may have a level of their own, the last one,
 * which is a single cell: giants (giants.c). They search all other levels, and are compared with
 * each other one by one. */
#ifndef SPHERES_GRID_H
#define SPHERES_GRID_H

#include "../abut/pairs.h"
#include "../base/lattice.h"
#include "../base/memory.h"
#include "../base/sort.h"

#include <math.h>
#include <stdbool.h>

/* Coordinates, in the box where there is a period, and the reach: radius + half the gap. Spheres
 * are read in any order, so their numbers are in one cache line. */
typedef struct sphere_row {
    double place[3];
    double reach;
} sphere_row;

enum { ROW_DOUBLES = 4 };

/* Vector code reads and writes up to this many items behind the last. */
enum { GRID_PADDING = 16 };

/* A coordinate is in cell (coordinate - low) * inv_length. */
typedef struct grid_axis {
    double length, inv_length;
    double last;     /* number of the last cell of space */
    double inv_fold; /* 1 / count where cells are folded, else 0 */
    int32_t count;   /* cells of the table */
    bool wraps;      /* folded or periodic: the last cell's neighbor is the first; count >= 3 */
} grid_axis;

typedef struct grid_level {
    double size;
    double reach; /* of its largest sphere */
    double slack; /* in cells: how much rounding may change the distance of two spheres */
    grid_axis axes[3];
    int32_t first_cell, cell_count; /* in the table */
    double least[3],
        most[3]; /* bounds of its spheres, wider by a margin; infinite along a period */
    double first[3], last[3]; /* cells of space that the bounds are in */
} grid_level;

/* A grid's arrays. */
enum { CELLS_OF_SPHERES, GRID_BEGINS, GRID_PLACES, GRID_IDS, GRID_CELLS, GRID_BLOCKS };

typedef struct grid {
    double low[3], high[3]; /* spheres outside count as being at the border */
    lattice lattice;
    grid_level levels[ABUT_LEVEL_LIMIT];
    int32_t level_count, cell_count;
    double occupancy; /* spheres in a sphere's cell, itself included: average over spheres */
    const int32_t
        *begins; /* cell_count + 1: cell c has the spheres begins[c] ... begins[c + 1] - 1 */
    const sphere_row *rows; /* by the caller's numbers */

    /* In the order of cells, sphere_count + GRID_PADDING: floats, counted from `low`, where these
     * decide nearly all pairs, else doubles. The other pointers are NULL. */
    const float *near_place[3], *near_reach;
    const double *place[3], *reach;
    float margin; /* error of distances less sums of reaches in floats; 0: doubles are used */

    const int32_t *ids;   /* the caller's numbers in that order; they ascend in a cell */
    const int32_t *cells; /* the cells in that order */
    sorted_items sorted;
    memory_block blocks[GRID_BLOCKS];
} grid;

/* What a grid is made for. */
typedef struct grid_plan {
    const sphere_row *rows;
    abut_index count;
    double low[3], high[3]; /* bounds of their coordinates */

    /* Bounds and largest reach of all spheres that are compared, including those that search. */
    double all_low[3], all_high[3], all_reach;
    lattice lattice;
    const double *sizes;           /* of the levels, ascending */
    const double *reaches;         /* of each level's largest sphere; 0 where it has none */
    const abut_index *populations; /* spheres of each level */
    int32_t level_count;
    bool has_giants;  /* the last level is one of giants */
    bool has_several; /* spheres are also compared at images other than the nearest */
    bool has_lookers; /* spheres search levels that are not their own */
    int workers;
    abut_interrupted interrupted;
    void *interrupted_data;
} grid_plan;

/* Whether three of the plan's largest cells fit into each period. Otherwise a sphere could be its
 * own neighbor, or be on both sides of another. */
bool grid_fits(const grid_plan *plan);

/* A bound for the relative error of a few roundings of coordinates, reaches and their sums. */
#define GRID_ROUNDING 0x1p-48

/* How far a coordinate, limited to the box, is from the low corner. */
static inline double grid_distance(const grid *g, int axis, double place)
{
    place = place > g->low[axis] ? place : g->low[axis];
    place = place < g->high[axis] ? place : g->high[axis];
    return place - g->low[axis];
}

/* The table's cell for cell number `cell` of space. */
static inline int32_t grid_fold(const grid_axis *at, double cell)
{
    return (int32_t)(cell - floor(cell / at->count) * at->count);
}

/* Whether sphere i touches an image of sphere j, by the test of compare_kernel.h. Exchanging the
 * spheres and negating the image gives the same result, to the bit. */
static inline bool grid_touches(const lattice *l, const sphere_row *i, const sphere_row *j,
                                const double image[3])
{
    double d[3];
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = (i->place[axis] - j->place[axis]) - image[axis] * l->period[axis];
    }
    const double reach = i->reach + j->reach;
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= reach * reach;
}

/* Chooses the box, the cells of each level, and floats or doubles. The arrays are not filled. */
void grid_lay_out(grid *g, const grid_plan *plan);

void grid_free(grid *g);

/* Bytes that the grid keeps. */
abut_index grid_bytes(const grid *g);

#endif
