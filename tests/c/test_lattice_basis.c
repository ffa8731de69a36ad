#include "base/lattice_basis.h"

#include "check.h"
#include "random.h"
#include "random_cells.h"

static vec3 row_times(vec3 row, const vec3 matrix[3])
{
    const vec3 x = vec3_scale(matrix[0], row.x), y = vec3_scale(matrix[1], row.y),
               z = vec3_scale(matrix[2], row.z);
    return vec3_add(vec3_add(x, y), z);
}

/* Products of whole numbers up to BASIS_LIMIT, and their sums, are not exact in doubles. */
__extension__ typedef __int128 long_whole;

static bool is_identity(const vec3 a[3], const vec3 b[3])
{
    bool is_one = true;
    for (int row = 0; row < 3; row++) {
        const double *from = &a[row].x;
        for (int column = 0; column < 3; column++) {
            long_whole sum = 0;
            for (int k = 0; k < 3; k++) {
                sum += (long_whole)from[k] * (long_whole)(&b[k].x)[column];
            }
            is_one &= sum == (row == column);
        }
    }
    return is_one;
}

/* Whether a vector could be shortened by more than rounding. */
static bool is_shortened(const lattice *l, int a, vec3 image)
{
    const double unit = lattice_longest(l);
    const vec3 own = vec3_scale(l->vectors[a], 1.0 / unit);
    const vec3 other = vec3_add(own, vec3_scale(lattice_shift(l, image), 1.0 / unit));
    return vec3_norm_sq(other) < (1.0 - 0x1p-38) * vec3_norm_sq(own);
}

static void check_is_reduced(const lattice *l)
{
    for (int a = 0; a < 3; a++) {
        for (int k = 0; k < 27; k++) {
            double image[3] = {k % 3 - 1.0, (k / 3) % 3 - 1.0, k / 9 - 1.0};
            image[a] = 0.0;
            CHECK(vec3_max_abs(l->vectors[a]) == 0.0 || !is_shortened(l, a, vec3_load(image)));
        }
    }
}

/* The vectors are those that the numbers lead to: to an ulp of themselves and the products. */
static void check_numbers(const lattice_basis *b, const lattice *given)
{
    CHECK(is_identity(b->numbers, b->back) && is_identity(b->back, b->numbers));
    for (int a = 0; a < 3; a++) {
        const vec3 own = b->lattice.vectors[a], row = b->numbers[a];
        const vec3 again = row_times(row, given->vectors);
        const double most = vec3_max_abs(row) * lattice_longest(given);
        CHECK(vec3_max_abs(vec3_sub(own, again)) <= 0x1p-50 * most);
        CHECK(vec3_max_abs(given->vectors[a]) > 0.0 || vec3_max_abs(own) == 0.0);
    }
}

static void check_reduced_cells(void)
{
    for (int i = 0; i < 20000; i++) {
        const lattice l = draw_cell();
        const lattice_basis b = lattice_reduce(&l);
        check_numbers(&b, &l);
        check_is_reduced(&b.lattice);
        CHECK(lattice_check(&b.lattice, NULL) == ABUT_OK);
        lattice_basis again = b;
        CHECK(!lattice_exchange(&again) && lattice_is_same(&again.lattice, &b.lattice));
    }
}

/* Vectors along the axes stay as they are, in their order. */
static void check_along_axes(void)
{
    for (int i = 0; i < 1000; i++) {
        const double lengths[3] = {draw_length(), i % 2 ? draw_length() : 0.0, draw_length()};
        const lattice l = lattice_along_axes(lengths);
        const lattice_basis b = lattice_reduce(&l);
        CHECK(lattice_is_same(&b.lattice, &l) && b.lattice.is_along_axes);
        const vec3 apart = draw_vector(10.0 * lattice_longest(&l));
        CHECK(vec3_compare(lattice_closest_image(&b, apart), lattice_nearest_image(&l, apart)) ==
              0);
    }
}

/* The first exchange is that of the first vector by the second: the order of the header. */
static void check_order(void)
{
    const double rows[9] = {1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.25, 1.0, 1.0};
    const lattice l = lattice_load(rows, 3);
    lattice_basis b = lattice_basis_of(&l);
    CHECK(lattice_exchange(&b));
    CHECK(vec3_compare(b.lattice.vectors[1], (vec3){0.0, 1.0, 0.0}) == 0);
    CHECK(vec3_compare(b.numbers[1], (vec3){-1.0, 1.0, 0.0}) == 0);
    CHECK(vec3_compare(b.back[1], (vec3){1.0, 1.0, 0.0}) == 0);
    CHECK(lattice_exchange(&b));
    CHECK(vec3_compare(b.lattice.vectors[2], (vec3){0.25, 1.0, 1.0}) == 0);
    CHECK(lattice_exchange(&b));
    CHECK(vec3_compare(b.lattice.vectors[2], (vec3){0.25, 0.0, 1.0}) == 0);
    CHECK(!lattice_exchange(&b));
}

