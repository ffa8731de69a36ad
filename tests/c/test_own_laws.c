/* Laws of a caller's own: what a function in C is told of, and what is wrong. */
#include "base/memory.h"
#include "dem/order.h"

#include "abut.h"

#include "check.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A spring, the first parameter, which counts steps, and is no number beyond an overlap, the second
 * one. */
static void spring(const abut_law_block *b)
{
    for (int64_t k = 0; k < b->count; k++) {
        const bool is_deep = b->overlap[k] > b->parameters[1];
        b->push[k] = is_deep ? (double)NAN : b->parameters[0] * b->overlap[k];
        b->history_out[k] = b->history_in[k] + 1.0;
    }
}

static const abut_law OWN = {.kind = ABUT_OWN_LAW, .number = 0.0};

static abut_status set_law(abut_simulation *s, double most, double reach, abut_error *error)
{
    const double parameters[] = {1e3, most};
    const abut_own_law of = {.function = spring,
                             .parameters = parameters,
                             .parameter_count = 2,
                             .scalar_count = 1,
                             .identity = 1,
                             .reach = reach};
    const abut_own_laws own = {.laws = &of, .count = 1};
    return abut_simulation_set_own_laws(s, 1, &OWN, &own, error);
}

/* Two that overlap by a tenth. */
static abut_simulation *build(void)
{
    const abut_simulation_input input = {.step = 1e-4, .workers = 1};
    double centers[] = {0.0, 0.0, 0.0, 1.9, 0.0, 0.0}, ones[] = {1.0, 1.0};
    abut_index materials[] = {0, 0};
    const abut_spheres rows = {
        .count = 2, .centers = centers, .radii = ones, .masses = ones, .materials = materials};
    abut_simulation *s = NULL;
    CHECK_INT(abut_simulation_build(&input, &s, NULL), ABUT_OK);
    CHECK_INT(set_law(s, 1.0, 0.0, NULL), ABUT_OK);
    CHECK_INT(abut_simulation_add(s, &rows, NULL), ABUT_OK);
    return s;
}

static abut_status run(abut_simulation *s, abut_error *error)
{
    abut_index done;
    return abut_simulation_run(s, 1, NULL, NULL, &done, error);
}

/* An input of a case; of a vector the first number. */
#define PLACE(name, numbers) double name[numbers];
typedef struct places {
    ABUT_LAW_INPUTS(PLACE)
} places;
#define INPUT(of, name) (of).inputs[offsetof(places, name) / sizeof(double)]

static void check_case(void)
{
    abut_simulation *s = build();
    abut_error error;
    CHECK_INT(run(s, NULL), ABUT_OK);
    CHECK_INT(run(s, NULL), ABUT_OK);
    CHECK_INT(set_law(s, 0.01, 0.0, NULL), ABUT_OK);
    CHECK_INT(run(s, &error), ABUT_LAW_NOT_FINITE);
    CHECK_INT(abut_simulation_step_count(s), 2);
    const abut_law_case of = abut_simulation_law_case(s);
    CHECK_INT(of.number, 0);
    CHECK(fabs(INPUT(of, overlap) - 0.1) < 1e-3);
    CHECK(INPUT(of, normal) == -1.0 && INPUT(of, radius) == 0.5 && INPUT(of, radius_j) == 1.0);
    CHECK(INPUT(of, is_new) == 0.0 && isnan(of.outputs[0]) && of.outputs[1] == 0.0);
    CHECK(of.history_in[0] == 2.0 && of.history_out[0] == 3.0);
    abut_simulation_free(s);
}

