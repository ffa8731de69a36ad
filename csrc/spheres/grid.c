/* Lays out a grid: its box, the cells of its levels, and whether its coordinates are floats or
 * doubles. */
#include "grid.h"

#include <math.h>
#include <string.h>

/* The largest number of cells in the table per sphere. A larger table would not fit into any cache.
 * If cells are folded, about one in 8 also holds a sphere from a distant cell of space. */
#define CELLS_PER_SPHERE 8.0

/* Each level may have up to SMALL_LEVEL cells, however few spheres it has. All levels together have
 * at most about CELL_LIMIT cells. */
#define SMALL_LEVEL 512.0
#define CELL_LIMIT 0x1p30

/* The largest number of cells of space along an axis. If there are more, spheres far from the
 * median count as being at the border of the box. */
#define SPACE_LIMIT 0x1p41

/* The largest slack of a level (see grid_level). */
#define MOST_SLACK 0x1p-6

/* The number of spheres in the sample that is used to estimate the median of all. */
enum { SAMPLE_COUNT = 255 };

/* ---- the box ---- */

/* The median of a sample of the coordinates along an axis. */
static double find_median(const grid_plan *plan, int axis)
{
    double sample[SAMPLE_COUNT];
    int count = plan->count < SAMPLE_COUNT ? (int)plan->count : SAMPLE_COUNT;
    for (int k = 0; k < count; k++) {
        double place = plan->rows[plan->count / count * k].place[axis];
        int at = k;
        for (; at > 0 && sample[at - 1] > place; at--) {
            sample[at] = sample[at - 1];
        }
        sample[at] = place;
    }
    return sample[count / 2];
}

/* The cell size of the first level that has spheres. */
static double smallest_size(const grid_plan *plan)
{
    int32_t h = 0;
    while (h < plan->level_count - 1 && plan->populations[h] == 0) {
        h++;
    }
    return plan->sizes[h];
}

/* Chooses the box: the spheres' bounds. Bounds too wide for SPACE_LIMIT cells are replaced by a
 * range around the median. */
static void set_box(grid *g, const grid_plan *plan)
{
    const double most = SPACE_LIMIT * smallest_size(plan);
    for (int axis = 0; axis < 3; axis++) {
        g->low[axis] = plan->low[axis];
        g->high[axis] = plan->high[axis];
        if (g->high[axis] - g->low[axis] > most) {
            const double middle = find_median(plan, axis), half = 0.5 * most;
            g->low[axis] = g->low[axis] > middle - half ? g->low[axis] : middle - half;
            g->high[axis] = g->high[axis] < middle + half ? g->high[axis] : middle + half;
        }
    }
}

/* ---- levels ---- */

static double extent(const grid *g, int axis)
{
    return g->high[axis] - g->low[axis];
}

/* The slack of a level (see grid_level). A position in cells is computed by a difference and a
 * product, each rounded; reaches and their sum are rounded, too. For two spheres this makes fewer
 * than 16 roundings, each of a number no larger than the box. */
static double slack_of(const double low[3], const double high[3], double size)
{
    double longest = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const double length = high[axis] - low[axis];
        longest = length > longest ? length : longest;
    }
    const double slack = GRID_ROUNDING * (longest / size + 1.0);
    return slack < MOST_SLACK ? slack : MOST_SLACK;
}

/* without_divisors tries divisors below this number. */
enum { DIVISOR_LIMIT = 1024 };

/* Returns the first number, from `number` on, that has no divisors below DIVISOR_LIMIT. On a
 * regular lattice, the number of spheres along an axis often has small divisors. Folded by such a
 * divisor, many spheres would share a cell. */
static double without_divisors(double number)
{
    for (int divisor = 2; divisor < DIVISOR_LIMIT && divisor < number; divisor++) {
        if (fmod(number, divisor) == 0.0) {
            return without_divisors(number + 1.0);
        }
    }
    return number;
}

/* Folds the cells of a level (see grid.h), halving the longest axis until the table has at most
 * `most` cells. folds[axis] becomes the number of cells of space that share a cell of the table
 * along the axis. `counts` has the cells of space before, and the cells of the table afterwards. */
static void fold(double counts[3], double folds[3], double most)
{
    double left[3] = {counts[0], counts[1], counts[2]};
    while (left[0] * left[1] * left[2] > most) {
        int longest = left[1] > left[0] ? 1 : 0;
        longest = left[2] > left[longest] ? 2 : longest;
        left[longest] = floor(0.5 * left[longest]);
        folds[longest] *= 2.0;
    }
    for (int axis = 0; axis < 3; axis++) {
        const double better = without_divisors(folds[axis]);
        folds[axis] = counts[axis] >= 3.0 * better ? better : folds[axis];
        counts[axis] = floor(counts[axis] / folds[axis]);
    }
}

