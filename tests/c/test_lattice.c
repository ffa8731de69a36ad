#include "base/lattice.h"

#include "check.h"
#include "random.h"
#include "random_cells.h"

static const double periods[3] = {2.0, 0.0, 0.3};

static void check_what_is_loaded(void)
{
    const double plane[4] = {2.0, 0.0, 0.0, 0.0};
    const lattice none = lattice_load(NULL, 3), flat = lattice_load(plane, 2);
    CHECK(!none.is_periodic && none.is_along_axes && lattice_vectors(&none) == NULL);
    CHECK(lattice_narrowest(&none) == -1 && lattice_shortest(&none) == -1);
    CHECK(isinf(lattice_width(&none)) && lattice_longest(&none) == 0.0);
    CHECK(flat.is_periodic && !lattice_repeats(&flat, 2) && lattice_shortest(&flat) == 0);
    const lattice l = lattice_along_axes(periods);
    CHECK(lattice_vectors(&l) == &l.vectors[0].x && lattice_narrowest(&l) == 2);
    CHECK(l.inverse[0].x == 0.5 && vec3_max_abs(l.inverse[1]) == 0.0);
    CHECK(lattice_width(&l) == 0.3 && lattice_longest(&l) == 2.0);
    CHECK(lattice_is_same(&l, &l) && !lattice_is_same(&l, &flat));
}

static void check_what_is_wrong(void)
{
    const double wrong[] = {-1.1 * ABUT_COORDINATE_LIMIT, NAN, INFINITY,
                            1.1 * ABUT_COORDINATE_LIMIT};
    for (int k = 0; k < 4; k++) {
        const double of[3] = {1.0, wrong[k], 1.0};
        const lattice l = lattice_along_axes(of);
        abut_error error;
        CHECK_INT(lattice_check(&l, &error), ABUT_BAD_PERIOD);
        CHECK(error.status == ABUT_BAD_PERIOD && error.index == 1 && error.detail == 1);
        CHECK_INT(lattice_check(&l, NULL), ABUT_BAD_PERIOD);
    }
}

static void check_images(void)
{
    const lattice l = lattice_along_axes(periods), none = lattice_load(NULL, 3);
    const abut_index image[3] = {-3, 0, 2};
    const vec3 shift = lattice_shift_of(&l, image);
    CHECK(shift.x == -6.0 && shift.y == 0.0 && shift.z == 0.6);
    CHECK(vec3_max_abs(lattice_shift_of(&l, NULL)) == 0.0);
    CHECK(vec3_max_abs(lattice_shift_of(&none, image)) == 0.0);
    const vec3 near = lattice_nearest(&l, (vec3){5.1, 100.0, -0.4});
    CHECK(near.x == 6.0 && near.y == 0.0 && near.z == -0.3);
    const vec3 image_of_near = lattice_nearest_image(&l, (vec3){-5.1, 7.0, 0.0});
    CHECK(vec3_compare(image_of_near, (vec3){-3.0, 0.0, 0.0}) == 0);
}

/* With any rounding, a wrapped place is inside the box, and its periods restore the old place. */
static void check_wraps(void)
{
    for (int i = 0; i < 10000; i++) {
        const double period = ldexp(0.1 + draw_number(), (int)(draw() % 40) - 20);
        const double periods_off = draw() % 4 == 0 ? (double)(draw() % 9) : 9.0 * draw_number();
        const double before = (periods_off - 4.0) * period;
        const double whole[3] = {period, 0.0, period};
        const lattice l = lattice_along_axes(whole);
        double place[3] = {before, before, nextafter(before, -INFINITY)};
        int32_t images[3] = {1, 1, 1};
        lattice_wrap_place(&l, place, images);
        CHECK(place[0] >= 0.0 && place[0] < period && place[2] >= 0.0 && place[2] < period);
        CHECK(place[1] == before && images[1] == 1);
        CHECK(fabs(place[0] + (images[0] - 1) * period - before) <= 0x1p-44 * period);
    }
}

