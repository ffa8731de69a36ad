/* Spheres in the cells of a grid with a level for each range of sizes.
 *
 * A sphere is on the first level whose size is not less than its diameter, gap included, so that it
 * can touch none of its own level but in the cells around its own. All cells of all levels stand in
 * one table, level by level, along x first, and the spheres in the order of their cells.
 *
 * Along an axis where a table of all cells would be too large, several cells of space share one of
 * the table, `count` cells apart: the cells are folded. Along a periodic axis the last cell is
 * beside the first. Either way cells wrap around; who looks into them finds spheres too many, never
 * too few. So the memory is bounded by the number of spheres, wherever they are.
 *
 * Spheres too large for three cells along a period may have a level of their own, the last one,
 * which is a single cell: giants (giants.c). They look into all other levels, and are compared with
 * each other one by one. */
#ifndef SPHERES_GRID_H
#define SPHERES_GRID_H

#include "../abut/pairs.h"
#include "../base/lattice.h"
#include "../base/memory.h"
#include "../base/sort.h"

#include <math.h>
#include <stdbool.h>

/* Coordinates in the box, where there is a period, and the reach: radius + half the gap. Spheres
 * are read in any order, and so from one cache line. */
typedef struct sphere_row {
    double place[3];
    double reach;
} sphere_row;

enum { ROW_DOUBLES = 4 };

/* Vector code reads and writes up to so many items behind the last. */
enum { GRID_PADDING = 16 };

/* A place is in cell (place - low) * inv_length. */
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
    double slack; /* of a cell: how far rounding may put two spheres farther apart, or nearer */
    grid_axis axes[3];
    int32_t first_cell, cell_count; /* in the table */
    double least[3], most[3];       /* bounds of its spheres, a margin wider; all of a period */
    double first[3], last[3];       /* cells of space that those are in */
} grid_level;

/* A grid's arrays. */
enum { CELLS_OF_SPHERES, GRID_BEGINS, GRID_PLACES, GRID_IDS, GRID_CELLS, GRID_BLOCKS };

typedef struct grid {
    double low[3], high[3]; /* what is outside is counted to the border */
    lattice lattice;
    grid_level levels[ABUT_LEVEL_LIMIT];
    int32_t level_count, cell_count;
    double occupancy; /* spheres of a sphere's cell, itself included, on average */
    const int32_t
        *begins; /* cell_count + 1: cell c has the spheres begins[c] ... begins[c + 1] - 1 */
    const sphere_row *rows; /* by the caller's numbers */

    /* In the order of cells, sphere_count + GRID_PADDING: as floats, counted from low, where these
     * tell nearly all pairs apart, and else as doubles. The others are NULL. */
    const float *near_place[3], *near_reach;
    const double *place[3], *reach;
    float
        margin; /* by how much a distance less a sum of reaches may be off, computed with floats */

    const int32_t *ids;   /* the caller's numbers, in that order; ascending in a cell */
    const int32_t *cells; /* in that order */
    sorted_items sorted;
    memory_block blocks[GRID_BLOCKS];
} grid;

/* What a grid is made for. */
typedef struct grid_plan {
    const sphere_row *rows;
    abut_index count;
    double low[3], high[3]; /* bounds of their places */

    /* Of all that are compared, those who look included: bounds, and the largest reach. */
    double all_low[3], all_high[3], all_reach;
    lattice lattice;
    const double *sizes;           /* of the levels, ascending */
    const double *reaches;         /* of each level's largest sphere; 0 where it has none */
    const abut_index *populations; /* spheres of each level */
    int32_t level_count;
    bool has_giants;  /* the last level is one of giants */
    bool has_several; /* spheres are compared at images other than the nearest, too */
    bool has_lookers; /* spheres look into levels that are not their own */
    int workers;
    abut_interrupted interrupted;
    void *interrupted_data;
} grid_plan;

/* Whether cells as large as the plan's fit into its periods: else spheres could be beside
 * themselves, or on both sides of another. */
bool grid_fits(const grid_plan *plan);

/* A bound for a few roundings of places and reaches, and of what is computed from them. */
#define GRID_ROUNDING 0x1p-48

/* How far a place is from the low corner along an axis; what is outside of the box is counted to
 * its border. */
static inline double grid_distance(const grid *g, int axis, double place)
{
    place = place > g->low[axis] ? place : g->low[axis];
    place = place < g->high[axis] ? place : g->high[axis];
    return place - g->low[axis];
}

/* The cell of the table that cell number `cell` of space is in. */
static inline int32_t grid_fold(const grid_axis *at, double cell)
{
    return (int32_t)(cell - floor(cell / at->count) * at->count);
}

/* Whether a sphere touches another one's image: the test of compare_kernel.h, but at this image. It
 * says the same of the other one and the opposite image, to the bit. */
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

/* Choose the box, the cells of each level and whether floats will do: all but the arrays. */
void grid_lay_out(grid *g, const grid_plan *plan);

void grid_free(grid *g);

/* Bytes that the grid keeps. */
abut_index grid_bytes(const grid *g);

#endif
