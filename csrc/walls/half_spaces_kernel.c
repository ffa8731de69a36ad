/* Which spheres of a batch a half space is near.
 *
 * A plain loop over arrays without a branch, which compilers turn into vector code. */
#include "../base/simd.h"
#include "half_spaces.h"
#include "kernels.h"

/* Bits of a block's spheres. */
static uint64_t find_near(const batch *b, const half_space *h, int32_t begin)
{
    const double *x = b->center[0] + begin, *y = b->center[1] + begin, *z = b->center[2] + begin;
    const double *reach = b->reach + begin;
    const vec3 point = h->point, normal = h->normal;
    uint32_t hit[BATCH_BLOCK];
    uint64_t hits = 0;
    for (int i = 0; i < BATCH_BLOCK; i++) {
        const double height =
            normal.x * (x[i] - point.x) + normal.y * (y[i] - point.y) + normal.z * (z[i] - point.z);
        hit[i] = height <= reach[i];
    }
    for (int i = 0; i < BATCH_BLOCK; i++) {
        hits |= (uint64_t)hit[i] << i;
    }
    /* padding has centers, which may be inside of the wall */
    const int32_t left = b->count - begin;
    return left < BATCH_BLOCK ? hits & ((UINT64_C(1) << left) - 1) : hits;
}

void KERNEL(look_half_spaces)(batch *b)
{
    for (int32_t begin = 0; begin < b->count; begin += BATCH_BLOCK) {
        uint64_t near = 0;
        for (abut_index k = 0; k < b->half_space_count; k++) {
            near |= find_near(b, batch_half_space(b, k), begin);
        }
        b->beside[begin / BATCH_BLOCK] = near;
    }
}