static void check_far(void)
{
    const lattice l = lattice_along_axes((double[3]){1.0, 0.0, 2.0});
    CHECK(lattice_is_near(&l, (vec3){0x1p31, 1e70, -0x1p32}));
    CHECK(!lattice_is_near(&l, (vec3){0x1.1p31, 0.0, 0.0}));
    CHECK(!lattice_is_near(&l, (vec3){0.0, 0.0, NAN}));
    CHECK_INT(lattice_far_axis(&l, (vec3){0.0, 1e70, 0x1.1p32}, 3), 2);
    CHECK_INT(lattice_far_axis(&l, (vec3){1.0, 1e70, 1.0}, 3), -1);
}

/* ---- cells of any shape ---- */

static bool is_close(vec3 a, vec3 b, double tolerance)
{
    return vec3_max_abs(vec3_sub(a, b)) <= tolerance;
}

static lattice cell_of(vec3 a, vec3 b, vec3 c)
{
    const vec3 rows[3] = {a, b, c};
    return lattice_load(&rows[0].x, 3);
}

static void check_tilted_vectors(void)
{
    const vec3 x = {2.0, 0.0, 0.0}, y = {0.0, 3.0, 0.0}, z = {0.0, 0.0, 4.0},
               none = {0.0, 0.0, 0.0};
    const lattice along = cell_of(x, y, z), turned = cell_of(y, x, z);
    const lattice back = cell_of(x, vec3_scale(y, -1.0), z),
                  tilted = cell_of(x, y, (vec3){1, 0, 4});
    const lattice alone = cell_of(none, none, (vec3){0.0, 3.0, 4.0});
    CHECK(along.is_along_axes && lattice_tilted_vector(&along) == -1);
    CHECK(!turned.is_along_axes && lattice_tilted_vector(&turned) == 0);
    CHECK(!back.is_along_axes && lattice_tilted_vector(&back) == 1);
    CHECK(!tilted.is_along_axes && lattice_tilted_vector(&tilted) == 2);
    CHECK(is_close(vec3_load(turned.widths), (vec3){3.0, 2.0, 4.0}, 1e-15));
    CHECK(is_close(vec3_load(tilted.widths), (vec3){8.0 / sqrt(17.0), 3.0, 4.0}, 1e-15));
    CHECK(is_close(vec3_load(alone.widths), (vec3){0.0, 0.0, 5.0}, 1e-15));
    CHECK(is_close(alone.inverse[2], (vec3){0.0, 0.12, 0.16}, 1e-16));
    CHECK(vec3_max_abs(alone.inverse[0]) == 0.0 && vec3_max_abs(alone.inverse[1]) == 0.0);
    CHECK(lattice_narrowest(&tilted) == 0 && lattice_shortest(&turned) == 1);
    CHECK(lattice_longest(&tilted) == sqrt(17.0));
    CHECK(is_close(lattice_direction(&alone, 2), (vec3){0.0, 0.6, 0.8}, 1e-16));
}

/* Lengths and directions of vectors along an axis are exact. */
static void check_lengths(void)
{
    for (int i = 1; i < 1000; i++) {
        const lattice l = lattice_along_axes((double[3]){0.0, 0.1 * i, 0.0});
        CHECK(lattice_longest(&l) == 0.1 * i);
        CHECK(vec3_compare(lattice_direction(&l, 1), (vec3){0.0, 1.0, 0.0}) == 0);
    }
}

static void check_status(vec3 a, vec3 b, vec3 c, abut_status expected)
{
    for (int power = -230; power <= 240; power += 10) {
        const double scale = ldexp(1.0, power);
        const lattice l = cell_of(vec3_scale(a, scale), b, vec3_scale(c, 1.0 / scale));
        CHECK_INT(lattice_check(&l, NULL), expected);
    }
}

