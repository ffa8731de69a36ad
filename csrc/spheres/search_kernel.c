/* Pairs of spheres that touch: of one level, and of one sphere with those of another level.
 *
 * A pair touches where the square of the centers' distance, (dx dx + dy dy) + dz dz, is not more
 * than that of the sum of the reaches, in doubles; in a periodic box at the nearest image. Nothing
 * else decides: cells only say whom to compare, and floats leave to doubles what is close. */
#include <math.h>

#include "../base/lanes_kernel.h"
#include "../base/prefetch.h"
#include "../base/simd.h"
#include "kernels.h"

/* ---- comparing ---- */

/* Spheres of a row that are read ahead. */
enum { FETCHED_AHEAD = 64 };

/* How a grid's spheres are compared. */
typedef enum mode { DOUBLES = 0, FLOATS = 1, PERIODIC = 2 } mode;

/* The grid's arrays, in registers: the compiler cannot know that what is written to lists does not
 * change them. What the mode does not need is left out, here as in what follows. */
typedef struct field {
    const grid *grid;
    const int32_t *begins;
    const float *near_place[3], *near_reach;
    const double *place[3], *reach;
    singles near_period[3], near_inv_period[3];
    lanes period[3], inv_period[3];
} field;

LANES_INLINE field field_of(const grid *g, mode m)
{
    field f = {.grid = g, .begins = g->begins, .near_reach = g->near_reach, .reach = g->reach};
    for (int axis = 0; axis < 3; axis++) {
        f.near_place[axis] = g->near_place[axis];
        f.place[axis] = g->place[axis];
        if (m & PERIODIC) {
            f.near_period[axis] = singles_set((float)g->period[axis]);
            f.near_inv_period[axis] = singles_set((float)g->inv_period[axis]);
            f.period[axis] = lanes_set(g->period[axis]);
            f.inv_period[axis] = lanes_set(g->inv_period[axis]);
        }
    }
    return f;
}

/* Soon the spheres from number k on are compared. */
LANES_INLINE void fetch(const field *f, int32_t k, mode m)
{
    for (int axis = 0; axis < 3; axis++) {
        PREFETCH((uintptr_t)(m & FLOATS ? (const void *)f->near_place[axis] : f->place[axis]) +
                 (uintptr_t)k * (m & FLOATS ? sizeof(float) : sizeof(double)));
    }
    PREFETCH((uintptr_t)(m & FLOATS ? (const void *)f->near_reach : f->reach) +
             (uintptr_t)k * (m & FLOATS ? sizeof(float) : sizeof(double)));
}

/* A sphere that looks for others. */
typedef struct looker {
    const sphere_row *row;
    int32_t number;
    lanes place[3], reach;
    singles near_place[3], least_reach, most_reach;
} looker;

/* A sphere, counted from the grid's low corner where it is compared with floats. */
LANES_INLINE looker look(const grid *g, const sphere_row *row, int32_t number, mode m)
{
    looker from = {.row = row, .number = number};
    for (int axis = 0; axis < 3; axis++) {
        if (m & FLOATS) {
            from.near_place[axis] = singles_set((float)(row->place[axis] - g->low[axis]));
        } else {
            from.place[axis] = lanes_set(row->place[axis]);
        }
    }
    from.least_reach = singles_set((float)row->reach - g->margin);
    from.most_reach = singles_set((float)row->reach + g->margin);
    from.reach = lanes_set(row->reach);
    return from;
}

/* Sphere a of the grid's order: its row, which is farther away, is hardly ever read. */
LANES_INLINE looker look_near(const field *f, int32_t a, mode m)
{
    const grid *g = f->grid;
    looker from = {.row = &g->rows[g->ids[a]], .number = a};
    for (int axis = 0; axis < 3; axis++) {
        if (m & FLOATS) {
            from.near_place[axis] = singles_set(f->near_place[axis][a]);
        } else {
            from.place[axis] = lanes_set(f->place[axis][a]);
        }
    }
    if (m & FLOATS) {
        from.least_reach = singles_set(f->near_reach[a] - g->margin);
        from.most_reach = singles_set(f->near_reach[a] + g->margin);
    } else {
        from.reach = lanes_set(f->reach[a]);
    }
    return from;
}

