/* Computes normals, overlaps and points of pairs. */
#include "../base/lattice_kernel.h"
#include "../base/prefetch.h"
#include "../base/simd.h"
#include "kernels.h"

typedef struct pair_lanes {
    lanes normal[3], overlap, point[3];
} pair_lanes;

/* Loads LANES spheres with these numbers, as columns of x, y, z and radius. */
LANES_INLINE void load_spheres(const sphere_row *rows, const double *radii, const int32_t *numbers,
                               lanes columns[4])
{
    const double *pointers[LANES];
    for (int k = 0; k < LANES; k++) {
        pointers[k] = rows[numbers[k]].place;
    }
    lanes_load_rows(pointers, columns);
    if (radii) {
        double found[LANES];
        for (int k = 0; k < LANES; k++) {
            found[k] = radii[numbers[k]];
        }
        columns[3] = lanes_load(found);
    }
}

/* Computes LANES pairs from number p of the block on. */
LANES_INLINE pair_lanes compute(const pair_block *block, int32_t p)
{
    lanes i[4], j[4], d[3], zero = lanes_set(0.0), one = lanes_set(1.0);
    load_spheres(block->first_rows, block->first_radii, block->firsts + p, i);
    load_spheres(block->second_rows, block->second_radii, block->seconds + p, j);
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = i[axis] - j[axis];
        if (block->shifts[0]) {
            d[axis] = d[axis] - lanes_load(block->shifts[axis] + p);
        }
    }
    if (block->lattice && !block->shifts[0]) {
        lattice_take_nearest(block->lattice, d);
    }
    pair_lanes found;
    lanes distance = lanes_sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    lanes_mask is_same = lanes_equal(distance, zero);
    lanes inverse = one / lanes_select(is_same, one, distance);
    found.overlap = (i[3] + j[3]) - distance;
    lanes inward = i[3] - lanes_set(0.5) * found.overlap;
    for (int axis = 0; axis < 3; axis++) {
        found.normal[axis] =
            lanes_select(is_same, lanes_set(axis == 0 ? 1.0 : 0.0), d[axis] * inverse);
        found.point[axis] = i[axis] - found.normal[axis] * inward;
    }
    return found;
}

LANES_INLINE void put_vectors(double *to, const lanes columns[3], int dimension)
{
    if (dimension == 3) {
        lanes_store_points(to, columns);
        return;
    }
    double x[LANES], y[LANES];
    lanes_store(x, columns[0]);
    lanes_store(y, columns[1]);
    for (int k = 0; k < LANES; k++) {
        to[2 * k] = x[k], to[2 * k + 1] = y[k];
    }
}

static void put_numbers(int32_t count, const int32_t *restrict from, abut_index *restrict to)
{
    for (int32_t k = 0; to && k < count; k++) {
        to[k] = from[k];
    }
}

/* Fetches rows of later pairs into the cache, a few at a time, since the number of requests to
 * memory at the same time is limited. */
LANES_INLINE void fetch_next(const pair_block *block, int32_t p)
{
    for (int k = 0; k < LANES; k++) {
        PREFETCH(&block->second_rows[block->next_seconds[p + k]]);
    }
}

void KERNEL(pairs_compute)(const pair_block *block)
{
    const int dimension = block->dimension;
    put_numbers(block->count, block->firsts, block->i);
    put_numbers(block->count, block->seconds, block->j);
    int32_t p = 0;
    for (; p + LANES <= block->count; p += LANES) {
        fetch_next(block, p);
        pair_lanes found = compute(block, p);
        lanes_store(block->overlap + p, found.overlap);
        put_vectors(block->normal + dimension * p, found.normal, dimension);
        if (block->point) {
            put_vectors(block->point + dimension * p, found.point, dimension);
        }
    }
    if (p < block->count) {
        double overlap[LANES], normal[3 * LANES], point[3 * LANES];
        pair_lanes found = compute(block, p);
        lanes_store(overlap, found.overlap);
        put_vectors(normal, found.normal, dimension);
        put_vectors(point, found.point, dimension);
        const size_t remaining = (size_t)(block->count - p) * sizeof *overlap;
        memcpy(block->overlap + p, overlap, remaining);
        memcpy(block->normal + dimension * p, normal, remaining * (size_t)dimension);
        if (block->point) {
            memcpy(block->point + dimension * p, point, remaining * (size_t)dimension);
        }
    }
}
