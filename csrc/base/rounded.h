/* Functions that are correctly rounded for nearly all arguments. The C library's own functions
 * differ in the last place from machine to machine. These compute with more than a hundred bits,
 * but about one argument in 2^45 is still rounded wrongly. A call takes some microseconds. */
#ifndef BASE_ROUNDED_H
#define BASE_ROUNDED_H

/* Sine and cosine. For |x| >= 2^50 they return what the machine's C library returns. */
double rounded_sin(double x);
double rounded_cos(double x);

/* Logarithm and power. If x or the power is outside of e^-700 ... e^700, they return what the
 * machine's C library returns. */
double rounded_log(double x);
double rounded_pow(double x, double exponent);

double rounded_acos(double x);
double rounded_acosh(double x);

/* The angle of the vector (x, y). x^2 + y^2 must neither overflow nor be subnormal. */
double rounded_atan2(double y, double x);

#endif
