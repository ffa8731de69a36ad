/* Reduces a basis as Semaev (2001) does, "A 3-dimensional lattice reduction algorithm": vectors are
 * shortened by one another until none becomes shorter. */
#include "lattice_basis.h"

#include <string.h>

/* An exchange shortens the square of a vector's length by at least this part. So equal lengths that
 * rounding makes unequal are not exchanged for ever. */
#define LEAST_GAIN 0x1p-40

/* ---- whole numbers ---- */

/* The row of whole numbers times a matrix. */
static vec3 times(vec3 row, const vec3 matrix[3])
{
    return (vec3){row.x * matrix[0].x + row.y * matrix[1].x + row.z * matrix[2].x,
                  row.x * matrix[0].y + row.y * matrix[1].y + row.z * matrix[2].y,
                  row.x * matrix[0].z + row.y * matrix[1].z + row.z * matrix[2].z};
}

/* The vector to which whole numbers lead. The given vectors may be much longer than it, and their
 * multiples then cancel. */
static vec3 vector_of(const lattice_basis *basis, vec3 row)
{
    const vec3 *g = basis->given;
    return (vec3){vec3_dot_exact(row, (vec3){g[0].x, g[1].x, g[2].x}),
                  vec3_dot_exact(row, (vec3){g[0].y, g[1].y, g[2].y}),
                  vec3_dot_exact(row, (vec3){g[0].z, g[1].z, g[2].z})};
}

/* ---- exchanges ---- */

/* What a vector becomes: itself plus s and t times the two others, in cyclic order after it. */
typedef struct exchange {
    int vector;
    double s, t;
} exchange;

static int next_of(int vector)
{
    return (vector + 1) % 3;
}

/* Makes the exchange in the numbers, and in the inverse, where it changes the other columns. */
static void exchange_numbers(exchange e, vec3 numbers[3], vec3 back[3])
{
    const int b = next_of(e.vector), c = next_of(b);
    const vec3 added = vec3_add(vec3_scale(numbers[b], e.s), vec3_scale(numbers[c], e.t));
    numbers[e.vector] = vec3_add(numbers[e.vector], added);
    for (int k = 0; k < 3; k++) {
        double row[3];
        vec3_store(row, back[k]);
        row[b] -= e.s * row[e.vector];
        row[c] -= e.t * row[e.vector];
        back[k] = vec3_one_zero(vec3_load(row));
    }
}

static bool are_exact(const vec3 rows[3])
{
    return vec3_max_abs(rows[0]) <= BASIS_LIMIT && vec3_max_abs(rows[1]) <= BASIS_LIMIT &&
           vec3_max_abs(rows[2]) <= BASIS_LIMIT;
}

/* A vector as a multiple of a length, so that squares neither overflow nor vanish. */
static vec3 relative(vec3 a, double length)
{
    return (vec3){a.x / length, a.y / length, a.z / length};
}

static bool is_shorter(vec3 new, vec3 old)
{
    const double unit = vec3_max_abs(old);
    return vec3_norm_sq(relative(new, unit)) <
           (1.0 - LEAST_GAIN) * vec3_norm_sq(relative(old, unit));
}

/* Makes an exchange if it shortens the vector and all numbers stay exact. */
static bool try_exchange(lattice_basis *basis, exchange e)
{
    if (!(fabs(e.s) <= BASIS_LIMIT && fabs(e.t) <= BASIS_LIMIT)) {
        return false;
    }
    lattice_basis next = *basis;
    exchange_numbers(e, next.numbers, next.back);
    vec3 vectors[3];
    memcpy(vectors, basis->lattice.vectors, sizeof vectors);
    vectors[e.vector] = vec3_one_zero(vector_of(basis, next.numbers[e.vector]));
    if (!are_exact(next.numbers) || !are_exact(next.back) ||
        !is_shorter(vectors[e.vector], basis->lattice.vectors[e.vector])) {
        return false;
    }
    next.lattice = lattice_load(&vectors[0].x, 3);
    *basis = next;
    return true;
}

/* Exchanges a vector for h_a - n h_b. */
static bool try_one(lattice_basis *basis, int a, int b)
{
    const vec3 from = basis->lattice.vectors[a], by = basis->lattice.vectors[b];
    const double unit_from = vec3_max_abs(from), unit_by = vec3_max_abs(by);
    if (unit_from == 0.0 || unit_by == 0.0) {
        return false;
    }
    const vec3 along = relative(by, unit_by);
    const double part = vec3_dot(relative(from, unit_from), along) / vec3_norm_sq(along);
    const double n = -rint(part * (unit_from / unit_by));
    return n != 0.0 &&
           try_exchange(basis, b == next_of(a) ? (exchange){a, n, 0.0} : (exchange){a, 0.0, n});
}

