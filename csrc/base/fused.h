/* Computes a b + c with a single rounding. */
#ifndef BASE_FUSED_H
#define BASE_FUSED_H

#include <math.h>

/* Computes a b + c with integers of 128 bits, in some 20 ns, where the compiler has these. */
double fused_by_numbers(double a, double b, double c);

/* Uses the C library's fma, which is one instruction where the target has it. The fma of mingw-w64
 * rounds twice, so it is not used. */
static inline double fused(double a, double b, double c)
{
#if defined(_WIN32) && !defined(__FMA__)
    return fused_by_numbers(a, b, c);
#else
    return fma(a, b, c);
#endif
}

#endif
