/* The tables of vector code. */
#include "kernels.h"

static const kernels TABLES[] = KERNEL_TABLES(WALLS_KERNELS);

const kernels *kernels_take(void)
{
    return &TABLES[simd_level_in_use()];
}