/* Exchanges a vector for h_a + s h_b + t h_c. Of these numbers, the first is that of the vector
 * with the lower index. */
static bool try_both(lattice_basis *basis, int a)
{
    static const double signs[4][2] = {{1.0, 1.0}, {1.0, -1.0}, {-1.0, 1.0}, {-1.0, -1.0}};
    for (int k = 0; k < 4; k++) {
        const double low = signs[k][0], high = signs[k][1];
        const bool is_low_next = next_of(a) < next_of(next_of(a));
        const exchange e = {a, is_low_next ? low : high, is_low_next ? high : low};
        if (try_exchange(basis, e)) {
            return true;
        }
    }
    return false;
}

static bool has_three_vectors(const lattice *l)
{
    return lattice_repeats(l, 0) && lattice_repeats(l, 1) && lattice_repeats(l, 2);
}

bool lattice_exchange(lattice_basis *basis)
{
    if (basis->lattice.is_along_axes) {
        return false;
    }
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            if (a != b && try_one(basis, a, b)) {
                return true;
            }
        }
    }
    for (int a = 0; a < 3 && has_three_vectors(&basis->lattice); a++) {
        if (try_both(basis, a)) {
            return true;
        }
    }
    return false;
}

/* ---- bases ---- */

lattice_basis lattice_basis_of(const lattice *l)
{
    const vec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, z = {0.0, 0.0, 1.0};
    const vec3 *v = l->vectors;
    return (lattice_basis){*l, {v[0], v[1], v[2]}, {x, y, z}, {x, y, z}};
}

lattice_basis lattice_reduce(const lattice *l)
{
    lattice_basis basis = lattice_basis_of(l);
    while (lattice_exchange(&basis)) {
    }
    return basis;
}

vec3 lattice_basis_image(const lattice_basis *basis, vec3 given)
{
    return times(given, basis->back);
}

vec3 lattice_basis_given(const lattice_basis *basis, vec3 image)
{
    return times(image, basis->numbers);
}

/* ---- nearest images ---- */

/* Images are nearest to a vector shorter than half of each of their vectors. */
static bool is_certain(const lattice *reduced, vec3 apart)
{
    const int shortest = lattice_shortest(reduced);
    const double half = 0.5 * vec3_length(reduced->vectors[shortest]);
    return vec3_norm_sq(apart) < (1.0 - LEAST_GAIN) * half * half;
}

/* The image from -1 to 1 along each vector that is nearest to a vector, or image 0. */
static vec3 nearest_neighbor(const lattice *reduced, vec3 apart)
{
    const bool x = lattice_repeats(reduced, 0), y = lattice_repeats(reduced, 1),
               z = lattice_repeats(reduced, 2);
    const image_range range = {{x ? -1.0 : 0.0, y ? -1.0 : 0.0, z ? -1.0 : 0.0},
                               {x ? 1.0 : 0.0, y ? 1.0 : 0.0, z ? 1.0 : 0.0}};
    vec3 nearest = {0.0, 0.0, 0.0}, image = range.first;
    double least_sq = vec3_norm_sq(apart);
    do {
        const double sq = vec3_norm_sq(vec3_sub(apart, lattice_shift(reduced, image)));
        if (sq < least_sq) {
            least_sq = sq, nearest = image;
        }
    } while (image_range_next(&range, &image));
    return nearest;
}

vec3 lattice_closest_image(const lattice_basis *reduced, vec3 apart)
{
    const lattice *l = &reduced->lattice;
    vec3 image = lattice_nearest_image(l, apart);
    if (!l->is_along_axes) {
        const vec3 rest = vec3_sub(apart, lattice_shift(l, image));
        image = is_certain(l, rest) ? image : vec3_add(image, nearest_neighbor(l, rest));
    }
    return vec3_one_zero(lattice_basis_given(reduced, image));
}

vec3 lattice_shortest_image(const lattice_basis *reduced)
{
    const int shortest = lattice_shortest(&reduced->lattice);
    const vec3 none = {0.0, 0.0, 0.0}, image = shortest >= 0 ? reduced->numbers[shortest] : none;
    return lattice_is_positive(image) ? image : vec3_sub(none, image);
}
