/* Finds the cell of each sphere in the grid's table, and gathers spheres in the order of cells. */
#include <math.h>

#include "../base/lanes_kernel.h"
#include "../base/prefetch.h"
#include "../base/simd.h"
#include "kernels.h"

/* Rows are fetched into the cache this many spheres before they are read. */
enum { FETCHED_AHEAD = 24 };

/* The cells of LANES coordinates along one axis, as indices in the table along this axis. */
LANES_INLINE lanes find_along(const grid *g, const grid_axis *at, int axis, lanes place)
{
    lanes low = lanes_set(g->low[axis]);
    place = lanes_smaller(lanes_larger(place, low), lanes_set(g->high[axis]));
    lanes cell = lanes_whole((place - low) * lanes_set(at->inv_length));
    cell = lanes_smaller(cell, lanes_set(at->last));
    if (at->inv_fold > 0.0) {
        lanes count = lanes_set(at->count), zero = lanes_set(0.0);
        cell = cell - lanes_whole(cell * lanes_set(at->inv_fold)) * count;
        /* rounding may have changed the whole part of the product by 1 */
        cell = lanes_select(lanes_less(cell, zero), cell + count, cell);
        cell = lanes_select(lanes_less(cell, count), cell, cell - count);
    }
    return cell;
}

LANES_INLINE lanes find_on_level(const grid *g, const grid_level *level, const lanes columns[4])
{
    lanes cell = find_along(g, &level->axes[2], 2, columns[2]);
    for (int axis = 1; axis >= 0; axis--) {
        cell = cell * lanes_set(level->axes[axis].count) +
               find_along(g, &level->axes[axis], axis, columns[axis]);
    }
    return cell + lanes_set(level->first_cell);
}

/* The cell of each of LANES spheres, on the first level that is large enough for it. */
LANES_INLINE lanes find_cells(const grid *g, const double *const rows[LANES])
{
    lanes columns[4];
    lanes_load_rows(rows, columns);
    lanes cell = find_on_level(g, &g->levels[0], columns), diameter = columns[3] + columns[3];
    for (int32_t h = 1; h < g->level_count; h++) {
        lanes_mask is_above = lanes_less(lanes_set(g->levels[h - 1].size), diameter);
        if (!mask_bits(is_above)) {
            break;
        }
        cell = lanes_select(is_above, find_on_level(g, &g->levels[h], columns), cell);
    }
    return cell;
}

void KERNEL(grid_find_cells)(const grid *g, const sphere_row *rows, abut_index begin,
                             abut_index end, int32_t *cells)
{
    const double *pointers[LANES];
    for (abut_index i = begin; i < end; i += LANES) {
        int32_t found[LANES];
        for (int k = 0; k < LANES; k++) {
            pointers[k] = rows[i + k < end ? i + k : end - 1].place;
        }
        lanes_store_whole(found, find_cells(g, pointers));
        abut_index remaining = end - i < LANES ? end - i : LANES;
        memcpy(cells + (i - begin), found, (size_t)remaining * sizeof *cells);
    }
}

/* Loads coordinates and reaches of LANES spheres, from index i of the grid's order on. Lanes behind
 * the end hold the last one. */
LANES_INLINE void load_ordered(const grid *g, abut_index i, abut_index end, lanes columns[4])
{
    const double *pointers[LANES];
    for (int k = 0; k < LANES; k++) {
        abut_index at = i + k < end ? i + k : end - 1;
        abut_index ahead = at + FETCHED_AHEAD < end ? at + FETCHED_AHEAD : end - 1;
        PREFETCH(&g->rows[g->ids[ahead]]);
        pointers[k] = g->rows[g->ids[at]].place;
    }
    lanes_load_rows(pointers, columns);
}

/* Writes lanes into an array of the grid, of floats or doubles, from index i on. Entries from `end`
 * on are not written: another thread may be writing them. The pointers are const, since other
 * functions of vector code only read the arrays. */
LANES_INLINE void put(const float *singles_at, const double *doubles_at, abut_index i,
                      abut_index end, lanes from)
{
    float singles_spare[LANES];
    double doubles_spare[LANES];
    const bool is_whole = i + LANES <= end;
    if (singles_at) {
        singles_store_doubles(is_whole ? (float *)singles_at + i : singles_spare, from);
    } else {
        lanes_store(is_whole ? (double *)doubles_at + i : doubles_spare, from);
    }
    for (int k = 0; !is_whole && i + k < end; k++) {
        if (singles_at) {
            ((float *)singles_at)[i + k] = singles_spare[k];
        } else {
            ((double *)doubles_at)[i + k] = doubles_spare[k];
        }
    }
}

/* Floats are relative to the grid's low corner, so that fewer digits are lost. */
void KERNEL(grid_gather)(const grid *g, abut_index begin, abut_index end)
{
    double origin[3] = {0.0};
    for (int axis = 0; axis < 3; axis++) {
        origin[axis] = g->near_reach ? g->low[axis] : 0.0;
    }
    for (abut_index i = begin; i < end; i += LANES) {
        lanes columns[4];
        load_ordered(g, i, end, columns);
        for (int axis = 0; axis < 3; axis++) {
            put(g->near_place[axis], g->place[axis], i, end,
                columns[axis] - lanes_set(origin[axis]));
        }
        put(g->near_reach, g->reach, i, end, columns[3]);
    }
}

/* Widens bounds so that they include a value. */
static void include(double value, double *least, double *most)
{
    *least = value < *least ? value : *least;
    *most = value > *most ? value : *most;
}

static void bound_floats(const float *places, abut_index count, double *least, double *most)
{
    singles low = singles_set(INFINITY), high = singles_set(-INFINITY);
    float lows[SINGLES], highs[SINGLES];
    abut_index k = 0;
    for (; k + SINGLES <= count; k += SINGLES) {
        low = singles_smaller(singles_load(places + k), low);
        high = singles_larger(singles_load(places + k), high);
    }
    singles_store(lows, low);
    singles_store(highs, high);
    for (int i = 0; i < SINGLES && count >= SINGLES; i++) {
        include((double)lows[i], least, most);
        include((double)highs[i], least, most);
    }
    for (; k < count; k++) {
        include((double)places[k], least, most);
    }
}

static void bound_doubles(const double *places, abut_index count, double *least, double *most)
{
    lanes low = lanes_set(INFINITY), high = lanes_set(-INFINITY);
    abut_index k = 0;
    for (; k + LANES <= count; k += LANES) {
        low = lanes_smaller(lanes_load(places + k), low);
        high = lanes_larger(lanes_load(places + k), high);
    }
    *least = lanes_smallest(low);
    *most = -lanes_smallest(-high);
    for (; k < count; k++) {
        include(places[k], least, most);
    }
}

void KERNEL(grid_bound)(const grid *g, int axis, abut_index begin, abut_index end, double *least,
                        double *most)
{
    *least = INFINITY, *most = -INFINITY;
    if (g->near_reach) {
        bound_floats(g->near_place[axis] + begin, end - begin, least, most);
    } else {
        bound_doubles(g->place[axis] + begin, end - begin, least, most);
    }
}
