/* Columns of two steps, which a caller may have made of any numbers, are checked before they are
 * followed; where they are followed, they are looked at again, since they may have been changed. */
#include "steps.h"

#include <stddef.h>

#include "../base/parallel.h"

/* Numbers that are checked in one go. */
enum { STRETCH = 65536 };

typedef enum column_kind { OFFSETS, FIRSTS, SECONDS, EARLIER } column_kind;

/* A column that is to be checked. */
typedef struct checked_column {
    const abut_index *numbers;
    abut_index count;
    abut_index limit; /* numbers must be less; of offsets: what they end with */
    column_kind kind;
    bool is_of_before, is_of_others;
} checked_column;

/* Three columns of each step, and earlier numbers of two sets. */
enum { COLUMN_LIMIT = 8 };

typedef struct checking {
    checked_column columns[COLUMN_LIMIT];
    int column_count;
    abut_index number_count;  /* of all columns */
    abut_index stretch_count; /* of the longest column */
} checking;

/* ---- which columns there are ---- */

static void add_column(checking *c, checked_column column)
{
    const abut_index stretches = parallel_chunk_count(column.count, STRETCH);
    c->columns[c->column_count++] = column;
    c->number_count += column.count;
    c->stretch_count = stretches > c->stretch_count ? stretches : c->stretch_count;
}

static void add_step(checking *c, const abut_pair_step *step, bool is_of_before)
{
    const abut_index pairs = step->pair_count, spheres = step->sphere_count;
    if (!step->any_order) {
        add_column(c,
                   (checked_column){step->offsets, spheres, pairs, OFFSETS, is_of_before, false});
    }
    add_column(c, (checked_column){step->i, pairs, spheres, FIRSTS, is_of_before, false});
    add_column(
        c, (checked_column){step->j, pairs, step_second_count(step), SECONDS, is_of_before, false});
}

static void add_earlier(checking *c, const abut_index *earlier, abut_index count,
                        abut_index count_before, bool is_of_others)
{
    if (earlier) {
        add_column(c, (checked_column){earlier, count, count_before, EARLIER, false, is_of_others});
    }
}

/* ---- whether anything is wrong: loops that never leave early are vector code ---- */

/* Only the sign bit counts: it is set where a number is negative or not less than the limit, in
 * arithmetic that cannot overflow. */
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

/* Likewise of earlier numbers, all of which must be less than the limit; those below 0 are spheres
 * that were not there. */
static size_t check_earlier(const abut_index *numbers, abut_index begin, abut_index end,
                            abut_index limit)
{
    abut_index largest = -1;
    for (abut_index k = begin; k < end; k++) {
        largest = numbers[k] > largest ? numbers[k] : largest;
    }
    return largest < limit ? 0 : SIZE_MAX;
}

/* Likewise of offsets, none of which may be negative or less than the one before. */
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
        return !has_sign(check_earlier(c->numbers, begin, end, c->limit));
    }
    return false;
}

static abut_status check_stretch(void *context, abut_index chunk, parallel_job *job)
{
    const checking *c = context;
    const checked_column *column = &c->columns[chunk / c->stretch_count];
    const abut_index begin = chunk % c->stretch_count * STRETCH;
    const abut_index end = parallel_chunk_end(begin, STRETCH, column->count);
    if (begin < end && !is_stretch_right(column, begin, end)) {
        return ABUT_BAD_PAIR_ROWS;
    }
    return parallel_report(job, end > begin ? (end - begin) / 8 : 0);
}

/* Whether offsets begin with 0 and end with the number of pairs. Before the first step there is
 * none, which has no offsets. */
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

/* ---- what is wrong ---- */

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

/* Name the first number that is wrong, in the order of the columns. */
static abut_status name_wrong(const checking *c, abut_error *error)
{
    for (int t = 0; t < c->column_count; t++) {
        const checked_column *column = &c->columns[t];
        abut_index k = 0;
        while (has_right_ends(column) && k < column->count && !is_wrong(column, k)) {
            k++;
        }
        if (!has_right_ends(column) || k < column->count) {
            const bool is_of_spheres = column->kind == EARLIER;
            const abut_status status =
                error_set(error, status_of(column->kind), k,
                          column->kind == OFFSETS ? column->limit : column->numbers[k],
                          (double)(is_of_spheres ? column->limit : column->limit - 1));
            if (error) {
                error->of_others = column->is_of_others, error->of_before = column->is_of_before;
            }
            return status;
        }
    }
    return error_set_status(error, ABUT_INPUT_CHANGED);
}

abut_status steps_check(const pair_steps *s, int workers, abut_error *error)
{
    checking c = {.column_count = 0};
    add_step(&c, &s->now, false);
    add_step(&c, &s->before, true);
    add_earlier(&c, s->earlier, s->now.sphere_count, s->before.sphere_count, false);
    if (s->now.has_others) {
        add_earlier(&c, s->other_earlier, s->now.other_count, s->before.other_count, true);
    }
    bool is_right = true;
    for (int t = 0; t < c.column_count; t++) {
        is_right &= has_right_ends(&c.columns[t]);
    }
    if (is_right && c.stretch_count > 0) {
        const parallel_plan plan = {.chunk_count = c.column_count * c.stretch_count,
                                    .work = c.number_count / 8,
                                    .workers = workers};
        is_right = !parallel_run(&plan, check_stretch, &c);
    }
    return is_right ? ABUT_OK : name_wrong(&c, error);
}
