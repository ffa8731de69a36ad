/* Finds the spot of the last step that each spot continues. The earlier spot is in the row that the
 * spot's row continues, and has the same types and features (its name). */
#include "match_spots.h"

#include "../base/error.h"
#include "../base/span.h"

#include <stdbool.h>

/* Whether two spots have the same name. If i and j are swapped, so are both parts of the name. */
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

/* The spots of a row of the last step. There are none if the row's number is out of range: the
 * caller may have changed it after the check. */
static row_span spots_before(const abut_spot_step *before, abut_index row)
{
    return row >= 0 && row < before->row_count
               ? span_at(before->spot_offsets, row, before->spot_count)
               : (row_span){0, 0};
}

static abut_index find_spot(const spot_steps *s, abut_index spot, abut_index row, row_span earlier)
{
    const bool is_swapped = s->swapped && s->swapped[row];
    for (abut_index old = earlier.first; old < earlier.first + earlier.count; old++) {
        if (has_same_name(s, spot, old, is_swapped)) {
            return old;
        }
    }
    return -1;
}

void spots_match_row(const spot_steps *s, abut_index row, abut_index *match)
{
    const row_span spots = span_at(s->now->spot_offsets, row, s->now->spot_count);
    const row_span earlier = spots_before(s->before, s->row_match[row]);
    for (abut_index spot = spots.first; spot < spots.first + spots.count; spot++) {
        match[spot] = find_spot(s, spot, row, earlier);
    }
}

/* ---- checks of a caller's columns ---- */

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
        if (old < -1 || old >= rows) {
            return error_set(error, ABUT_BAD_SPOT_MATCH, row, old, (double)rows);
        }
    }
    return ABUT_OK;
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
        spots_match_row(&s, row, match);
    }
    return error_set_status(error, ABUT_OK);
}
