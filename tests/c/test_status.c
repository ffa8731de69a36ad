#include "abut.h"

#include "check.h"

#include <math.h>
#include <string.h>

typedef struct message_case {
    abut_error error;
    const char *text;
} message_case;

static void check_messages(void)
{
    const message_case cases[] = {
        {{ABUT_NO_MEMORY, 0, 0, 0, 0, 0}, "not enough memory"},
        {{ABUT_BAD_RADIUS, 17, 0, NAN, 0, 0},
         "radii[17] is nan; radii must be positive and at most 1e75"},
        {{ABUT_BAD_RADIUS, 17, 0, -NAN, 0, 0},
         "radii[17] is nan; radii must be positive and at most 1e75"},
        {{ABUT_BAD_RADIUS, 0, 0, -0.1, 0, 0},
         "radii[0] is -0.1; radii must be positive and at most 1e75"},
        {{ABUT_CENTER_NOT_FINITE, 3, 1, INFINITY, 0, 0}, "centers[3, 1] is inf"},
        {{ABUT_VERTEX_NOT_FINITE, 4, 2, NAN, 0, 0}, "vertices[4, 2] is nan"},
        {{ABUT_VERTEX_TOO_FAR, 4, 0, -1e80, 0, 0},
         "vertices[4, 0] is -1e+80; coordinates must lie within 1e75 of 0"},
        {{ABUT_FACET_BAD_VERTEX, 5, 12, 10, 0, 0},
         "facet 5 names vertex 12, but the mesh has 10 vertices"},
        {{ABUT_FACET_BAD_VERTEX, 5, -1, 1234567, 0, 0},
         "facet 5 names vertex -1, but the mesh has 1234567 vertices"},
        {{ABUT_FACET_REPEATS_VERTEX, 5, 3, 0, 0, 0}, "facet 5 names vertex 3 twice"},
        {{ABUT_FACET_NOT_CONVEX, 7, 2, 0, 0, 0},
         "facet 7 is not convex at its corner 2; split=True triangulates it"},
        {{ABUT_FACET_NOT_CONVEX, 7, -1, 0, 0, 0},
         "facet 7 crosses itself or winds around more than once"},
        {{ABUT_BAD_GAP, 0, 0, 1.0 / 3, 0, 0},
         "gap is 0.3333333333333333; it must be at least 0 and at most 1e75"},
        {{ABUT_CENTER_NOT_FINITE, 3, 1, INFINITY, 1, 0}, "others: centers[3, 1] is inf"},
        {{ABUT_BAD_RADIUS, 2, 0, -1.0, 1, 0},
         "others: radii[2] is -1; radii must be positive and at most 1e75"},
        {{ABUT_BAD_SPHERE_GAP, 2, 0, -1.0, 0, 0},
         "gap[2] is -1; it must be at least 0 and at most 1e75"},
        {{ABUT_BAD_SPHERE_GAP, 2, 0, -1.0, 1, 0},
         "others: gaps[2] is -1; it must be at least 0 and at most 1e75"},
        {{ABUT_SIZE_TOO_SMALL, 4, 2, 6.5, 1, 0},
         "others: sphere 4 has the diameter, with its gap, of 6.5, which is more than levels[2], "
         "the last size"},
        {{ABUT_BAD_I, 2, 7, 4.0, 0, 0}, "i[2] is 7, but must be 0 to 4"},
        {{ABUT_BAD_J, 2, -1, 4.0, 0, 1}, "previous: j[2] is -1, but must be 0 to 4"},
        {{ABUT_BAD_PAIR_ROWS, 2, 7, 0.0, 0, 1},
         "previous: offsets do not ascend from 0 to the number of pairs, 7"},
        {{ABUT_BAD_EARLIER, 2, 7, 5.0, 1, 0},
         "others: sphere 2 was number 7 in the step before, which has 5 spheres"},
        {{ABUT_BAD_PAIR_MATCH, 2, 7, 5.0, 0, 0},
         "match[2] is 7, but the previous pairs are 5, from 0 on; -1 is none"},
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
