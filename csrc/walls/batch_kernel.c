/* Spheres from the caller's rows into a batch's arrays, checked on the way.
 *
 * Plain loops over arrays without a branch, which compilers turn into vector code. */
#include "../base/lanes_kernel.h"
#include "../base/simd.h"
#include "kernels.h"

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* What is beyond the batch's spheres, in the last block that a look takes, sees nothing. */
static void fill_padding(batch *b)
{
    for (int32_t i = b->count; i < BATCH_ROOM; i++) {
        b->center[0][i] = b->center[1][i] = b->center[2][i] = b->radius[i] = b->largest[i] = 0.0;
        b->reach[i] = -1.0;
    }
}

bool KERNEL(batch_load)(batch *b, const double *centers, const double *radii, double gap)
{
    double *x = b->center[0], *y = b->center[1], *z = b->center[2];
    double *radius = b->radius, *reach = b->reach, *largest = b->largest;
    int bad = 0;
    for (int32_t i = 0; i < b->count; i++) {
        x[i] = centers[3 * i], y[i] = centers[3 * i + 1], z[i] = centers[3 * i + 2];
        radius[i] = radii[i];
        reach[i] = radii[i] + gap;
        double coordinate = larger(larger(fabs(x[i]), fabs(y[i])), fabs(z[i]));
        largest[i] = larger(coordinate, radii[i]);
        bad |= !(fabs(x[i]) <= ABUT_COORDINATE_LIMIT) | !(fabs(y[i]) <= ABUT_COORDINATE_LIMIT) |
               !(fabs(z[i]) <= ABUT_COORDINATE_LIMIT);
    }
    fill_padding(b);
    return !bad;
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
        are_good = mask_and(are_good, mask_and(lanes_less(zero, radius),
                                               lanes_no_more(radius, limit)));
    }
    bool is_good = mask_bits(are_good) == LANES_ALL;
    *smallest = lanes_smallest(low);
    *largest = -lanes_smallest(zero - high);
    for (; i < count; i++) {
        *smallest = radii[i] < *smallest ? radii[i] : *smallest;
        *largest = larger(radii[i], *largest);
        is_good = is_good && radii[i] > 0.0 && radii[i] <= ABUT_COORDINATE_LIMIT;
    }
    return is_good;
}
