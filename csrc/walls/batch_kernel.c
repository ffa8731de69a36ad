/* Spheres from the caller's rows into a batch's arrays, checked on the way. */
#include "../base/lanes_kernel.h"
#include "../base/prefetch.h"
#include "../base/simd.h"
#include "kernels.h"

/* What is beyond the batch's spheres, in the last block that a look takes, sees nothing. */
static void fill_padding(batch *b)
{
    for (int32_t i = b->count; i < b->count + BATCH_BLOCK; i++) {
        b->center[0][i] = b->center[1][i] = b->center[2][i] = b->radius[i] = 0.0;
        b->reach[i] = -1.0;
    }
}

/* Fetch the cache line that is `ahead` doubles away, if there is one. */
LANES_INLINE void prefetch(const double *from, int32_t ahead)
{
    PREFETCH((uintptr_t)from + (uintptr_t)ahead * sizeof *from);
}

/* The spheres from number i on, as many as a vector has. Clears `are_good` where a center is not
 * finite, or too far. */
LANES_INLINE void load_lanes(batch *b, int32_t i, const double *centers, const double *radii,
                             double gap, lanes_mask *are_good)
{
    lanes columns[3], limit = lanes_set(ABUT_COORDINATE_LIMIT), radius = lanes_load(radii);
    lanes_load_points(centers, columns);
    for (int axis = 0; axis < 3; axis++) {
        *are_good = mask_and(*are_good, lanes_no_more(lanes_abs(columns[axis]), limit));
        lanes_store(b->center[axis] + i, columns[axis]);
    }
    lanes_store(b->radius + i, radius);
    lanes_store(b->reach + i, radius + lanes_set(gap));
}

bool KERNEL(batch_load)(batch *b, const double *centers, const double *radii, double gap)
{
    lanes zero = lanes_set(0.0);
    lanes_mask are_good = lanes_equal(zero, zero);
    int32_t i = 0;
    for (; i + LANES <= b->count; i += LANES) {
        /* the next batch: after the work that comes first the processor has lost the thread */
        for (int line = 0; line < 3; line++) {
            prefetch(centers + 3 * i, 3 * BATCH_SPHERES + line * LANES);
        }
        prefetch(radii + i, BATCH_SPHERES);
        load_lanes(b, i, centers + 3 * i, radii + i, gap, &are_good);
    }
    if (i < b->count) {
        /* rows behind the last are not the caller's */
        double last_centers[3 * LANES] = {0}, last_radii[LANES] = {0};
        memcpy(last_centers, centers + 3 * i, (size_t)(b->count - i) * 3 * sizeof *centers);
        memcpy(last_radii, radii + i, (size_t)(b->count - i) * sizeof *radii);
        load_lanes(b, i, last_centers, last_radii, gap, &are_good);
    }
    fill_padding(b);
    return mask_bits(are_good) == LANES_ALL;
}

bool KERNEL(batch_range)(abut_index count, const double *radii, double *smallest, double *largest)
{
    lanes low = lanes_set(INFINITY), high = lanes_set(0.0);
    lanes limit = lanes_set(ABUT_COORDINATE_LIMIT), zero = lanes_set(0.0);
    lanes_mask are_good = lanes_less(zero, limit);
    abut_index i = 0;
    for (; i + LANES <= count; i += LANES) {
        lanes radius = lanes_load(radii + i);
        low = lanes_select(lanes_less(radius, low), radius, low);
        high = lanes_select(lanes_less(high, radius), radius, high);
        are_good =
            mask_and(are_good, mask_and(lanes_less(zero, radius), lanes_no_more(radius, limit)));
    }
    bool is_good = mask_bits(are_good) == LANES_ALL;
    *smallest = lanes_smallest(low);
    *largest = -lanes_smallest(zero - high);
    for (; i < count; i++) {
        *smallest = radii[i] < *smallest ? radii[i] : *smallest;
        *largest = radii[i] > *largest ? radii[i] : *largest;
        is_good = is_good && radii[i] > 0.0 && radii[i] <= ABUT_COORDINATE_LIMIT;
    }
    return is_good;
}
