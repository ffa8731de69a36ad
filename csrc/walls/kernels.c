/* The tables of vector code. */
#include "kernels.h"

#include "../base/simd.h"

#define TABLE(level)                                                                               \
    {                                                                                              \
        batch_copy_##level,        batch_range_##level,      batch_find_seen_##level,              \
        bins_look_##level,         planes_look_##level,      intersect_collect_##level,            \
        intersect_exact_##level,   hierarchy_strike_##level, rows_measure_##level,                 \
        weights_triangles_##level,                                                                 \
    }

static const kernels TABLES[] = {
    [SIMD_BASELINE] = TABLE(baseline),
#if defined(ABUT_SIMD_LEVELS)
    [SIMD_V3] = TABLE(v3),
    [SIMD_V4] = TABLE(v4),
#endif
};

const kernels *kernels_take(void)
{
    return &TABLES[simd_level_in_use()];
}
