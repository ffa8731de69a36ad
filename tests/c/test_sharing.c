/* Shares: complementarity conditions for many kinds of contact sets, solved by pivoting and, to
 * fewer digits, by relaxation; a sphere with 10,000 contacts; failing allocations. */
#include "abut.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "walls/sharing.h"

#include "check.h"
#include "failing.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SET_COUNT = 100000, RELAXED_SET_COUNT = 2000, LARGEST_SET = 60, MANY = 10000 };

static const double pi = 3.14159265358979323846;

/* Contacts of a sphere, nearest first. */
typedef struct contact_set {
    abut_index count;
    vec3 normals[MANY];
    double overlaps[MANY], shares[MANY], loads[MANY], carried[MANY];
} contact_set;

static contact_set set;
static sharing scratch;

/* ---- random vectors ---- */

static vec3 unit(vec3 a)
{
    return vec3_scale(a, 1.0 / sqrt(vec3_norm_sq(a)));
}

static vec3 random_direction(void)
{
    for (;;) {
        vec3 a = {2.0 * draw_number() - 1.0, 2.0 * draw_number() - 1.0, 2.0 * draw_number() - 1.0};
        double norm_sq = vec3_norm_sq(a);
        if (norm_sq > 0.01 && norm_sq < 1.0) {
            return unit(a);
        }
    }
}

/* Returns a number between `least` and 1 with a uniform logarithm. */
static double random_magnitude(double least)
{
    return pow(least, draw_number());
}

/* ---- kinds of sets: each function returns the normal of contact i ---- */

typedef vec3 (*normal_maker)(abut_index i);

static vec3 any_normal(abut_index i)
{
    (void)i;
    return random_direction();
}

static vec3 nearly(vec3 a, double off)
{
    return unit(vec3_add(a, vec3_scale(random_direction(), off)));
}

static vec3 cone_normal(abut_index i)
{
    (void)i;
    return nearly((vec3){0.0, 0.0, 1.0}, 0.6);
}

static vec3 rough_plane_normal(abut_index i)
{
    (void)i;
    return nearly((vec3){0.6, 0.0, 0.8}, random_magnitude(1e-17));
}

static vec3 repeated_normal(abut_index i)
{
    return i > 0 && draw_number() < 0.7 ? set.normals[draw_below((int)i)] : random_direction();
}

static vec3 nearly_repeated_normal(abut_index i)
{
    return i > 0 && draw_number() < 0.7
               ? nearly(set.normals[draw_below((int)i)], random_magnitude(1e-17))
               : random_direction();
}

static vec3 opposite_normal(abut_index i)
{
    return i % 2 == 1 ? vec3_scale(set.normals[i - 1], -1.0) : random_direction();
}

static vec3 fan_normal(abut_index i)
{
    (void)i;
    double angle = 2.0 * pi * draw_number();
    return nearly((vec3){cos(angle), sin(angle), 0.0}, random_magnitude(1e-17));
}

/* Normals at multiples of 45 degrees, an octagon, twice around: G is indefinite. */
static vec3 octagon_normal(abut_index i)
{
    double angle = pi / 4.0 * (double)i;
    return (vec3){cos(angle), 0.6 * sin(angle), 0.8 * sin(angle)};
}

static vec3 nearly_octagon_normal(abut_index i)
{
    return nearly(octagon_normal(i), random_magnitude(1e-17));
}

/* Directions to the 26 neighbors of a cube: many are perpendicular, many at 45 degrees. */
static vec3 grid_normal(abut_index i)
{
    (void)i;
    for (;;) {
        vec3 a = {draw_below(3) - 1.0, draw_below(3) - 1.0, draw_below(3) - 1.0};
        if (vec3_norm_sq(a) > 0.0) {
            return unit(a);
        }
    }
}

static const normal_maker normal_makers[] = {
    any_normal,      cone_normal, rough_plane_normal, repeated_normal,       nearly_repeated_normal,
    opposite_normal, fan_normal,  octagon_normal,     nearly_octagon_normal, grid_normal};
enum { NORMAL_MAKER_COUNT = sizeof normal_makers / sizeof *normal_makers };

static double equal_overlap(void)
{
    return 0.01;
}

static double near_equal_overlap(void)
{
    return 0.01 * (1.0 - random_magnitude(1e-17) / 2.0);
}

static double scattered_overlap(void)
{
    return 0.01 * random_magnitude(1e-12);
}

static double (*const overlap_makers[])(void) = {draw_number, equal_overlap, near_equal_overlap,
                                                 scattered_overlap};
enum { OVERLAP_MAKER_COUNT = sizeof overlap_makers / sizeof *overlap_makers };

static int compare_descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static void make_set(abut_index count, normal_maker make_normal, double (*make_overlap)(void))
{
    set.count = count;
    for (abut_index i = 0; i < count; i++) {
        set.normals[i] = make_normal(i);
        set.overlaps[i] = make_overlap();
    }
    qsort(set.overlaps, (size_t)count, sizeof *set.overlaps, compare_descending);
}

