/* a b + c, rounded once. */
#ifndef BASE_FUSED_H
#define BASE_FUSED_H

#include <math.h>

/* fused with whole numbers alone, in some 20 ns, where the compiler has them with 128 bits. */
double fused_by_numbers(double a, double b, double c);

/* An instruction where the processor surely has one, else the C library's function. The one of
 * mingw-w64 rounds twice. */
static inline double fused(double a, double b, double c)
{
#if defined(_WIN32) && !defined(__FMA__)
    return fused_by_numbers(a, b, c);
#else
    return fma(a, b, c);
#endif
}

#endif