/* The same question to one sphere. */
static bool touches(const grid *g, const sphere_row *from, const sphere_row *to)
{
    double d[3];
    for (int axis = 0; axis < 3; axis++) {
        const double ones = 0x1.8p52; /* as lanes_round */
        d[axis] = from->place[axis] - to->place[axis];
        d[axis] -= ((d[axis] * g->inv_period[axis] + ones) - ones) * g->period[axis];
    }
    const double reach = from->reach + to->reach;
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= reach * reach;
}

/* Which of the spheres that floats leave open touch. */
static unsigned decide(const grid *g, const sphere_row *from, int32_t begin, unsigned open)
{
    unsigned touching = 0;
    for (; open; open &= open - 1) {
        const int k = __builtin_ctz(open);
        touching |= (unsigned)touches(g, from, &g->rows[g->ids[begin + k]]) << k;
    }
    return touching;
}

LANES_INLINE singles near_difference(const field *f, const looker *from, int axis, int32_t k,
                                     mode m)
{
    singles difference = from->near_place[axis] - singles_load(f->near_place[axis] + k);
    if (m & PERIODIC) {
        singles images = singles_round(difference * f->near_inv_period[axis]);
        difference = difference - images * f->near_period[axis];
    }
    return difference;
}

LANES_INLINE unsigned compare_floats(const field *f, const looker *from, int32_t begin,
                                     unsigned mask, mode m)
{
    singles x = near_difference(f, from, 0, begin, m), y = near_difference(f, from, 1, begin, m);
    singles z = near_difference(f, from, 2, begin, m), reach = singles_load(f->near_reach + begin);
    singles distance_sq = x * x + y * y + z * z;
    singles most = from->most_reach + reach;
    singles least = singles_larger(from->least_reach + reach, singles_set(0.0f));
    /* where the margin is more than the reaches, 0 is not less than 0, and nothing is sure */
    unsigned touching = singles_less_bits(distance_sq, least * least) & mask;
    unsigned open = singles_no_more_bits(distance_sq, most * most) & mask & ~touching;
    return open ? touching | decide(f->grid, from->row, begin, open) : touching;
}

LANES_INLINE lanes difference_along(const field *f, const looker *from, int axis, int32_t k, mode m)
{
    lanes difference = from->place[axis] - lanes_load(f->place[axis] + k);
    if (m & PERIODIC) {
        lanes images = lanes_round(difference * f->inv_period[axis]);
        difference = difference - images * f->period[axis];
    }
    return difference;
}

LANES_INLINE unsigned compare_doubles(const field *f, const looker *from, int32_t begin, mode m)
{
    lanes x = difference_along(f, from, 0, begin, m), y = difference_along(f, from, 1, begin, m);
    lanes z = difference_along(f, from, 2, begin, m);
    lanes reach = from->reach + lanes_load(f->reach + begin);
    return mask_bits(lanes_no_more(x * x + y * y + z * z, reach * reach));
}

/* Spheres that are compared at once. */
LANES_INLINE int32_t width_of(mode m)
{
    return m & FLOATS ? SINGLES : LANES;
}

/* Compare with the first spheres from number `begin` on, of `count`. Those that touch are appended
 * to the list, which has `length` numbers; returns its new length. */
LANES_INLINE int32_t compare_vector(const field *f, const looker *from, int32_t begin,
                                    int32_t count, int32_t *list, int32_t length, mode m)
{
    if (m & FLOATS) {
        unsigned bits = compare_floats(f, from, begin, singles_first_bits(count), m);
        return length + singles_append_bits(list + length, begin, bits);
    }
    unsigned bits = compare_doubles(f, from, begin, m) & lanes_first_bits(count);
    return length + lanes_append_bits(list + length, begin, bits);
}

/* The sphere's number beside those that it has found: mostly no more than a vector has. */
LANES_INLINE void store_number(const looker *from, int32_t count, pair_queue *queue, mode m)
{
    int32_t k = queue->count;
    do {
        if (m & FLOATS) {
            singles_store_number(queue->firsts + k, from->number);
        } else {
            lanes_store_number(queue->firsts + k, from->number);
        }
        k += width_of(m);
    } while (k < count);
    queue->count = count;
}

