/* The tables of the vector code that places facets. */
#include "filling.h"

#include "../base/simd.h"

#define TABLE(level)                                                                               \
    {placing_boxes_##level, placing_heights_##level, placing_place_##level, placing_finish_##level}

static const placing_kernels TABLES[] = {
    [SIMD_BASELINE] = TABLE(baseline),
#if defined(ABUT_SIMD_LEVELS)
    [SIMD_V3] = TABLE(v3),
    [SIMD_V4] = TABLE(v4),
#endif
};

const placing_kernels *placing_take(void)
{
    return &TABLES[simd_level_in_use()];
}
