/* The golden scene has its hash at every level, by any number of threads, and without a restart. */
#include "golden.h"

#include "check.h"
#include "simd_levels.h"

/* Examples of FIPS 180-4 with one block and with two. */
static void check_sha256(void)
{
    static const char *const words[] = {"abc",
                                        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"};
    static const char *const hashes[] = {
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"};
    for (int k = 0; k < 2; k++) {
        char text[SHA256_TEXT];
        sha256 s = sha256_begin();
        for (const char *c = words[k]; *c; c++) {
            sha256_byte(&s, (uint8_t)*c);
        }
        sha256_end(&s, text);
        CHECK_TEXT(text, hashes[k]);
    }
}

void test_golden(void)
{
    static const int workers[] = {1, 2, 3}; /* for each level */
    char text[SHA256_TEXT];
    check_sha256();
    golden_do(1, false, text);
    CHECK_TEXT(text, GOLDEN_HASH);
    for (size_t k = 0; choose_next_level(&k);) {
        golden_do(workers[k - 1], true, text);
        CHECK_TEXT(text, GOLDEN_HASH);
    }
    if (abut_has_openmp()) {
        golden_do(8, true, text);
        CHECK_TEXT(text, GOLDEN_HASH);
    }
}