/* ---- checks ---- */

static double force_of(abut_index i, double exponent)
{
    return pow(set.overlaps[i] / set.overlaps[0], exponent);
}

/* Computes carried = G f, with f = share F. */
static void sum_carried(double exponent)
{
    for (abut_index i = 0; i < set.count; i++) {
        set.loads[i] = set.shares[i] * force_of(i, exponent);
        set.carried[i] = 0.0;
    }
    for (abut_index k = 0; k < set.count; k++) {
        for (abut_index i = 0; set.loads[k] > 0.0 && i < set.count; i++) {
            double cosine = vec3_dot(set.normals[i], set.normals[k]);
            set.carried[i] += cosine > 0.0 ? cosine * set.loads[k] : 0.0;
        }
    }
}

/* Returns whether all conditions hold. */
static int check_conditions(double exponent)
{
    sum_carried(exponent);
    double complementary = 0.0;
    int holds = 1;
    for (abut_index i = 0; i < set.count; i++) {
        double spare = set.carried[i] - force_of(i, exponent);
        holds &= set.shares[i] >= 0.0 && set.shares[i] <= 1.0 && spare >= -1e-12;
        complementary += set.loads[i] * spare;
    }
    return CHECK(holds) & CHECK_NEAR(complementary, 0.0, 1e-12);
}

static void make_random_set(int i)
{
    make_set(1 + draw_below(LARGEST_SET), normal_makers[i % NORMAL_MAKER_COUNT],
             overlap_makers[i / NORMAL_MAKER_COUNT % OVERLAP_MAKER_COUNT]);
}

static void check_random_sets(void)
{
    state = 88172645463325252u;
    int holds = 1;
    for (int i = 0; holds && i < SET_COUNT; i++) {
        make_random_set(i);
        double exponent = draw_number() < 0.5 ? 1.5 : 1.0;
        CHECK_INT(sharing_solve(&scratch, set.count, set.normals, set.overlaps, exponent,
                                set.shares, NULL),
                  ABUT_OK);
        holds = check_conditions(exponent);
    }
}

static void share(double exponent)
{
    CHECK_INT(abut_share(set.count, &set.normals[0].x, set.overlaps, exponent, set.shares),
              ABUT_OK);
    check_conditions(exponent);
}

static void set_contact(abut_index i, vec3 normal, double overlap)
{
    set.normals[i] = normal, set.overlaps[i] = overlap, set.count = i + 1;
}

/* ---- one contact, or none ---- */

static void check_single(void)
{
    set_contact(0, unit((vec3){0.3, -0.2, 0.9}), 1e-9);
    share(1.5);
    CHECK_NEAR(set.shares[0], 1.0, 0.0);
    set.count = 0;
    CHECK_INT(abut_share(0, NULL, NULL, 1.5, NULL), ABUT_OK);
}

/* ---- many contacts ---- */

static void check_many(void)
{
    state = 362436069u;
    for (int kind = 0; kind < NORMAL_MAKER_COUNT; kind++) {
        make_set(MANY, normal_makers[kind], near_equal_overlap);
        share(1.5);
    }
}

/* Earlier uses of the scratch memory do not change any bit. */
static void check_repeatable(void)
{
    static double first[LARGEST_SET];
    make_set(LARGEST_SET, fan_normal, near_equal_overlap);
    share(1.5);
    memcpy(first, set.shares, sizeof first);
    CHECK_INT(
        sharing_solve(&scratch, LARGEST_SET, set.normals, set.overlaps, 1.5, set.shares, NULL),
        ABUT_OK);
    CHECK(memcmp(first, set.shares, sizeof first) == 0);
}

/* ---- relaxation ---- */

static double forces[LARGEST_SET], loads[LARGEST_SET];

static void relax_from_nothing(void)
{
    for (abut_index i = 0; i < set.count; i++) {
        forces[i] = force_of(i, 1.5), loads[i] = 0.0;
    }
    CHECK_INT(relax_loads(set.count, set.normals, forces, loads, NULL), ABUT_OK);
}

/* Returns the largest violation of the conditions, relative to the largest force. */
static double defect_of_loads(void)
{
    double most = 0.0;
    for (abut_index i = 0; i < set.count; i++) {
        set.shares[i] = loads[i] / forces[i];
    }
    sum_carried(1.5);
    for (abut_index i = 0; i < set.count; i++) {
        const double spare = set.carried[i] - forces[i];
        most = fmax(most, fmax(-spare, loads[i] * spare));
    }
    return most;
}

/* Relaxation starts from zero loads, farther from the solution than pivoting ever stops. */
static void check_relaxation(void)
{
    state = 2463534242u;
    for (int i = 0; i < RELAXED_SET_COUNT; i++) {
        make_random_set(i);
        relax_from_nothing();
        for (abut_index k = 0; k < set.count; k++) {
            CHECK(loads[k] >= 0.0 && loads[k] <= forces[k]);
        }
        CHECK(defect_of_loads() < 1e-3);
    }
}

