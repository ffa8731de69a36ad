/* Pairs of spheres that touch: of one level, and of one sphere with those of another level.
 *
 * A pair touches where the square of the centers' distance, (dx dx + dy dy) + dz dz, is not more
 * than that of the sum of the reaches, in doubles; in a periodic box at the nearest image. Nothing
 * else decides: cells only say whom to compare. */
#include <math.h>

#include "../base/lanes_kernel.h"
#include "../base/simd.h"
#include "kernels.h"

/* Whom a sphere meets: runs of the grid's order. */
typedef struct run_list {
    int32_t count;
    int32_t sphere_count;           /* in all runs */
    sphere_run runs[RUN_LIMIT + 1]; /* an empty one is written, too, and not counted */
} run_list;

LANES_INLINE void add_run(run_list *list, int32_t begin, int32_t end)
{
    list->runs[list->count] = (sphere_run){begin, end};
    list->count += end > begin;
    list->sphere_count += end - begin;
}

/* ---- comparing ---- */

typedef struct seeker_lanes {
    lanes place[3], reach;
    int32_t number;
} seeker_lanes;

LANES_INLINE seeker_lanes spread(const double place[3], double reach, int32_t number)
{
    return (seeker_lanes){
        {lanes_set(place[0]), lanes_set(place[1]), lanes_set(place[2])}, lanes_set(reach), number};
}

LANES_INLINE lanes difference_along(const grid *g, const seeker_lanes *from, int axis, int32_t k,
                                    bool is_periodic)
{
    lanes difference = from->place[axis] - lanes_load(g->place[axis] + k);
    if (is_periodic) {
        lanes images = lanes_round(difference * lanes_set(g->inv_period[axis]));
        difference = difference - images * lanes_set(g->period[axis]);
    }
    return difference;
}

/* Compare with the first LANES spheres from number `begin` on, of `count`. Those that touch are
 * appended to the list, which has `length` numbers; returns its new length. */
LANES_INLINE int32_t compare_vector(const grid *g, const seeker_lanes *from, int32_t begin,
                                    int32_t count, int32_t *list, int32_t length, bool is_periodic)
{
    lanes x = difference_along(g, from, 0, begin, is_periodic);
    lanes y = difference_along(g, from, 1, begin, is_periodic);
    lanes z = difference_along(g, from, 2, begin, is_periodic);
    lanes reach = from->reach + lanes_load(g->reach + begin);
    unsigned bits = mask_bits(lanes_no_more(x * x + y * y + z * z, reach * reach));
    return length + lanes_append_bits(list + length, begin, bits & lanes_first_bits(count));
}

/* Compare with the spheres of a run. */
LANES_INLINE void compare_run(const grid *g, const seeker_lanes *from, sphere_run run,
                              pair_queue *queue, bool is_periodic)
{
    for (int32_t k = run.begin; k < run.end; k += LANES) {
        lanes_store_number(queue->firsts + queue->count, from->number);
        queue->count = compare_vector(g, from, k, run.end - k, queue->seconds, queue->count,
                                      is_periodic);
    }
}

LANES_INLINE void compare_runs(const grid *g, const seeker_lanes *from, const run_list *list,
                               pair_queue *queue)
{
    if (g->is_periodic) {
        for (int32_t r = 0; r < list->count; r++) {
            compare_run(g, from, list->runs[r], queue, true);
        }
    } else {
        for (int32_t r = 0; r < list->count; r++) {
            compare_run(g, from, list->runs[r], queue, false);
        }
    }
}

/* Whether there is room for so many more pairs, after making some. */
LANES_INLINE bool has_room(pair_queue *queue, int32_t room)
{
    return (abut_index)queue->count + room <= queue->capacity - GRID_PADDING ||
           queue->drain(queue, room);
}

/* ---- one level ---- */

/* The spheres of the cells x - 1, x and x + 1 of a row. */
LANES_INLINE void add_three(const int32_t *begins, const row_task *task, int32_t row, int32_t x,
                            run_list *list)
{
    const grid_axis *axis = &task->level->axes[0];
    const int32_t last = axis->count - 1;
    int32_t low = x > 0 ? x - 1 : 0, high = x < last ? x + 1 : last;
    add_run(list, begins[row + low], begins[row + high + 1]);
    if (axis->wraps && (x == 0 || x == last)) {
        int32_t beyond = row + (x == 0 ? last : 0);
        add_run(list, begins[beyond], begins[beyond + 1]);
    }
}

