/* Roots that are the same to the bit wherever doubles are IEEE 754's. */
#ifndef BASE_ROOT_H
#define BASE_ROOT_H

#include <math.h>

/* The cube root of a number >= 0, within some units in the last place: libraries differ in theirs.
 */
static inline double root_cube(double x)
{
    int exponent;
    double part = frexp(x, &exponent); /* 1/2 <= part < 1 */
    if (!(x > 0.0 && x <= 0x1p1023)) {
        return x;
    }
    while (exponent % 3 != 0) {
        part *= 0.5;
        exponent++;
    }
    /* a chord between 1/8 and 1 to begin with; each step doubles the digits */
    double root = (3.0 + 4.0 * part) / 7.0;
    for (int k = 0; k < 5; k++) {
        root = (2.0 * root + part / (root * root)) / 3.0;
    }
    return ldexp(root, exponent / 3);
}

#endif
