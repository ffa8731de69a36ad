/* One lane, in plain C. The comments here describe each operation for all levels. */
#ifndef BASE_LANES_BASELINE_KERNEL_H
#define BASE_LANES_BASELINE_KERNEL_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LANES 1

typedef double lanes;
typedef bool lanes_mask;

/* Stores the first `count` lanes, 1 or more. */
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

/* The mask as a number: bit k belongs to lane k. */
static inline unsigned mask_bits(lanes_mask a)
{
    return a;
}

/* Returns `yes` in lanes where the mask is set, else `no`. */
static inline lanes lanes_select(lanes_mask mask, lanes yes, lanes no)
{
    return mask ? yes : no;
}

/* Changes the sign of lanes where the mask is set. */
static inline lanes lanes_flip(lanes_mask mask, lanes a)
{
    return mask ? -a : a;
}

/* Sets the mask in each lane whose double has at least one of the bits that are set in `bits`. */
static inline lanes_mask lanes_have_bits(lanes a, uint64_t bits)
{
    uint64_t number;
    memcpy(&number, &a, sizeof number);
    return (number & bits) != 0;
}

/* Clears all bits of each lane's double that are not set in `bits`. */
static inline lanes lanes_keep_bits(lanes a, uint64_t bits)
{
    uint64_t number;
    memcpy(&number, &a, sizeof number);
    number &= bits;
    memcpy(&a, &number, sizeof a);
    return a;
}

/* Returns e of each lane's number 2^e m, which must be normal and positive, with 1 <= m < 2. */
static inline lanes lanes_exponent(lanes a)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return (double)(int64_t)(bits >> 52 & 0x7ff) - 1023.0;
}

/* Returns m of each lane's number 2^e m, which must be normal and positive, with 1 <= m < 2. */
static inline lanes lanes_mantissa(lanes a)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    bits = (bits & 0xfffffffffffffu) | 0x3ff0000000000000u;
    memcpy(&a, &bits, sizeof a);
    return a;
}

/* Returns 2^k for a whole number k from -1022 to 1023. */
static inline lanes lanes_power(lanes k)
{
    const uint64_t bits = (uint64_t)((int64_t)k + 1023) << 52;
    memcpy(&k, &bits, sizeof k);
    return k;
}

/* Returns the smallest number of all lanes. */
static inline double lanes_smallest(lanes a)
{
    return a;
}

/* Transposes LANES rows of LANES doubles; rows[k] becomes lane k of all columns. */
LANES_INLINE void lanes_transpose(const double *const rows[LANES], lanes columns[LANES])
{
    /* memcpy, since a row may be the members of a struct */
    memcpy(&columns[0], rows[0], sizeof columns[0]);
}

/* Loads LANES consecutive points as columns of x, y and z. */
LANES_INLINE void lanes_load_points(const double *p, lanes columns[3])
{
    columns[0] = p[0], columns[1] = p[1], columns[2] = p[2];
}

/* Returns the smaller number in each lane; b if both are equal or one of them is NaN. */
static inline lanes lanes_smaller(lanes a, lanes b)
{
    return a < b ? a : b;
}

/* Returns the larger number in each lane; b if both are equal or one of them is NaN. */
static inline lanes lanes_larger(lanes a, lanes b)
{
    return a > b ? a : b;
}

/* Returns lanes with the numbers 0, 1, ..., LANES - 1. */
static inline lanes lanes_ramp(void)
{
    return 0.0;
}

/* Stores each lane, rounded towards 0, as an integer of 32 bits, into which it must fit. */
static inline void lanes_store_whole(int32_t *p, lanes a)
{
    *p = (int32_t)a;
}

/* Rounds each lane towards 0. Its absolute value must be at most 2^52. */
static inline lanes lanes_whole(lanes a)
{
    return (double)(int64_t)a;
}

/* Transposes LANES rows of four doubles; rows[k] becomes lane k of all columns. */
LANES_INLINE void lanes_load_rows(const double *const rows[LANES], lanes columns[4])
{
    memcpy(columns, rows[0], 4 * sizeof *columns);
}

/* Converts columns of x, y and z to LANES points. Stored one after the other, points[0], points[1]
 * and points[2] hold x, y, z of the first point, then of the second, and so on. */
LANES_INLINE void lanes_interleave(const lanes columns[3], lanes points[3])
{
    points[0] = columns[0], points[1] = columns[1], points[2] = columns[2];
}

/* A whole number for each lane: equal to the number of the lane before, or larger by 1. */
typedef int32_t lanes_steps;

/* Loads LANES such numbers. */
static inline lanes_steps lanes_find_steps(const int32_t *numbers)
{
    return numbers[0];
}

/* Returns from[n] for each lane's number n. May read up to 7 doubles before the first of these
 * doubles, and up to 16 behind the last. */
static inline lanes lanes_pick(const double *from, lanes_steps s)
{
    return from[s];
}

/* Writes the same number LANES times. */
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

/* Sorts the first `count` numbers, at most SORTED_NUMBERS. Always reads and writes SORTED_NUMBERS
 * numbers; those behind the first `count` are meaningless. */
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

/* ---- floats side by side, for quick tests: doubles decide close cases ---- */

enum { SINGLES = 1 };
typedef float singles;

static inline singles singles_set(float a)
{
    return a;
}

/* Returns the smaller number in each lane; b if both are equal or one of them is NaN. */
static inline singles singles_smaller(singles a, singles b)
{
    return a < b ? a : b;
}

/* Returns the larger number in each lane; b if both are equal or one of them is NaN. */
static inline singles singles_larger(singles a, singles b)
{
    return a > b ? a : b;
}

/* Returns bits: bit k is set if a < b in lane k. */
static inline unsigned singles_less_bits(singles a, singles b)
{
    return a < b;
}

/* Returns bits: bit k is set if a <= b in lane k. */
static inline unsigned singles_no_more_bits(singles a, singles b)
{
    return a <= b;
}

/* Returns a number with the lowest `count` bits set, but no more than SINGLES. */
static inline unsigned singles_first_bits(int32_t count)
{
    return count > 0;
}

/* Writes items[k] for each set bit k to the list, and returns how many these are. Always writes
 * SINGLES numbers; those behind the returned count are meaningless. */
static inline int32_t singles_append_items(int32_t *list, const int32_t *items, unsigned bits)
{
    *list = *items;
    return (int32_t)bits;
}

static inline void singles_store_number(int32_t *list, int32_t number)
{
    *list = number;
}

/* Stores doubles as floats, each rounded to the nearest one. */
static inline void singles_store_doubles(float *p, lanes a)
{
    *p = (float)a;
}

#endif
