/* How precisely the coordinates of a mesh were written.
 *
 * Digits are found from the values along each axis. If a program has read six digits of a text file
 * into float64 numbers, each number is six digits to within the rounding of float64. If it has read
 * them into float32 numbers, each is six digits to within the rounding of float32. */
#include "precision.h"

#include <limits.h>
#include <stdlib.h>

#include "tolerance.h"

/* Numbers with at most this many digits count as short, not as rounded: 0.25 is a length that was
 * chosen. C, C++ and programs built on them write one digit more, six, by default. */
enum { SHORT_DIGITS = 5 };

/* The largest number of digits that is recognized. With more digits, binary numbers often look like
 * decimals by chance. */
enum { MOST_DIGITS_DOUBLE = 13, MOST_DIGITS_FLOAT = 7 };

/* A number with at most SHORT_BITS significant bits counts as exact, however many decimal digits it
 * needs, such as a multiple of 1/1024 below 100. A float32 number with more bits was rounded. */
enum { SHORT_BITS = 17, FLOAT_BITS = 24, DOUBLE_BITS = 53 };

/* Few digits, or low bits that are always 0, count as evidence if chance makes them with a
 * probability of at most 2^-20. */
enum { EVIDENCE_BITS = 20 };

/* If more than one edge in SHORT_EDGES_OF is at most GRID_UNITS units of the last digit long, the
 * coordinates lie on a grid with this step, and were not rounded to it: rounding to so coarse a
 * step would have made some facets vanish. */
#define GRID_UNITS 32.0
enum { SHORT_EDGES_OF = 2000 };

/* The start value of a maximum: fewer decimals than any float64 number needs. */
enum { FEWEST_DECIMALS = -400 };

/* Largest power of ten that is exact in float64. */
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

/* The exponent of the first digit of x > 0: 0 for 1 ... 9.99. */
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

/* Whether a number has more than SHORT_BITS significant bits. */
static bool is_long(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & ((UINT64_C(1) << (DOUBLE_BITS - SHORT_BITS)) - 1)) != 0;
}

/* ---- corners ---- */

/* The coordinates of all corners along one axis. */
typedef struct axis_corners {
    const double *first; /* the coordinate of vertex 0 */
    const abut_index *indices;
    abut_index count, vertex_count;
} axis_corners;

/* The coordinate of corner i; 0 if its vertex number is invalid, which is checked later. */
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

/* The exponents of the highest and of the lowest bit that are set in a number. */
typedef struct bit_span {
    int first, lowest;
} bit_span;

/* The span of the bits of x, which is positive and not subnormal. */
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

/* Whether the corner's coordinate is a float32 number other than 0. Sets its size and its bits. */
static bool span_float(const axis_corners *axis, abut_index i, double *x, bit_span *span)
{
    *x = fabs(coordinate(axis, i));
    const bool has_bits = *x > 0.0 && is_float(*x);
    if (has_bits) {
        *span = span_bits(*x);
    }
    return has_bits;
}

/* The exponent of the lowest bit that is set in any float32 number of the axis. */
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

/* Evidence, in bits, that the numbers were not rounded to float32: rounded numbers would not all
 * have 0 in the same low bits. Counts each such bit of each distinct number up to a limit. */
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

/* Finds what speaks against rounding to float32. Enough unused low bits along an axis rule it out.
 * With fewer of them, the other axes may rule it out, since a file is written in one format. */
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

/* The digits of all coordinates along an axis. */
typedef struct axis_digits {
    bool are_float; /* all coordinates are float32 numbers, and are judged as such */
    bool are_few;   /* all coordinates are decimals with few digits */
    digits digits;
    int evidence; /* chance gives them so few digits with a probability of about 2^-evidence */
} axis_digits;

/* The smallest number of digits that gives x, which is positive, to within its rounding; 0: more
 * than `most` are needed. */
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

/* Includes the digits of a number in those of the axis, and adds to the evidence. */
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
        /* the spacing of decimals, divided by the spacing of float32 or float64 numbers, in bits */
        axis->evidence += ilogb(power_of_ten(-decimals) / (2.0 * rounding));
    }
}

/* Finds the digits of all coordinates along an axis. In most meshes, one of the first coordinates
 * shows that they are not decimals. */
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

/* The greatest common divisor of two whole numbers (Euclid's algorithm); one of them may be 0. */
static double common_divisor(double a, double b)
{
    while (b != 0.0) {
        double remainder = fmod(a, b);
        a = b, b = remainder;
    }
    return a;
}

/* One unit of the last digit of a number x >= 0. */
static double digit_unit(const digits *d, double x)
{
    int last = x > 0.0 ? decimal_exponent(x) + 1 - d->significant : -d->decimals;
    return power_of_ten(last > -d->decimals ? last : -d->decimals);
}

/* Whether all differences between the numbers are multiples of a step, which is larger than one
 * unit of the largest number's last digit. They are on a grid with a chosen step, such as 0.00625,
 * however many digits the numbers need. */
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

