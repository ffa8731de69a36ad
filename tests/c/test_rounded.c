/* Correctly rounded functions, where glibc's are not, or not on every processor. Expected values
 * are by mpmath with 600 bits. */
#include "base/rounded.h"
#include "base/series.h"
#include "base/series_kernel.h"

#include "check.h"

#include <math.h>
#include <stddef.h>

typedef enum function_name { SIN, COS, ACOS, ACOSH, ATAN2, LOG, POW } function_name;

typedef struct example {
    function_name of;
    double x, y, value;
} example;

static const example examples[] = {
    {SIN, 0x1.ba4f4297dc3ddp-3, 0.0, 0x1.b6e10e91a5ec3p-3},
    {SIN, 0x1.5b98a2d5d4f51p+8, 0.0, 0x1.ccf9593db3ba5p-1},
    {SIN, 0x1.f08179dc4614ap-4, 0.0, 0x1.ef4a6e72df8a7p-4},
    {SIN, -0x1.0008a6dbf8b85p+5, 0.0, -0x1.1c21df9ca6715p-1},
    {COS, -0x1.5b2f32f1da13ep+3, 0.0, -0x1.2a12e9c4a9c23p-3},
    {COS, 0x1.809946869ca75p+8, 0.0, 0x1.f378e4e821a85p-3},
    {COS, -0x1.fac90fbf5332ep-1, 0.0, 0x1.19021f9b3dcbdp-1},
    {COS, 0x1.837b3df04d56cp+7, 0.0, 0x1.040cff93fa241p-1},
    {ACOS, 0x1.2dd2433ad9c5cp-1, 0.0, 0x1.e177440c209f3p-1},
    {ACOS, 0x1.2f70949e7b964p-2, 0.0, 0x1.451b7e45a845bp+0},
    {ACOS, 0x1.f2dc3ab50f648p-1, 0.0, 0x1.d0fb749403baap-3},
    {ACOS, 0x1.a72450b62808p-1, 0.0, 0x1.32306330f3e5bp-1},
    {ACOSH, 0x1.0c3064650a7f4p+0, 0.0, 0x1.3ac1054530e55p-2},
    {ACOSH, 0x1.0000000018975p+0, 0.0, 0x1.c0d4f1f65f9d5p-18},
    {ACOSH, 0x1.391740ac20f02p+0, 0.0, 0x1.4fe214cca7e69p-1},
    {ACOSH, 0x1.0000002d7e756p+0, 0.0, 0x1.313d8734ac04bp-13},
    {ATAN2, -0x1.fe1e68c39007ep-1, -0x1.80a4acbccc48p-2, -0x1.ee6bb5b7377e7p+0},
    {LOG, 0x1.22322b2ffaf4ep+0, 0.0, 0x1.00c6b666c8fbep-3},
    {LOG, 0x1.184f2878babd7p+0, 0.0, 0x1.73927d6368842p-4},
    {LOG, 0x1.73bd49834bc36p-1, 0.0, -0x1.47d0906064c26p-2},
    {LOG, 0x1.1deee3a84c658p+0, 0.0, 0x1.c4f033c554cap-4},
    {POW, 0x1.4a6b47554125cp-1, 0x1.a0b57c3b464eep+1, 0x1.ec2a38ff82a02p-3},
    {POW, 0x1.b9ac174710bbcp-3, 0x1.0291a684e25f7p-2, 0x1.5b91ad75e0817p-1},
    {POW, 0x1.ffa11b7c71aap-6, 0x1.6c6bf277a9505p-1, 0x1.5b66374cb053p-4},
    {POW, 0x1.95a7fdb073ccp-1, 0x1.2eb3eb7a8c5b4p+0, 0x1.84c9893813771p-1},
    {SIN, 0x1p+49, 0.0, 0x1.06f98b1c26e7ap-2},
    {COS, 0x1.6ac5b262ca1ffp+49, 0.0, -0x1.4ce0491dd3c19p-1},
    {SIN, 0x1.12e0be826d695p-30, 0.0, 0x1.12e0be826d695p-30},
    {COS, 0x1.921fb54442d18p+1, 0.0, -0x1p+0},
    {ACOS, 0x1.fffffffffffffp-1, 0.0, 0x1p-26},
    {ACOSH, 0x1.0000000000001p+0, 0.0, 0x1.6a09e667f3bccp-26},
    {LOG, 0x1.fffffffffffffp-1, 0.0, -0x1p-53},
    {LOG, 0x1.3333333333333p-1, 0.0, -0x1.058aefa811452p-1},
};

