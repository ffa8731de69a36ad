/* How precisely the coordinates of a mesh were written down.
 *
 * Digits are found from values, each axis by itself: a program that reads six digits of a text file
 * into doubles leaves numbers that are six digits to within float64's rounding, and one that reads
 * them into float32 numbers to within float32's. */
#include "precision.h"

#include <limits.h>
#include <stdlib.h>

#include "tolerance.h"

/* Where no number needs more digits, they are short, not rounded: 0.25 is a length that someone
 * chose. C, C++ and what is built on them write six significant digits unless told otherwise. */
enum { SHORT_DIGITS = 5 };

/* Numbers of so many digits lie closer together than those of float64 or float32 that look like
 * them by chance are rare. */
enum { MOST_DIGITS_DOUBLE = 13, MOST_DIGITS_FLOAT = 7 };

/* A number of so few bits, as a multiple of 1/1024 below 100 is, is exact, however many digits it
 * takes; one of float32 that has more was rounded. */
enum { SHORT_BITS = 17, FLOAT_BITS = 24, DOUBLE_BITS = 53 };

/* Digits, and low bits that no number uses, are believed where chance would make all of them with a
 * probability of 2^-20 or less. */
enum { EVIDENCE_BITS = 20 };

/* Rounding to units that are so large beside one in so many edges would have closed up facets. So
 * corners with edges of so few units were not rounded: they are points of a grid. */
#define GRID_UNITS 32.0
enum { SHORT_EDGES_OF = 2000 };

/* Fewer than any float64 number needs: where looking for the most begins. */
enum { FEWEST_DECIMALS = -400 };

/* Powers of ten are exact up to here. */
enum { EXACT_POWER = 22 };

static double power_of_ten(int exponent)
{
    static const double exact[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double power = 1.0;
    int remaining = abs(exponent);
    for (; remaining > EXACT_POWER; remaining -= EXACT_POWER) {
        power *= exact[EXACT_POWER];
    }
    power *= exact[remaining];
    return exponent < 0 ? 1.0 / power : power;
}

/* The exponent of the first digit: 0 for 1 ... 9.99, x > 0. */
static int decimal_exponent(double x)
{
    int exponent = (int)floor(log10(x));
    if (power_of_ten(exponent + 1) <= x) {
        return exponent + 1;
    }
    return power_of_ten(exponent) > x ? exponent - 1 : exponent;
}

static bool is_float(double x)
{
    return (double)(float)x == x;
}

/* Whether the significand has more bits than that of a number that someone chose. */
static bool is_long(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & ((UINT64_C(1) << (DOUBLE_BITS - SHORT_BITS)) - 1)) != 0;
}

/* ---- corners ---- */

/* The coordinates of all corners along one axis. */
typedef struct axis_corners {
    const double *first; /* of the first vertex */
    const abut_index *indices;
    abut_index count, vertex_count;
} axis_corners;

/* The coordinate of corner i. Whether its vertex is there at all is checked later: one that is not
 * has 0. */
static double coordinate(const axis_corners *axis, abut_index i)
{
    const abut_index vertex = axis->indices[i];
    return vertex >= 0 && vertex < axis->vertex_count ? axis->first[3 * vertex] : 0.0;
}

static bool are_all_float(const axis_corners *axis)
{
    for (abut_index i = 0; i < axis->count; i++) {
        if (!is_float(coordinate(axis, i))) {
            return false;
        }
    }
    return true;
}

/* ---- float32 ---- */

/* The exponents of the first and of the lowest bit that are set in a number. */
typedef struct bit_span {
    int first, lowest;
} bit_span;

/* The bits of x, which is positive and not subnormal. */
static bit_span span_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint64_t leading = UINT64_C(1) << (DOUBLE_BITS - 1);
    const uint64_t significand = (bits & (leading - 1)) | leading;
    const int first = ilogb(x);
    const int unused = ilogb((double)(significand & (~significand + 1)));
    return (bit_span){first, first - (DOUBLE_BITS - 1) + unused};
}