/* Whether the numbers were rounded to some digits. Whole numbers count as not rounded. */
static bool are_rounded(const axis_corners *axis, const axis_digits *found)
{
    return found->are_few && found->digits.significant > SHORT_DIGITS &&
           found->digits.decimals > 0 && found->evidence >= EVIDENCE_BITS &&
           !are_steps(axis, &found->digits);
}

/* Whether all numbers of an axis are short. That is no evidence of rounding. But a file has one
 * format, so such an axis shares the digits of rounded axes. */
static bool are_short(const axis_digits *axis)
{
    return axis->are_few && axis->digits.significant <= SHORT_DIGITS;
}

/* Whether more than one in SHORT_EDGES_OF edges is at most GRID_UNITS units of the last digit long.
 * The units are then the steps of a grid, and do not come from rounding. */
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
    precision found = {.given = input->units};
    digits common = {.decimals = FEWEST_DECIMALS};
    axis_corners axes[3];
    bool shares_digits[3] = {false, false, false};
    for (int k = 0; k < 3 && !input->noise; k++) {
        axes[k] =
            (axis_corners){vertices + k, input->indices, input->index_count, input->vertex_count};
        const axis_digits judged = judge_axis(&axes[k]);
        const bool rounded = are_rounded(&axes[k], &judged);
        common.are_rounded |= rounded;
        shares_digits[k] = rounded || are_short(&judged);
        if (shares_digits[k]) {
            include_digits(&common, &judged.digits);
        }
    }
    if (!input->noise) {
        find_float_doubts(axes, found.doubts);
    }
    common.are_rounded = common.are_rounded && !are_grid_points(axes, &common);
    for (int k = 0; k < 3; k++) {
        found.axes[k] = shares_digits[k] ? common : (digits){0};
    }
    return found;
}

/* ---- units ---- */

/* Properties of a facet's corners along an axis. */
typedef struct axis_facts {
    double largest, given, low, high;
    bool are_float, has_long;
} axis_facts;

static axis_facts find_facts(const precision *found, const polygon *p, int axis)
{
    axis_facts facts = {.are_float = true, .low = INFINITY, .high = -INFINITY};
    for (abut_index i = 0; i < p->count; i++) {
        abut_index k = 3 * p->indices[i] + axis;
        facts.low = smaller(facts.low, p->vertices[k]);
        facts.high = larger(facts.high, p->vertices[k]);
        double x = fabs(p->vertices[k]), given = found->given ? found->given[k] : 0.0;
        facts.largest = x > facts.largest ? x : facts.largest;
        facts.given = given > facts.given ? given : facts.given;
        facts.are_float &= is_float(x);
        facts.has_long |= is_long(x);
    }
    return facts;
}

/* Whether the coordinates of a facet along an axis surely were not rounded to float32: they lie on
 * a grid, or another axis has numbers that are not float32 and the facet is only a few units large.
 * False if the unit is small compared with the facet: it then makes no difference whether they were
 * rounded. */
static bool is_no_rounding(double unit, const float_doubts *doubts, double size)
{
    return unit > SINGLE_ROUNDING * size &&
           (doubts->are_grid || (doubts->others_disagree && GRID_UNITS * unit >= size));
}

/* One unit in the last place along an axis, of float32 or float64. It is that of float32 in two
 * cases, unless is_no_rounding rules it out:
 * - all coordinates of the facet are float32 numbers;
 * - all its coordinates along the axis are, and some have more than SHORT_BITS bits. */
static double float_unit(const axis_facts *facts, bool all_are_float, const float_doubts *doubts,
                         double size)
{
    const bool is_single = all_are_float || (facts->are_float && facts->has_long);
    const double unit = ulp_float(facts->largest);
    return is_single && !is_no_rounding(unit, doubts, size) ? unit : ulp_double(facts->largest);
}

unit_sizes precision_units(const precision *found, const polygon *p)
{
    axis_facts facts[3];
    double units[3], size = 0.0;
    unit_sizes sizes = {.origin = found->given ? ABUT_NOISE_DECIMALS : ABUT_NOISE_DOUBLE};
    for (int axis = 0; axis < 3; axis++) {
        facts[axis] = find_facts(found, p, axis);
        size = larger(size, facts[axis].high - facts[axis].low);
    }
    bool all_are_float = facts[0].are_float && facts[1].are_float && facts[2].are_float;
    for (int axis = 0; axis < 3; axis++) {
        const axis_facts *along = &facts[axis];
        units[axis] = found->given ? along->given
                                   : float_unit(along, all_are_float, &found->doubts[axis], size);
        if (!found->given && units[axis] > ulp_double(along->largest)) {
            sizes.origin = sizes.origin > ABUT_NOISE_FLOAT32 ? sizes.origin : ABUT_NOISE_FLOAT32;
        }
        double unit =
            found->axes[axis].are_rounded ? digit_unit(&found->axes[axis], along->largest) : 0.0;
        if (unit > units[axis]) {
            units[axis] = unit;
            sizes.origin = ABUT_NOISE_DECIMALS;
        }
    }
    sizes.units = vec3_load(units);
    return sizes;
}
