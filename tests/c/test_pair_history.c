/* Pairs from step to step, as only callers in C can use them; Python tests have the rest. */
#include "base/memory.h"
#include "base/tilt.h"

#include "failing.h"
#include "pair_scenes.h"

#include <stdint.h>

/* Returns the pairs of a scene as a step. */
static table find_table(const scene *s)
{
    table t = start_table(s);
    abut_pair_finder *finder = NULL;
    abut_pairs *pairs = find_pairs(s, &finder);
    write_table(s, pairs, &t);
    abut_pairs_free(pairs);
    abut_pair_finder_free(finder);
    return t;
}

static abut_pair_step step_of(const scene *s, const table *t)
{
    return (abut_pair_step){.dimension = s->dimension,
                            .has_others = s->has_others,
                            .sphere_count = s->own.count,
                            .pair_count = t->count,
                            .other_count = s->others.count,
                            .i = t->columns.i,
                            .j = t->columns.j,
                            .normal = t->columns.normal,
                            .image = is_periodic(s) ? t->columns.image : NULL,
                            .offsets = t->columns.offsets};
}

/* ---- steps written by hand ---- */

enum { SPHERES = 4, PAIRS = 3 };

/* A step of a few pairs, small enough to be changed by hand. */
typedef struct small_step {
    abut_index i[PAIRS], j[PAIRS], image[2 * PAIRS], offsets[SPHERES + 1];
    double normal[2 * PAIRS];
} small_step;

static const small_step chain = {.i = {0, 1, 2},
                                 .j = {1, 2, 3},
                                 .offsets = {0, 1, 2, 3, 3},
                                 .normal = {1.0, 0.0, 1.0, 0.0, 1.0, 0.0}};

static abut_pair_step small_step_of(const small_step *from)
{
    return (abut_pair_step){.dimension = 2,
                            .sphere_count = SPHERES,
                            .pair_count = PAIRS,
                            .i = from->i,
                            .j = from->j,
                            .normal = from->normal,
                            .image = from->image,
                            .offsets = from->offsets};
}

/* A loop calls match in its first step, too, without a previous step. */
static void check_that_there_may_be_no_step_before(void)
{
    const abut_pair_step now = small_step_of(&chain), before = {0};
    abut_index match[PAIRS] = {0};
    double carried[2 * PAIRS] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    CHECK_INT(abut_pairs_match(&now, &before, NULL, NULL, 1, match, NULL), ABUT_OK);
    CHECK_INT(abut_pairs_carry(&now, &before, NULL, NULL, match, NULL, 1, carried, NULL), ABUT_OK);
    for (abut_index row = 0; row < PAIRS; row++) {
        CHECK_INT(match[row], -1);
        CHECK(carried[2 * row] == 0.0 && carried[2 * row + 1] == 0.0);
    }
}

/* Matches that `match` cannot have written are errors. */
static void check_that_matches_are_checked(void)
{
    const abut_pair_step step = small_step_of(&chain);
    const double tangent[2 * PAIRS] = {0.0};
    const abut_index bad[] = {-2, PAIRS, INTPTR_MAX, INTPTR_MIN, 0};
    double carried[2 * PAIRS];
    for (int k = 0; k < 5; k++) {
        const abut_index match[PAIRS] = {0, bad[k], 2};
        abut_error error;
        const abut_status expected = bad[k] == 0 ? ABUT_BAD_PAIR_SPHERES : ABUT_BAD_PAIR_MATCH;
        CHECK_INT(abut_pairs_carry(&step, &step, NULL, NULL, match, tangent, 1, carried, &error),
                  expected);
        CHECK_INT(error.index, 1);
        CHECK_INT(error.detail, bad[k]);
        CHECK_INT(abut_pairs_carry(&step, &step, NULL, NULL, match, tangent, 1, carried, NULL),
                  expected);
    }
}

/* ---- any order ---- */

/* The rows of a step in another order, with the spheres of every third pair swapped. */
typedef struct shuffled_step {
    abut_pair_step step;
    abut_index *order, *i, *j, *image;
    double *normal;
} shuffled_step;

static void draw_order(abut_index *order, abut_index count)
{
    for (abut_index k = 0; k < count; k++) {
        const abut_index other = (abut_index)draw_between(0.0, (double)(k + 1));
        order[k] = order[other];
        order[other] = k;
    }
}