static void check_relaxation_stays_at_solutions(void)
{
    state = 362436069u;
    for (int i = 0; i < RELAXED_SET_COUNT; i++) {
        make_random_set(i);
        share(1.5);
        for (abut_index k = 0; k < set.count; k++) {
            forces[k] = force_of(k, 1.5), loads[k] = set.shares[k] * forces[k];
        }
        CHECK_INT(relax_loads(set.count, set.normals, forces, loads, NULL), ABUT_OK);
        for (abut_index k = 0; k < set.count; k++) {
            CHECK_NEAR(loads[k], set.shares[k] * forces[k], 1e-11);
        }
    }
}

/* With vectors of other lengths than 1 pivoting fails, but shares are still between 0 and 1. */
static void check_no_normals(void)
{
    const vec3 strange[] = {{1e200, 1.0, 0.0}, {1e200, 0.0, 1e-200}, {NAN, 0.0, 1.0}};
    for (int k = 0; k < 27; k++) {
        set_contact(0, strange[k % 3], 0.1);
        set_contact(1, strange[k / 3 % 3], 0.1);
        set_contact(2, strange[k / 9], 0.05);
        CHECK_INT(abut_share(3, &set.normals[0].x, set.overlaps, 1.5, set.shares), ABUT_OK);
        for (int i = 0; i < 3; i++) {
            CHECK(set.shares[i] >= 0.0 && set.shares[i] <= 1.0);
        }
    }
}

/* ---- ends ---- */

static abut_status solve_afresh(void)
{
    sharing s = {0};
    abut_status status =
        sharing_solve(&s, set.count, set.normals, set.overlaps, 1.5, set.shares, NULL);
    sharing_free(&s);
    return status;
}

static void fail_every_allocation(void)
{
    failures f = {0};
    while (fail_next(&f)) {
        f.status = solve_afresh();
    }
    CHECK(f.count > 4);
    f = (failures){0};
    while (fail_next(&f)) { /* this call also copies the caller's arrays */
        f.status = abut_share(set.count, &set.normals[0].x, set.overlaps, 1.5, set.shares);
    }
    CHECK(f.count > 6);
}

static void check_failures(void)
{
    state = 521288629u;
    make_set(LARGEST_SET, any_normal, near_equal_overlap);
    fail_every_allocation();
}

/* A large enough scratch needs no further allocation. */
static void check_scratch(void)
{
    CHECK_INT(sharing_solve(&scratch, set.count, set.normals, set.overlaps, 1.5, set.shares, NULL),
              ABUT_OK);
    memory_fail_at(1);
    CHECK_INT(sharing_solve(&scratch, set.count, set.normals, set.overlaps, 1.5, set.shares, NULL),
              ABUT_OK);
    CHECK(!memory_has_failed());
    memory_fail_at(0);
}

static int ask_to_end(void *data)
{
    return ++*(int *)data > 1;
}

static abut_status share_many(void *context, abut_index chunk, parallel_job *job)
{
    (void)context, (void)chunk;
    return sharing_solve(&scratch, set.count, set.normals, set.overlaps, 1.5, set.shares, job);
}

static abut_status relax_many(void *context, abut_index chunk, parallel_job *job)
{
    (void)context, (void)chunk;
    for (abut_index i = 0; i < set.count; i++) {
        loads[i] = 0.0;
    }
    return relax_loads(set.count, set.normals, forces, loads, job);
}

/* Sweeps of the relaxation can be interrupted, too. */
static void check_interrupted_sweeps(void)
{
    state = 88675123u;
    make_set(LARGEST_SET, any_normal, equal_overlap);
    relax_from_nothing();
    interruptions i = {0};
    const parallel_plan plan = {
        .chunk_count = 1, .workers = 1, .interrupted = interrupt_now, .interrupted_data = &i};
    const double last = loads[set.count - 1];
    while (interrupt_next(&i)) {
        i.status = parallel_run(&plan, relax_many, NULL);
    }
    CHECK(i.count > 3);
    CHECK(loads[set.count - 1] == last);
}

static void check_interrupted(void)
{
    make_set(MANY, any_normal, equal_overlap);
    int asked = 0;
    const parallel_plan plan = {
        .chunk_count = 10000, .workers = 1, .interrupted = ask_to_end, .interrupted_data = &asked};
    CHECK_INT(parallel_run(&plan, share_many, NULL), ABUT_INTERRUPTED);
}

void test_sharing(void)
{
    check_single();
    check_random_sets();
    check_relaxation();
    check_relaxation_stays_at_solutions();
    check_no_normals();
    check_repeatable();
    check_many();
    check_failures();
    check_scratch();
    check_interrupted();
    check_interrupted_sweeps();
    sharing_free(&scratch);
}
