/* Compares one sphere with several of a grid at a time.
 *
 * A pair touches if the square of the centers' distance, (dx dx + dy dy) + dz dz, is at most the
 * square of the sum of the reaches. Both squares are doubles. Nothing else decides: cells only
 * select spheres to compare, and floats leave close cases to doubles. */
#ifndef SPHERES_COMPARE_KERNEL_H
#define SPHERES_COMPARE_KERNEL_H

#include "../base/lanes_kernel.h"
#include "../base/prefetch.h"
#include "kernels.h"

/* How spheres are compared: in doubles, or first in floats. */
typedef enum mode { DOUBLES, FLOATS } mode;

/* Copies of the grid's pointers, which can stay in registers. The grid itself cannot: the compiler
 * must assume that any write to a list changes it. Pointers that the mode does not need are NULL.
 */
typedef struct field {
    const grid *grid;
    const int32_t *begins, *ids;
    const float *near_place[3], *near_reach;
    const double *place[3], *reach;
} field;

LANES_INLINE field field_of(const grid *g)
{
    field f = {.grid = g,
               .begins = g->begins,
               .ids = g->ids,
               .near_reach = g->near_reach,
               .reach = g->reach};
    for (int axis = 0; axis < 3; axis++) {
        f.near_place[axis] = g->near_place[axis];
        f.place[axis] = g->place[axis];
    }
    return f;
}

/* Fetches spheres into the cache: one cache line of each array, from index k of the grid's
 * order. */
LANES_INLINE void fetch(const field *f, int32_t k, mode m)
{
    for (int axis = 0; axis < 3; axis++) {
        PREFETCH((uintptr_t)(m == FLOATS ? (const void *)f->near_place[axis] : f->place[axis]) +
                 (uintptr_t)k * (m == FLOATS ? sizeof(float) : sizeof(double)));
    }
    PREFETCH((uintptr_t)(m == FLOATS ? (const void *)f->near_reach : f->reach) +
             (uintptr_t)k * (m == FLOATS ? sizeof(float) : sizeof(double)));
}

/* The sphere that is compared with those of the grid. */
typedef struct looker {
    const sphere_row *row;
    int32_t number; /* the caller's number of the sphere */
    lanes place[3], reach;
    singles near_place[3], least_reach, most_reach;
} looker;

