#include "base/lattice.h"

#include "check.h"
#include "random.h"

static const double periods[3] = {2.0, 0.0, 0.3};

static void check_what_is_loaded(void)
{
    const lattice none = lattice_load(NULL, 3), flat = lattice_load(periods, 2);
    CHECK(!none.is_periodic && lattice_periods(&none) == NULL && lattice_shortest(&none) == -1);
    CHECK(flat.is_periodic && flat.period[2] == 0.0 && lattice_shortest(&flat) == 0);
    const lattice l = lattice_load(periods, 3);
    CHECK(lattice_periods(&l) == l.period && lattice_shortest(&l) == 2);
    CHECK(l.inv_period[0] == 0.5 && l.inv_period[1] == 0.0);
    CHECK(lattice_is_same(&l, &l) && !lattice_is_same(&l, &flat));
}

static void check_what_is_wrong(void)
{
    const double wrong[] = {-1.0, NAN, INFINITY, 1.1 * ABUT_COORDINATE_LIMIT};
    for (int k = 0; k < 4; k++) {
        const double of[3] = {1.0, wrong[k], 1.0};
        const lattice l = lattice_load(of, 3);
        abut_error error;
        CHECK_INT(lattice_check(&l, &error), ABUT_BAD_PERIOD);
        CHECK(error.status == ABUT_BAD_PERIOD && error.index == 1);
        CHECK_INT(lattice_check(&l, NULL), ABUT_BAD_PERIOD);
    }
}

static void check_images(void)
{
    const lattice l = lattice_load(periods, 3), none = lattice_load(NULL, 3);
    const abut_index image[3] = {-3, 0, 2};
    const vec3 shift = lattice_shift_of(&l, image);
    CHECK(shift.x == -6.0 && shift.y == 0.0 && shift.z == 0.6);
    CHECK(vec3_max_abs(lattice_shift_of(&l, NULL)) == 0.0);
    CHECK(vec3_max_abs(lattice_shift_of(&none, image)) == 0.0);
    const vec3 near = lattice_nearest(&l, (vec3){5.1, 100.0, -0.4});
    CHECK(near.x == 6.0 && near.y == 0.0 && near.z == -0.3);
    CHECK(lattice_count(&l, 0, -5.1) == -3.0 && lattice_count(&l, 1, 7.0) == 0.0);
}

/* With any rounding, a wrapped place is inside the box, and its periods restore the old place. */
static void check_wraps(void)
{
    for (int i = 0; i < 10000; i++) {
        const double period = ldexp(0.1 + draw_number(), (int)(draw() % 40) - 20);
        const double periods_off = draw() % 4 == 0 ? (double)(draw() % 9) : 9.0 * draw_number();
        const double before = (periods_off - 4.0) * period;
        const double whole[3] = {period, 0.0, period};
        const lattice l = lattice_load(whole, 3);
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
    CHECK(lattice_is_near(0x1p31, 1.0) && lattice_is_near(-0x1p31, 1.0));
    CHECK(!lattice_is_near(0x1.1p31, 1.0) && !lattice_is_near(NAN, 1.0));
}

void test_lattice(void)
{
    check_what_is_loaded();
    check_what_is_wrong();
    check_images();
    check_wraps();
    check_far();
}
