/* Functions that libraries and processors round differently in the last place, rounded correctly:
 * from more than a hundred bits, so that about one argument in 2^45 is not. Some microseconds each,
 * so they are for what is called seldom. */
#ifndef BASE_ROUNDED_H
#define BASE_ROUNDED_H

/* Beyond 2^50 what the machine's library has. */
double rounded_sin(double x);
double rounded_cos(double x);

/* Of x beyond e^-700 ... e^700, and of such powers, what the machine's library has. */
double rounded_log(double x);
double rounded_pow(double x, double exponent);

double rounded_acos(double x);
double rounded_acosh(double x);

/* x^2 + y^2 neither overflows nor is subnormal. */
double rounded_atan2(double y, double x);

#endif
