#include "lattice.h"

#include "error.h"

/* Vectors count as flat if Gram's determinant is at most this part of the product of their squared
 * lengths. Then the fractions of a point have no digits left. */
#define FLAT (1.0 / 1e24)

/* An upper bound for the rounding of a fraction, relative to 1 and to the products that are its
 * sum.
 */
#define FRACTION_ROUNDING 0x1p-48

/* Moving a far point into the box rounds its place, which may end beside a border. Then the point
 * is moved again, at most until this many moves are made. */
enum { MOST_WRAPS = 4 };

/* ---- making a lattice ---- */

static double component(vec3 a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

int lattice_tilted_vector(const lattice *l)
{
    for (int k = 0; k < 3; k++) {
        for (int axis = 0; axis < 3; axis++) {
            const double x = component(l->vectors[k], axis);
            if (!(axis == k ? x >= 0.0 : x == 0.0)) {
                return k;
            }
        }
    }
    return -1;
}

static vec3 divide(vec3 a, double by)
{
    return (vec3){a.x / by, a.y / by, a.z / by};
}

/* A vector's length, also where its square would be too large or too small for a double. */
static double length_of(vec3 a)
{
    const double most = vec3_max_abs(a);
    return most > 0.0 ? most * vec3_length(divide(a, most)) : most;
}

/* A vector of length 1 in the direction of `a`; 0 if `a` is 0. */
static vec3 unit_along(vec3 a)
{
    const double length = length_of(a);
    return length > 0.0 ? divide(a, length) : a;
}

/* A unit vector that is perpendicular to a vector. */
static vec3 unit_across(vec3 a)
{
    const bool is_steep = fabs(a.x) <= larger(fabs(a.y), fabs(a.z));
    return unit_along(vec3_cross(a, is_steep ? (vec3){1.0, 0.0, 0.0} : (vec3){0.0, 1.0, 0.0}));
}

/* The vectors with the largest coordinate from 0.5 to 1, by powers of 2, which round nothing. In
 * place of a vector that is 0 stands a unit vector that is perpendicular to all others. */
typedef struct scaled_vectors {
    vec3 vectors[3];
    int exponents[3]; /* these powers of 2 lead back to the lattice's vectors */
} scaled_vectors;

static vec3 times_power(vec3 a, int exponent)
{
    return (vec3){ldexp(a.x, exponent), ldexp(a.y, exponent), ldexp(a.z, exponent)};
}

/* Replaces vectors that are 0 by unit vectors that are perpendicular to all others. */
static void complete(vec3 vectors[3])
{
    for (int k = 0; k < 3; k++) {
        vec3 *own = &vectors[k];
        const vec3 a = vectors[(k + 1) % 3], b = vectors[(k + 2) % 3];
        if (vec3_max_abs(*own) == 0.0) {
            const bool has_a = vec3_max_abs(a) > 0.0, has_b = vec3_max_abs(b) > 0.0;
            *own = has_a && has_b ? unit_along(vec3_cross_exact(a, b)) : unit_across(has_a ? a : b);
        }
    }
}

static scaled_vectors scale(const lattice *l)
{
    scaled_vectors s;
    for (int k = 0; k < 3; k++) {
        s.exponents[k] = 0;
        frexp(vec3_max_abs(l->vectors[k]), &s.exponents[k]);
        s.vectors[k] = times_power(l->vectors[k], -s.exponents[k]);
    }
    complete(s.vectors);
    return s;
}

/* What a b - c d is more than difference_of_products. */
static double rest_of_products(double a, double b, double c, double d)
{
    const double ab = a * b, cd = c * d, whole = difference_of_products(a, b, c, d);
    const double difference = ab - cd, of_cd = ab - difference;
    const double lost = (ab - (difference + of_cd)) + (of_cd - cd);
    return (difference - whole) + (lost + (fused(a, b, -ab) - fused(c, d, -cd)));
}

/* The volume of three vectors, with twice the digits of a double on the way: of vectors that lie
 * almost in a plane, the products cancel. */
static double volume_of(const vec3 v[3])
{
    const vec3 a = v[0], b = v[1], c = v[2], across = vec3_cross_exact(b, c);
    const double rest = a.x * rest_of_products(b.y, c.z, b.z, c.y) +
                        a.y * rest_of_products(b.z, c.x, b.x, c.z) +
                        a.z * rest_of_products(b.x, c.y, b.y, c.x);
    return vec3_dot_exact(a, across) + rest;
}

/* Sets the rows of the inverse, and the widths. Along the directions that have no vector, fractions
 * are 0. */
static void invert(lattice *l)
{
    const scaled_vectors s = scale(l);
    const double volume = volume_of(s.vectors);
    for (int k = 0; k < 3; k++) {
        if (vec3_max_abs(l->vectors[k]) > 0.0) {
            const vec3 across = vec3_cross_exact(s.vectors[(k + 1) % 3], s.vectors[(k + 2) % 3]);
            l->inverse[k] = times_power(divide(across, volume), -s.exponents[k]);
            l->widths[k] = ldexp(fabs(volume) / vec3_length(across), s.exponents[k]);
        }
    }
}

static void invert_along_axes(lattice *l)
{
    const double periods[3] = {l->vectors[0].x, l->vectors[1].y, l->vectors[2].z};
    double inverses[3];
    for (int k = 0; k < 3; k++) {
        l->widths[k] = periods[k];
        inverses[k] = periods[k] > 0.0 ? 1.0 / periods[k] : 0.0;
    }
    l->inverse[0] = (vec3){inverses[0], 0.0, 0.0};
    l->inverse[1] = (vec3){0.0, inverses[1], 0.0};
    l->inverse[2] = (vec3){0.0, 0.0, inverses[2]};
}

/* The sum of the absolute values of the products that a fraction is the sum of. */
static double products_of(vec3 inverse, vec3 a)
{
    return fabs(inverse.x * a.x) + fabs(inverse.y * a.y) + fabs(inverse.z * a.z);
}

/* An upper bound for the rounding of a fraction of a point in the box. */
static double rounding_in_box(const lattice *l, vec3 inverse)
{
    const vec3 *v = l->vectors;
    return FRACTION_ROUNDING *
           (products_of(inverse, v[0]) + products_of(inverse, v[1]) + products_of(inverse, v[2]));
}

static lattice make(const vec3 vectors[3])
{
    lattice l = {.vectors = {vectors[0], vectors[1], vectors[2]}};
    for (int k = 0; k < 3; k++) {
        /* NaN counts as a vector, which lattice_check then rejects */
        l.is_periodic = l.is_periodic || !(vec3_max_abs(vectors[k]) == 0.0);
    }
    l.is_along_axes = lattice_tilted_vector(&l) < 0;
    if (l.is_along_axes) {
        invert_along_axes(&l);
    } else {
        invert(&l);
    }
    for (int k = 0; k < 3; k++) {
        const double lost = l.is_along_axes ? 0.0 : rounding_in_box(&l, l.inverse[k]);
        l.slacks[k] = larger(lost, WRAP_SLACK);
        l.inv_widths[k] = l.widths[k] > 0.0 ? 1.0 / l.widths[k] : 0.0;
    }
    return l;
}

lattice lattice_load(const double *vectors, int dimension)
{
    vec3 rows[3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int k = 0; vectors && k < dimension; k++) {
        const double *row = vectors + dimension * k;
        rows[k] = (vec3){row[0], row[1], dimension == 3 ? row[2] : 0.0};
    }
    return make(rows);
}

lattice lattice_along_axes(const double lengths[3])
{
    const vec3 vectors[3] = {
        {lengths[0], 0.0, 0.0}, {0.0, lengths[1], 0.0}, {0.0, 0.0, lengths[2]}};
    return make(vectors);
}

/* Gram's determinant of the vectors that are not 0, over the product of their squared lengths: the
 * squared volume of the vectors with length 1. */
static double gram_part(const lattice *l)
{
    if (l->is_along_axes) {
        return 1.0;
    }
    const scaled_vectors s = scale(l);
    const vec3 *v = s.vectors;
    const double part = volume_of(v) / (vec3_length(v[0]) * vec3_length(v[1]) * vec3_length(v[2]));
    return part * part;
}

abut_status lattice_check(const lattice *l, abut_error *error)
{
    for (int k = 0; k < 3; k++) {
        for (int axis = 0; axis < 3; axis++) {
            const double x = component(l->vectors[k], axis);
            if (!(fabs(x) <= ABUT_COORDINATE_LIMIT)) {
                return error_set(error, ABUT_BAD_PERIOD, k, axis, x);
            }
        }
    }
    return gram_part(l) > FLAT ? ABUT_OK : error_set(error, ABUT_FLAT_PERIOD, 0, 0, 0.0);
}

bool lattice_is_same(const lattice *a, const lattice *b)
{
    bool is_same = true;
    for (int k = 0; k < 3; k++) {
        is_same &= vec3_compare(a->vectors[k], b->vectors[k]) == 0;
    }
    return is_same;
}

int lattice_narrowest(const lattice *l)
{
    int narrowest = -1;
    for (int k = 0; k < 3; k++) {
        if (lattice_repeats(l, k) && (narrowest < 0 || l->widths[k] < l->widths[narrowest])) {
            narrowest = k;
        }
    }
    return narrowest;
}

int lattice_shortest(const lattice *l)
{
    int shortest = -1;
    for (int k = 0; k < 3; k++) {
        if (lattice_repeats(l, k) &&
            (shortest < 0 || length_of(l->vectors[k]) < length_of(l->vectors[shortest]))) {
            shortest = k;
        }
    }
    return shortest;
}

double lattice_longest(const lattice *l)
{
    return larger(larger(length_of(l->vectors[0]), length_of(l->vectors[1])),
                  length_of(l->vectors[2]));
}

vec3 lattice_direction(const lattice *l, int vector)
{
    return unit_along(l->vectors[vector]);
}

/* ---- images ---- */

/* The whole numbers from `low` to `high` below and above the fractions of a vector, with a margin
 * for rounding. */
static image_range whole_numbers(const lattice *l, vec3 at, const double low[3],
                                 const double high[3])
{
    double fractions[3], first[3] = {0.0, 0.0, 0.0}, last[3] = {0.0, 0.0, 0.0};
    vec3_store(fractions, lattice_fractions(l, at));
    for (int k = 0; k < 3; k++) {
        if (lattice_repeats(l, k)) {
            const double most =
                larger(fabs(low[k]), fabs(high[k])) + products_of(l->inverse[k], at);
            const double margin = FRACTION_ROUNDING * (1.0 + most);
            first[k] = ceil(fractions[k] + low[k] - margin);
            last[k] = floor(fractions[k] + high[k] + margin);
        }
    }
    return (image_range){vec3_load(first), vec3_load(last)};
}

image_range lattice_images_near(const lattice *l, vec3 end, double reach)
{
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        high[k] = lattice_repeats(l, k) ? reach / l->widths[k] : 0.0;
        low[k] = -high[k];
    }
    return whole_numbers(l, end, low, high);
}

