/* The tables of vector code for the instruction levels. */
#include "kernels.h"

static const interaction_kernels TABLES[] = KERNEL_TABLES(INTERACTION_KERNELS);

const interaction_kernels *interaction_kernels_take(void)
{
    return &TABLES[simd_level_in_use()];
}
