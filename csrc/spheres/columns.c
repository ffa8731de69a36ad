/* Pairs into the caller's columns. */
#include <math.h>
#include <string.h>

#include "../base/parallel.h"
#include "../base/prefetch.h"
#include "pairs.h"

/* Pairs that are written in one go. */
enum { BLOCK_PAIRS = 256 };

typedef struct writing {
    const abut_pairs *pairs;
    const abut_pair_columns *columns;
} writing;

/* Numbers of pairs' rows, and of their images; what is behind the last are numbers, too. */
typedef struct pair_numbers {
    int32_t firsts[BLOCK_PAIRS + GRID_PADDING], seconds[BLOCK_PAIRS + GRID_PADDING];
    double images[3][BLOCK_PAIRS + GRID_PADDING], shifts[3][BLOCK_PAIRS + GRID_PADDING];
} pair_numbers;

static void set_seconds(const abut_pairs *pairs, abut_index row, int32_t count, pair_numbers *n)
{
    for (int32_t k = 0; k < count; k++) {
        const int32_t number = pairs->seconds[row + k];
        n->seconds[k] = pairs->images ? pairs->images[number].sphere : number;
        PREFETCH(&pairs->second_set->rows[n->seconds[k]]);
    }
    for (int32_t k = count; k < count + GRID_PADDING; k++) {
        n->firsts[k] = n->seconds[k] = 0;
    }
}

/* The image that was searched for, or the nearest one. */
static double image_along(const abut_pairs *pairs, abut_index row, int axis, int32_t first,
                          int32_t second)
{
    if (pairs->images) {
        return pairs->images[pairs->seconds[row]].image[axis];
    }
    const double difference =
        pairs->own.rows[first].place[axis] - pairs->second_set->rows[second].place[axis];
    return rint(difference * pairs->finder->inv_period[axis]) + 0.0; /* not -0 */
}

static void set_images(const abut_pairs *pairs, abut_index row, int32_t count, pair_numbers *n)
{
    memset(n->shifts, 0, sizeof n->shifts);
    for (int axis = 0; axis < 3; axis++) {
        for (int32_t k = 0; k < count; k++) {
            n->images[axis][k] = image_along(pairs, row + k, axis, n->firsts[k], n->seconds[k]);
            n->shifts[axis][k] = n->images[axis][k] * pairs->finder->period[axis];
        }
    }
}

/* Whether the caller has the sphere elsewhere than in the box. */
static bool is_moved(const double *center, const double *place, int dimension)
{
    bool is_same = true;
    for (int axis = 0; axis < dimension; axis++) {
        is_same &= center[axis] == place[axis];
    }
    return !is_same;
}

/* Points beside spheres where the caller has them, not in the box. */
static void move_points(const writing *w, abut_index row, int32_t count, const pair_numbers *n)
{
    const row_set *own = &w->pairs->own;
    const int dimension = w->pairs->finder->dimension;
    for (int32_t k = 0; k < count; k++) {
        const abut_index i = n->firsts[k], at = dimension * (row + k);
        const double *center = own->centers + dimension * i;
        if (is_moved(center, own->rows[i].place, dimension)) {
            const double inward = own->radii[i] - 0.5 * w->columns->overlap[row + k];
            for (int axis = 0; axis < dimension; axis++) {
                w->columns->point[at + axis] =
                    center[axis] - w->columns->normal[at + axis] * inward;
            }
        }
    }
}

static void write_images(const writing *w, abut_index row, int32_t count, const pair_numbers *n)
{
    const abut_pairs *pairs = w->pairs;
    const int dimension = pairs->finder->dimension;
    for (int32_t k = 0; k < count; k++) {
        double from[3], to[3];
        rows_wraps(pairs, &pairs->own, n->firsts[k], from);
        rows_wraps(pairs, pairs->second_set, n->seconds[k], to);
        for (int axis = 0; axis < dimension; axis++) {
            w->columns->image[dimension * (row + k) + axis] =
                (abut_index)(n->images[axis][k] + from[axis] - to[axis]);
        }
    }
}

/* Pairs row ... row + count - 1, whose first spheres are known. */
static void write_block(const writing *w, abut_index row, int32_t count, pair_numbers *n)
{
    const abut_pairs *pairs = w->pairs;
    const abut_pair_finder *finder = pairs->finder;
    const row_set *own = &pairs->own, *second = pairs->second_set;
    const abut_index at = finder->dimension * row;
    pair_block block = {.count = count,
                        .firsts = n->firsts,
                        .seconds = n->seconds,
                        .first_rows = own->rows,
                        .second_rows = second->rows,
                        .first_radii = own->radii == own->reaches ? NULL : own->radii,
                        .second_radii = second->radii == second->reaches ? NULL : second->radii,
                        .dimension = finder->dimension,
                        .i = w->columns->i + row,
                        .j = w->columns->j + row,
                        .normal = w->columns->normal + at,
                        .overlap = w->columns->overlap + row,
                        .point = w->columns->point + at};
    set_seconds(pairs, row, count, n);
    if (finder->is_periodic) {
        set_images(pairs, row, count, n);
        for (int axis = 0; axis < 3; axis++) {
            block.shifts[axis] = n->shifts[axis];
        }
    }
    pair_kernels_take()->pairs_compute(&block);
    if (own->bounds.is_outside) {
        move_points(w, row, count, n);
    }
    if (w->columns->image && finder->is_periodic) {
        write_images(w, row, count, n);
    }
}

/* Pairs are mostly a sphere's only few: so many numbers are written without asking. */
enum { FEW = 4 };

/* The first spheres of pairs row ... row + count - 1, of which `sphere` is the first or before;
 * returns the last of them. */
static abut_index set_firsts(const abut_index *offsets, abut_index sphere, abut_index row,
                             int32_t count, int32_t *firsts)
{
    for (int32_t k = 0;; sphere++) {
        const abut_index own_end = offsets[sphere + 1] - row;
        const int32_t end = own_end < count ? (int32_t)own_end : count;
        for (int32_t t = k; t < k + FEW; t++) {
            firsts[t] = (int32_t)sphere;
        }
        for (int32_t t = k + FEW; t < end; t++) {
            firsts[t] = (int32_t)sphere;
        }
        k = end;
        if (k >= count) {
            return sphere;
        }
    }
}

/* Pairs of a block of first spheres. */
static abut_status write_chunk(void *context, abut_index block, parallel_job *job)
{
    const writing *w = context;
    const abut_pairs *pairs = w->pairs;
    const abut_index *offsets = pairs->offsets;
    const abut_index begin = block << pairs->block_shift, after = (block + 1) << pairs->block_shift;
    const abut_index end = after < pairs->own.count ? after : pairs->own.count;
    const abut_index last = offsets[end];
    pair_numbers numbers;
    abut_index sphere = begin;
    for (abut_index row = offsets[begin]; row < last; row += BLOCK_PAIRS) {
        const int32_t count = last - row < BLOCK_PAIRS ? (int32_t)(last - row) : BLOCK_PAIRS;
        sphere = set_firsts(offsets, sphere, row, count, numbers.firsts);
        write_block(w, row, count, &numbers);
    }
    memcpy(w->columns->offsets + begin, offsets + begin, (size_t)(end - begin) * sizeof *offsets);
    return parallel_report(job, 2 * (last - offsets[begin]));
}

void abut_pairs_write(const abut_pairs *pairs, const abut_pair_columns *columns)
{
    writing w = {pairs, columns};
    columns->offsets[pairs->own.count] = pairs->count;
    parallel_run(pairs->block_count, pairs->query.workers, write_chunk, &w, NULL, NULL);
}
