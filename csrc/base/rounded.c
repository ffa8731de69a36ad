#include "rounded.h"

#include "fused.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* A double-double number: the sum of two doubles (Dekker, Numer. Math. 18 (1971) 224). `high` is
 * the sum rounded to a double; `low` is at most half a unit in the last place of `high`. */
typedef struct twofold {
    double high, low;
} twofold;

/* The exact sum of a and b, if |a| >= |b| (Dekker's Fast2Sum). */
static twofold sum_of_larger(double a, double b)
{
    const double sum = a + b;
    return (twofold){sum, b - (sum - a)};
}

/* The exact sum of any a and b (Knuth's TwoSum). */
static twofold sum_of(double a, double b)
{
    const double sum = a + b, part = sum - a;
    return (twofold){sum, (a - (sum - part)) + (b - part)};
}

/* The exact product of a and b. It is exact since `fused` rounds only once on every machine. */
static twofold product_of(double a, double b)
{
    const double product = a * b;
    return (twofold){product, fused(a, b, -product)};
}

static twofold add(twofold a, twofold b)
{
    const twofold high = sum_of(a.high, b.high), low = sum_of(a.low, b.low);
    const twofold sum = sum_of_larger(high.high, high.low + low.high);
    return sum_of_larger(sum.high, sum.low + low.low);
}

static twofold minus(twofold a)
{
    return (twofold){-a.high, -a.low};
}

static twofold multiply(twofold a, twofold b)
{
    const twofold p = product_of(a.high, b.high);
    return sum_of_larger(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static twofold divide(twofold a, twofold b)
{
    const double first = a.high / b.high;
    const twofold remaining = add(a, minus(multiply((twofold){first, 0.0}, b)));
    return sum_of_larger(first, remaining.high / b.high);
}

/* Returns x - k c, where the constant c is the sum of `count` parts. The product of k and each part
 * is exact (Cody and Waite). */
static twofold reduce(twofold x, double k, const double parts[], int count)
{
    for (int i = 0; i < count; i++) {
        x = add(x, minus(product_of(k, parts[i])));
    }
    return x;
}

/* ---- angles ---- */

/* Returns 1 - s / (n (n + 1)) (1 - s / ((n + 2) (n + 3)) (1 - ...)), where s is the square of an
 * angle, at most pi^2 / 16. For n = 1 this is the angle's cosine, for n = 2 its sine divided by the
 * angle. */
static twofold alternate(twofold square, int n)
{
    twofold sum = {1.0, 0.0};
    for (int k = n + 26; k >= n; k -= 2) {
        const twofold by = {(double)k * (k + 1), 0.0};
        sum = add((twofold){1.0, 0.0}, minus(divide(multiply(square, sum), by)));
    }
    return sum;
}

typedef struct turned {
    twofold sine, cosine;
} turned;

/* Sine and cosine for |x| < 2^50. */
static turned turn(double x)
{
    static const double quarter[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69,
                                     0x1.b839a252049c1p-104};
    const double k = rint(x * 0x1.45f306dc9c883p-1);
    const twofold angle = reduce((twofold){x, 0.0}, k, quarter, 4);
    const twofold square = multiply(angle, angle);
    const turned angles = {multiply(angle, alternate(square, 2)), alternate(square, 1)};
    switch ((int64_t)k & 3) {
    case 1:
        return (turned){angles.cosine, minus(angles.sine)};
    case 2:
        return (turned){minus(angles.sine), minus(angles.cosine)};
    case 3:
        return (turned){minus(angles.cosine), angles.sine};
    default:
        return angles;
    }
}

static bool is_moderate(double x)
{
    return fabs(x) < 0x1p50;
}

double rounded_sin(double x)
{
    if (fabs(x) < 0x1p-30) {
        return x; /* the rounded sine is x itself, also for zeros of either sign */
    }
    return is_moderate(x) ? turn(x).sine.high : sin(x);
}

double rounded_cos(double x)
{
    return is_moderate(x) ? turn(x).cosine.high : cos(x);
}

/* One step of Newton's method, from the library's value, doubles the number of correct digits. */
double rounded_acos(double x)
{
    const double near = acos(x);
    if (!(near > 0.0)) {
        return near;
    }
    const turned at = turn(near);
    const twofold remaining = add(at.cosine, (twofold){-x, 0.0});
    return add((twofold){near, 0.0}, divide(remaining, at.sine)).high;
}

double rounded_atan2(double y, double x)
{
    const double near = atan2(y, x);
    if (!(fabs(near) > 0.0)) {
        return near;
    }
    const turned at = turn(near);
    const twofold up = {y, 0.0}, along = {x, 0.0};
    const twofold remaining = add(multiply(up, at.cosine), minus(multiply(along, at.sine)));
    const twofold length = add(multiply(along, at.cosine), multiply(up, at.sine));
    return add((twofold){near, 0.0}, divide(remaining, length)).high;
}

/* ---- powers ---- */

/* Returns r and sets *exponent to n such that e^x = r 2^n. */
static twofold exponential(twofold x, int *exponent)
{
    static const double log_2[] = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56,
                                   0x1.7b57a079a1934p-111};
    const double k = rint(x.high * 0x1.71547652b82fep+0);
    const twofold remaining = reduce(x, k, log_2, 3);
    twofold sum = {1.0, 0.0};
    for (int n = 26; n >= 1; n--) {
        sum = add((twofold){1.0, 0.0}, divide(multiply(remaining, sum), (twofold){n, 0.0}));
    }
    *exponent = (int)k;
    return sum;
}

enum { MOST_LOG = 700 };

static twofold logarithm(double x, double near)
{
    int exponent;
    const twofold inverse = exponential((twofold){-near, 0.0}, &exponent);
    const twofold one = multiply((twofold){ldexp(x, exponent), 0.0}, inverse);
    return add((twofold){near, 0.0}, add(one, (twofold){-1.0, 0.0}));
}

double rounded_log(double x)
{
    const double near = log(x);
    return fabs(near) <= MOST_LOG ? logarithm(x, near).high : near;
}

double rounded_acosh(double x)
{
    const double near = acosh(x);
    if (!(near > 0.0 && near <= MOST_LOG)) {
        return near;
    }
    int up, down;
    const twofold grows = exponential((twofold){near, 0.0}, &up);
    const twofold decays = exponential((twofold){-near, 0.0}, &down);
    const twofold more = {ldexp(0.5 * grows.high, up), ldexp(0.5 * grows.low, up)};
    const twofold less = {ldexp(0.5 * decays.high, down), ldexp(0.5 * decays.low, down)};
    const twofold remaining = add((twofold){x, 0.0}, minus(add(more, less)));
    return add((twofold){near, 0.0}, divide(remaining, add(more, minus(less)))).high;
}

double rounded_pow(double x, double exponent)
{
    const double near = log(x);
    if (!(fabs(near) <= MOST_LOG && fabs(near * exponent) <= MOST_LOG)) {
        return pow(x, exponent);
    }
    int shift;
    const twofold power =
        exponential(multiply(logarithm(x, near), (twofold){exponent, 0.0}), &shift);
    return ldexp(power.high, shift);
}
