/* The tables of vector code. */
#include "kernels.h"

static const pair_kernels TABLES[] = KERNEL_TABLES(PAIR_KERNELS);

const pair_kernels *pair_kernels_take(void)
{
    return &TABLES[simd_level_in_use()];
}
