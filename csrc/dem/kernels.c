/* The tables of vector code. */
#include "kernels.h"

static const dem_kernels TABLES[] = KERNEL_TABLES(DEM_KERNELS);

const dem_kernels *dem_kernels_take(void)
{
    return &TABLES[simd_level_in_use()];
}