image_range lattice_images_of_ball(const lattice *l, vec3 center, double radius)
{
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        const double part = radius * l->inv_widths[k] + 3.0 * l->slacks[k];
        low[k] = -part, high[k] = 1.0 + part;
    }
    return whole_numbers(l, vec3_scale(center, -1.0), low, high);
}

double image_range_count(const image_range *range)
{
    const vec3 counts = vec3_sub(range->last, range->first);
    return (counts.x + 1.0) * (counts.y + 1.0) * (counts.z + 1.0);
}

/* ---- moving points into the box ---- */

bool lattice_is_near(const lattice *l, vec3 point)
{
    const vec3 f = lattice_fractions(l, point);
    return fabs(f.x) <= PERIOD_LIMIT && fabs(f.y) <= PERIOD_LIMIT && fabs(f.z) <= PERIOD_LIMIT;
}

int lattice_far_axis(const lattice *l, vec3 point, int dimension)
{
    if (lattice_is_near(l, point)) {
        return -1;
    }
    for (int axis = 0; axis < dimension; axis++) {
        double alone[3] = {0.0, 0.0, 0.0};
        alone[axis] = component(point, axis);
        if (!lattice_is_near(l, vec3_load(alone))) {
            return axis;
        }
    }
    return 0;
}

/* How many of each vector must be subtracted from a point; 0 for those that it is inside of. */
static vec3 counts_of(const lattice *l, vec3 point)
{
    double counts[3];
    vec3_store(counts, lattice_fractions(l, point));
    for (int k = 0; k < 3; k++) {
        const bool is_inside = counts[k] >= -l->slacks[k] && counts[k] < 1.0 + l->slacks[k];
        counts[k] = is_inside ? 0.0 : floor(counts[k]);
    }
    return vec3_load(counts);
}

vec3 lattice_wrap_tilted(const lattice *l, double place[3])
{
    vec3 all = {0.0, 0.0, 0.0};
    for (int k = 0; k < MOST_WRAPS; k++) {
        const vec3 counts = counts_of(l, vec3_load(place));
        if (vec3_max_abs(counts) == 0.0) {
            break;
        }
        all = vec3_add(all, counts);
        vec3_store(place, vec3_sub(vec3_load(place), lattice_shift(l, counts)));
    }
    return all;
}
