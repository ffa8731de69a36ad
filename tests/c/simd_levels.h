/* Tests at every instruction level. */
#ifndef SIMD_LEVELS_H
#define SIMD_LEVELS_H

#include "base/simd.h"

#include "abut.h"

#include <stdbool.h>
#include <stddef.h>

static const char *const SIMD_LEVELS[SIMD_LEVEL_COUNT] = {"baseline", "v3", "v4"};

/* Chooses the next level that the machine supports; after the last one, restores the default and
 * returns false. Use: for (size_t k = 0; choose_next_level(&k);) */
static inline bool choose_next_level(size_t *k)
{
    while (*k < SIMD_LEVEL_COUNT) {
        if (abut_simd_choose(SIMD_LEVELS[(*k)++]) == ABUT_OK) {
            return true;
        }
    }
    abut_simd_choose(NULL);
    return false;
}

#endif
