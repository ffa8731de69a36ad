/* Built-in laws: parameters out of their range, and forces computed outside of simulations. */
#include "abut.h"

#include "check.h"
#include "random.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* ---- numbers ---- */

static const abut_law sticky = {.kind = ABUT_HERTZ,
                                .stiffness = 1e6,
                                .shear = 3e5,
                                .friction = 0.5,
                                .restitution = 0.6,
                                .rolling = ABUT_ROLLING_C,
                                .rolling_friction = 0.02,
                                .rolling_damping = 0.3,
                                .adhesion = 0.1,
                                .distance = 1e-3,
                                .volume = 1e-9,
                                .surface_tension = 0.07,
                                .contact_angle = 0.3,
                                .unloading = 2e6,
                                .tensile = 1e6,
                                .depth = 0.1};

/* Returns the law with a cohesion, and with the elastic force that this cohesion requires. */
static abut_law with_cohesion(abut_cohesion cohesion)
{
    abut_law l = sticky;
    l.cohesion = cohesion;
    l.kind = cohesion == ABUT_LUDING ? ABUT_LINEAR : ABUT_HERTZ;
    return l;
}

/* A parameter of a law, the cohesion that has it, and whether it may be 0. */
typedef struct number {
    size_t offset;
    abut_cohesion cohesion;
    bool may_be_0;
    double most;
} number;

#define NUMBER(name) offsetof(abut_law, name)
static const number numbers[] = {
    {NUMBER(stiffness), ABUT_NO_COHESION, false, 1e75},
    {NUMBER(restitution), ABUT_NO_COHESION, false, 1.0},
    {NUMBER(shear), ABUT_NO_COHESION, true, 1e75},
    {NUMBER(friction), ABUT_NO_COHESION, true, 1e75},
    {NUMBER(rolling_friction), ABUT_NO_COHESION, true, 1e75},
    {NUMBER(rolling_damping), ABUT_NO_COHESION, true, 1e75},
    {NUMBER(curvature), ABUT_NO_COHESION, true, 1e75},
    {NUMBER(adhesion), ABUT_JKR, false, 1e75},
    {NUMBER(adhesion), ABUT_DMT, false, 1e75},
    {NUMBER(distance), ABUT_DMT, true, 1e75},
    {NUMBER(volume), ABUT_LIQUID_BRIDGE, false, 1e75},
    {NUMBER(surface_tension), ABUT_LIQUID_BRIDGE, false, 1e75},
    {NUMBER(contact_angle), ABUT_LIQUID_BRIDGE, true, 1.5},
    {NUMBER(unloading), ABUT_LUDING, false, 1e75},
    {NUMBER(tensile), ABUT_LUDING, true, 1e75},
    {NUMBER(depth), ABUT_LUDING, false, 1.0},
};

/* A law with one changed parameter is accepted, or the error names the parameter. */
static void check_number(const number *tested, double value, bool is_good)
{
    abut_law l = with_cohesion(tested->cohesion);
    abut_error error;
    memcpy((char *)&l + tested->offset, &value, sizeof value);
    const abut_status status = abut_law_apply(&l, 1e-4, 0, NULL, NULL, NULL, NULL, &error);
    CHECK_INT(status, is_good ? ABUT_OK : ABUT_BAD_LAW);
    CHECK(is_good || (error.status == ABUT_BAD_LAW && error.index == 0 && error.detail == 0));
    CHECK(is_good || error.value == value || (isnan(error.value) && isnan(value)));
}

static void check_numbers(void)
{
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        check_number(&numbers[k], NAN, false);
        check_number(&numbers[k], -1e-300, false);
        check_number(&numbers[k], 0.0, numbers[k].may_be_0);
        check_number(&numbers[k], numbers[k].most, true);
        check_number(&numbers[k], 1.1 * numbers[k].most, false);
    }
}