/* Whom sphere a, of cell x, meets: who comes after it in its own cell, and all cells ahead. */
LANES_INLINE void list_near(const grid *g, const row_task *task, int32_t a, int32_t x,
                            run_list *list)
{
    const int32_t *begins = g->begins;
    const grid_axis *axis = &task->level->axes[0];
    const bool is_last = x == axis->count - 1;
    list->count = list->sphere_count = 0;
    add_run(list, a + 1, begins[task->row + x + (is_last ? 1 : 2)]);
    if (is_last && axis->wraps) {
        add_run(list, begins[task->row], begins[task->row + 1]);
    }
    for (int32_t r = 0; r < task->ahead_count; r++) {
        add_three(begins, task, task->ahead[r], x, list);
    }
}

static bool search_runs(const grid *g, const seeker_lanes *from, const run_list *list,
                        pair_queue *queue)
{
    if (!has_room(queue, list->sphere_count)) {
        return false;
    }
    compare_runs(g, from, list, queue);
    queue->distance_count += list->sphere_count;
    return true;
}

/* Most runs fit into one vector, and most cells are not at the border: who compares with one
 * vector a run, whatever it holds, has no branch that the processor has to guess. The sphere's
 * number is filled in where there are pairs. False: a run is longer; nothing has changed. */
LANES_INLINE bool search_short(const grid *g, const row_task *task, const seeker_lanes *from,
                               int32_t x, pair_queue *queue, bool is_periodic)
{
    const int32_t *begins = g->begins;
    const int32_t own_begin = from->number + 1, own_end = begins[task->row + x + 2];
    const int32_t own_count = own_end - own_begin, before = queue->count;
    int32_t longest = own_count, sum = own_count;
    int32_t count = compare_vector(g, from, own_begin, own_count, queue->seconds, before,
                                   is_periodic);
    for (int32_t r = 0; r < task->ahead_count; r++) {
        const int32_t begin = begins[task->ahead[r] + x - 1], end = begins[task->ahead[r] + x + 2];
        longest = end - begin > longest ? end - begin : longest;
        sum += end - begin;
        count = compare_vector(g, from, begin, end - begin, queue->seconds, count, is_periodic);
    }
    if (longest > LANES) {
        return false;
    }
    for (int32_t k = before; k < count; k += LANES) {
        lanes_store_number(queue->firsts + k, from->number);
    }
    queue->count = count;
    queue->distance_count += sum;
    return true;
}

LANES_INLINE bool search_row(const grid *g, const row_task *task, pair_queue *queue,
                             bool is_periodic)
{
    const int32_t begin = g->begins[task->row + task->begin];
    const int32_t end = g->begins[task->row + task->end], last = task->level->axes[0].count - 1;
    run_list list;
    for (int32_t a = begin; a < end; a++) {
        const int32_t x = g->cells[a] - task->row;
        const double place[3] = {g->place[0][a], g->place[1][a], g->place[2][a]};
        const seeker_lanes from = spread(place, g->reach[a], a);
        if (!has_room(queue, 5 * LANES)) {
            return false;
        }
        if (x == 0 || x == last || !search_short(g, task, &from, x, queue, is_periodic)) {
            list_near(g, task, a, x, &list);
            if (!search_runs(g, &from, &list, queue)) {
                return false;
            }
        }
    }
    return true;
}

bool KERNEL(near_row)(const grid *g, const row_task *task, pair_queue *queue)
{
    return g->is_periodic ? search_row(g, task, queue, true) : search_row(g, task, queue, false);
}

/* ---- across levels ---- */

/* The cells of an axis that a sphere reaches, counted from the first of them. */
typedef struct window {
    double place;  /* the sphere's, in cells from the window's begin */
    double length; /* of a cell; 0 where all cells are taken as near */
    double slack;
    int32_t first; /* in the table */
    int32_t count;
} window;

/* False: it reaches none. */
LANES_INLINE bool open_window(const grid *g, const grid_level *level, int axis, double place,
                              double reach, window *w)
{
    const grid_axis *at = &level->axes[axis];
    place = place > g->low[axis] ? place : g->low[axis];
    place = place < g->high[axis] ? place : g->high[axis];
    place = (place - g->low[axis]) * at->inv_length;
    const double half = reach * at->inv_length + level->slack;
    double low = floor(place - half), high = floor(place + half);
    if (!at->wraps) {
        low = low > 0.0 ? low : 0.0;
        high = high < at->last ? high : at->last;
    }
    if (low > high) {
        return false;
    }
    const bool is_all = at->wraps && high - low + 1.0 >= at->count;
    *w = (window){.place = place - low, .length = at->length, .slack = level->slack};
    if (is_all) {
        *w = (window){.count = at->count};
        return true;
    }
    w->count = (int32_t)(high - low) + 1;
    w->first = (int32_t)(low - floor(low / at->count) * at->count);
    return true;
}

