/* Sine and cosine with errors of some units in the last place, but with the same bits on all
 * machines with doubles as in IEEE 754. They use only +, -, *, / and rint. For |x| >= 2^50, they
 * return what the machine's C library returns. A call takes some tens of nanoseconds. rounded.h has
 * slower functions that round correctly; series_kernel.h has exponentials, logarithms and cube
 * roots. */
#ifndef BASE_SERIES_H
#define BASE_SERIES_H

#include <math.h>
#include <stdint.h>

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
    const double remaining = near - k * 0x1.3198a2e037073p-69, square = remaining * remaining;
    double sine = 1.0, cosine = 1.0;
    for (int n = 18; n >= 2; n -= 2) {
        sine = 1.0 - square * sine / (n * (n + 1));
        cosine = 1.0 - square * cosine / (n * (n - 1));
    }
    sine *= remaining;
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