static double call(function_name of, double x, double y)
{
    switch (of) {
    case SIN:
        return rounded_sin(x);
    case COS:
        return rounded_cos(x);
    case ACOS:
        return rounded_acos(x);
    case ACOSH:
        return rounded_acosh(x);
    case ATAN2:
        return rounded_atan2(x, y);
    case LOG:
        return rounded_log(x);
    case POW:
        return rounded_pow(x, y);
    }
    return (double)NAN;
}

static double exp_of(double x)
{
    return lanes_first(lanes_exp(lanes_set(x)));
}

static double log_of(double x)
{
    return lanes_first(lanes_log(lanes_set(x)));
}

static double root_of(double x)
{
    return lanes_first(lanes_root_cube(lanes_set(x)));
}

/* Checks errors within some units in the last place of 1, or of the value if larger. */
static void check_series(double x)
{
    const double unit = 0x1p-52;
    const series_angle turned = series_turn(x);
    CHECK_NEAR(turned.sine, rounded_sin(x), unit);
    CHECK_NEAR(turned.cosine, rounded_cos(x), unit);
    const double power = rounded_pow(2.718281828459045235, x);
    CHECK_NEAR(exp_of(x) / power, 1.0, (4.0 + fabs(x)) * unit); /* e is rounded there */
    const double logarithm = rounded_log(fabs(x));
    CHECK_NEAR(log_of(fabs(x)), logarithm, 2.0 * unit * fabs(logarithm));
}

static void check_ends_of_series(void)
{
    const double infinite = (double)INFINITY;
    CHECK(exp_of(0.0) == 1.0 && exp_of(-infinite) == exp_of(-700.0));
    CHECK(exp_of(infinite) == exp_of(700.0) && exp_of(700.0) > 1e304);
    CHECK(log_of(1.0) == 0.0 && log_of(0x1p-1022) == -1022.0 * log_of(2.0));
    CHECK(root_of(0x1p-900) == 0x1p-300 && root_of(0x1p1023) == 0x1p341);
    for (double x = 0x1p-1022; x < 0x1p1020; x *= 37.3) {
        CHECK_NEAR(root_of(x) / cbrt(x), 1.0, 0x1p-50);
    }
    CHECK(series_turn(0.0).sine == 0.0 && series_turn(0.0).cosine == 1.0);
    CHECK(isnan(series_turn((double)NAN).sine) && isnan(series_turn(infinite).cosine));
}

void test_rounded(void)
{
    for (double x = 1.0; x < 690.0; x *= 1.3) {
        check_series(x);
        check_series(-0x1p-8 * x);
    }
    check_ends_of_series();
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) {
        const example *e = &examples[k];
        if (!CHECK_NEAR(call(e->of, e->x, e->y), e->value, 0.0)) {
            CHECK_INT(k, -1); /* -1 is never equal: prints the failing case */
        }
    }
    CHECK(signbit(rounded_sin(-0.0)) && rounded_cos(0.0) == 1.0);
    CHECK(isnan(rounded_sin((double)NAN)) && isnan(rounded_cos((double)INFINITY)));
    CHECK(rounded_log(1.0) == 0.0 && rounded_acos(1.0) == 0.0 && rounded_acosh(1.0) == 0.0);
    CHECK(rounded_pow(0.0, 2.0) == 0.0 && rounded_log(0.0) == -(double)INFINITY);
    CHECK(rounded_atan2(0.0, 1.0) == 0.0);
    /* for larger arguments the C library's functions are exact enough */
    CHECK(rounded_acosh(0x1p1023) == acosh(0x1p1023));
    CHECK(rounded_pow(0x1p1020, 0.7) == pow(0x1p1020, 0.7));
    CHECK(rounded_pow(0x1p1000, -1.02) == pow(0x1p1000, -1.02));
}
