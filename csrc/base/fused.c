#include "fused.h"

#if defined(__SIZEOF_INT128__)
#include <float.h>
#include <stdbool.h>
#include <stdint.h>

typedef unsigned __int128 whole;

/* The number value * 2^exponent, or its negative if is_negative is true. */
typedef struct scaled {
    whole value;
    int exponent;
    bool is_negative;
} scaled;

/* The smallest positive double is 2^LOWEST. */
enum { LOWEST = DBL_MIN_EXP - DBL_MANT_DIG, WHOLE_BITS = 128 };

/* Splits a finite number into integer, exponent and sign. */
static scaled split(double a)
{
    int exponent;
    const double part = frexp(fabs(a), &exponent);
    const uint64_t value = (uint64_t)ldexp(part, DBL_MANT_DIG);
    return (scaled){value, exponent - DBL_MANT_DIG, signbit(a)};
}

static int top_bit(whole value)
{
    int top = 0;
    for (int step = WHOLE_BITS / 2; step > 0; step /= 2) {
        top += value >> (top + step) > 0 ? step : 0;
    }
    return top;
}

/* Shifts the highest set bit to the second highest place. A sum may carry into the highest. */
static scaled raise(scaled a)
{
    const int shift = WHOLE_BITS - 2 - top_bit(a.value);
    return (scaled){a.value << shift, a.exponent - shift, a.is_negative};
}

/* Returns value / 2^shift, rounded down, with the last bit set if any lost bit was set. */
static whole lower(whole value, int shift)
{
    if (shift >= WHOLE_BITS) {
        return value > 0;
    }
    const whole result = value >> shift;
    return result | (result << shift != value);
}

/* Returns the sum. Low bits of the smaller number that do not fit set the last bit, so that the sum
 * can be rounded correctly. Bits are lost only if the numbers differ so much in size that they
 * cannot cancel: a product has 106 bits, a double 53, and the type 128. */
static scaled add(scaled a, scaled b)
{
    a = raise(a), b = raise(b);
    const bool is_ordered =
        a.exponent > b.exponent || (a.exponent == b.exponent && a.value >= b.value);
    const scaled large = is_ordered ? a : b, small = is_ordered ? b : a;
    const whole part = lower(small.value, large.exponent - small.exponent);
    const bool is_sum = large.is_negative == small.is_negative;
    return (scaled){is_sum ? large.value + part : large.value - part, large.exponent,
                    large.is_negative};
}

/* Rounds to the nearest double, ties to even. */
static double round_once(scaled a)
{
    const int from_top = top_bit(a.value) + 1 - DBL_MANT_DIG, from_lowest = LOWEST - a.exponent;
    const int drop = from_top > from_lowest ? from_top : from_lowest;
    if (drop > 0) {
        /* the bits to keep, the next bit, and a last bit, which is set if any later bit is set */
        const whole more = drop > 1 ? lower(a.value, drop - 2) : a.value << 1;
        const int last = (int)(more & 7);
        a.value = (more >> 2) + (last == 3 || last >= 6);
        a.exponent += drop;
    }
    const double size = ldexp((double)(uint64_t)a.value, a.exponent);
    return a.is_negative ? -size : size;
}

double fused_by_numbers(double a, double b, double c)
{
    if (a == 0.0 || b == 0.0 || !isfinite(a) || !isfinite(b)) {
        return a * b + c; /* the product is 0, infinite or NaN, so rounding does not change it */
    }
    if (c == 0.0 || !isfinite(c)) {
        return c == 0.0 ? a * b : c;
    }
    const scaled x = split(a), y = split(b);
    const scaled product = {x.value * y.value, x.exponent + y.exponent,
                            x.is_negative != y.is_negative};
    const scaled sum = add(product, split(c));
    return sum.value > 0 ? round_once(sum) : 0.0;
}
#endif