/* Three vectors of a plane almost, each pair of which is reduced: only the sum of all is shorter.
 */
static void check_sums_of_three(void)
{
    const double half = sqrt(0.75);
    const double rows[9] = {1.0, 0.0, 0.1, -0.5, half, 0.1, -0.5, -half, 0.1};
    const lattice l = lattice_load(rows, 3);
    const lattice_basis b = lattice_reduce(&l);
    check_is_reduced(&b.lattice);
    CHECK(vec3_compare(b.numbers[0], (vec3){1.0, 1.0, 1.0}) == 0);
    CHECK_NEAR(vec3_length(b.lattice.vectors[0]), 0.3, 1e-15);
}

/* Numbers would be too large: the basis stays as it is, and all that was made is true. */
static void check_limit(void)
{
    const double rows[9] = {1.0, 0.0, 0.0, 1e20, 1e20, 0.0, 0.0, 0.0, 1.0};
    const lattice l = lattice_load(rows, 3);
    const lattice_basis b = lattice_reduce(&l);
    CHECK(lattice_is_same(&b.lattice, &l) && is_identity(b.numbers, b.back));
    const double apart[9] = {1e-300, 0.0, 0.0, 1e75, 1e75, 0.0, 0.0, 0.0, 1.0};
    const lattice wide = lattice_load(apart, 3);
    const lattice_basis same = lattice_reduce(&wide);
    CHECK(lattice_is_same(&same.lattice, &wide));
}

/* ---- nearest images ---- */

/* The least squared distance between a vector and the lattice, by all images from -4 to 4 around
 * the rounded one, in a basis that is known to be good. */
static double least_sq_of_all(const lattice *good, vec3 apart)
{
    const vec3 middle = lattice_nearest_image(good, apart);
    double least = INFINITY;
    for (int k = 0; k < 729; k++) {
        const vec3 step = {k % 9 - 4.0, (k / 9) % 9 - 4.0, k / 81 - 4.0};
        const vec3 shift = lattice_shift(good, vec3_add(middle, step));
        least = smaller(least, vec3_norm_sq(vec3_sub(apart, shift)));
    }
    return least;
}

/* The shortest vectors by all images from -4 to 4, but 0. */
static double shortest_sq_of_all(const lattice *good)
{
    double least = INFINITY;
    for (int k = 0; k < 729; k++) {
        const vec3 image = {k % 9 - 4.0, (k / 9) % 9 - 4.0, k / 81 - 4.0};
        const double sq = vec3_norm_sq(lattice_shift(good, image));
        least = sq > 0.0 ? smaller(least, sq) : least;
    }
    return least;
}

static void check_closest_images(void)
{
    for (int i = 0; i < 3000; i++) {
        const lattice good = draw_good_cell(), l = draw_skewed(&good);
        const lattice_basis b = lattice_reduce(&l);
        const double size = lattice_longest(&good);
        for (int t = 0; t < 5; t++) {
            const vec3 apart = draw_vector(3.0 * size);
            const vec3 image = lattice_closest_image(&b, apart);
            const double sq = vec3_norm_sq(vec3_sub(apart, lattice_shift(&l, image)));
            CHECK_NEAR(sq, least_sq_of_all(&good, apart), 1e-9 * size * size);
        }
        CHECK(lattice_is_positive(lattice_shortest_image(&b)));
        const vec3 shortest = lattice_shift(&l, lattice_shortest_image(&b));
        CHECK_NEAR(vec3_norm_sq(shortest), shortest_sq_of_all(&good), 1e-9 * size * size);
    }
}

/* Names of images in the basis lead to the same shifts. */
static void check_names(void)
{
    for (int i = 0; i < 1000; i++) {
        const lattice good = draw_good_cell(), l = draw_skewed(&good);
        const lattice_basis b = lattice_reduce(&l);
        const vec3 image = {draw_below(9) - 4.0, draw_below(9) - 4.0, draw_below(9) - 4.0};
        const vec3 named = lattice_basis_image(&b, image);
        const vec3 apart = vec3_sub(lattice_shift(&l, image), lattice_shift(&b.lattice, named));
        CHECK(vec3_max_abs(apart) <= 1e-12 * lattice_longest(&l));
        CHECK(vec3_compare(lattice_basis_given(&b, named), image) == 0);
    }
}

void test_lattice_basis(void)
{
    check_reduced_cells();
    check_along_axes();
    check_order();
    check_sums_of_three();
    check_limit();
    check_closest_images();
    check_names();
}
