/* How long something took. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Seconds since some moment. */
double clock_seconds(void);

/* Seconds since `*last`, which becomes now. */
static inline double clock_lap(double *last)
{
    const double now = clock_seconds(), lap = now - *last;
    *last = now;
    return lap;
}

#endif