/* Whether the corner's coordinate is a float32 number other than 0, and which bits it has. */
static bool span_float(const axis_corners *axis, abut_index i, double *x, bit_span *span)
{
    *x = fabs(coordinate(axis, i));
    const bool is_one = *x > 0.0 && is_float(*x);
    if (is_one) {
        *span = span_bits(*x);
    }
    return is_one;
}

/* The lowest bit that any float32 number of the axis has. */
static int lowest_bit(const axis_corners *axis)
{
    int lowest = INT_MAX;
    double x;
    bit_span span;
    for (abut_index i = 0; i < axis->count; i++) {
        if (span_float(axis, i, &x, &span) && span.lowest < lowest) {
            lowest = span.lowest;
        }
    }
    return lowest;
}

static bool is_among(double x, const double *numbers, int count)
{
    int k = 0;
    while (k < count && numbers[k] != x) {
        k++;
    }
    return k < count;
}

/* How unlikely it is that numbers which were rounded to float32 leave as many low bits unused: one
 * bit for each of each distinct number, up to EVIDENCE_BITS. */
static int count_unused_bits(const axis_corners *axis)
{
    double seen[EVIDENCE_BITS], x;
    bit_span span;
    const int lowest = lowest_bit(axis);
    int evidence = 0, count = 0;
    for (abut_index i = 0; i < axis->count && evidence < EVIDENCE_BITS; i++) {
        if (span_float(axis, i, &x, &span) && lowest > span.first - (FLOAT_BITS - 1) &&
            !is_among(x, seen, count)) {
            seen[count++] = x;
            evidence += lowest - (span.first - (FLOAT_BITS - 1));
        }
    }
    return evidence;
}

/* Rounding to float32 is ruled out by bits that are not used; where there are too few of these,
 * by the other axes: a file is written in one format. */
static void find_float_doubts(const axis_corners axes[3], float_doubts doubts[3])
{
    int evidence[3];
    bool disagrees[3];
    for (int k = 0; k < 3; k++) {
        evidence[k] = count_unused_bits(&axes[k]);
        disagrees[k] = evidence[k] >= EVIDENCE_BITS || !are_all_float(&axes[k]);
    }
    for (int k = 0; k < 3; k++) {
        const bool others_disagree = disagrees[(k + 1) % 3] || disagrees[(k + 2) % 3];
        doubts[k] = (float_doubts){.are_grid = evidence[k] >= EVIDENCE_BITS ||
                                               (evidence[k] > 0 && others_disagree),
                                   .others_disagree = others_disagree};
    }
}

/* ---- digits ---- */

/* What is known of the coordinates along one axis. */
typedef struct axis_digits {
    bool are_float; /* all of them are float32 numbers, and are judged as such */
    bool are_few;   /* all of them are decimals of few digits */
    digits digits;
    int evidence; /* how unlikely they are by chance, in bits */
} axis_digits;

/* The fewest digits that x, positive, is written with to within its own rounding, at most `most` of
 * them; 0: more. */
static int count_digits(double x, int exponent, double rounding, int most)
{
    for (int count = 1; count <= most; count++) {
        double power = power_of_ten(count - 1 - exponent);
        double scaled = x * power;
        if (fabs(scaled - nearbyint(scaled)) <= rounding * power + ulp_double(scaled)) {
            return count;
        }
    }
    return 0;
}

static void include_digits(digits *all, const digits *some)
{
    all->significant = some->significant > all->significant ? some->significant : all->significant;
    all->decimals = some->decimals > all->decimals ? some->decimals : all->decimals;
}