static void check_errors(void)
{
    abut_simulation *s = build();
    abut_error error;
    CHECK_INT(set_law(s, 1.0, -1e-3, &error), ABUT_BAD_LAW);
    CHECK(error.value == -1e-3);
    CHECK_INT(set_law(s, 1.0, 1e300, &error), ABUT_BAD_LAW);
    CHECK(error.value == 1e300);
    CHECK_INT(abut_simulation_set_laws(s, 1, &OWN, NULL), ABUT_BAD_LAW);
    const abut_own_law of = {.function = spring};
    const abut_own_laws own = {.laws = &of, .count = 1};
    const abut_law bad[] = {{.kind = ABUT_OWN_LAW, .number = -1.0},
                            {.kind = ABUT_OWN_LAW, .number = 1.0},
                            {.kind = ABUT_OWN_LAW, .curvature = -2.0}};
    for (int k = 0; k < 3; k++) {
        CHECK_INT(abut_simulation_set_own_laws(s, 1, &bad[k], &own, &error), ABUT_BAD_LAW);
        CHECK(error.value == (k < 2 ? bad[k].number : bad[k].curvature));
    }
    CHECK_INT(run(s, NULL), ABUT_OK);
    abut_simulation_free(s);
}

/* A law that finds no memory is not taken. */
static void check_memory(void)
{
    abut_simulation *s = build();
    int failures = 0;
    for (bool has_failed = true; has_failed; failures += has_failed) {
        memory_fail_at(failures + 1);
        const abut_status status = set_law(s, 0.01, 0.0, NULL);
        has_failed = memory_has_failed();
        memory_fail_at(0);
        CHECK_INT(status, has_failed ? ABUT_NO_MEMORY : ABUT_OK);
        CHECK_INT(run(s, NULL), has_failed ? ABUT_OK : ABUT_LAW_NOT_FINITE);
    }
    CHECK(failures > 2);
    abut_simulation_free(s);
}

/* ---- how stiff a contact is ---- */

/* A spring with a damper of the overlap's own change, which is no number where two part, slide or
 * are pressed in by more than the first parameter. */
static void refusing_spring(const abut_law_block *b)
{
    for (int64_t k = 0; k < b->count; k++) {
        const bool is_refused =
            fabs(b->parting[k]) > 0.0 || b->sliding[k] > 0.0 || b->overlap[k] > b->parameters[0];
        const double damper = (b->overlap[k] - 0.09) / b->step;
        b->push[k] = is_refused ? (double)NAN : 1e3 * b->overlap[k] + damper;
        b->tangent[k] = b->push[k];
    }
}

static void check_stiffness(void)
{
    const own_contact at = {.overlap = 0.1, .radius = 1.0, .mass = 1.0, .inertia = 1.0};
    const double most[] = {0.1, 0.05};
    for (int k = 0; k < 2; k++) {
        const abut_own_law l = {
            .function = refusing_spring, .parameters = &most[k], .parameter_count = 1};
        const law_stiffness s = own_law_stiffness(&l, &at);
        CHECK_NEAR(k == 0 ? s.normal : 1e3, 1e3, 1e-3);
        CHECK(k == 0 || !(s.normal > 0.0));
        CHECK(s.damping_ratio == 0.0 && s.shear == 0.0);
    }
}

/* ---- what rows keep ---- */

/* Keeps a vector across the normal of a row along x, opposite from the other sphere, and two
 * numbers. */
static void keep_three(const abut_law_block *b)
{
    const double *vector = b->history_in, *numbers = b->history_in + 3 * ABUT_LAW_ROWS;
    for (int64_t k = 0; k < b->count; k++) {
        double *to = b->history_out + k;
        to[2 * ABUT_LAW_ROWS] = vector[2 * ABUT_LAW_ROWS + k] + b->normal[k];
        to[3 * ABUT_LAW_ROWS] = numbers[k] + 2.0;
        to[4 * ABUT_LAW_ROWS] = b->overlap[k];
        b->stored[k] = 7.0;
    }
}

static void keep_one(const abut_law_block *b)
{
    for (int64_t k = 0; k < b->count; k++) {
        b->history_out[k] = b->history_in[k] + 3.0;
    }
}

/* Four in a row, of two materials, which overlap by a tenth: pairs of each material have a law of
 * the caller's, and one of both has a built-in one. */
enum { SPHERES = 4, PAIRS = 3, NUMBERS = 3 + 2 + 2 };

