/* Laws of a caller's own: what a function in C is told of, and what is wrong. */
#include "abut.h"

#include "check.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

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
    const abut_own_law law = {.function = spring,
                              .parameters = parameters,
                              .parameter_count = 2,
                              .scalar_count = 1,
                              .identity = 1,
                              .reach = reach};
    const abut_own_laws own = {.laws = &law, .count = 1};
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
    CHECK_INT(run(s, NULL), ABUT_OK);
    abut_simulation_free(s);
}

void test_own_laws(void)
{
    check_case();
    check_errors();
}
