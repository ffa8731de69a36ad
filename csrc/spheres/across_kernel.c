/* Finds pairs of a sphere with spheres of another level or another set, in all cells within its
 * reach. */
#include <math.h>

#include "../base/simd.h"
#include "compare_kernel.h"

/* ---- windows ---- */

/* The cells of an axis that a sphere reaches, counted from the first of them. */
typedef struct window {
    double place;  /* the sphere's coordinate, in cells from the window's begin */
    double length; /* length of a cell; 0: the window has all cells of the axis */
    double slack;
    int32_t first; /* index of the window's first cell along the axis, in the table */
    int32_t count;
} window;

/* Finds the cells of a level that a sphere reaches along an axis. False: it reaches none. */
LANES_INLINE bool open_window(const grid *g, const grid_level *level, int axis, double place,
                              double reach, window *w)
{
    const grid_axis *at = &level->axes[axis];
    if (place < level->least[axis] - reach || place > level->most[axis] + reach) {
        return false;
    }
    place = grid_distance(g, axis, place) * at->inv_length;
    const double half = reach * at->inv_length + level->slack;
    double low = floor(place - half), high = floor(place + half);
    low = low > level->first[axis] ? low : level->first[axis];
    high = high < level->last[axis] ? high : level->last[axis];
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
    w->first = grid_fold(at, low);
    return true;
}

/* Lower bounds of the distance along the axis between the sphere's center and each of LANES cells;
 * `t` are the cells, counted in the window. */
LANES_INLINE lanes distance_along(const window *w, lanes t)
{
    lanes place = lanes_set(w->place), zero = lanes_set(0.0);
    lanes below = t - place, above = place - (t + lanes_set(1.0));
    lanes cells = lanes_larger(below, above) - lanes_set(w->slack);
    return lanes_larger(cells, zero) * lanes_set(w->length);
}

/* The index of a cell along an axis, in the table. A cell beyond the last one is among the first
 * ones, since cells wrap around. */
LANES_INLINE int32_t fold(int32_t cell, int32_t count)
{
    return cell < count ? cell : cell - count;
}

/* A layer of a level's cells within a sphere's reach. LANES of its rows are tested at a time. */
typedef struct layer {
    const grid_axis *axes;
    const window *x, *y;
    int32_t first_row; /* index, in the table, of cell 0 of the layer's row 0 */
    /* reach^2 - (distance of the sphere from the layer)^2 */
    double reach_sq;
} layer;

/* ---- tasks ---- */

/* Replaces the cells of each task by the spheres in them, and drops tasks with empty cells. */
LANES_INLINE void find_runs(const field *f, pair_queue *queue, mode m)
{
    int32_t count = 0;
    for (int32_t t = 0; t < queue->task_count; t++) {
        const look_task task = queue->tasks[t];
        const int32_t begin = f->begins[task.begin], end = f->begins[task.end];
        queue->tasks[count] = (look_task){begin, end, task.number};
        count += begin < end;
        fetch(f, begin, m);
        PREFETCH(f->ids + begin);
    }
    queue->task_count = count;
}

/* Compares each task's sphere with all spheres of its cells. False: the search must end. */
LANES_INLINE bool do_tasks(const grid *g, pair_queue *queue, mode m)
{
    const field all = field_of(g), *f = &all;
    find_runs(f, queue, m);
    for (int32_t t = 0; t < queue->task_count; t++) {
        const look_task task = queue->tasks[t];
        const int32_t number = task.number;
        const looker from =
            queue->lookers ? look(g, &queue->lookers[number], number, m) : look_near(f, number, m);
        if (!search_run(f, &from, task.begin, task.end, queue, m)) {
            return false;
        }
    }
    queue->task_count = 0;
    return true;
}

static bool finish(const grid *g, pair_queue *queue)
{
    return g->near_reach ? do_tasks(g, queue, FLOATS) : do_tasks(g, queue, DOUBLES);
}

bool KERNEL(across_finish)(const grid *g, pair_queue *queue)
{
    return finish(g, queue);
}

LANES_INLINE void add_task(const grid *g, pair_queue *queue, int32_t begin, int32_t end,
                           int32_t number)
{
    PREFETCH(g->begins + begin);
    queue->tasks[queue->task_count++] = (look_task){begin, end, number};
}

