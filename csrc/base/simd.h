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

/* A room lists its kernels once: ROOM_KERNELS(ENTRY) is ENTRY(add) and so on, where add_kernel is
 * the function's type. From the list follow the functions of all levels, the members of the room's
 * struct of pointers, and an array of these structs, by simd_level. */
#define KERNEL_FUNCTIONS(name) name##_kernel name##_baseline, name##_v3, name##_v4;
#define KERNEL_POINTER(name) name##_kernel *name;
#if defined(ABUT_SIMD_LEVELS)
#define KERNEL_TABLES(LIST)                                                                        \
    {                                                                                              \
        [SIMD_BASELINE] = {LIST(KERNEL_IN_BASELINE)},                                              \
        [SIMD_V3] = {LIST(KERNEL_IN_V3)},                                                          \
        [SIMD_V4] = {LIST(KERNEL_IN_V4)},                                                          \
    }
#else
#define KERNEL_TABLES(LIST)                                                                        \
    {                                                                                              \
        [SIMD_BASELINE] = {LIST(KERNEL_IN_BASELINE)}                                               \
    }
#endif
#define KERNEL_IN_BASELINE(name) .name = name##_baseline,
#define KERNEL_IN_V3(name) .name = name##_v3,
#define KERNEL_IN_V4(name) .name = name##_v4,

#endif
