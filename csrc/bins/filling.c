/* The tables of the kernels that fill bins. */
#include "filling.h"

static const filling_kernels TABLES[] = KERNEL_TABLES(FILLING_KERNELS);

const filling_kernels *filling_take(void)
{
    return &TABLES[simd_level_in_use()];
}
