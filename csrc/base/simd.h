/* Which instructions the vector code uses.
 *
 * Every file named *_kernel.c is compiled once a level, with that level's instructions and
 * KERNEL_LEVEL set to its name; KERNEL(name) gives its functions names of their own. Compiled
 * without KERNEL_LEVEL it is the baseline, which every build has. All levels give the same bits. */
#ifndef BASE_SIMD_H
#define BASE_SIMD_H

/* The x86-64 psABI's levels: baseline is what the library is compiled for, v3 has AVX2, v4 has
 * AVX-512. Elsewhere there is the baseline alone. */
typedef enum simd_level { SIMD_BASELINE, SIMD_V3, SIMD_V4, SIMD_LEVEL_COUNT } simd_level;

/* The level in use: the best that there is, until abut_simd_choose says another. */
simd_level simd_level_in_use(void);

/* KERNEL(add) is add_baseline, add_v3 or add_v4. */
#ifndef KERNEL_LEVEL
#define KERNEL_LEVEL baseline
#endif
#define KERNEL(name) KERNEL_OF_LEVEL(name, KERNEL_LEVEL)
#define KERNEL_OF_LEVEL(name, level) KERNEL_JOIN(name, level)
#define KERNEL_JOIN(name, level) name##_##level

#endif
