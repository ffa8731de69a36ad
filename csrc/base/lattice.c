#include "lattice.h"

#include "error.h"

/* Vectors count as flat if Gram's determinant is at most this part of the product of their squared
 * lengths. Then the fractions of a point have no digits left. */
#define FLAT (1.0 / 1e24)

/* An upper bound for the rounding of fractions, relative to 1 and to the number of vectors. */
#define FRACTION_ROUNDING 0x1p-48

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

/* A vector's length, also where its square would be too large or too small for a double. */
static double length_of(vec3 a)
{
    const double most = vec3_max_abs(a);
    return most > 0.0 ? most * vec3_length(vec3_scale(a, 1.0 / most)) : most;
}

/* A vector of length 1 in the direction of `a`; 0 if `a` is 0. */
static vec3 unit_along(vec3 a)
{
    const double length = length_of(a);
    return length > 0.0 ? vec3_scale(a, 1.0 / length) : a;
}

/* A unit vector that is perpendicular to a unit vector. */
static vec3 unit_across(vec3 a)
{
    const vec3 axis = fabs(a.x) < 0.6 ? (vec3){1.0, 0.0, 0.0} : (vec3){0.0, 1.0, 0.0};
    return unit_along(vec3_cross(a, axis));
}

/* Replaces vectors that are 0, of three unit vectors or zeros, by unit vectors that are
 * perpendicular to all others. */
static void complete(vec3 units[3])
{
    for (int k = 0; k < 3; k++) {
        vec3 *own = &units[k];
        const vec3 a = units[(k + 1) % 3], b = units[(k + 2) % 3];
        if (vec3_norm_sq(*own) == 0.0) {
            const bool has_a = vec3_norm_sq(a) > 0.0, has_b = vec3_norm_sq(b) > 0.0;
            *own = has_a && has_b ? unit_along(vec3_cross_exact(a, b)) : unit_across(has_a ? a : b);
        }
    }
}

/* Sets the rows of the inverse, and the widths. Along the directions that have no vector, fractions
 * are 0. Unit vectors are inverted, so that the cross products keep their digits. */
static void invert(lattice *l)
{
    vec3 units[3];
    for (int k = 0; k < 3; k++) {
        units[k] = unit_along(l->vectors[k]);
    }
    complete(units);
    const double volume = vec3_dot(units[0], vec3_cross_exact(units[1], units[2]));
    for (int k = 0; k < 3; k++) {
        const double length = length_of(l->vectors[k]);
        if (length > 0.0) {
            const vec3 across = vec3_cross_exact(units[(k + 1) % 3], units[(k + 2) % 3]);
            l->inverse[k] = vec3_scale(across, 1.0 / volume / length);
            l->widths[k] = length * fabs(volume) / vec3_length(across);
        }
    }
}

static void invert_along_axes(lattice *l)
{
    const double periods[3] = {l->vectors[0].x, l->vectors[1].y, l->vectors[2].z};
    double inverses[3];
    for (int k = 0; k < 3; k++) {
        l->widths[k] = l->period[k] = periods[k];
        inverses[k] = l->inv_period[k] = periods[k] > 0.0 ? 1.0 / periods[k] : 0.0;
    }
    l->inverse[0] = (vec3){inverses[0], 0.0, 0.0};
    l->inverse[1] = (vec3){0.0, inverses[1], 0.0};
    l->inverse[2] = (vec3){0.0, 0.0, inverses[2]};
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
 * squared volume, area or length of unit vectors. */
static double gram_part(const lattice *l)
{
    vec3 units[3];
    int count = 0;
    for (int k = 0; k < 3; k++) {
        if (vec3_max_abs(l->vectors[k]) > 0.0) {
            units[count++] = unit_along(l->vectors[k]);
        }
    }
    if (count < 2) {
        return 1.0;
    }
    const vec3 across = vec3_cross_exact(units[0], units[1]);
    const double volume = count == 3 ? vec3_dot(across, units[2]) : vec3_length(across);
    return volume * volume;
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

/* The whole numbers that may lie between two fractions, with a margin for rounding. */
static void set_range(const double low[3], const double high[3], const lattice *l,
                      image_range *range)
{
    double first[3] = {0.0, 0.0, 0.0}, last[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; k++) {
        if (lattice_repeats(l, k)) {
            const double far = larger(fabs(low[k]), fabs(high[k]));
            const double margin = FRACTION_ROUNDING * (1.0 + far);
            first[k] = ceil(low[k] - margin), last[k] = floor(high[k] + margin);
        }
    }
    range->first = vec3_load(first), range->last = vec3_load(last);
}

image_range lattice_images_near(const lattice *l, vec3 end, double reach)
{
    double fractions[3], low[3], high[3];
    vec3_store(fractions, lattice_fractions(l, end));
    for (int k = 0; k < 3; k++) {
        const double part = lattice_repeats(l, k) ? reach / l->widths[k] : 0.0;
        low[k] = fractions[k] - part, high[k] = fractions[k] + part;
    }
    image_range range;
    set_range(low, high, l, &range);
    return range;
}

image_range lattice_images_of_ball(const lattice *l, vec3 center, double radius)
{
    double fractions[3], low[3], high[3];
    vec3_store(fractions, lattice_fractions(l, center));
    for (int k = 0; k < 3; k++) {
        const double part = lattice_repeats(l, k) ? radius / l->widths[k] : 0.0;
        low[k] = -fractions[k] - part - WRAP_SLACK;
        high[k] = 1.0 - fractions[k] + part + WRAP_SLACK;
    }
    image_range range;
    set_range(low, high, l, &range);
    return range;
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

vec3 lattice_wrap_tilted(const lattice *l, double place[3])
{
    double counts[3];
    vec3_store(counts, lattice_fractions(l, vec3_load(place)));
    for (int k = 0; k < 3; k++) {
        const bool is_inside = counts[k] >= -WRAP_SLACK && counts[k] < 1.0 + WRAP_SLACK;
        counts[k] = is_inside ? 0.0 : floor(counts[k]);
    }
    const vec3 all = vec3_load(counts);
    if (all.x != 0.0 || all.y != 0.0 || all.z != 0.0) {
        vec3_store(place, vec3_sub(vec3_load(place), lattice_shift(l, all)));
    }
    return all;
}
