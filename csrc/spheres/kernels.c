/* The tables of vector code. */
#include "kernels.h"

#include "../base/simd.h"

#define TABLE(level)                                                                               \
    {                                                                                              \
        rows_load_##level,     grid_find_cells_##level, grid_gather_##level,                       \
        grid_bound_##level,    near_row_##level,        across_level_##level,                      \
        across_finish_##level, lists_sort_##level,      pairs_compute_##level,                     \
    }

static const pair_kernels TABLES[] = {
    [SIMD_BASELINE] = TABLE(baseline),
#if defined(ABUT_SIMD_LEVELS)
    [SIMD_V3] = TABLE(v3),
    [SIMD_V4] = TABLE(v4),
#endif
};

const pair_kernels *pair_kernels_take(void)
{
    return &TABLES[simd_level_in_use()];
}