/* Take the digits of a number into account, and how unlikely these are by chance. */
static void add_number(axis_digits *axis, double x)
{
    const double rounding = axis->are_float ? 0.5 * ulp_float(x) : ulp_double(x);
    const int most = axis->are_float ? MOST_DIGITS_FLOAT : MOST_DIGITS_DOUBLE;
    const int exponent = decimal_exponent(x);
    const int count = count_digits(x, exponent, rounding, most);
    const int decimals = count - 1 - exponent;
    axis->are_few = count > 0;
    include_digits(&axis->digits, &(digits){.significant = count, .decimals = decimals});
    if (count > 0 && rounding > 0.0 && axis->evidence < EVIDENCE_BITS) {
        /* decimals are that many times farther apart than numbers of the precision */
        axis->evidence += ilogb(power_of_ten(-decimals) / (2.0 * rounding));
    }
}

/* Judge the coordinates of all corners along an axis. Most meshes are no decimals: their first
 * corners tell. */
static axis_digits judge_axis(const axis_corners *axis)
{
    axis_digits found = {
        .are_float = are_all_float(axis), .are_few = true, .digits.decimals = FEWEST_DECIMALS};
    for (abut_index i = 0; i < axis->count && found.are_few; i++) {
        double x = fabs(coordinate(axis, i));
        if (is_long(x)) {
            add_number(&found, x);
        }
    }
    return found;
}

/* The largest common divisor of two whole numbers (Euclid's algorithm); one of them may be 0. */
static double common_divisor(double a, double b)
{
    while (b != 0.0) {
        double remainder = fmod(a, b);
        a = b, b = remainder;
    }
    return a;
}

/* One unit of the last digit of a number, not negative. */
static double digit_unit(const digits *d, double x)
{
    int last = x > 0.0 ? decimal_exponent(x) + 1 - d->significant : -d->decimals;
    return power_of_ten(last > -d->decimals ? last : -d->decimals);
}

/* Whether the numbers differ by multiples of a step larger than one unit of the largest one's last
 * digit: those of a grid that someone chose, as of 0.00625, do, however many digits they need. */
static bool are_steps(const axis_corners *axis, const digits *found)
{
    const double power = power_of_ten(found->decimals);
    const double first = coordinate(axis, 0);
    double step = 0.0, largest = 0.0;
    for (abut_index i = 0; i < axis->count; i++) {
        const double x = coordinate(axis, i);
        if (step != 1.0) {
            step = common_divisor(step, fabs(nearbyint(x * power) - nearbyint(first * power)));
        }
        largest = larger(largest, fabs(x));
    }
    return step / power > 1.5 * digit_unit(found, largest);
}

/* Whether these are numbers that were rounded to so many digits. Whole numbers are not: they count
 * something. */
static bool are_rounded(const axis_corners *axis, const axis_digits *found)
{
    return found->are_few && found->digits.significant > SHORT_DIGITS &&
           found->digits.decimals > 0 && found->evidence >= EVIDENCE_BITS &&
           !are_steps(axis, &found->digits);
}

/* Numbers that are all short, and say nothing by themselves: a file writes them as the others. */
static bool are_short(const axis_digits *axis)
{
    return axis->are_few && axis->digits.significant <= SHORT_DIGITS;
}

/* Whether more than one in SHORT_EDGES_OF steps from corner to corner is no longer than GRID_UNITS
 * units: then the units are no rounding, but a grid. */
static bool are_grid_points(const axis_corners axes[3], const digits *found)
{
    abut_index count = 0, short_count = 0;
    double before[3] = {0.0, 0.0, 0.0};
    for (abut_index i = 0; i < axes[0].count; i++) {
        double length = 0.0, largest = 0.0;
        for (int k = 0; k < 3; k++) {
            const double x = coordinate(&axes[k], i);
            length = larger(length, fabs(x - before[k]));
            largest = larger(largest, fabs(x));
            before[k] = x;
        }
        count += i > 0 && length > 0.0;
        short_count += i > 0 && length > 0.0 && length <= GRID_UNITS * digit_unit(found, largest);
    }
    return SHORT_EDGES_OF * short_count > count;
}

