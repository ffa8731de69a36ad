/* One lane, which is plain C, and says what each operation does at every level. */
#ifndef BASE_LANES_BASELINE_KERNEL_H
#define BASE_LANES_BASELINE_KERNEL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LANES 1

typedef double lanes;
typedef bool lanes_mask;

/* Store the first `count` lanes, 1 or more. */
static inline void lanes_store_first(double *p, lanes a, int count)
{
    (void)count;
    *p = a;
}

static inline lanes lanes_set(double a)
{
    return a;
}

static inline lanes lanes_sqrt(lanes a)
{
    return sqrt(a);
}

static inline lanes lanes_abs(lanes a)
{
    return fabs(a);
}

static inline lanes_mask lanes_less(lanes a, lanes b)
{
    return a < b;
}

static inline lanes_mask lanes_no_more(lanes a, lanes b)
{
    return a <= b;
}

static inline lanes_mask lanes_equal(lanes a, lanes b)
{
    return a == b;
}

static inline lanes_mask mask_and(lanes_mask a, lanes_mask b)
{
    return a & b;
}

static inline lanes_mask mask_or(lanes_mask a, lanes_mask b)
{
    return a | b;
}

static inline lanes_mask mask_not(lanes_mask a)
{
    return !a;
}

/* The mask as a number: bit k is that of lane k. */
static inline unsigned mask_bits(lanes_mask a)
{
    return a;
}

/* yes where the mask is set, else no. */
static inline lanes lanes_select(lanes_mask mask, lanes yes, lanes no)
{
    return mask ? yes : no;
}

/* The other sign where the mask is set. */
static inline lanes lanes_flip(lanes_mask mask, lanes a)
{
    return mask ? -a : a;
}

/* Whether any of these bits is set among the 64 of each lane's double. */
static inline lanes_mask lanes_have_bits(lanes a, uint64_t bits)
{
    uint64_t number;
    memcpy(&number, &a, sizeof number);
    return (number & bits) != 0;
}

/* Each lane's double with all of its 64 bits cleared that are not set in `bits`. */
static inline lanes lanes_keep_bits(lanes a, uint64_t bits)
{
    uint64_t own;
    memcpy(&own, &a, sizeof own);
    own &= bits;
    memcpy(&a, &own, sizeof a);
    return a;
}

/* The whole number e of a number that is 2^e times 1 to 2, and that factor: of normal numbers > 0.
 */
static inline lanes lanes_exponent(lanes a)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return (double)(int64_t)(bits >> 52 & 0x7ff) - 1023.0;
}

static inline lanes lanes_mantissa(lanes a)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    bits = (bits & 0xfffffffffffffu) | 0x3ff0000000000000u;
    memcpy(&a, &bits, sizeof a);
    return a;
}

/* 2^k of whole numbers from -1022 to 1023. */
static inline lanes lanes_power(lanes k)
{
    const uint64_t bits = (uint64_t)((int64_t)k + 1023) << 52;
    memcpy(&k, &bits, sizeof k);
    return k;
}

static inline double lanes_smallest(lanes a)
{
    return a;
}

/* Rows of LANES doubles at the pointers become columns. */
LANES_INLINE void lanes_transpose(const double *const rows[LANES], lanes columns[LANES])
{
    memcpy(&columns[0], rows[0], sizeof columns[0]); /* rows are records, not numbers alone */
}

/* LANES points of three coordinates each, one after the other, become columns. */
LANES_INLINE void lanes_load_points(const double *p, lanes columns[3])
{
    columns[0] = p[0], columns[1] = p[1], columns[2] = p[2];
}

/* The smaller one of two numbers, and the larger one; b where they are equal, or a is no number. */
static inline lanes lanes_smaller(lanes a, lanes b)
{
    return a < b ? a : b;
}

static inline lanes lanes_larger(lanes a, lanes b)
{
    return a > b ? a : b;
}

/* 0, 1, 2, ... */
static inline lanes lanes_ramp(void)
{
    return 0.0;
}

/* Rounded towards 0, which 32 bits must hold. */
static inline void lanes_store_whole(int32_t *p, lanes a)
{
    *p = (int32_t)a;
}

/* Rounded towards 0, for numbers up to 2^52. */
static inline lanes lanes_whole(lanes a)
{
    return (double)(int64_t)a;
}

/* LANES rows of four doubles each become columns. */
LANES_INLINE void lanes_load_rows(const double *const rows[LANES], lanes columns[4])
{
    memcpy(columns, rows[0], 4 * sizeof *columns);
}

/* Columns become LANES points of three coordinates each, one after the other: what is stored of
 * them. */
LANES_INLINE void lanes_interleave(const lanes columns[3], lanes points[3])
{
    points[0] = columns[0], points[1] = columns[1], points[2] = columns[2];
}

/* A number for each lane; each is that of the lane before, or one more. */
typedef int32_t lanes_steps;

static inline lanes_steps lanes_find_steps(const int32_t *numbers)
{
    return numbers[0];
}

/* from[number] for the number of each lane; may read up to 16 doubles behind the last of these. */
static inline lanes lanes_pick(const double *from, lanes_steps s)
{
    return from[s];
}

/* Write the same number LANES times. */
static inline void lanes_store_number(int32_t *list, int32_t number)
{
    *list = number;
}

/* ---- whole numbers ---- */

static inline void numbers_put_in_order(int32_t *a, int32_t *b)
{
    const int32_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
    *a = low, *b = high;
}

/* Sort the first `count` numbers, at most SORTED_NUMBERS. As many can be read and are written:
 * anything behind those `count`. */
static inline void numbers_sort(const int32_t *from, int32_t count, int32_t *to)
{
    int32_t all[SORTED_NUMBERS];
    for (int k = 0; k < SORTED_NUMBERS; k++) {
        all[k] = k < count ? from[k] : INT32_MAX;
    }
    numbers_put_in_order(&all[0], &all[1]);
    numbers_put_in_order(&all[2], &all[3]);
    numbers_put_in_order(&all[0], &all[2]);
    numbers_put_in_order(&all[1], &all[3]);
    numbers_put_in_order(&all[1], &all[2]);
    memcpy(to, all, sizeof all);
}

/* ---- floats side by side, which take half the memory: for tests that only rule out ---- */

enum { SINGLES = 1 };
typedef float singles;

static inline singles singles_set(float a)
{
    return a;
}

/* The smaller one of two numbers, and the larger one; b where they are equal, or a is no number. */
static inline singles singles_smaller(singles a, singles b)
{
    return a < b ? a : b;
}

static inline singles singles_larger(singles a, singles b)
{
    return a > b ? a : b;
}

/* Bit k: whether lane k of a is less than that of b. */
static inline unsigned singles_less_bits(singles a, singles b)
{
    return a < b;
}

/* Bit k: whether lane k of a is less than that of b, or equal. */
static inline unsigned singles_no_more_bits(singles a, singles b)
{
    return a <= b;
}

/* Bits of the first `count` singles, or of all where there are no more. */
static inline unsigned singles_first_bits(int32_t count)
{
    return count > 0;
}

/* Write the items[k] of the bits k that are set to the list, and anything to what lies behind,
 * SINGLES numbers in all; returns how many. */
static inline int32_t singles_append_items(int32_t *list, const int32_t *items, unsigned bits)
{
    *list = *items;
    return (int32_t)bits;
}

/* Write the same number SINGLES times. */
static inline void singles_store_number(int32_t *list, int32_t number)
{
    *list = number;
}

/* Store doubles as floats, each rounded to the nearest one. */
static inline void singles_store_doubles(float *p, lanes a)
{
    *p = (float)a;
}

#endif