static void set_row_laws(abut_simulation *s, const abut_own_law kept[2])
{
    const abut_law none = {
        .kind = ABUT_LINEAR, .stiffness = 1e-9, .shear = 1e-9, .restitution = 0.5};
    const abut_law first = {.kind = ABUT_OWN_LAW, .number = 0.0};
    const abut_law second = {.kind = ABUT_OWN_LAW, .number = 1.0};
    const abut_law laws[] = {first, none, none, second};
    const abut_own_laws own = {.laws = kept, .count = 2};
    CHECK_INT(abut_simulation_set_own_laws(s, 2, laws, &own, NULL), ABUT_OK);
}

static abut_simulation *build_row(const abut_own_law kept[2])
{
    const abut_simulation_input input = {.step = 1e-4, .workers = 1};
    double centers[3 * SPHERES] = {0.0}, ones[] = {1.0, 1.0, 1.0, 1.0};
    abut_index materials[] = {0, 0, 1, 1};
    for (int k = 0; k < SPHERES; k++) {
        centers[3 * k] = -1.9 * k; /* sorted by place they are in the opposite order */
    }
    const abut_spheres rows = {.count = SPHERES,
                               .centers = centers,
                               .radii = ones,
                               .masses = ones,
                               .materials = materials};
    abut_simulation *s = NULL;
    CHECK_INT(abut_simulation_build(&input, &s, NULL), ABUT_OK);
    set_row_laws(s, kept);
    CHECK_INT(abut_simulation_add(s, &rows, NULL), ABUT_OK);
    return s;
}

/* The columns of the pairs. */
typedef struct pair_rows {
    abut_index i[PAIRS], j[PAIRS], offsets[SPHERES + 1];
    double normal[3 * PAIRS], overlap[PAIRS], force[3 * PAIRS], spring[3 * PAIRS];
    double moment[3 * PAIRS], history[NUMBERS * PAIRS];
} pair_rows;

static abut_interactions columns_of(pair_rows *p)
{
    return (abut_interactions){.row_count = PAIRS,
                               .columns.pairs = {.i = p->i,
                                                 .j = p->j,
                                                 .offsets = p->offsets,
                                                 .normal = p->normal,
                                                 .overlap = p->overlap},
                               .force = p->force,
                               .spring = p->spring,
                               .moment = p->moment,
                               .history = p->history};
}

static void read_rows(const abut_simulation *s, pair_rows *p)
{
    const abut_interactions to = columns_of(p);
    CHECK_INT(abut_simulation_history_count(s), NUMBERS);
    CHECK_INT(abut_simulation_count_interactions(s, ABUT_SPHERE_SPHERE).row_count, PAIRS);
    CHECK_INT(abut_simulation_write_interactions(s, ABUT_SPHERE_SPHERE, &to, NULL), ABUT_OK);
}

/* Vectors come first, then numbers, wherever a law has fewer of them; then whose they are, and what
 * is stored. Rows of built-in laws have zeros. */
static void check_rows(const pair_rows *p, double steps)
{
    const double wanted[PAIRS][NUMBERS] = {{0.0, 0.0, steps, 2.0 * steps, p->overlap[0], 5.0, 7.0},
                                           {0.0},
                                           {0.0, 0.0, 0.0, 3.0 * steps, 0.0, 8.0, 0.0}};
    for (int row = 0; row < PAIRS; row++) {
        CHECK_INT(p->i[row], row);
        for (int n = 0; n < NUMBERS; n++) {
            /* turning a vector rounds its length */
            CHECK(fabs(p->history[NUMBERS * row + n] - wanted[row][n]) <= 1e-14 * steps);
        }
    }
    CHECK(fabs(p->overlap[0] - 0.1) < 1e-9);
}

static const abut_own_law KEPT[] = {
    {.function = keep_three, .vector_count = 1, .scalar_count = 2, .identity = 5},
    {.function = keep_one, .scalar_count = 1, .identity = 8}};

