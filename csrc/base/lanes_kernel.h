/* Lanes: doubles side by side, as many as a register of the instruction level holds.
 *
 * Kernels are written once, for any number of lanes. Every operation rounds as it does for a single
 * double, so all levels give the same bits. At the baseline level there is one lane, and a kernel
 * is plain C; tests compare the other levels with it. Lanes are added, subtracted, multiplied and
 * divided with + - * /.
 *
 * Each level has a header. lanes_baseline_kernel.h describes the operations. */
#ifndef BASE_LANES_KERNEL_H
#define BASE_LANES_KERNEL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The largest count of numbers that numbers_sort sorts. */
enum { SORTED_NUMBERS = 4 };

/* Marks functions that are fast only if inlined, so that the compiler knows some arguments. */
#if defined(__GNUC__)
#define LANES_INLINE static inline __attribute__((always_inline))
#else
#define LANES_INLINE static inline
#endif

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#include "lanes_v4_kernel.h"
#elif defined(__AVX2__)
#include "lanes_v3_kernel.h"
#else
#include "lanes_baseline_kernel.h"
#endif

/* ---- operations that are the same on all levels ---- */

#define LANES_ALL ((1u << LANES) - 1u)

static inline lanes lanes_load(const double *p)
{
    lanes a;
    memcpy(&a, p, sizeof a);
    return a;
}

static inline void lanes_store(double *p, lanes a)
{
    memcpy(p, &a, sizeof a);
}

static inline singles singles_load(const float *p)
{
    singles a;
    memcpy(&a, p, sizeof a);
    return a;
}

static inline void singles_store(float *p, singles a)
{
    memcpy(p, &a, sizeof a);
}

#if LANES < 8
/* Writes items[k] for each set bit k to the list, and returns how many these are. May write up to
 * LANES numbers; those behind the returned count are meaningless. */
static inline int32_t lanes_append_items(int32_t *list, const int32_t *items, unsigned bits)
{
    int32_t count = 0;
    for (int32_t k = 0; k < LANES; k++) {
        list[count] = items[k];
        count += (int32_t)(bits >> k & 1);
    }
    return count;
}

/* Writes first + k for each set bit k to the list, and returns how many these are. May write up to
 * LANES numbers; those behind the returned count are meaningless. */
static inline int32_t lanes_append_bits(int32_t *list, int32_t first, unsigned bits)
{
    int32_t count = 0;
    for (int32_t k = 0; k < LANES; k++) {
        list[count] = first + k;
        count += (int32_t)(bits >> k & 1);
    }
    return count;
}
#endif

/* Returns a number with the lowest `count` bits set, but no more than LANES. */
static inline unsigned lanes_first_bits(int32_t count)
{
    return count < LANES ? (1u << count) - 1u : LANES_ALL;
}

/* Returns the double in lane 0. */
static inline double lanes_first(lanes a)
{
    double numbers[LANES];
    lanes_store(numbers, a);
    return numbers[0];
}

/* Transposes LANES rows of `count` doubles. Reads and writes up to the next multiple of LANES. */
LANES_INLINE void lanes_transpose_all(const double *const rows[LANES], int count, lanes *columns)
{
    for (int first = 0; first < count; first += LANES) {
        const double *parts[LANES];
        for (int i = 0; i < LANES; i++) {
            parts[i] = rows[i] + first;
        }
        lanes_transpose(parts, columns + first);
    }
}

/* Stores columns of x, y and z as LANES consecutive points. */
LANES_INLINE void lanes_store_points(double *p, const lanes columns[3])
{
    lanes points[3];
    lanes_interleave(columns, points);
    for (int k = 0; k < 3; k++) {
        lanes_store(p + k * LANES, points[k]);
    }
}

/* Rounds to the nearest whole number, ties to even. |a| must be less than 2^51. */
static inline lanes lanes_round(lanes a)
{
    const lanes ones = lanes_set(0x1.8p52); /* its last bit has the value 1 */
    return (a + ones) - ones;
}

/* Rounds to the nearest whole number, ties to even. |a| must be less than 2^22. */
static inline singles singles_round(singles a)
{
    const singles ones = singles_set(0x1.8p23f);
    return (a + ones) - ones;
}

/* A vector in each lane. The functions below compute as those of vec3.h do, in the same order. */
typedef struct lanes3 {
    lanes x, y, z;
} lanes3;

static inline lanes3 lanes3_add(lanes3 a, lanes3 b)
{
    return (lanes3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline lanes3 lanes3_sub(lanes3 a, lanes3 b)
{
    return (lanes3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline lanes3 lanes3_scale(lanes3 a, lanes s)
{
    return (lanes3){a.x * s, a.y * s, a.z * s};
}

static inline lanes lanes3_dot(lanes3 a, lanes3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline lanes3 lanes3_cross(lanes3 a, lanes3 b)
{
    return (lanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline lanes3 lanes3_select(lanes_mask mask, lanes3 yes, lanes3 no)
{
    return (lanes3){lanes_select(mask, yes.x, no.x), lanes_select(mask, yes.y, no.y),
                    lanes_select(mask, yes.z, no.z)};
}

static inline lanes3 lanes3_flip(lanes_mask mask, lanes3 a)
{
    return (lanes3){lanes_flip(mask, a.x), lanes_flip(mask, a.y), lanes_flip(mask, a.z)};
}

static inline lanes_mask lanes3_equal(lanes3 a, lanes3 b)
{
    return mask_and(lanes_equal(a.x, b.x), mask_and(lanes_equal(a.y, b.y), lanes_equal(a.z, b.z)));
}

/* Replaces -0.0 by 0.0, as vec3_one_zero does. */
static inline lanes3 lanes3_one_zero(lanes3 a)
{
    lanes zero = lanes_set(0.0);
    return (lanes3){a.x + zero, a.y + zero, a.z + zero};
}

#endif
