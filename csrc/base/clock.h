/* Measures elapsed time. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Returns the seconds since a fixed moment. */
double clock_seconds(void);

/* Returns the seconds since `*last` and sets `*last` to the present time. */
static inline double clock_lap(double *last)
{
    const double now = clock_seconds(), lap = now - *last;
    *last = now;
    return lap;
}

#endif