/* How far the window's cells from number t on are from the sphere, along the axis. */
LANES_INLINE lanes distance_along(const window *w, lanes t)
{
    lanes place = lanes_set(w->place), zero = lanes_set(0.0);
    lanes below = t - place, above = place - (t + lanes_set(1.0));
    lanes cells = lanes_larger(below, above) - lanes_set(w->slack);
    return lanes_larger(cells, zero) * lanes_set(w->length);
}

LANES_INLINE int32_t fold(int32_t cell, int32_t count)
{
    return cell < count ? cell : cell - count;
}

/* What is left of a level for one sphere: rows of cells of one layer, some lanes at a time. */
typedef struct layer {
    const grid_axis *axes;
    const window *x, *y;
    int32_t first_row; /* cell 0 of row 0 */
    double reach_sq;   /* less the square of the layer's distance */
} layer;

/* The spheres of cells low ... high of a row, counted from the window's begin. */
LANES_INLINE void add_cells(const int32_t *row, const layer *l, int32_t low, int32_t high,
                            run_list *list)
{
    const int32_t count = l->axes[0].count, begin = l->x->first + low, end = l->x->first + high + 1;
    if (end <= count) {
        add_run(list, row[begin], row[end]);
    } else if (begin >= count) {
        add_run(list, row[begin - count], row[end - count]);
    } else {
        add_run(list, row[begin], row[count]);
        add_run(list, row[0], row[end - count]);
    }
}

/* Runs of LANES rows of the layer from number t on. */
LANES_INLINE void add_rows(const grid *g, const layer *l, int32_t t, run_list *list)
{
    lanes aside = distance_along(l->y, lanes_set(t) + lanes_ramp());
    lanes rest_sq = lanes_set(l->reach_sq) - aside * aside;
    unsigned bits = mask_bits(lanes_no_more(lanes_set(0.0), rest_sq));
    bits &= lanes_first_bits(l->y->count - t);
    int32_t lows[LANES], highs[LANES];
    lanes half =
        lanes_sqrt(lanes_larger(rest_sq, lanes_set(0.0))) * lanes_set(l->axes[0].inv_length) +
        lanes_set(l->x->slack);
    lanes place = lanes_set(l->x->place), last = lanes_set(l->x->count - 1);
    lanes_store_whole(lows, lanes_larger(place - half, lanes_set(0.0)));
    lanes_store_whole(highs, lanes_smaller(place + half, last));
    for (; bits; bits &= bits - 1) {
        const int32_t lane = __builtin_ctz(bits);
        const bool is_all = l->x->length == 0.0;
        const int32_t y = fold(l->y->first + t + lane, l->axes[1].count);
        add_cells(g->begins + l->first_row + y * l->axes[0].count, l, is_all ? 0 : lows[lane],
                  is_all ? l->x->count - 1 : highs[lane], list);
    }
}

LANES_INLINE bool compare_and_clear(const grid *g, const seeker_lanes *from, run_list *list,
                                    pair_queue *queue)
{
    bool is_done = search_runs(g, from, list, queue);
    list->count = list->sphere_count = 0;
    return is_done;
}

bool KERNEL(across_level)(const grid *g, const grid_level *level, const seeker *from,
                          pair_queue *queue)
{
    window windows[3];
    const double reach = (from->reach + level->reach) * (1.0 + 0x1p-48);
    for (int axis = 0; axis < 3; axis++) {
        if (!open_window(g, level, axis, from->place[axis], reach, &windows[axis])) {
            return true;
        }
    }
    const seeker_lanes seeking = spread(from->place, from->reach, from->number);
    layer l = {.axes = level->axes, .x = &windows[0], .y = &windows[1]};
    run_list list;
    list.count = list.sphere_count = 0;
    for (int32_t t = 0; t < windows[2].count; t++) {
        const int32_t z = fold(windows[2].first + t, level->axes[2].count);
        double above[LANES];
        lanes_store(above, distance_along(&windows[2], lanes_set(t)));
        l.reach_sq = reach * reach - above[0] * above[0];
        l.first_row = level->first_cell + z * level->axes[1].count * level->axes[0].count;
        for (int32_t s = 0; s < windows[1].count && l.reach_sq >= 0.0; s += LANES) {
            if (list.count > RUN_LIMIT - 2 * LANES &&
                !compare_and_clear(g, &seeking, &list, queue)) {
                return false;
            }
            add_rows(g, &l, s, &list);
        }
    }
    return compare_and_clear(g, &seeking, &list, queue);
}