/* Flat cells are refused and thin ones are not, however much the lengths of vectors differ. */
static void check_flat(void)
{
    const vec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, z = {0.0, 0.0, 1.0},
               none = {0.0, 0.0, 0.0};
    const vec3 tilted = {0.3, 0.7, -0.2}, third = {0.1, 0.1, 0.3};
    check_status(x, y, z, ABUT_OK);
    check_status(z, y, x, ABUT_OK);
    check_status(x, tilted, none, ABUT_OK);
    check_status(tilted, vec3_scale(tilted, -1.0), none, ABUT_FLAT_PERIOD);
    check_status(x, none, x, ABUT_FLAT_PERIOD);
    check_status(tilted, vec3_add(tilted, third), third, ABUT_FLAT_PERIOD);
    check_status(x, vec3_add(x, vec3_scale(y, 1.01e-12)), none, ABUT_OK);
    check_status(x, vec3_add(x, vec3_scale(y, 0.99e-12)), none, ABUT_FLAT_PERIOD);
    check_status(x, y, vec3_add(x, vec3_scale(z, 1.01e-12)), ABUT_OK);
    check_status(x, y, vec3_add(x, vec3_scale(z, 0.99e-12)), ABUT_FLAT_PERIOD);
    const double lines[4] = {1.0, 2.0, 2.0, 4.0};
    const lattice plane = lattice_load(lines, 2);
    CHECK_INT(lattice_check(&plane, NULL), ABUT_FLAT_PERIOD);
    for (int number = 0; number < 9; number++) {
        double rows[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
        rows[number] = number % 2 ? NAN : -INFINITY;
        const lattice l = lattice_load(rows, 3);
        abut_error error;
        CHECK_INT(lattice_check(&l, &error), ABUT_BAD_PERIOD);
        CHECK(error.index == number / 3 && error.detail == number % 3);
    }
}

/* Adds multiples of rows to others, and keeps the inverse of what this makes of the identity. */
static void draw_unimodular(vec3 rows[3], vec3 inverse[3])
{
    for (int k = 0; k < 3; k++) {
        rows[k] = inverse[k] = (vec3){k == 0, k == 1, k == 2};
    }
    for (int k = 0; k < 5; k++) {
        const int a = draw_below(3), b = (a + 1 + draw_below(2)) % 3;
        const double n = draw_below(201) - 100.0;
        rows[a] = vec3_add(rows[a], vec3_scale(rows[b], n));
        for (int c = 0; c < 3; c++) {
            double row[3];
            vec3_store(row, inverse[c]);
            row[b] -= n * row[a];
            inverse[c] = vec3_load(row);
        }
    }
}

static vec3 column_of(const vec3 rows[3], int column)
{
    double x[3], y[3], z[3];
    vec3_store(x, rows[0]), vec3_store(y, rows[1]), vec3_store(z, rows[2]);
    return (vec3){x[column], y[column], z[column]};
}

/* The rows of a matrix product, each number with all its digits. */
static void multiply(const vec3 a[3], const vec3 b[3], vec3 product[3])
{
    for (int k = 0; k < 3; k++) {
        product[k] =
            (vec3){vec3_dot_exact(a[k], column_of(b, 0)), vec3_dot_exact(a[k], column_of(b, 1)),
                   vec3_dot_exact(a[k], column_of(b, 2))};
    }
}

static double draw_fraction(void)
{
    return draw_below(1 << 20) * 0x1p-20;
}

/* The inverse has its digits in thin cells, too, where volumes cancel by up to 12 digits. */
static void check_inverse(void)
{
    int thin_count = 0;
    for (int i = 0; i < 10000; i++) {
        const double p = draw_fraction(), q = draw_fraction(), r = draw_fraction();
        const vec3 lower[3] = {{1.0, 0.0, 0.0}, {p, 1.0, 0.0}, {q, r, 1.0}};
        const vec3 lower_inverse[3] = {{1.0, 0.0, 0.0}, {-p, 1.0, 0.0}, {p * r - q, -r, 1.0}};
        vec3 whole[3], whole_inverse[3], vectors[3], inverse[3];
        draw_unimodular(whole, whole_inverse);
        multiply(whole, lower, vectors);
        multiply(lower_inverse, whole_inverse, inverse);
        const lattice l = lattice_load(&vectors[0].x, 3);
        if (lattice_check(&l, NULL)) {
            continue;
        }
        for (int k = 0; k < 3; k++) {
            const vec3 row = column_of(inverse, k);
            CHECK(is_close(l.inverse[k], row, 0x1p-50 * vec3_max_abs(row)));
            CHECK_NEAR(l.widths[k] * vec3_length(row), 1.0, 0x1p-49);
        }
        thin_count += vec3_length(vectors[0]) * vec3_length(vectors[1]) > 1e6;
    }
    CHECK(thin_count > 1000);
}

/* The fractions of a sum of vectors are their numbers. */
static void check_fractions(void)
{
    for (int i = 0; i < 20000; i++) {
        const lattice l = draw_cell();
        double numbers[3], fractions[3];
        for (int k = 0; k < 3; k++) {
            numbers[k] = lattice_repeats(&l, k) ? draw_between(-9.0, 9.0) : 0.0;
        }
        vec3_store(fractions, lattice_fractions(&l, lattice_shift(&l, vec3_load(numbers))));
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(fractions[k], numbers[k], 10.0 * l.slacks[k]);
            CHECK(lattice_repeats(&l, k) == (vec3_max_abs(l.vectors[k]) > 0.0));
        }
    }
}