/* Adds a task for cells low ... high of a row of the window; two tasks if they wrap around. */
LANES_INLINE void add_cells(const grid *g, const layer *l, int32_t row, int32_t low, int32_t high,
                            int32_t number, pair_queue *queue)
{
    const int32_t count = l->axes[0].count, begin = l->x->first + low, end = l->x->first + high + 1;
    if (end <= count) {
        add_task(g, queue, row + begin, row + end, number);
    } else if (begin >= count) {
        add_task(g, queue, row + begin - count, row + end - count, number);
    } else {
        add_task(g, queue, row + begin, row + count, number);
        add_task(g, queue, row, row + end - count, number);
    }
}

/* Adds tasks for LANES rows of the layer, from row t of the window on. The tasks of a row have its
 * cells within the sphere's reach. */
LANES_INLINE void add_rows(const grid *g, const layer *l, int32_t t, int32_t number,
                           pair_queue *queue)
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
    /* cells are limited to the window, since the sphere may be outside of it */
    lanes zero = lanes_set(0.0);
    lanes_store_whole(lows, lanes_smaller(lanes_larger(place - half, zero), last));
    lanes_store_whole(highs, lanes_larger(lanes_smaller(place + half, last), zero));
    const bool is_all = l->x->length == 0.0;
    for (; bits; bits &= bits - 1) {
        const int32_t lane = __builtin_ctz(bits);
        const int32_t y = fold(l->y->first + t + lane, l->axes[1].count);
        add_cells(g, l, l->first_row + y * l->axes[0].count, is_all ? 0 : lows[lane],
                  is_all ? l->x->count - 1 : highs[lane], number, queue);
    }
}

/* Makes room for the tasks of LANES rows, if there is none. False: the search must end. */
LANES_INLINE bool has_task_room(const grid *g, pair_queue *queue)
{
    return queue->task_count <= TASK_LIMIT - 2 * LANES || finish(g, queue);
}

/* With at most this many rows of cells along y and along z, it takes less time to search all cells
 * than to find those within the sphere's reach. */
enum { FEW_ROWS = 5 };

/* Whether the windows have at most FEW_ROWS rows along y and along z, and do not wrap around. */
LANES_INLINE bool is_small(const grid_level *level, const window windows[3])
{
    bool is_whole = true;
    for (int axis = 0; axis < 3; axis++) {
        is_whole &= windows[axis].first + windows[axis].count <= level->axes[axis].count;
    }
    return is_whole && windows[1].count <= FEW_ROWS && windows[2].count <= FEW_ROWS;
}

/* Adds tasks for all cells of the windows. */
LANES_INLINE void add_small(const grid *g, const grid_level *level, const window windows[3],
                            int32_t number, pair_queue *queue)
{
    const int32_t row_step = level->axes[0].count, layer_step = row_step * level->axes[1].count;
    int32_t cell = level->first_cell + windows[2].first * layer_step + windows[1].first * row_step +
                   windows[0].first;
    for (int32_t z = 0; z < windows[2].count; z++, cell += layer_step) {
        for (int32_t y = 0; y < windows[1].count; y++) {
            const int32_t row = cell + y * row_step;
            add_task(g, queue, row, row + windows[0].count, number);
        }
    }
}

/* Adds tasks for the cells of the windows within the sphere's reach, layer by layer along z. */
LANES_INLINE bool add_layers(const grid *g, const grid_level *level, const window windows[3],
                             double reach, int32_t number, pair_queue *queue)
{
    layer l = {.axes = level->axes, .x = &windows[0], .y = &windows[1]};
    for (int32_t t = 0; t < windows[2].count; t++) {
        const int32_t z = fold(windows[2].first + t, level->axes[2].count);
        double above[LANES];
        lanes_store(above, distance_along(&windows[2], lanes_set(t)));
        l.reach_sq = reach * reach - above[0] * above[0];
        l.first_row = level->first_cell + z * level->axes[1].count * level->axes[0].count;
        for (int32_t s = 0; s < windows[1].count && l.reach_sq >= 0.0; s += LANES) {
            if (!has_task_room(g, queue)) {
                return false;
            }
            add_rows(g, &l, s, number, queue);
        }
    }
    return true;
}

bool KERNEL(across_level)(const grid *g, const grid_level *level, const sphere_row *from,
                          int32_t number, pair_queue *queue)
{
    window windows[3];
    const double reach = (from->reach + level->reach) * (1.0 + GRID_ROUNDING);
    for (int axis = 0; axis < 3; axis++) {
        if (!open_window(g, level, axis, from->place[axis], reach, &windows[axis])) {
            return true;
        }
    }
    if (!is_small(level, windows)) {
        return add_layers(g, level, windows, reach, number, queue);
    }
    if (queue->task_count > TASK_LIMIT - FEW_ROWS * FEW_ROWS && !finish(g, queue)) {
        return false;
    }
    add_small(g, level, windows, number, queue);
    return true;
}