/* Whether there is room for so many more pairs, after making some. */
LANES_INLINE bool has_room(pair_queue *queue, int32_t room)
{
    return (abut_index)queue->count + room <= queue->capacity - GRID_PADDING ||
           queue->drain(queue, room);
}

/* ---- one level ---- */

/* Compare with the spheres of a run; a vector is compared even where it is empty, which saves a
 * branch that the processor would have to guess. */
LANES_INLINE bool search_run(const field *f, const looker *from, int32_t begin, int32_t end,
                             pair_queue *queue, mode m)
{
    if (!has_room(queue, end - begin + width_of(m))) {
        return false;
    }
    int32_t count = queue->count;
    queue->distance_count += end - begin;
    do {
        count = compare_vector(f, from, begin, end - begin, queue->seconds, count, m);
        begin += width_of(m);
    } while (begin < end);
    store_number(from, count, queue, m);
    return true;
}

/* The spheres of the cells x - 1, x and x + 1 of a row. */
LANES_INLINE bool search_three(const field *f, const row_task *task, const looker *from,
                               int32_t row, int32_t x, pair_queue *queue, mode m)
{
    const int32_t *begins = f->begins;
    const grid_axis *axis = &task->level->axes[0];
    const int32_t last = axis->count - 1;
    int32_t low = x > 0 ? x - 1 : 0, high = x < last ? x + 1 : last;
    if (axis->wraps && (x == 0 || x == last)) {
        int32_t beyond = row + (x == 0 ? last : 0);
        if (!search_run(f, from, begins[beyond], begins[beyond + 1], queue, m)) {
            return false;
        }
    }
    return search_run(f, from, begins[row + low], begins[row + high + 1], queue, m);
}

/* Whom a sphere of cell x meets: who comes after it in its own cell, and all cells ahead. */
LANES_INLINE bool search_ahead(const field *f, const row_task *task, const looker *from, int32_t x,
                               pair_queue *queue, mode m)
{
    const int32_t *begins = f->begins;
    const grid_axis *axis = &task->level->axes[0];
    const bool is_last = x == axis->count - 1;
    const int32_t end = begins[task->row + x + (is_last ? 1 : 2)];
    bool is_done = search_run(f, from, from->number + 1, end, queue, m);
    if (is_done && is_last && axis->wraps) {
        is_done = search_run(f, from, begins[task->row], begins[task->row + 1], queue, m);
    }
    for (int32_t r = 0; is_done && r < task->ahead_count; r++) {
        is_done = search_three(f, task, from, task->ahead[r], x, queue, m);
    }
    return is_done;
}

/* Most runs fit into one vector, and most cells are not at the border: who compares with one
 * vector a run, whatever it holds, has no branch that the processor has to guess. False: a run is
 * longer; nothing has changed. */
LANES_INLINE bool search_short(const field *f, const row_task *task, const looker *from, int32_t x,
                               int32_t ahead_count, pair_queue *queue, mode m)
{
    const int32_t *begins = f->begins;
    int32_t *seconds = queue->seconds;
    int32_t begin = from->number + 1, end = begins[task->row + x + 2];
    int32_t longest = end - begin, sum = end - begin;
    int32_t count = compare_vector(f, from, begin, end - begin, seconds, queue->count, m);
    for (int32_t r = 0; r < ahead_count; r++) {
        begin = begins[task->ahead[r] + x - 1], end = begins[task->ahead[r] + x + 2];
        longest = end - begin > longest ? end - begin : longest;
        sum += end - begin;
        count = compare_vector(f, from, begin, end - begin, seconds, count, m);
    }
    fetch(f, begin + FETCHED_AHEAD, m); /* of the last row, which nobody has read before */
    if (longest > width_of(m)) {
        return false;
    }
    queue->distance_count += sum;
    store_number(from, count, queue, m);
    return true;
}

/* Rows ahead in space, where none is at the border. */
enum { MOST_AHEAD = 4 };