/* Wherever spheres are stored, and in a simulation that goes on. */
static void check_history(void)
{
    for (int is_sorted = 0; is_sorted < 2; is_sorted++) {
        static pair_rows rows, again;
        abut_simulation *s = build_row(KEPT), *other = build_row(KEPT);
        order_sort_always(is_sorted);
        for (int step = 0; step < 3; step++) {
            CHECK_INT(run(s, NULL), ABUT_OK);
        }
        read_rows(s, &rows);
        check_rows(&rows, 3.0);
        const abut_interactions from = columns_of(&rows);
        CHECK_INT(abut_simulation_restore_interactions(other, ABUT_SPHERE_SPHERE, &from, NULL),
                  ABUT_OK);
        read_rows(other, &again);
        CHECK(memcmp(rows.history, again.history, sizeof rows.history) == 0);
        CHECK_INT(run(other, NULL), ABUT_OK);
        order_sort_always(false);
        read_rows(other, &again);
        check_rows(&again, 4.0);
        abut_simulation_free(s), abut_simulation_free(other);
    }
}

/* A contact that gets another law begins anew. Contacts that keep their law continue. */
static void check_other_law(void)
{
    const abut_own_law others[] = {
        {.function = keep_three, .vector_count = 1, .scalar_count = 2, .identity = 6}, KEPT[1]};
    static pair_rows rows;
    abut_simulation *s = build_row(KEPT);
    CHECK_INT(run(s, NULL), ABUT_OK);
    CHECK_INT(run(s, NULL), ABUT_OK);
    set_row_laws(s, others);
    CHECK_INT(run(s, NULL), ABUT_OK);
    read_rows(s, &rows);
    CHECK_NEAR(rows.history[2], 1.0, 1e-14);
    CHECK(rows.history[3] == 2.0 && rows.history[5] == 6.0);
    CHECK(rows.history[2 * NUMBERS + 3] == 9.0);
    abut_simulation_free(s);
}

/* As many as there may be: vectors of one law, and numbers of another one. */
enum {
    MOST_VECTORS = ABUT_LAW_HISTORY / 3,
    MOST_NUMBERS = 3 * MOST_VECTORS + ABUT_LAW_HISTORY + 2
};

static void keep_vectors(const abut_law_block *b)
{
    for (int64_t k = 0; k < MOST_VECTORS * ABUT_LAW_ROWS; k++) {
        const int64_t row = k % ABUT_LAW_ROWS, z = 3 * (k - row) + 2 * ABUT_LAW_ROWS + row;
        b->history_out[z] = row < b->count ? b->history_in[z] + b->normal[row] : 0.0;
    }
}

static void keep_numbers(const abut_law_block *b)
{
    for (int64_t k = 0; k < ABUT_LAW_HISTORY * ABUT_LAW_ROWS; k++) {
        const int64_t column = k / ABUT_LAW_ROWS;
        const bool is_row = k % ABUT_LAW_ROWS < b->count;
        b->history_out[k] = is_row ? b->history_in[k] + (double)column : 0.0;
    }
}

static void check_longest_history(void)
{
    const abut_own_law kept[] = {
        {.function = keep_vectors, .vector_count = MOST_VECTORS, .identity = 1},
        {.function = keep_numbers, .scalar_count = ABUT_LAW_HISTORY, .identity = 2}};
    double history[PAIRS][MOST_NUMBERS];
    abut_simulation *s = build_row(kept);
    for (int step = 0; step < 3; step++) {
        CHECK_INT(run(s, NULL), ABUT_OK);
    }
    const abut_interactions to = {.row_count = PAIRS, .history = history[0]};
    CHECK_INT(abut_simulation_history_count(s), MOST_NUMBERS);
    CHECK_INT(abut_simulation_write_interactions(s, ABUT_SPHERE_SPHERE, &to, NULL), ABUT_OK);
    for (int n = 0; n < MOST_NUMBERS - 2; n++) {
        const bool is_vector = n < 3 * MOST_VECTORS;
        CHECK_NEAR(history[0][n], is_vector && n % 3 == 2 ? 3.0 : 0.0, 1e-14);
        CHECK(history[1][n] == 0.0);
        CHECK(history[2][n] == (is_vector ? 0.0 : 3.0 * (n - 3 * MOST_VECTORS)));
    }
    CHECK(history[0][MOST_NUMBERS - 2] == 1.0 && history[2][MOST_NUMBERS - 2] == 2.0);
    abut_simulation_free(s);
}

void test_own_laws(void)
{
    check_case();
    check_stiffness();
    check_history();
    check_other_law();
    check_longest_history();
    check_errors();
    check_memory();
}
