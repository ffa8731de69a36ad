/* Doubles side by side: as many as the instruction level has, one on a level that is not known.
 *
 * Kernels are written once, for any number of lanes. Every operation rounds as the same one on a
 * double does, so that all levels give the same bits; with one lane a kernel is plain C, which is
 * what the others are compared with. + - * / are the operators.
 *
 * Each level has a file. What its operations do is said once, in lanes_baseline_kernel.h. */
#ifndef BASE_LANES_KERNEL_H
#define BASE_LANES_KERNEL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* As many as numbers_sort sorts. */
enum { SORTED_NUMBERS = 4 };

/* Parts of a kernel that are only fast as parts of its loop: with numbers that the caller knows. */
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

/* ---- what every level has in common ---- */

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
/* Write the items[k] of the bits k that are set to the list, and anything to what lies behind,
 * LANES numbers in all; returns how many. */
static inline int32_t lanes_append_items(int32_t *list, const int32_t *items, unsigned bits)
{
    int32_t count = 0;
    for (int32_t k = 0; k < LANES; k++) {
        list[count] = items[k];
        count += (int32_t)(bits >> k & 1);
    }
    return count;
}

/* Write the numbers first + k in the same way. */
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

/* Bits of the first `count` lanes, or of all where there are no more. */
static inline unsigned lanes_first_bits(int32_t count)
{
    return count < LANES ? (1u << count) - 1u : LANES_ALL;
}

/* The first lane, for what is computed for one number. */
static inline double lanes_first(lanes a)
{
    double numbers[LANES];
    lanes_store(numbers, a);
    return numbers[0];
}

/* LANES rows of `count` doubles, a multiple of LANES or read up to one, become columns. */
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

/* Columns become LANES points of three coordinates each, one after the other. */
LANES_INLINE void lanes_store_points(double *p, const lanes columns[3])
{
    lanes points[3];
    lanes_interleave(columns, points);
    for (int k = 0; k < 3; k++) {
        lanes_store(p + k * LANES, points[k]);
    }
}

/* The nearest whole number, the even one of two, of what is less than 2^51. */
static inline lanes lanes_round(lanes a)
{
    const lanes ones = lanes_set(0x1.8p52); /* whose last digit counts ones */
    return (a + ones) - ones;
}

/* The nearest whole number of what is less than 2^22. */
static inline singles singles_round(singles a)
{
    const singles ones = singles_set(0x1.8p23f);
    return (a + ones) - ones;
}

/* Vectors side by side; the operations are those of vec3.h, in its order. */
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

/* Zeros without a sign, as vec3_one_zero. */
static inline lanes3 lanes3_one_zero(lanes3 a)
{
    lanes zero = lanes_set(0.0);
    return (lanes3){a.x + zero, a.y + zero, a.z + zero};
}

#endif
