/* SHA-256 (FIPS 180-4) of numbers as little-endian bytes on every machine. */
#ifndef ABUT_SHA256_H
#define ABUT_SHA256_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct sha256 {
    uint32_t hash[8];
    uint8_t block[64];
    uint64_t bytes; /* so far */
} sha256;

enum { SHA256_TEXT = 65 };

static inline sha256 sha256_begin(void)
{
    return (sha256){.hash = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                             0x1f83d9ab, 0x5be0cd19}};
}

static inline uint32_t sha256_turn(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

/* Constants of FIPS 180-4: leading 32 fractional bits of the cube roots of the first 64 primes. */
static const uint32_t SHA256_ROOTS[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static inline void sha256_mix(sha256 *s)
{
    uint32_t w[64], v[8];
    for (int k = 0; k < 16; k++) {
        const uint8_t *b = s->block + 4 * k;
        w[k] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    }
    for (int k = 16; k < 64; k++) {
        const uint32_t a = w[k - 15], b = w[k - 2];
        w[k] = w[k - 16] + w[k - 7] + (sha256_turn(a, 7) ^ sha256_turn(a, 18) ^ a >> 3) +
               (sha256_turn(b, 17) ^ sha256_turn(b, 19) ^ b >> 10);
    }
    memcpy(v, s->hash, sizeof v);
    for (int k = 0; k < 64; k++) {
        const uint32_t a = v[0], e = v[4];
        const uint32_t first = v[7] + SHA256_ROOTS[k] + w[k] + ((e & v[5]) ^ (~e & v[6])) +
                               (sha256_turn(e, 6) ^ sha256_turn(e, 11) ^ sha256_turn(e, 25));
        const uint32_t second = ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2])) +
                                (sha256_turn(a, 2) ^ sha256_turn(a, 13) ^ sha256_turn(a, 22));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += first;
        v[0] = first + second;
    }
    for (int k = 0; k < 8; k++) {
        s->hash[k] += v[k];
    }
}

static inline void sha256_byte(sha256 *s, uint8_t byte)
{
    s->block[s->bytes++ % 64] = byte;
    if (s->bytes % 64 == 0) {
        sha256_mix(s);
    }
}

static inline void sha256_doubles(sha256 *s, const double *numbers, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        uint64_t bits;
        memcpy(&bits, numbers + k, sizeof bits);
        for (int b = 0; b < 8; b++) {
            sha256_byte(s, (uint8_t)(bits >> 8 * b));
        }
    }
}

static inline void sha256_end(sha256 *s, char text[SHA256_TEXT])
{
    const uint64_t bits = 8 * s->bytes;
    sha256_byte(s, 0x80);
    while (s->bytes % 64 != 56) {
        sha256_byte(s, 0);
    }
    for (int b = 7; b >= 0; b--) {
        sha256_byte(s, (uint8_t)(bits >> 8 * b));
    }
    for (int k = 0; k < 8; k++) {
        snprintf(text + 8 * k, 9, "%08x", (unsigned)s->hash[k]);
    }
}

#endif
