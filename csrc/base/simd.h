/* The instruction levels of vector code.
 *
 * Every file *_kernel.c is compiled once for each level, with that level's instructions and with
 * KERNEL_LEVEL set to its name. KERNEL(name) appends the level's name to a function's name. Without
 * KERNEL_LEVEL, a file is compiled for the baseline, which every build has. All levels give the
 * same bits. */
#ifndef BASE_SIMD_H
#define BASE_SIMD_H

/* The levels of the x86-64 psABI: baseline is what the library is compiled for, v3 has AVX2, v4 has
 * AVX-512. Other machines have the baseline only. */
typedef enum simd_level { SIMD_BASELINE, SIMD_V3, SIMD_V4, SIMD_LEVEL_COUNT } simd_level;

/* The level in use: the best one available, unless abut_simd_choose has set another. */
simd_level simd_level_in_use(void);

/* KERNEL(add) is add_baseline, add_v3 or add_v4. */
#ifndef KERNEL_LEVEL
#define KERNEL_LEVEL baseline
#endif
#define KERNEL(name) KERNEL_OF_LEVEL(name, KERNEL_LEVEL)
#define KERNEL_OF_LEVEL(name, level) KERNEL_JOIN(name, level)
#define KERNEL_JOIN(name, level) name##_##level

/* A room (a folder of csrc) lists its kernels once, in a macro such as ROOM_KERNELS(ENTRY). The
 * macro has ENTRY(add) for a kernel `add`, which is a function of type add_kernel. From the list,
 * the macros below make three things: declarations for all levels, a struct of pointers to kernels,
 * and an array of such structs with one for each level. */
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