/* The compiler unrolls the loop over the rows where it knows their number. */
LANES_INLINE bool search_known(const field *f, const row_task *task, const looker *from, int32_t x,
                               pair_queue *queue, mode m)
{
    return task->ahead_count == MOST_AHEAD
               ? search_short(f, task, from, x, MOST_AHEAD, queue, m)
               : search_short(f, task, from, x, task->ahead_count, queue, m);
}

LANES_INLINE bool search_row(const grid *g, const row_task *task, pair_queue *queue, mode m)
{
    const field all = field_of(g, m), *f = &all;
    const row_task here = *task;
    const int32_t *cells = g->cells;
    const int32_t begin = f->begins[here.row + here.begin], end = f->begins[here.row + here.end];
    const int32_t last = here.level->axes[0].count - 1;
    for (int32_t a = begin; a < end; a++) {
        const int32_t x = cells[a] - here.row;
        const looker from = look_near(f, a, m);
        if (!has_room(queue, 5 * width_of(m))) {
            return false;
        }
        if ((x == 0 || x == last || !search_known(f, &here, &from, x, queue, m)) &&
            !search_ahead(f, &here, &from, x, queue, m)) {
            return false;
        }
    }
    return true;
}

bool KERNEL(near_row)(const grid *g, const row_task *task, pair_queue *queue)
{
    if (g->near_reach) {
        return g->is_periodic ? search_row(g, task, queue, FLOATS | PERIODIC)
                              : search_row(g, task, queue, FLOATS);
    }
    return g->is_periodic ? search_row(g, task, queue, PERIODIC)
                          : search_row(g, task, queue, DOUBLES);
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
    if (place < level->least[axis] - reach || place > level->most[axis] + reach) {
        return false;
    }
    place = place > g->low[axis] ? place : g->low[axis];
    place = place < g->high[axis] ? place : g->high[axis];
    place = (place - g->low[axis]) * at->inv_length;
    const double half = reach * at->inv_length + level->slack;
    double low = floor(place - half), high = floor(place + half);
    if (g->period[axis] == 0.0) {
        low = low > level->first[axis] ? low : level->first[axis];
        high = high < level->last[axis] ? high : level->last[axis];
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

/* ---- tasks ---- */

/* From cells to spheres; those without any are left out. */
LANES_INLINE void find_runs(const field *f, pair_queue *queue, mode m)
{
    int32_t count = 0;
    for (int32_t t = 0; t < queue->task_count; t++) {
        const look_task task = queue->tasks[t];
        const int32_t begin = f->begins[task.begin], end = f->begins[task.end];
        queue->tasks[count] = (look_task){begin, end, task.number};
        count += begin < end;
        fetch(f, begin, m);
    }
    queue->task_count = count;
}

LANES_INLINE bool do_tasks(const grid *g, pair_queue *queue, mode m)
{
    const field all = field_of(g, m), *f = &all;
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
    if (g->near_reach) {
        return g->is_periodic ? do_tasks(g, queue, FLOATS | PERIODIC) : do_tasks(g, queue, FLOATS);
    }
    return g->is_periodic ? do_tasks(g, queue, PERIODIC) : do_tasks(g, queue, DOUBLES);
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

/* Cells low ... high of a row, counted from the window's begin. */
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

/* Rows of the layer from number t on, LANES of them. */
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
    lanes zero = lanes_set(0.0); /* the window may be cut off on either side of the sphere */
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

/* Room for tasks of LANES rows. */
LANES_INLINE bool has_task_room(const grid *g, pair_queue *queue)
{
    return queue->task_count <= TASK_LIMIT - 2 * LANES || finish(g, queue);
}

/* In so few rows of cells it takes longer to find out which the sphere does not reach. */
enum { FEW_ROWS = 4 };

LANES_INLINE bool is_small(const grid_level *level, const window windows[3])
{
    bool is_whole = true;
    for (int axis = 0; axis < 3; axis++) {
        is_whole &= windows[axis].first + windows[axis].count <= level->axes[axis].count;
    }
    return is_whole && windows[1].count <= FEW_ROWS && windows[2].count <= FEW_ROWS;
}

/* All cells of the windows. */
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
    const double reach = (from->reach + level->reach) * (1.0 + 0x1p-48);
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
