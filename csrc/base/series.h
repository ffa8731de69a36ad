/* Functions that are the same to the bit wherever doubles are IEEE 754's, within some units in the
 * last place: by series of +, -, * and /, in some tens of nanoseconds. rounded.h has the same
 * rounded correctly, for what is called seldom. */
#ifndef BASE_SERIES_H
#define BASE_SERIES_H

#include <math.h>
#include <stdint.h>

/* The logarithm of 2 in two parts: multiples of the first by small whole numbers are exact (Cody
 * and Waite). */
#define SERIES_LOG_2 0x1.62e42feep-1
#define SERIES_LOG_2_LOW 0x1.a39ef35793c76p-33

static inline double series_exp(double x)
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
    if (!(fabs(x) <= 800.0)) {
        return exp(x); /* 0, infinite or NaN */
    }
    const double k = rint(x / (SERIES_LOG_2 + SERIES_LOG_2_LOW));
    const double rest = (x - k * SERIES_LOG_2) - k * SERIES_LOG_2_LOW;
    double sum = 0.0;
    for (int n = 0; n < 15; n++) {
        sum = sum * rest + inv_factorials[n];
    }
    return ldexp(sum, (int)k);
}

static inline double series_log(double x)
{
    if (!(x > 0.0 && x <= 0x1.fffffffffffffp1023)) {
        return log(x); /* infinite or NaN */
    }
    int exponent;
    double part = frexp(x, &exponent);
    if (part < 0x1.6a09e667f3bcdp-1) { /* the root of 1/2 */
        part *= 2.0;
        exponent--;
    }
    /* the area tangent of s, twice */
    const double s = (part - 1.0) / (part + 1.0), square = s * s;
    double sum = 0.0;
    for (int n = 21; n >= 1; n -= 2) {
        sum = sum * square + 1.0 / n;
    }
    return exponent * SERIES_LOG_2 + (exponent * SERIES_LOG_2_LOW + 2.0 * s * sum);
}

typedef struct series_angle {
    double sine, cosine;
} series_angle;

static inline series_angle series_turn(double x)
{
    if (!(fabs(x) < 0x1p50)) {
        return (series_angle){sin(x), cos(x)};
    }
    const double k = rint(x * 0x1.45f306dc9c883p-1);
    const double near = (x - k * 0x1.921fb544p+0) - k * 0x1.0b4611a6p-34;
    const double rest = near - k * 0x1.3198a2e037073p-69, square = rest * rest;
    double sine = 1.0, cosine = 1.0;
    for (int n = 18; n >= 2; n -= 2) {
        sine = 1.0 - square * sine / (n * (n + 1));
        cosine = 1.0 - square * cosine / (n * (n - 1));
    }
    sine *= rest;
    switch ((int64_t)k & 3) {
    case 1:
        return (series_angle){cosine, -sine};
    case 2:
        return (series_angle){-sine, -cosine};
    case 3:
        return (series_angle){-cosine, sine};
    default:
        return (series_angle){sine, cosine};
    }
}

#endif
