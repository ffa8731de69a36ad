/* The tables of the vector code that fills bins. */
#include "filling.h"

#include "../base/simd.h"

#define TABLE(level)                                                                               \
    {filling_boxes_##level, filling_heights_##level, filling_place_##level, filling_finish_##level}

static const filling_kernels TABLES[] = {
    [SIMD_BASELINE] = TABLE(baseline),
#if defined(ABUT_SIMD_LEVELS)
    [SIMD_V3] = TABLE(v3),
    [SIMD_V4] = TABLE(v4),
#endif
};

const filling_kernels *filling_take(void)
{
    return &TABLES[simd_level_in_use()];
}