static shuffled_step shuffle(const abut_pair_step *from)
{
    const size_t count = (size_t)from->pair_count, numbers = count * (size_t)from->dimension;
    shuffled_step s = {.step = *from};
    s.order = calloc(count, sizeof *s.order);
    s.i = calloc(count, sizeof *s.i), s.j = calloc(count, sizeof *s.j);
    s.normal = calloc(numbers, sizeof *s.normal), s.image = calloc(numbers, sizeof *s.image);
    draw_order(s.order, from->pair_count);
    for (abut_index row = 0; row < from->pair_count; row++) {
        const abut_index old = s.order[row];
        const bool is_turned = !from->has_others && row % 3 == 0;
        s.i[row] = is_turned ? from->j[old] : from->i[old];
        s.j[row] = is_turned ? from->i[old] : from->j[old];
        for (int axis = 0; axis < from->dimension; axis++) {
            const abut_index to = from->dimension * row + axis, k = from->dimension * old + axis;
            s.normal[to] = is_turned ? -from->normal[k] : from->normal[k];
            s.image[to] = !from->image ? 0 : is_turned ? -from->image[k] : from->image[k];
        }
    }
    s.step.i = s.i, s.step.j = s.j, s.step.normal = s.normal;
    s.step.image = from->image ? s.image : NULL;
    s.step.offsets = NULL;
    s.step.any_order = 1;
    return s;
}

static void free_shuffled(shuffled_step *s)
{
    free(s->order), free(s->i), free(s->j), free(s->normal), free(s->image);
}

/* If both steps have the same rows, each row continues itself, with any guess. */
static void check_shuffled(const abut_pair_step *step)
{
    shuffled_step now = shuffle(step), before = shuffle(step);
    const abut_index count = step->pair_count;
    abut_index *match = calloc((size_t)count, sizeof *match);
    abut_index *guess = calloc((size_t)count, sizeof *guess);
    for (int round = 0; round < 4; round++) {
        now.step.guess = round > 0 ? guess : NULL;
        CHECK_INT(abut_pairs_match(&now.step, &before.step, NULL, NULL, 2, match, NULL), ABUT_OK);
        abut_index wrong = 0;
        for (abut_index row = 0; row < count; row++) {
            wrong += before.order[match[row]] != now.order[row];
            /* guesses are nearly all right, then all right, then mostly wrong */
            const abut_index far = row % 2 ? -1 : INTPTR_MAX;
            guess[row] = round == 1 || row % 7 ? match[row] : far;
            guess[row] = round == 2 && row % 7 ? match[count - 1 - row] : guess[row];
        }
        CHECK_INT(wrong, 0);
    }
    free(match), free(guess);
    free_shuffled(&now), free_shuffled(&before);
}

static void check_any_order(void)
{
    static scene s;
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int kind = 0; kind < 4; kind++) {
            start(&s, dimension);
            scatter_in_cube(&s, &s.own, 200, dimension == 2 ? 8.0 : 4.0, 0.5, 0.9);
            s.has_others = kind % 2;
            if (s.has_others) {
                scatter_in_cube(&s, &s.others, 100, dimension == 2 ? 8.0 : 4.0, 0.5, 0.9);
            }
            if (kind > 1) {
                set_period(&s, dimension, 2.5);
            }
            table t = find_table(&s);
            const abut_pair_step step = step_of(&s, &t);
            CHECK(t.count > 200);
            check_shuffled(&step);
            free_table(&t);
        }
    }
}

static void check_that_numbers_in_any_order_are_checked(void)
{
    abut_pair_step now = small_step_of(&chain), before = now;
    abut_index match[PAIRS], wrong[PAIRS] = {0, 1, SPHERES};
    abut_error error;
    now.any_order = before.any_order = 1;
    now.offsets = before.offsets = NULL;
    before.j = wrong;
    CHECK_INT(abut_pairs_match(&now, &before, NULL, NULL, 1, match, &error), ABUT_BAD_J);
    CHECK_INT(error.index, 2);
    CHECK_INT(error.of_before, 1);
    before.j = now.j;
    CHECK_INT(abut_pairs_match(&now, &before, NULL, NULL, 1, match, &error), ABUT_OK);
    CHECK_INT(match[2], 2);
}