/* A point moved into the box is there and stays there, and its images restore the old place. */
static void check_tilted_wraps(void)
{
    for (int i = 0; i < 50000; i++) {
        const lattice l = draw_cell();
        const double far = ldexp(lattice_longest(&l), draw_below(32));
        const vec3 before = draw_vector(draw_below(3) == 0 ? far : 3.0 * lattice_longest(&l));
        double place[3], fractions[3];
        vec3_store(place, before);
        if (!lattice_is_near(&l, before)) {
            continue;
        }
        const vec3 counts = lattice_wrap_point(&l, place), after = vec3_load(place);
        vec3_store(fractions, lattice_fractions(&l, after));
        for (int k = 0; k < 3 && !l.is_along_axes; k++) {
            CHECK(fractions[k] >= -l.slacks[k] && fractions[k] < 1.0 + l.slacks[k]);
        }
        const vec3 again = lattice_wrap_point(&l, place);
        CHECK(vec3_max_abs(again) == 0.0 && vec3_compare(vec3_load(place), after) == 0);
        const vec3 old = vec3_add(after, lattice_shift(&l, counts));
        const double most = vec3_max_abs(counts) * lattice_longest(&l) + vec3_max_abs(before);
        CHECK(is_close(old, before, 0x1p-49 * most));
    }
}

/* In all but thin cells, fractions of points in the box are from -2^-40 to 1 + 2^-40. */
static void check_slacks(void)
{
    const vec3 a = {1.0, 0.3, 0.2}, b = {0.5, 1.0, 0.1}, c = {1.5, 1.3, 0.3 + 0x1p-30};
    const lattice thin = cell_of(a, b, c);
    CHECK(thin.slacks[2] > WRAP_SLACK && thin.slacks[2] < 0x1p-15);
    for (int i = 0; i < 1000; i++) {
        const lattice good = draw_good_cell();
        CHECK(good.slacks[0] == WRAP_SLACK && good.slacks[1] == WRAP_SLACK &&
              good.slacks[2] == WRAP_SLACK);
    }
}

/* ---- ranges of images ---- */

static bool has_image(const image_range *range, vec3 image)
{
    return range->first.x <= image.x && image.x <= range->last.x && range->first.y <= image.y &&
           image.y <= range->last.y && range->first.z <= image.z && image.z <= range->last.z;
}

static vec3 draw_in_box(const lattice *l)
{
    vec3 in = draw_vector(10.0);
    double place[3];
    vec3_store(place, in);
    lattice_wrap_point(l, place);
    return vec3_load(place);
}

