/* Functions that libraries and processors round differently in the last place, here rounded
 * correctly. They compute with more than a hundred bits, so about one argument in 2^45 is still
 * rounded wrongly. A call takes some microseconds. */
#ifndef BASE_ROUNDED_H
#define BASE_ROUNDED_H

/* For |x| >= 2^50 these return what the machine's library returns. */
double rounded_sin(double x);
double rounded_cos(double x);

/* Where x or the power is outside of e^-700 ... e^700, these return what the machine's library
 * returns. */
double rounded_log(double x);
double rounded_pow(double x, double exponent);

double rounded_acos(double x);
double rounded_acosh(double x);

/* x^2 + y^2 must neither overflow nor be subnormal. */
double rounded_atan2(double y, double x);

#endif
