#include "abut.h"

#include "check.h"

#include <math.h>
#include <string.h>

/* Messages have numbers in Python's format, and name the item. */
static void check_messages(void)
{
    const struct {
        abut_error error;
        const char *text;
    } cases[] = {
        {{ABUT_BAD_RADIUS, 17, 0, -NAN, 0, 0},
         "radii[17] is nan; radii must be positive and at most 1e75"},
        {{ABUT_BAD_GAP, 0, 0, 1.0 / 3, 0, 0},
         "gap is 0.3333333333333333; it must be at least 0 and at most 1e75"},
        {{ABUT_BAD_SPHERE_GAP, 2, 0, -1.0, 1, 0},
         "others: gaps[2] is -1; it must be at least 0 and at most 1e75"},
        {{ABUT_BAD_PAIR_ROWS, 2, 7, 0.0, 0, 1},
         "previous: offsets do not ascend from 0 to the number of pairs, 7"},
        {{ABUT_SHAPE_FLAT, 2, 0, 0.0, 0, 0}, "the shape is flat: all vertices lie on one line"},
        {{ABUT_SHAPE_FLAT, 3, 0, 0.0, 0, 0}, "the shape is flat: all vertices lie in one plane"},
        {{ABUT_BAD_GRAVITY, 1, 0, INFINITY, 0, 0}, "gravity[1] is inf; it must be finite"},
        {{ABUT_BAD_GRAVITY, 2, 0, 0x1.fffffffffffffp-1, 0, 0},
         "gravity[2] is 0.9999999999999999; it must be finite"},
        {{(abut_status)-1, 0, 0, 0.0, 0, 0}, "unknown error"},
        {{ABUT_STATUS_COUNT, 0, 0, 0.0, 0, 0}, "unknown error"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200];
        abut_error_text(&cases[i].error, text, sizeof text);
        CHECK_TEXT(text, cases[i].text);
    }
}

static void check_that_every_status_has_a_message(void)
{
    for (int status = 0; status < ABUT_STATUS_COUNT; status++) {
        char text[200];
        abut_error error = {(abut_status)status, 1, 2, 3.0, 0, 0};
        abut_error_text(&error, text, sizeof text);
        CHECK(strlen(text) > 5 && strlen(text) + 1 < sizeof text);
        CHECK(strcmp(text, "unknown error") != 0);
    }
}

static void check_that_text_is_cut_to_size(void)
{
    abut_error error = {ABUT_NO_MEMORY, 0, 0, 0, 0, 0};
    char text[8] = "xxxxxxx";
    abut_error_text(&error, text, 4);
    CHECK_TEXT(text, "not");
    CHECK_INT(text[4], 'x');
    abut_error_text(&error, text, 0);
    CHECK_TEXT(text, "not");
}

void test_status(void)
{
    check_messages();
    check_that_every_status_has_a_message();
    check_that_text_is_cut_to_size();
}
