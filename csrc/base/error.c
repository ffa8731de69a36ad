#include "error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MESSAGE(name, message) [name] = message,

static const char *const messages[ABUT_STATUS_COUNT] = {ABUT_STATUSES(MESSAGE)};

/* The name of the column with the number that is out of range. */
static const char *column_of(const abut_error *error)
{
    static const abut_table TABLES[] = {
        [ABUT_BAD_BODY] = ABUT_RIGID_TABLE,        [ABUT_BAD_BOND] = ABUT_BOND_TABLE,
        [ABUT_BAD_BREAKAGE] = ABUT_BREAKAGE_TABLE, [ABUT_BAD_REST] = ABUT_REST_TABLE,
        [ABUT_BAD_SPHERE] = ABUT_SPHERE_TABLE,
    };
    abut_index count;
    return abut_table_columns(TABLES[error->status], &count)[error->detail].name;
}

static const char winds_twice[] = "facet # crosses itself or winds around more than once";

/* The message for a gap of the other spheres, which the caller passes as `gaps`. */
static const char bad_other_gap[] = "gaps[#] is %; it must be at least 0 and at most 1e75";

/* Messages for polygons, where the usual ones describe polyhedra. */
static const char flat_polygon[] = "the shape is flat: all vertices lie on one line";
static const char open_polygon[] = "the sides are not closed: at vertex # not one side begins and "
                                   "one ends, but % do in all";
static const char inward_side[] =
    "facet # looks inward; a polygon's sides run counter-clockwise, with the polygon on their left";

/* Returns the message for a polygon; NULL if the usual message fits. */
static const char *message_of_polygon(const abut_error *error)
{
    if (error->status == ABUT_SHAPE_FLAT && error->index == 2) {
        return flat_polygon;
    }
    if (error->status == ABUT_SHAPE_INWARD && error->detail == 2) {
        return inward_side;
    }
    return error->status == ABUT_SHAPE_NOT_CLOSED && error->detail < 0 ? open_polygon : NULL;
}

static const char *message_of(const abut_error *error)
{
    if ((int)error->status < 0 || error->status >= ABUT_STATUS_COUNT) {
        return "unknown error";
    }
    if (error->status == ABUT_FACET_NOT_CONVEX && error->detail < 0) {
        return winds_twice;
    }
    if (error->status == ABUT_BAD_SPHERE_GAP && error->of_others) {
        return bad_other_gap;
    }
    const char *of_polygon = message_of_polygon(error);
    return of_polygon ? of_polygon : messages[error->status];
}

/* Prints a number with the fewest digits, 15 to 17, that read back as the same number. Counts have
 * no decimal point. */
static void print_value(double value, char *text, size_t size)
{
    if (isnan(value)) {
        snprintf(text, size, "nan"); /* the sign of a NaN means nothing */
        return;
    }
    int digits = 15;
    do {
        snprintf(text, size, "%.*g", digits, value);
    } while (strtod(text, NULL) != value && ++digits <= 17);
}

/* Prints what a placeholder (#, @, % or $) stands for, and any other character as it is. */
static void print_placeholder(const abut_error *error, char placeholder, char *text, size_t size)
{
    switch (placeholder) {
    case '#':
        snprintf(text, size, "%td", (ptrdiff_t)error->index);
        break;
    case '@':
        snprintf(text, size, "%td", (ptrdiff_t)error->detail);
        break;
    case '%':
        print_value(error->value, text, size);
        break;
    case '$':
        snprintf(text, size, "%s", column_of(error));
        break;
    default:
        snprintf(text, size, "%c", placeholder);
    }
}

/* Appends what fits of `piece` into `size` bytes, final 0 included. Returns the new length. */
static size_t append(const char *piece, char *text, size_t length, size_t size)
{
    for (; *piece != '\0' && length + 1 < size; piece++) {
        text[length++] = *piece;
    }
    return length;
}

abut_status error_set(abut_error *error, abut_status status, abut_index index, abut_index detail,
                      double value)
{
    if (error) {
        *error = (abut_error){.status = status, .index = index, .detail = detail, .value = value};
    }
    return status;
}

abut_status error_set_status(abut_error *error, abut_status status)
{
    return error_set(error, status, 0, 0, 0.0);
}

void abut_error_text(const abut_error *error, char *text, size_t size)
{
    size_t length = append(error->of_before ? "previous: " : "", text, 0, size);
    length = append(error->of_others ? "others: " : "", text, length, size);
    for (const char *next = message_of(error); *next != '\0'; next++) {
        char piece[32];
        print_placeholder(error, *next, piece, sizeof piece);
        length = append(piece, text, length, size);
    }
    if (size > 0) {
        text[length] = '\0';
    }
}
