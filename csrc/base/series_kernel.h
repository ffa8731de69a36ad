/* Exponentials, logarithms and cube roots of lanes with errors of some units in the last place, but
 * with the same bits on all machines with doubles as in IEEE 754. They use only +, -, * and /. */
#ifndef BASE_SERIES_KERNEL_H
#define BASE_SERIES_KERNEL_H

#include "lanes_kernel.h"

/* The logarithm of 2 is the sum of two parts. Products of the first part with small whole numbers
 * are exact (Cody and Waite). */
#define SERIES_LOG_2 0x1.62e42feep-1
#define SERIES_LOG_2_LOW 0x1.a39ef35793c76p-33

/* e^x for x from -700 to 700. A smaller x counts as -700, a larger one as 700. */
LANES_INLINE lanes lanes_exp(lanes x)
{
    static const double inv_factorials[] = {1.0 / 87178291200.0,
                                            1.0 / 6227020800.0,
                                            1.0 / 479001600.0,
                                            1.0 / 39916800.0,
                                            1.0 / 3628800.0,
                                            1.0 / 362880.0,
                                            1.0 / 40320.0,
                                            1.0 / 5040.0,
                                            1.0 / 720.0,
                                            1.0 / 120.0,
                                            1.0 / 24.0,
                                            1.0 / 6.0,
                                            1.0 / 2.0,
                                            1.0,
                                            1.0};
    const lanes end = lanes_set(700.0);
    const lanes in = lanes_smaller(lanes_larger(x, lanes_set(-700.0)), end);
    const lanes k = lanes_round(in / lanes_set(SERIES_LOG_2 + SERIES_LOG_2_LOW));
    const lanes remaining = (in - k * lanes_set(SERIES_LOG_2)) - k * lanes_set(SERIES_LOG_2_LOW);
    lanes sum = lanes_set(inv_factorials[0]);
    for (int n = 1; n < 15; n++) {
        sum = sum * remaining + lanes_set(inv_factorials[n]);
    }
    return sum * lanes_power(k);
}

/* The natural logarithm of normal numbers > 0. */
LANES_INLINE lanes lanes_log(lanes x)
{
    const lanes one = lanes_set(1.0), two = lanes_set(2.0);
    const lanes whole = lanes_mantissa(x), half = lanes_set(0.5) * whole, e = lanes_exponent(x);
    const lanes_mask is_low = lanes_less(half, lanes_set(0x1.6a09e667f3bcdp-1)); /* sqrt(1/2) */
    const lanes part = lanes_select(is_low, whole, half);
    const lanes exponent = lanes_select(is_low, e, e + one);
    /* log(part) = 2 artanh(s) */
    const lanes s = (part - one) / (part + one), square = s * s;
    lanes sum = lanes_set(1.0 / 21.0);
    for (int n = 19; n >= 1; n -= 2) {
        sum = sum * square + lanes_set(1.0 / n);
    }
    return exponent * lanes_set(SERIES_LOG_2) +
           (exponent * lanes_set(SERIES_LOG_2_LOW) + two * s * sum);
}

/* The cube root of normal numbers > 0. The C library's cbrt is not used, since its last digits
 * differ from machine to machine. */
LANES_INLINE lanes lanes_root_cube(lanes x)
{
    static const double inv_roots[] = {-2.6101, 5.8745, -4.7553, 2.474};
    const lanes one = lanes_set(1.0), three = lanes_set(3.0), inv_three = lanes_set(1.0 / 3.0);
    /* x = part 8^third, with part from 1/8 to 1 */
    const lanes e = lanes_exponent(x) + one;
    const lanes third = lanes_round((e + one) * inv_three);
    const lanes part = lanes_set(0.5) * lanes_mantissa(x) * lanes_power(e - three * third);
    /* the inverse cube root, without divisions: a cubic polynomial with an error below 0.02, then
     * steps of Newton's method, which double the number of correct digits */
    lanes inverse = lanes_set(inv_roots[0]);
    for (int k = 1; k < 4; k++) {
        inverse = inverse * part + lanes_set(inv_roots[k]);
    }
    for (int k = 0; k < 3; k++) {
        const lanes remaining = one - part * (inverse * inverse * inverse);
        inverse = inverse + inverse * remaining * inv_three;
    }
    const lanes square = inverse * inverse, root = part * square;
    const lanes remaining = part - root * root * root;
    return (root + remaining * square * inv_three) * lanes_power(third);
}

#endif
