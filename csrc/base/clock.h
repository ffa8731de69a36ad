/* How long something took. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <time.h>

/* Seconds since `*clock_now`, which becomes now. */
static inline double clock_lap(double *clock_now)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    const double seconds = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
    const double lap = seconds - *clock_now;
    *clock_now = seconds;
    return lap;
}

#endif
