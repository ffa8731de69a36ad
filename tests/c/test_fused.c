/* Fused multiply-add by integer arithmetic, compared with the C library. */
#include "base/fused.h"

#include "check.h"
#include "random.h"

#include <string.h>

#if defined(__SIZEOF_INT128__)
/* Returns a number times a random power of 2. Separate statements fix the order of draws, because
 * compilers evaluate arguments in any order. */
static double draw_scaled(double number, int exponents)
{
    return ldexp(number, draw_below(exponents) - exponents / 2);
}

/* Returns a random double. A quarter are special values, or have few digits, which make ties. */
static double draw_double(void)
{
    static const double special[] = {0.0,      0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023,
                                     INFINITY, NAN,       1.0,       0x1.fffffffffffffp-1023};
    const double sign = draw() & 1 ? 1.0 : -1.0;
    double number;
    switch (draw_below(8)) {
    case 0:
        return sign * special[draw_below(8)];
    case 1:
        number = draw_below(16);
        break;
    default:
        number = 1.0 + draw_number();
        break;
    }
    return sign * draw_scaled(number, 2160);
}

/* Returns an addend of the size of a b, equal to the rounded product, or random. */
static double draw_addend(double a, double b)
{
    double part = 1.0;
    switch (draw_below(4)) {
    case 0:
        return -(a * b);
    case 1:
        part = draw_number() - 0.5;
        break;
    case 2:
        part = -draw_below(16);
        break;
    default:
        return draw_double();
    }
    return a * b * draw_scaled(part, 120);
}

static uint64_t bits_of(double a)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return isnan(a) ? UINT64_MAX : bits;
}

/* A checksum over all results is that of glibc's fma, on every machine. */
static void test_draws(void)
{
    uint64_t sum = 0;
    state = 5;
    for (int k = 0; k < 100000; k++) {
        const double narrow = draw_below(2) ? 1.0 : 0x1p-500;
        const double a = draw_double() * narrow, b = draw_double() * narrow;
        const double c = draw_addend(a, b), one = fused_by_numbers(a, b, c);
        sum = (sum ^ bits_of(one)) * UINT64_C(0x100000001b3);
#if !defined(_WIN32)
        if (!CHECK(bits_of(one) == bits_of(fma(a, b, c)))) {
            return;
        }
#endif
    }
    CHECK(sum == UINT64_C(0xff23d020b133bc18));
}

void test_fused(void)
{
    CHECK(fused(0x1.0000002p0, 0x1.0000002p0, -0x1.0000004p0) == 0x1p-54);
    /* just above the middle of two doubles; rounding to 64 bits first gives the middle */
    volatile double part = 0x1p-53; /* volatile, because compilers fold constants */
    CHECK(fused(part, 0x1.0000000000001p0, 1.0) == 0x1.0000000000001p0);
    CHECK(fused(0x1p-600, 0x1p-600, 1.0) == 1.0);
    CHECK(fused(0x1p600, 0x1p600, -INFINITY) == -INFINITY);
    CHECK(fused(-0x1p-600, 0x1p-600, 0.0) == 0.0 && signbit(fused(-0x1p-600, 0x1p-600, 0.0)));
    test_draws();
}
#else
void test_fused(void)
{
}
#endif
