/* Numbers from the bytes of a fuzzer or a corpus file, with zeros after the last byte. */
#ifndef FUZZ_BYTES_H
#define FUZZ_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The function of each target: runs one input, aborts on an error, else returns 0. */
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

/* Returns a number with 0 <= number < count <= 256. */
static inline int take_below(bytes *b, int count)
{
    return (int)take_byte(b) % count;
}

/* Returns a multiple of 1 / `count`, at most 128 steps in either direction, so that many numbers
 * and distances are equal. */
static inline double take_step(bytes *b, double count)
{
    return (double)(int8_t)take_byte(b) / count;
}

/* Returns an arbitrary double. */
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