precision precision_find(const abut_mesh_input *input, const double *vertices)
{
    precision found = {.said = input->units};
    digits common = {.decimals = FEWEST_DECIMALS};
    axis_corners axes[3];
    bool alike[3] = {false, false, false};
    for (int k = 0; k < 3 && !input->noise; k++) {
        axes[k] =
            (axis_corners){vertices + k, input->indices, input->index_count, input->vertex_count};
        const axis_digits of_axis = judge_axis(&axes[k]);
        const bool rounded = are_rounded(&axes[k], &of_axis);
        common.are_rounded |= rounded;
        alike[k] = rounded || are_short(&of_axis);
        if (alike[k]) {
            include_digits(&common, &of_axis.digits);
        }
    }
    if (!input->noise) {
        find_float_doubts(axes, found.doubts);
    }
    common.are_rounded = common.are_rounded && !are_grid_points(axes, &common);
    for (int k = 0; k < 3; k++) {
        found.axes[k] = alike[k] ? common : (digits){0};
    }
    return found;
}

/* ---- units ---- */

/* What a facet's corners have in common along an axis. */
typedef struct axis_facts {
    double largest, said, low, high;
    bool are_float, has_long;
} axis_facts;

static axis_facts find_facts(const precision *found, const polygon *p, int axis)
{
    axis_facts facts = {.are_float = true, .low = INFINITY, .high = -INFINITY};
    for (abut_index i = 0; i < p->count; i++) {
        abut_index k = 3 * p->indices[i] + axis;
        facts.low = smaller(facts.low, p->vertices[k]);
        facts.high = larger(facts.high, p->vertices[k]);
        double x = fabs(p->vertices[k]), said = found->said ? found->said[k] : 0.0;
        facts.largest = x > facts.largest ? x : facts.largest;
        facts.said = said > facts.said ? said : facts.said;
        facts.are_float &= is_float(x);
        facts.has_long |= is_long(x);
    }
    return facts;
}

/* Whether rounding an axis of a facet of this size to float32 is out of the question: its numbers
 * are a grid's, or another axis is not of float32 and the facet has hardly more than a few units. A
 * unit that is small for float32 does no harm, and stays. */
static bool is_no_rounding(double unit, const float_doubts *doubts, double size)
{
    return unit > SINGLE_ROUNDING * size &&
           (doubts->are_grid || (doubts->others_disagree && GRID_UNITS * unit >= size));
}

/* A facet whose coordinates are all float32 numbers is one of float32; else an axis is where some
 * of its numbers need the whole of a float32's digits. */
static double float_unit(const axis_facts *facts, bool all_are_float, const float_doubts *doubts,
                         double size)
{
    const bool is_one = all_are_float || (facts->are_float && facts->has_long);
    const double unit = ulp_float(facts->largest);
    return is_one && !is_no_rounding(unit, doubts, size) ? unit : ulp_double(facts->largest);
}

unit_sizes precision_units(const precision *found, const polygon *p)
{
    axis_facts facts[3];
    double units[3], size = 0.0;
    unit_sizes sizes = {.origin = found->said ? ABUT_NOISE_DECIMALS : ABUT_NOISE_DOUBLE};
    for (int axis = 0; axis < 3; axis++) {
        facts[axis] = find_facts(found, p, axis);
        size = larger(size, facts[axis].high - facts[axis].low);
    }
    bool all_are_float = facts[0].are_float && facts[1].are_float && facts[2].are_float;
    for (int axis = 0; axis < 3; axis++) {
        const axis_facts *of = &facts[axis];
        units[axis] =
            found->said ? of->said : float_unit(of, all_are_float, &found->doubts[axis], size);
        if (!found->said && units[axis] > ulp_double(of->largest)) {
            sizes.origin = sizes.origin > ABUT_NOISE_FLOAT32 ? sizes.origin : ABUT_NOISE_FLOAT32;
        }
        double unit =
            found->axes[axis].are_rounded ? digit_unit(&found->axes[axis], of->largest) : 0.0;
        if (unit > units[axis]) {
            units[axis] = unit;
            sizes.origin = ABUT_NOISE_DECIMALS;
        }
    }
    sizes.units = vec3_load(units);
    return sizes;
}