/* JKR requires Hertz' law; a plastic law is linear, with loading softer than unloading. */
static void check_what_laws_are_for(void)
{
    abut_law l = sticky;
    abut_error error;
    l.kind = ABUT_LINEAR, l.cohesion = ABUT_JKR;
    CHECK_INT(abut_law_apply(&l, 1e-4, 0, NULL, NULL, NULL, NULL, &error), ABUT_BAD_LAW);
    CHECK(error.value == l.adhesion);
    l.cohesion = ABUT_LUDING, l.stiffness = l.unloading;
    CHECK_INT(abut_law_apply(&l, 1e-4, 0, NULL, NULL, NULL, NULL, &error), ABUT_BAD_LAW);
    CHECK(error.value == l.unloading);
    l.kind = ABUT_HERTZ, l.stiffness = 1e6;
    CHECK_INT(abut_law_apply(&l, 1e-4, 0, NULL, NULL, NULL, NULL, &error), ABUT_BAD_LAW);
}

/* ---- contacts ---- */

#define COUNT_NUMBERS(name, count) +(count)
enum {
    INPUTS = 0 ABUT_LAW_INPUTS(COUNT_NUMBERS),
    OUTPUTS = 0 ABUT_LAW_OUTPUTS(COUNT_NUMBERS),
    HISTORY = 8,
    CONTACTS = 150 /* several blocks; the last is not full */
};

/* Columns of CONTACTS contacts. */
typedef struct columns {
    double inputs[INPUTS * CONTACTS], history_in[HISTORY * CONTACTS];
    double outputs[OUTPUTS * CONTACTS], history_out[HISTORY * CONTACTS];
} columns;

static abut_status apply(const abut_law *l, int count, columns *c)
{
    return abut_law_apply(l, 1e-4, count, c->inputs, c->history_in, c->outputs, c->history_out,
                          NULL);
}

static void draw_contacts(columns *c)
{
    state = 5;
    for (int k = 0; k < INPUTS * CONTACTS; k++) {
        c->inputs[k] = draw_between(0.1, 0.2);
    }
    for (int k = 0; k < HISTORY * CONTACTS; k++) {
        c->history_in[k] = draw_between(0.0, 1e-4);
    }
}

/* Many contacts at once have the same bits as each contact alone. */
static void check_contacts(abut_cohesion cohesion)
{
    static columns all, one;
    abut_law l = with_cohesion(cohesion);
    draw_contacts(&all);
    CHECK_INT(apply(&l, CONTACTS, &all), ABUT_OK);
    int same = 1;
    for (int k = 0; k < CONTACTS; k++) {
        for (int n = 0; n < INPUTS; n++) {
            one.inputs[n] = all.inputs[CONTACTS * n + k];
        }
        for (int n = 0; n < HISTORY; n++) {
            one.history_in[n] = all.history_in[CONTACTS * n + k];
        }
        CHECK_INT(apply(&l, 1, &one), ABUT_OK);
        for (int n = 0; n < OUTPUTS; n++) {
            same &= one.outputs[n] == all.outputs[CONTACTS * n + k];
        }
        for (int n = 0; n < HISTORY; n++) {
            same &= one.history_out[n] == all.history_out[CONTACTS * n + k];
        }
    }
    CHECK(same);
    CHECK(all.outputs[0] != 0.0);
}

/* DMT's pull begins before touch, a bridge forms at touch, and without cohesion nothing reaches. */
static void check_reaches(void)
{
    static const abut_cohesion all[] = {ABUT_NO_COHESION, ABUT_DMT, ABUT_LIQUID_BRIDGE};
    for (int k = 0; k < 3; k++) {
        abut_law l = sticky;
        double begins;
        l.cohesion = all[k];
        const double reach = abut_law_reach(&l, 0.01, &begins);
        CHECK((reach > 0.0) == (k > 0));
        CHECK(begins == (all[k] == ABUT_DMT ? -reach : 0.0));
    }
}

void test_laws(void)
{
    check_numbers();
    check_what_laws_are_for();
    for (int cohesion = ABUT_NO_COHESION; cohesion <= ABUT_LUDING; cohesion++) {
        check_contacts((abut_cohesion)cohesion);
    }
    check_reaches();
}