/* The cells of a level along an axis: `count` in the table, each for `folds` cells of space. */
static grid_axis axis_of(const grid *g, const grid_level *level, int axis, double count,
                         double folds)
{
    grid_axis at = {.count = (int32_t)count, .wraps = folds > 1.0};
    at.inv_fold = folds > 1.0 ? 1.0 / count : 0.0;
    at.length = level->size * (1.0 + level->slack);
    at.inv_length = 1.0 / at.length;
    at.last = floor(extent(g, axis) * at.inv_length);
    return at;
}

/* Sets `counts` to the numbers of cells of space along each axis. Returns their product. */
static double count_space(const grid *g, const grid_plan *plan, int32_t h, double counts[3])
{
    const grid_level *level = &g->levels[h];
    for (int axis = 0; axis < 3; axis++) {
        const double length = level->size * (1.0 + level->slack);
        counts[axis] = floor(extent(g, axis) * (1.0 / length)) + 1.0;
        if (plan->populations[h] == 0) {
            counts[axis] = 1.0; /* empty levels are not searched */
        }
    }
    return counts[0] * counts[1] * counts[2];
}

/* The largest number of cells of the table. */
static double most_cells(const grid_plan *plan)
{
    const double most = CELLS_PER_SPHERE * (double)plan->count;
    return most < CELL_LIMIT ? most : CELL_LIMIT;
}

/* The largest number of cells of a level, if all levels together would have too many: its share of
 * the table, by its number of spheres. */
static double share_of(const grid_plan *plan, int32_t h)
{
    const double share = (double)plan->populations[h] / (double)plan->count;
    const double most = share * most_cells(plan);
    return most > SMALL_LEVEL ? most : SMALL_LEVEL;
}

static void lay_out_level(grid *g, const grid_plan *plan, int32_t h, bool is_folded)
{
    grid_level *level = &g->levels[h];
    double counts[3], folds[3] = {1.0, 1.0, 1.0};
    const double all = count_space(g, plan, h, counts);
    fold(counts, folds, is_folded ? share_of(plan, h) : all);
    for (int axis = 0; axis < 3; axis++) {
        level->axes[axis] = axis_of(g, level, axis, counts[axis], folds[axis]);
    }
    level->first_cell = g->cell_count;
    level->cell_count = (int32_t)(counts[0] * counts[1] * counts[2]);
    g->cell_count += level->cell_count;
}

/* Floats are used if their error is less than this part of the size of the smallest cells.
 * Otherwise they would leave too many pairs to doubles. */
#define MOST_OPEN 0x1p-8

/* The error of floats, as a part of the largest length. Roundings of coordinates and of their
 * difference make up to 4 units of 2^-24 along each axis, and roundings of reaches as many. */
#define FLOAT_ROUNDING 0x1p-21

/* Limits of the margin. Between them, squares of the numbers that are compared neither vanish nor
 * overflow in floats. */
#define FLOAT_LOW 0x1p-50
#define FLOAT_HIGH 0x1p30

/* Returns the error of comparisons in floats; 0: doubles must be used. */
static float choose_margin(const grid *g, const grid_plan *plan)
{
    double longest = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const double above = plan->all_high[axis] - g->low[axis];
        const double below = g->low[axis] - plan->all_low[axis];
        const double farthest = above > below ? above : below;
        longest = farthest > longest ? farthest : longest;
        longest = extent(g, axis) > longest ? extent(g, axis) : longest;
    }
    longest += 2.0 * plan->all_reach;
    const double margin = FLOAT_ROUNDING * longest;
    const bool is_small = margin < MOST_OPEN * smallest_size(plan);
    const bool is_plain = margin > FLOAT_LOW && margin < FLOAT_HIGH;
    return is_small && is_plain ? (float)margin : 0.0f;
}

void grid_lay_out(grid *g, const grid_plan *plan)
{
    g->level_count = plan->level_count;
    g->cell_count = 0;
    set_box(g, plan);
    double all = 0.0, counts[3];
    for (int32_t h = 0; h < plan->level_count; h++) {
        grid_level *level = &g->levels[h];
        *level = (grid_level){.size = plan->sizes[h], .reach = plan->reaches[h]};
        level->slack = slack_of(g->low, g->high, level->size);
        all += count_space(g, plan, h, counts);
    }
    const double most = most_cells(plan) + SMALL_LEVEL * plan->level_count;
    for (int32_t h = 0; h < plan->level_count; h++) {
        lay_out_level(g, plan, h, all > most);
    }
    g->margin = choose_margin(g, plan);
}

void grid_free(grid *g)
{
    sorted_free(&g->sorted);
    memory_free_blocks(g->blocks, GRID_BLOCKS);
}

abut_index grid_bytes(const grid *g)
{
    return memory_count_bytes(g->blocks, GRID_BLOCKS) +
           memory_count_bytes(g->sorted.blocks, SORTED_BLOCKS);
}