/* Checks an invalid step: `what` is the expected status, `index` the first wrong row. */
static void check_wrong_step(const abut_pair_step *now, const abut_pair_step *before,
                             const abut_index *earlier, abut_status what, abut_index index)
{
    abut_index match[PAIRS];
    abut_error error;
    CHECK_INT(abut_pairs_match(now, before, earlier, NULL, 1, match, &error), what);
    CHECK_INT(error.index, index);
    CHECK_INT(abut_pairs_match(now, before, earlier, NULL, 1, match, NULL), what);
}

static void check_that_steps_are_checked(void)
{
    static const abut_index far[SPHERES] = {0, 1, SPHERES, 2}, wrong[PAIRS] = {0, SPHERES, 2};
    const abut_pair_step step = small_step_of(&chain);
    abut_pair_step bad = step;
    check_wrong_step(&step, &step, far, ABUT_BAD_EARLIER, 2);
    bad.i = wrong;
    check_wrong_step(&bad, &step, NULL, ABUT_BAD_I, 1);
    bad = step, bad.j = wrong;
    check_wrong_step(&bad, &step, NULL, ABUT_BAD_J, 1);
    bad = step, bad.offsets = NULL;
    check_wrong_step(&bad, &step, NULL, ABUT_BAD_PAIR_ROWS, 0);
    bad.sphere_count = 0;
    check_wrong_step(&step, &bad, NULL, ABUT_BAD_PAIR_ROWS, 0);
    bad.offsets = chain.offsets, bad.sphere_count = -1;
    check_wrong_step(&step, &bad, NULL, ABUT_BAD_PAIR_ROWS, 0);
}

/* The pair before has the same first sphere, and another second one. */
static void check_that_both_spheres_are_compared(void)
{
    static const abut_index seconds[PAIRS] = {2, 2, 3}, match[PAIRS] = {0, 1, 2};
    const abut_pair_step now = small_step_of(&chain);
    abut_pair_step before = now;
    const double tangent[2 * PAIRS] = {0.0};
    double carried[2 * PAIRS];
    abut_error error;
    before.j = seconds;
    CHECK_INT(abut_pairs_carry(&now, &before, NULL, NULL, match, tangent, 1, carried, &error),
              ABUT_BAD_PAIR_SPHERES);
    CHECK_INT(error.index, 0);
}

/* Without normals, pairs match by images, or because both steps have only one image. */
static void check_images_alone(void)
{
    static const small_step now = {
        .i = {0, 0, 2}, .j = {1, 1, 3}, .image = {0, 0, 1, 0, 0, 1}, .offsets = {0, 2, 2, 3, 3}};
    small_step before = {
        .i = {0, 1, 2}, .j = {1, 2, 3}, .image = {5, 5, 0, 0, 7, 7}, .offsets = {0, 1, 2, 3, 3}};
    abut_pair_step step = small_step_of(&now), last = small_step_of(&before);
    abut_index match[PAIRS];
    step.normal = last.normal = NULL;
    CHECK_INT(abut_pairs_match(&step, &last, NULL, NULL, 1, match, NULL), ABUT_OK);
    CHECK(match[0] == -1 && match[1] == -1 && match[2] == 2);
    CHECK_INT(abut_pairs_match(&last, &step, NULL, NULL, 1, match, NULL), ABUT_OK);
    CHECK(match[0] == -1 && match[1] == -1 && match[2] == 2);
    before.image[0] = 1, before.image[1] = 0;
    CHECK_INT(abut_pairs_match(&step, &last, NULL, NULL, 1, match, NULL), ABUT_OK);
    CHECK(match[0] == -1 && match[1] == 0 && match[2] == 2);
}

/* A guess does not change the match, with any flags and columns of the two steps. */
static void check_guesses(void)
{
    static const abut_index guess[PAIRS] = {0, 1, 2};
    for (int k = 0; k < 16; k++) {
        abut_pair_step now = small_step_of(&chain), before = now;
        abut_index match[PAIRS];
        now.guess = guess;
        now.any_order = k & 1, before.any_order = k >> 1 & 1;
        now.offsets = now.any_order ? NULL : now.offsets;
        before.offsets = before.any_order ? NULL : before.offsets;
        now.normal = before.normal = k & 4 ? chain.normal : NULL;
        before.image = k & 8 ? chain.image : NULL;
        CHECK_INT(abut_pairs_match(&now, &before, NULL, NULL, 1, match, NULL), ABUT_OK);
        for (int row = 0; row < PAIRS; row++) {
            CHECK_INT(match[row], row);
        }
    }
}

