/* Checks the columns of two steps before numbers in them are used: callers may have written any
 * numbers. Code that uses a number checks it again, since callers may have changed it. */
#include "steps.h"

#include <stddef.h>

typedef enum column_kind { OFFSETS, FIRSTS, SECONDS, EARLIER } column_kind;

/* A column that is to be checked. */
typedef struct checked_column {
    const abut_index *numbers;
    abut_index count;
    abut_index limit; /* all numbers must be less, or the last offset must equal this */
    column_kind kind;
    bool is_of_before, is_of_others;
} checked_column;

/* ---- whether any number is wrong: loops that never end early, which compilers vectorize ---- */

/* Returns bits of which only the sign bit counts. It is set if any number is negative or not less
 * than the limit. Unsigned arithmetic cannot overflow. */
static size_t check_numbers(const abut_index *numbers, abut_index begin, abut_index end,
                            abut_index limit)
{
    const size_t last = (size_t)limit - 1;
    size_t signs = 0;
    for (abut_index k = begin; k < end; k++) {
        const size_t number = (size_t)numbers[k];
        signs |= number | (last - number);
    }
    return signs;
}

/* Checks earlier numbers, which must be less than the limit. Numbers below 0 stand for spheres that
 * were not there. Result as in check_numbers. */
static size_t check_ceiling(const abut_index *numbers, abut_index begin, abut_index end,
                            abut_index limit)
{
    abut_index largest = -1;
    for (abut_index k = begin; k < end; k++) {
        largest = numbers[k] > largest ? numbers[k] : largest;
    }
    return largest < limit ? 0 : SIZE_MAX;
}

/* Checks offsets: none may be negative or less than the one before. Result as in check_numbers. */
static size_t check_ascent(const abut_index *offsets, abut_index begin, abut_index end)
{
    size_t signs = 0;
    for (abut_index k = begin; k < end; k++) {
        signs |= (size_t)offsets[k] | (size_t)offsets[k + 1] |
                 ((size_t)offsets[k + 1] - (size_t)offsets[k]);
    }
    return signs;
}

static bool has_sign(size_t signs)
{
    return signs > SIZE_MAX / 2;
}

static bool is_stretch_right(const checked_column *c, abut_index begin, abut_index end)
{
    switch (c->kind) {
    case OFFSETS:
        return !has_sign(check_ascent(c->numbers, begin, end));
    case FIRSTS:
    case SECONDS:
        return !has_sign(check_numbers(c->numbers, begin, end, c->limit));
    case EARLIER:
        return !has_sign(check_ceiling(c->numbers, begin, end, c->limit));
    }
    return false;
}

/* Whether offsets begin with 0 and end with the number of pairs. The empty step before the first
 * one needs no offsets. */
static bool has_right_ends(const checked_column *c)
{
    if (c->kind != OFFSETS) {
        return true;
    }
    if (!c->numbers) {
        return c->count == 0 && c->limit == 0;
    }
    return c->count >= 0 && c->numbers[0] == 0 && c->numbers[c->count] == c->limit;
}

/* ---- which number is wrong ---- */

static bool is_wrong(const checked_column *c, abut_index k)
{
    return !is_stretch_right(c, k, k + 1);
}

static abut_status status_of(column_kind kind)
{
    switch (kind) {
    case OFFSETS:
        return ABUT_BAD_PAIR_ROWS;
    case FIRSTS:
        return ABUT_BAD_I;
    case SECONDS:
        return ABUT_BAD_J;
    case EARLIER:
        return ABUT_BAD_EARLIER;
    }
    return ABUT_INPUT_CHANGED;
}

/* Checks a column; the error names the first wrong number. */
static abut_status check_column(checked_column c, abut_error *error)
{
    if (has_right_ends(&c) && is_stretch_right(&c, 0, c.count)) {
        return ABUT_OK;
    }
    abut_index k = 0;
    while (has_right_ends(&c) && k < c.count && !is_wrong(&c, k)) {
        k++;
    }
    if (has_right_ends(&c) && k == c.count) {
        return error_set_status(error, ABUT_INPUT_CHANGED);
    }
    const abut_status status =
        error_set(error, status_of(c.kind), k, c.kind == OFFSETS ? c.limit : c.numbers[k],
                  (double)(c.kind == EARLIER ? c.limit : c.limit - 1));
    if (error) {
        error->of_others = c.is_of_others, error->of_before = c.is_of_before;
    }
    return status;
}

static abut_status check_step(const abut_pair_step *step, bool is_of_before, abut_error *error)
{
    const abut_index pairs = step->pair_count, spheres = step->sphere_count;
    const checked_column columns[] = {
        {step->offsets, spheres, pairs, OFFSETS, is_of_before, false},
        {step->i, pairs, spheres, FIRSTS, is_of_before, false},
        {step->j, pairs, step_second_count(step), SECONDS, is_of_before, false}};
    abut_status status = ABUT_OK;
    for (int k = step->any_order ? 1 : 0; !status && k < 3; k++) {
        status = check_column(columns[k], error);
    }
    return status;
}

static abut_status check_earlier(const abut_index *earlier, abut_index count,
                                 abut_index count_before, bool is_of_others, abut_error *error)
{
    const checked_column c = {earlier, count, count_before, EARLIER, false, is_of_others};
    return earlier ? check_column(c, error) : ABUT_OK;
}

abut_status steps_check(const pair_steps *s, abut_error *error)
{
    const abut_pair_step *now = &s->now, *before = &s->before;
    abut_status status = check_step(now, false, error);
    status = status ? status : check_step(before, true, error);
    status = status
                 ? status
                 : check_earlier(s->earlier, now->sphere_count, before->sphere_count, false, error);
    return status || !now->has_others ? status
                                      : check_earlier(s->other_earlier, now->other_count,
                                                      before->other_count, true, error);
}
