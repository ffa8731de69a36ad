#include "base/lattice.h"

#include "check.h"
#include "random.h"

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

void test_lattice(void)
{
    check_what_is_loaded();
    check_what_is_wrong();
    check_images();
    check_wraps();
    check_far();
}
