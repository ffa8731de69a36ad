/* Numbers from the bytes that a fuzzer, or a file of its corpus, gives. Behind the last byte there
 * are zeros. */
#ifndef FUZZ_BYTES_H
#define FUZZ_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What a target has: runs one input, aborts where something is wrong, gives 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct bytes {
    const uint8_t *at;
    size_t left;
} bytes;

static inline unsigned take_byte(bytes *b)
{
    if (b->left == 0) {
        return 0;
    }
    b->left--;
    return *b->at++;
}

/* 0 <= number < count <= 256 */
static inline int take_below(bytes *b, int count)
{
    return (int)take_byte(b) % count;
}

/* One of `count` equal steps a unit, 128 at most in either direction: many numbers are the same,
 * and so are many distances. */
static inline double take_step(bytes *b, double count)
{
    return (double)(int8_t)take_byte(b) / count;
}

/* Any double there is. */
static inline double take_double(bytes *b)
{
    uint8_t of[sizeof(double)];
    double number;
    for (size_t k = 0; k < sizeof of; k++) {
        of[k] = (uint8_t)take_byte(b);
    }
    memcpy(&number, of, sizeof number);
    return number;
}

#endif
