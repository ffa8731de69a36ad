/* Random numbers for tests, the same on every machine (splitmix64). */
#ifndef ABUT_RANDOM_H
#define ABUT_RANDOM_H

#include <stdint.h>

/* The state of the generator; setting it restarts the sequence. */
static uint64_t state;

static inline uint64_t draw(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Returns a random number 0 <= x < 1. */
static inline double draw_number(void)
{
    return (double)(draw() >> 11) * 0x1p-53;
}

static inline double draw_between(double low, double high)
{
    return low + (high - low) * draw_number();
}

static inline int draw_below(int count)
{
    return (int)(draw() % (uint64_t)count);
}

#endif
