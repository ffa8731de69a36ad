/* Which spot of the step before each spot continues: that of the same name, in the row that its row
 * continues. */
#include "../base/error.h"
#include "../base/span.h"

#include <stdbool.h>

typedef struct spot_steps {
    const abut_spot_step *now, *before;
    const abut_index *row_match;
    const uint8_t *swapped;
} spot_steps;

/* ---- checks ---- */

static abut_status check_offsets(const abut_spot_step *step, int is_before, abut_error *error)
{
    const abut_index row = span_find_wrong(step->spot_offsets, step->row_count, step->spot_count);
    if (row < 0) {
        return ABUT_OK;
    }
    error_set(error, ABUT_BAD_SPOT_ROWS, row, step->spot_count, 0.0);
    if (error) {
        error->of_before = is_before;
    }
    return ABUT_BAD_SPOT_ROWS;
}

static abut_status check_rows(const spot_steps *s, abut_error *error)
{
    const abut_index rows = s->before->row_count;
    for (abut_index row = 0; row < s->now->row_count; row++) {
        const abut_index old = s->row_match[row];
        if (old != -1 && (old < 0 || old >= rows)) {
            return error_set(error, ABUT_BAD_SPOT_MATCH, row, old, (double)rows);
        }
    }
    return ABUT_OK;
}

/* ---- matching ---- */

/* Whether two spots have one name; where i and j have changed places, so have the parts of the
 * name. */
static bool has_same_name(const spot_steps *s, abut_index spot, abut_index old, bool is_swapped)
{
    bool is_same = true;
    for (int k = 0; k < 2; k++) {
        const abut_index now = 2 * spot + k, before = 2 * old + (is_swapped ? 1 - k : k);
        is_same &= s->now->spot_type[now] == s->before->spot_type[before] &&
                   s->now->spot_feature[now] == s->before->spot_feature[before];
    }
    return is_same;
}

/* Whether a row has this number: one that was changed since it was checked may be none. */
static bool is_row(const abut_spot_step *step, abut_index row)
{
    return row >= 0 && row < step->row_count &&
           span_is_right(step->spot_offsets, row, step->spot_count);
}

static abut_index find_spot(const spot_steps *s, abut_index spot, abut_index row)
{
    const abut_index old_row = s->row_match[row];
    const bool is_swapped = s->swapped && s->swapped[row];
    if (!is_row(s->before, old_row)) {
        return -1;
    }
    const abut_index *offsets = s->before->spot_offsets;
    for (abut_index old = offsets[old_row]; old < offsets[old_row + 1]; old++) {
        if (has_same_name(s, spot, old, is_swapped)) {
            return old;
        }
    }
    return -1;
}

static void match_row(const spot_steps *s, abut_index row, abut_index *match)
{
    if (!is_row(s->now, row)) {
        return;
    }
    const abut_index end = s->now->spot_offsets[row + 1];
    for (abut_index spot = s->now->spot_offsets[row]; spot < end; spot++) {
        match[spot] = find_spot(s, spot, row);
    }
}

abut_status abut_spots_match(const abut_spot_step *now, const abut_spot_step *before,
                             const abut_index *row_match, const uint8_t *swapped, abut_index *match,
                             abut_error *error)
{
    const spot_steps s = {now, before, row_match, swapped};
    abut_status status = check_offsets(now, 0, error);
    status = status ? status : check_offsets(before, 1, error);
    status = status ? status : check_rows(&s, error);
    if (status) {
        return status;
    }
    for (abut_index row = 0; row < now->row_count; row++) {
        match_row(&s, row, match);
    }
    return error_set_status(error, ABUT_OK);
}
