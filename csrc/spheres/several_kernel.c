/* Compares one sphere with several others, all at the same image (image_run). */
#include "../base/simd.h"
#include "compare_kernel.h"

/* The vector from image 0 to an image, in floats and in doubles. */
typedef struct shift_lanes {
    singles near_shift[3];
    lanes shift[3];
} shift_lanes;

/* Decides in doubles which spheres with set bits in `open` touch at the run's image. */
static unsigned decide_shifted(const grid *g, const image_run *run, int32_t begin, unsigned open)
{
    unsigned touching = 0;
    for (; open; open &= open - 1) {
        const int k = __builtin_ctz(open);
        const sphere_row *to = &g->rows[g->ids[begin + k]];
        touching |= (unsigned)grid_touches(&g->lattice, run->from, to, run->image) << k;
    }
    return touching;
}

/* Compares as compare_floats and compare_doubles do, but with spheres at the run's image. */
LANES_INLINE answer compare_shifted(const field *f, const looker *from, const shift_lanes *by,
                                    int32_t begin, mode m)
{
    if (m & FLOATS) {
        singles d[3];
        for (int axis = 0; axis < 3; axis++) {
            d[axis] = near_difference(f, from, axis, begin, m) - by->near_shift[axis];
        }
        return answer_by_floats(f, from, begin, d);
    }
    lanes d[3];
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = difference_along(f, from, axis, begin, m) - by->shift[axis];
    }
    return answer_by_doubles(f, from, begin, d);
}

/* The number of spheres that are compared in one go. The memory for as many pairs stays in the
 * first-level cache. */
enum { STRETCH = 1024 };

/* Compares a sphere with `length` spheres, at most STRETCH, from index `begin` of the grid's order
 * on. False: the search must end. */
LANES_INLINE bool search_stretch(const field *f, const looker *from, const shift_lanes *by,
                                 const image_run *run, int32_t begin, int32_t length,
                                 pair_queue *queue, mode m)
{
    if (!has_room(queue, length)) {
        return false;
    }
    int32_t count = queue->count;
    queue->distance_count += length;
    for (int32_t k = 0; k < length; k += width_of(m)) {
        const unsigned mask =
            m & FLOATS ? singles_first_bits(length - k) : lanes_first_bits(length - k);
        const answer found = compare_shifted(f, from, by, begin + k, m);
        unsigned touching = found.touching & mask;
        if (found.open & mask) {
            touching |= decide_shifted(f->grid, run, begin + k, found.open & mask);
        }
        count += append(f, begin + k, touching, queue->seconds + count, m);
    }
    store_number(from, count, queue, m);
    return true;
}

LANES_INLINE bool search_shifted(const grid *g, const image_run *run, pair_queue *queue, mode m)
{
    const field all = field_of(g, m), *f = &all;
    const looker from = look(g, run->from, run->number, m);
    shift_lanes by;
    for (int axis = 0; axis < 3; axis++) {
        const double shift = run->image[axis] * g->lattice.period[axis];
        by.near_shift[axis] = singles_set((float)shift);
        by.shift[axis] = lanes_set(shift);
    }
    for (int32_t k = run->begin; k < run->end; k += STRETCH) {
        const int32_t remaining = run->end - k, length = remaining < STRETCH ? remaining : STRETCH;
        if (!search_stretch(f, &from, &by, run, k, length, queue, m)) {
            return false;
        }
    }
    return true;
}

bool KERNEL(several_run)(const grid *g, const image_run *run, pair_queue *queue)
{
    return g->near_reach ? search_shifted(g, run, queue, FLOATS)
                         : search_shifted(g, run, queue, DOUBLES);
}
