#include "simd.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "../abut/base.h"

static const char *const NAMES[SIMD_LEVEL_COUNT] = {"baseline", "v3", "v4"};
static const char *const NAMES_UP_TO[SIMD_LEVEL_COUNT] = {"baseline", "baseline, v3",
                                                          "baseline, v3, v4"};

/* ---- the levels of this processor ---- */

#if defined(ABUT_SIMD_LEVELS)

/* Whether the processor has f16c, lzcnt and movbe, which are parts of v3. Clang has no names for
 * them, but all processors with the other parts have them, too. */
static bool has_small_parts_of_v3(void)
{
#if defined(__clang__)
    return true;
#else
    return __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt") &&
           __builtin_cpu_supports("movbe");
#endif
}

static bool has_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
           has_small_parts_of_v3();
}

static bool has_v4(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

/* The highest level that this processor supports. */
static simd_level best_level(void)
{
    __builtin_cpu_init();
    if (!has_v3()) {
        return SIMD_BASELINE;
    }
    return has_v4() ? SIMD_V4 : SIMD_V3;
}

#else

static simd_level best_level(void)
{
    return SIMD_BASELINE;
}

#endif

/* ---- the level in use ---- */

enum { NOT_YET = -1 };
static atomic_int chosen = NOT_YET;

simd_level simd_level_in_use(void)
{
    int level = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (level == NOT_YET) {
        int best = (int)best_level();
        /* if another thread has chosen meanwhile, `level` becomes its choice */
        level = atomic_compare_exchange_strong(&chosen, &level, best) ? best : level;
    }
    return (simd_level)level;
}

/* The level of this name; SIMD_LEVEL_COUNT: there is none. */
static int level_called(const char *name)
{
    int level = 0;
    while (level < SIMD_LEVEL_COUNT && strcmp(name, NAMES[level]) != 0) {
        level++;
    }
    return level;
}

abut_status abut_simd_choose(const char *name)
{
    int best = (int)best_level();
    int level = name ? level_called(name) : best;
    if (level == SIMD_LEVEL_COUNT) {
        return ABUT_BAD_SIMD;
    }
    if (level > best) {
        return ABUT_NO_SIMD;
    }
    atomic_store_explicit(&chosen, level, memory_order_relaxed);
    return ABUT_OK;
}

const char *abut_simd(void)
{
    return NAMES[simd_level_in_use()];
}

const char *abut_simd_levels(void)
{
    return NAMES_UP_TO[best_level()];
}
