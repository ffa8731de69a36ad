/* The corners of an outline in the cells of a grid, so that those in a triangle are found without
 * a look at all of them. */
#ifndef MESH_CORNER_GRID_H
#define MESH_CORNER_GRID_H

#include "../base/memory.h"
#include "../base/vec3.h"

#include <stdbool.h>

/* A place in the plane that the outline is seen in. */
typedef struct plane_place {
    double along[2];
} plane_place;

typedef struct corner_grid {
    vec3 origin, axes[2]; /* of the plane; unit vectors */
    double low[2], inv_cell[2];
    abut_index counts[2]; /* of cells */
    double rounding;      /* how far it may move an area */
    plane_place *places;  /* of each corner */
    abut_index *begins;   /* cell_count + 1 */
    abut_index *lefts;    /* of each cell: corners that have not been removed */
    abut_index *corners;  /* by cell; of each cell those come first that have not been removed */
    abut_index *ranks;    /* of each corner: where it stands among these */
    memory_block place_block, begin_block, left_block, corner_block, rank_block;
} corner_grid;

/* Called for a corner; whether that is enough. */
typedef bool (*corner_visitor)(void *context, abut_index corner);

/* A triangle of corners, counter-clockwise or thin, and by how much the area of an edge and a point
 * may be negative for the point to count as inside of the edge. */
typedef struct grid_triangle {
    abut_index corners[3];
    double slacks[3]; /* of the edges from corner k to the next */
} grid_triangle;

/* Sort corners into cells, seen against the unit normal; the first is the origin. Zero-initialize
 * the grid before the first time, free with corner_grid_free. ABUT_OK or ABUT_NO_MEMORY. */
abut_status corner_grid_fill(corner_grid *g, const vec3 *corners, abut_index count, vec3 normal);
void corner_grid_free(corner_grid *g);

void corner_grid_remove(corner_grid *g, abut_index corner);

/* Visit all corners that are inside of the triangle's three edges, and some that are not, those
 * beside its corner 1 first. Returns the work, in rows, cells and corners. */
abut_index corner_grid_visit(const corner_grid *g, const grid_triangle *t, corner_visitor visitor,
                             void *context);

#endif