/* Prepares a sphere for comparison. Its floats are relative to the grid's low corner. */
LANES_INLINE looker look(const grid *g, const sphere_row *row, int32_t number, mode m)
{
    looker from = {.row = row, .number = number};
    for (int axis = 0; axis < 3; axis++) {
        if (m == FLOATS) {
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

/* Prepares sphere a of the grid's order for comparison. Its row is read only where floats cannot
 * decide. */
LANES_INLINE looker look_near(const field *f, int32_t a, mode m)
{
    const grid *g = f->grid;
    looker from = {.row = &g->rows[f->ids[a]], .number = f->ids[a]};
    for (int axis = 0; axis < 3; axis++) {
        if (m == FLOATS) {
            from.near_place[axis] = singles_set(f->near_place[axis][a]);
        } else {
            from.place[axis] = lanes_set(f->place[axis][a]);
        }
    }
    if (m == FLOATS) {
        from.least_reach = singles_set(f->near_reach[a] - g->margin);
        from.most_reach = singles_set(f->near_reach[a] + g->margin);
    } else {
        from.reach = lanes_set(f->reach[a]);
    }
    return from;
}

/* Whether two spheres touch, by the same arithmetic as compare_doubles. */
static bool touches(const sphere_row *from, const sphere_row *to)
{
    const vec3 apart = vec3_sub(vec3_load(from->place), vec3_load(to->place));
    const double reach = from->reach + to->reach;
    return vec3_norm_sq(apart) <= reach * reach;
}

/* Decides in doubles which spheres touch `from`, among those with set bits in `open`. Bit 0 is the
 * sphere at index `begin` of the grid's order. Returns the bits of spheres that touch. */
static unsigned decide(const grid *g, const sphere_row *from, int32_t begin, unsigned open)
{
    unsigned touching = 0;
    for (; open; open &= open - 1) {
        const int k = __builtin_ctz(open);
        touching |= (unsigned)touches(from, &g->rows[g->ids[begin + k]]) << k;
    }
    return touching;
}

/* The spheres of one vector that a sphere touches, as bits. */
typedef struct answer {
    unsigned touching;
    unsigned open; /* spheres for which floats cannot decide */
} answer;

/* Compares a sphere with one vector of spheres, from index `begin` on, in floats. */
LANES_INLINE answer compare_floats(const field *f, const looker *from, int32_t begin)
{
    singles d[3], reach = singles_load(f->near_reach + begin);
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = from->near_place[axis] - singles_load(f->near_place[axis] + begin);
    }
    singles distance_sq = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    singles most = from->most_reach + reach;
    singles least = singles_larger(from->least_reach + reach, singles_set(0.0f));
    /* if the margin exceeds the reaches, `least` is 0, and no sphere surely touches */
    unsigned touching = singles_less_bits(distance_sq, least * least);
    return (answer){touching, singles_no_more_bits(distance_sq, most * most) & ~touching};
}

/* Compares as compare_floats does, but in doubles, which decide every pair. */
LANES_INLINE answer compare_doubles(const field *f, const looker *from, int32_t begin)
{
    lanes d[3], reach = from->reach + lanes_load(f->reach + begin);
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = from->place[axis] - lanes_load(f->place[axis] + begin);
    }
    lanes distance_sq = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    return (answer){mask_bits(lanes_no_more(distance_sq, reach * reach)), 0};
}

/* The number of spheres in one vector. */
LANES_INLINE int32_t width_of(mode m)
{
    return m == FLOATS ? SINGLES : LANES;
}

/* Compares a sphere with the first `count` spheres of one vector, from index `begin` on. */
LANES_INLINE answer compare_vector(const field *f, const looker *from, int32_t begin, int32_t count,
                                   mode m)
{
    const answer found =
        m == FLOATS ? compare_floats(f, from, begin) : compare_doubles(f, from, begin);
    const unsigned mask = m == FLOATS ? singles_first_bits(count) : lanes_first_bits(count);
    return (answer){found.touching & mask, found.open & mask};
}

/* Appends the spheres with set bits, counted from index `begin`, to a list; returns how many. */
LANES_INLINE int32_t append(const field *f, int32_t begin, unsigned bits, int32_t *list, mode m)
{
    return m == FLOATS ? singles_append_items(list, f->ids + begin, bits)
                       : lanes_append_items(list, f->ids + begin, bits);
}

/* Writes the sphere's number into each new pair, as its first sphere. `count` is the number of
 * pairs in the queue, new pairs included. Usually one vector is enough for all new pairs. */
LANES_INLINE void store_number(const looker *from, int32_t count, pair_queue *queue, mode m)
{
    int32_t k = queue->count;
    do {
        if (m == FLOATS) {
            singles_store_number(queue->firsts + k, from->number);
        } else {
            lanes_store_number(queue->firsts + k, from->number);
        }
        k += width_of(m);
    } while (k < count);
    queue->count = count;
}

/* A run is a number of consecutive spheres in the grid's order. Before a run of more spheres than
 * this, has_room calls `drain`, which reports work: comparing them takes a while. */
enum { LONG_RUN = 4096 };

/* Makes room for `room` more pairs. False: the search must end. */
LANES_INLINE bool has_room(pair_queue *queue, int32_t room)
{
    const abut_index wanted = (abut_index)queue->count + room;
    return (wanted <= queue->capacity - GRID_PADDING && room <= LONG_RUN) ||
           queue->drain(queue, room);
}

/* Compares a sphere with spheres begin ... end - 1 of the grid's order. One vector is compared even
 * if the run is empty: this saves a branch that the processor would have to guess. False: the
 * search must end. */
LANES_INLINE bool search_run(const field *f, const looker *from, int32_t begin, int32_t end,
                             pair_queue *queue, mode m)
{
    if (!has_room(queue, end - begin + width_of(m))) {
        return false;
    }
    int32_t count = queue->count;
    queue->distance_count += end - begin;
    do {
        answer found = compare_vector(f, from, begin, end - begin, m);
        if (found.open) {
            found.touching |= decide(f->grid, from->row, begin, found.open);
        }
        count += append(f, begin, found.touching, queue->seconds + count, m);
        begin += width_of(m);
    } while (begin < end);
    store_number(from, count, queue, m);
    return true;
}

#endif
