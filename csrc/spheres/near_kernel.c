/* Finds pairs of spheres of one level. */
#include "../base/simd.h"
#include "compare_kernel.h"

/* Spheres are fetched into the cache this many places ahead of those that are compared. */
enum { FETCHED_AHEAD = 64 };

/* Compares a sphere with those in cells x - 1, x and x + 1 of a row. */
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

/* Compares sphere a, in cell x, with all spheres after it: in its own cell, in the next cell of its
 * row, and in the cells around x of the rows ahead. */
LANES_INLINE bool search_ahead(const field *f, const row_task *task, const looker *from, int32_t a,
                               int32_t x, pair_queue *queue, mode m)
{
    const int32_t *begins = f->begins;
    const grid_axis *axis = &task->level->axes[0];
    const bool is_last = x == axis->count - 1;
    const int32_t end = begins[task->row + x + (is_last ? 1 : 2)];
    bool is_done = search_run(f, from, a + 1, end, queue, m);
    if (is_done && is_last && axis->wraps) {
        is_done = search_run(f, from, begins[task->row], begins[task->row + 1], queue, m);
    }
    for (int32_t r = 0; is_done && r < task->ahead_count; r++) {
        is_done = search_three(f, task, from, task->ahead[r], x, queue, m);
    }
    return is_done;
}

/* Appends the spheres that sphere a, in cell x, touches. Bits of found[0] are spheres after it in
 * its own row, bits of found[1 + r] spheres in row r ahead. */
LANES_INLINE void append_all(const field *f, const row_task *task, const looker *from, int32_t a,
                             int32_t x, int32_t ahead_count, const answer *found, pair_queue *queue,
                             mode m)
{
    int32_t *seconds = queue->seconds, count = queue->count;
    count += append(f, a + 1, found[0].touching, seconds + count, m);
    for (int32_t r = 0; r < ahead_count; r++) {
        const int32_t begin = f->begins[task->ahead[r] + x - 1];
        count += append(f, begin, found[1 + r].touching, seconds + count, m);
    }
    store_number(from, count, queue, m);
}

/* Compares sphere a with one vector of spheres from its own row, and one from each row ahead.
 * Usually this is enough: in most rows there are few spheres to compare, most cells are not at the
 * border, and floats decide most pairs. So the processor has to guess only one branch: whether
 * there is any pair. With different sizes there is usually none. Returns false and changes nothing
 * if one vector is not enough, or if doubles must decide. */
LANES_INLINE bool search_short(const field *f, const row_task *task, const looker *from, int32_t a,
                               int32_t x, int32_t ahead_count, pair_queue *queue, mode m)
{
    const int32_t *begins = f->begins;
    answer found[1 + MOST_AHEAD];
    int32_t begin = a + 1, end = begins[task->row + x + 2];
    int32_t longest = end - begin, sum = end - begin;
    found[0] = compare_vector(f, from, begin, end - begin, m);
    unsigned open = found[0].open, touching = found[0].touching;
    for (int32_t r = 0; r < ahead_count; r++) {
        begin = begins[task->ahead[r] + x - 1], end = begins[task->ahead[r] + x + 2];
        longest = end - begin > longest ? end - begin : longest;
        sum += end - begin;
        found[1 + r] = compare_vector(f, from, begin, end - begin, m);
        open |= found[1 + r].open, touching |= found[1 + r].touching;
    }
    fetch(f, begin + FETCHED_AHEAD, m); /* in the last row ahead, which was not read before */
    if (longest > width_of(m) || open) {
        return false;
    }
    queue->distance_count += sum;
    if (touching) {
        append_all(f, task, from, a, x, ahead_count, found, queue, m);
    }
    return true;
}

/* Calls search_short. The compiler unrolls its loop over rows if it knows their number. */
LANES_INLINE bool search_known(const field *f, const row_task *task, const looker *from, int32_t a,
                               int32_t x, pair_queue *queue, mode m)
{
    return task->ahead_count == MOST_AHEAD
               ? search_short(f, task, from, a, x, MOST_AHEAD, queue, m)
               : search_short(f, task, from, a, x, task->ahead_count, queue, m);
}

/* Compares the spheres in a task's cells with the spheres after them. */
LANES_INLINE bool search_row(const grid *g, const row_task *task, pair_queue *queue, mode m)
{
    const field all = field_of(g), *f = &all;
    const row_task here = *task;
    const int32_t *cells = g->cells;
    const int32_t begin = f->begins[here.row + here.begin], end = f->begins[here.row + here.end];
    const int32_t last = here.level->axes[0].count - 1;
    for (int32_t a = begin; a < end; a++) {
        const int32_t x = cells[a] - here.row;
        const looker from = look_near(f, a, m);
        if (!has_room(queue, (1 + MOST_AHEAD) * width_of(m))) {
            return false;
        }
        const bool is_border = x == 0 || x == last;
        if ((is_border || !search_known(f, &here, &from, a, x, queue, m)) &&
            !search_ahead(f, &here, &from, a, x, queue, m)) {
            return false;
        }
    }
    return true;
}

bool KERNEL(near_row)(const grid *g, const row_task *task, pair_queue *queue)
{
    return g->near_reach ? search_row(g, task, queue, FLOATS) : search_row(g, task, queue, DOUBLES);
}