/* A range includes the images that are within reach, among all images from -4 to 4. */
static void check_ranges(void)
{
    for (int i = 0; i < 1000; i++) {
        const lattice good = draw_good_cell(), l = i % 2 ? draw_skewed(&good) : good;
        const vec3 end = draw_vector(3.0), a = draw_in_box(&l), b = draw_in_box(&l);
        const double reach = draw_between(0.0, 4.0);
        const image_range near = lattice_images_near(&l, end, reach);
        const image_range ball = lattice_images_of_ball(&l, a, reach);
        for (int k = 0; k < 729; k++) {
            const vec3 image = {k % 9 - 4.0, (k / 9) % 9 - 4.0, k / 81 - 4.0};
            const vec3 shift = lattice_shift(&l, image);
            double repeats[3];
            vec3_store(repeats, image);
            for (int v = 0; v < 3; v++) {
                repeats[v] = lattice_repeats(&l, v) ? 0.0 : repeats[v];
            }
            if (vec3_max_abs(vec3_load(repeats)) > 0.0) {
                continue;
            }
            CHECK(vec3_length(vec3_sub(end, shift)) > reach || has_image(&near, image));
            CHECK(vec3_length(vec3_sub(vec3_add(a, shift), b)) > reach || has_image(&ball, image));
        }
    }
}

/* The range is tight: in a thin cell, too, the images just within reach are counted, and those
 * farther away than that along the width are not. */
static void check_tight_ranges(void)
{
    for (int thin = 0; thin < 30; thin++) {
        const double height = ldexp(1.0, -thin);
        const lattice l =
            cell_of((vec3){1.0, 0.0, 0.0}, (vec3){0.5, 1.0, 0.0}, (vec3){0.5, 0.25, height});
        const vec3 end = lattice_shift(&l, (vec3){5.0, -7.0, 3.0});
        const image_range range = lattice_images_near(&l, end, 2.0 * height);
        CHECK(range.first.z == 1.0 && range.last.z == 5.0);
        CHECK(has_image(&range, (vec3){5.0, -7.0, 3.0}));
    }
}

/* A vector that is shorter than half of the smallest width plus a shift has the shift's image. */
static void check_nearest(void)
{
    for (int i = 0; i < 20000; i++) {
        const lattice l = draw_cell();
        double numbers[3];
        for (int k = 0; k < 3; k++) {
            numbers[k] = lattice_repeats(&l, k) ? draw_below(9) - 4.0 : 0.0;
        }
        const vec3 image = vec3_load(numbers), way = draw_vector(1.0);
        const double length = 0.49 * lattice_width(&l);
        const vec3 apart =
            vec3_add(lattice_shift(&l, image), vec3_scale(way, length / vec3_length(way)));
        const double most = larger(l.slacks[0], larger(l.slacks[1], l.slacks[2]));
        CHECK(most > 1e-4 || vec3_compare(lattice_nearest_image(&l, apart), image) == 0);
    }
}

static void check_tilted_far(void)
{
    const double half = 0x1p31;
    const lattice l = cell_of((vec3){1.0, 0.0, 0.0}, (vec3){1.0, 1.0, 0.0}, (vec3){0.0, 0.0, 0.0});
    CHECK(lattice_is_near(&l, (vec3){half, 0.0, 1e70}));
    CHECK_INT(lattice_far_axis(&l, (vec3){0.0, 1.1 * half, 0.0}, 3), 1);
    CHECK_INT(lattice_far_axis(&l, (vec3){0.9 * half, -0.9 * half, 0.0}, 3), 0); /* only both */
    CHECK_INT(lattice_far_axis(&l, (vec3){0.9 * half, 0.9 * half, 0.0}, 2), -1);
}

void test_lattice(void)
{
    check_what_is_loaded();
    check_what_is_wrong();
    check_images();
    check_wraps();
    check_far();
    check_tilted_vectors();
    check_lengths();
    check_flat();
    check_inverse();
    check_fractions();
    check_tilted_wraps();
    check_slacks();
    check_ranges();
    check_tight_ranges();
    check_nearest();
    check_tilted_far();
}