/* ---- memory ---- */

/* Very many images of the same two spheres, one of them with a NaN normal. */
static void check_very_many_images(void)
{
    static scene s;
    start(&s, 2);
    scatter_in_cube(&s, &s.own, 2, 1.0, 5.0, 5.5);
    set_period(&s, 3, 1.0);
    table t = find_table(&s);
    const size_t size = (size_t)t.count * 2 * sizeof(double);
    double *normal = memcpy(malloc(size), t.columns.normal, size);
    abut_index *match = calloc((size_t)t.count, sizeof *match);
    const abut_pair_step now = step_of(&s, &t);
    abut_pair_step before = now;
    before.normal = normal;
    abut_index broken = 0;
    while (t.columns.j[broken] == 0) { /* the first rows are images of the first sphere itself */
        broken++;
    }
    for (int is_broken = 0; is_broken < 2; is_broken++) {
        failures f = {0};
        while (fail_next(&f)) {
            f.status = abut_pairs_match(&now, &before, NULL, NULL, 1, match, NULL);
        }
        CHECK(f.count > 2);
        for (abut_index row = 0; row < t.count; row++) {
            CHECK(match[row] == row || (is_broken && row == broken));
        }
        normal[2 * broken] = NAN;
    }
    free(match), free(normal);
    free_table(&t);
}

/* Only spheres with several images and unsorted rows need memory. */
static void check_every_failure(bool is_shuffled)
{
    static scene s;
    start(&s, 3);
    scatter_in_cube(&s, &s.own, 5, 1.0, 1.0, 1.2);
    set_period(&s, 3, 1.0);
    table t = find_table(&s);
    abut_pair_step step = step_of(&s, &t);
    shuffled_step shuffled = shuffle(&step);
    abut_index *match = calloc((size_t)t.count, sizeof *match);
    if (is_shuffled) {
        step = shuffled.step;
        step.guess = match;
    }
    failures f = {0};
    while (fail_next(&f)) {
        f.status = abut_pairs_match(&step, &step, NULL, NULL, 1, match, NULL);
    }
    CHECK(f.count > (is_shuffled ? 12 : 2));
    free(match);
    free_shuffled(&shuffled);
    free_table(&t);
}

/* ---- tilting ---- */

static vec3 draw_unit(void)
{
    vec3 v;
    do {
        v = (vec3){draw_between(-1.0, 1.0), draw_between(-1.0, 1.0), draw_between(-1.0, 1.0)};
    } while (vec3_norm_sq(v) < 0.01);
    return vec3_scale(v, 1.0 / vec3_length(v));
}

/* A turned vector keeps its length and stays tangential; the old normal becomes the new one. */
static void check_tilt(vec3 old, vec3 new)
{
    const vec3 vector = draw_unit(), tangent = vec3_cross(old, vector);
    const vec3 turned = tilt(vector, old, new);
    CHECK_NEAR(vec3_length(turned), 1.0, 1e-14);
    CHECK_NEAR(vec3_dot(tilt(tangent, old, new), new), 0.0, 1e-14);
    CHECK_NEAR(vec3_length(vec3_sub(tilt(old, old, new), new)), 0.0, 1e-14);
    CHECK_NEAR(vec3_length(vec3_sub(tilt(turned, new, old), vector)), 0.0, 1e-14);
}

static void check_tilts(void)
{
    for (int k = 0; k < 1000; k++) {
        const vec3 old = draw_unit(), new = draw_unit();
        check_tilt(old, new);
        check_tilt(old, old);
        check_tilt(old, vec3_scale(old, -1.0));
        const vec3 near = vec3_add(vec3_scale(old, -1.0), vec3_scale(new, draw_scale(1e-17, 0.1)));
        check_tilt(old, vec3_scale(near, 1.0 / vec3_length(near)));
    }
}

void test_pair_history(void)
{
    check_that_there_may_be_no_step_before();
    check_that_matches_are_checked();
    check_any_order();
    check_that_numbers_in_any_order_are_checked();
    check_that_steps_are_checked();
    check_that_both_spheres_are_compared();
    check_images_alone();
    check_guesses();
    check_very_many_images();
    check_every_failure(false);
    check_every_failure(true);
    check_tilts();
}
