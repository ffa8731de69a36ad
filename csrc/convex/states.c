/* Which row of the step before a pair continues: the rows of both steps are gone through side by
 * side where both ascend; other rows are sorted first, and looked up. */
#include "states.h"

#include <string.h>

#include "../base/parallel.h"

/* Two bodies, the smaller number first: who is which may change from step to step. */
typedef struct body_key {
    abut_index low, high;
} body_key;

static body_key key_of(const abut_index *i, const abut_index *j, abut_index row)
{
    const abut_index first = i[row], second = j[row];
    return first < second ? (body_key){first, second} : (body_key){second, first};
}

static int compare(body_key a, body_key b)
{
    if (a.low != b.low) {
        return a.low < b.low ? -1 : 1;
    }
    return a.high == b.high ? 0 : a.high < b.high ? -1 : 1;
}

typedef struct matching {
    const body_pairs *now;
    const abut_convex_before *before;
    const int32_t *order; /* rows before in ascending order; NULL: as they are */
    abut_index *match;
    int dimension;
} matching;

/* ---- looking at rows before ---- */

static abut_index row_at(const matching *m, abut_index place)
{
    return m->order ? m->order[place] : place;
}

static body_key key_before(const matching *m, abut_index place)
{
    return key_of(m->before->i, m->before->j, row_at(m, place));
}

/* The first place, from `place` on, whose key is not less. */
static abut_index find_place(const matching *m, abut_index place, body_key key)
{
    abut_index end = m->before->row_count;
    while (place < end) {
        const abut_index middle = place + (end - place) / 2;
        if (compare(key_before(m, middle), key) < 0) {
            place = middle + 1;
        } else {
            end = middle;
        }
    }
    return place;
}

/* Rows that are passed one by one before they are searched. */
enum { FEW_ROWS = 8 };

static abut_index go_on(const matching *m, abut_index place, body_key key)
{
    for (int k = 0; k < FEW_ROWS; k++) {
        if (place >= m->before->row_count || compare(key_before(m, place), key) >= 0) {
            return place;
        }
        place++;
    }
    return find_place(m, place, key);
}

/* Whether the images are the same, seen from the same body. */
static bool is_same_image(const matching *m, abut_index pair, abut_index row)
{
    const abut_index *now = m->now->image, *before = m->before->image;
    const bool is_swapped =
        (m->now->i[pair] < m->now->j[pair]) != (m->before->i[row] < m->before->j[row]);
    bool is_same = true;
    for (int axis = 0; axis < m->dimension; axis++) {
        /* unsigned: the numbers may be any */
        const size_t a = now ? (size_t)now[m->dimension * pair + axis] : 0;
        const size_t b = before ? (size_t)before[m->dimension * row + axis] : 0;
        is_same &= a == (is_swapped ? 0 - b : b);
    }
    return is_same;
}

/* Whether a pair beside this one is of the same two bodies. */
static bool has_twin(const body_pairs *now, abut_index pair)
{
    const body_key key = key_of(now->i, now->j, pair);
    const bool before = pair > 0 && compare(key_of(now->i, now->j, pair - 1), key) == 0;
    const bool behind =
        pair + 1 < now->count && compare(key_of(now->i, now->j, pair + 1), key) == 0;
    return before || behind;
}

/* The row, of those at `place` and behind that are of the same two bodies, which a pair continues.
 * Where they met at one image only, then and now, that may have another number now: the caller has
 * moved a body by a period. */
static abut_index choose_row(const matching *m, abut_index pair, abut_index place, body_key key)
{
    abut_index end = place;
    for (; end < m->before->row_count && compare(key_before(m, end), key) == 0; end++) {
        if (is_same_image(m, pair, row_at(m, end))) {
            return row_at(m, end);
        }
    }
    return end == place + 1 && !has_twin(m->now, pair) ? row_at(m, place) : -1;
}

/* ---- all pairs ---- */

/* Pairs that one thread matches in one go. */
enum { STRETCH = 4096 };

static abut_status match_stretch(void *context, abut_index stretch, parallel_job *job)
{
    const matching *m = context;
    const abut_index begin = stretch * STRETCH, rest = m->now->count - begin;
    const abut_index end = begin + (rest < STRETCH ? rest : STRETCH);
    body_key last = {-1, -1};
    abut_index place = 0;
    for (abut_index pair = begin; pair < end; pair++) {
        const body_key key = key_of(m->now->i, m->now->j, pair);
        const bool goes_on = pair > begin && compare(last, key) <= 0;
        place = goes_on ? go_on(m, place, key) : find_place(m, 0, key);
        m->match[pair] = choose_row(m, pair, place, key);
        last = key;
    }
    return parallel_report(job, end - begin);
}

static bool is_number(abut_index number, abut_index count)
{
    return number >= 0 && number < count;
}

static abut_status report_row(abut_error *error, abut_status status, abut_index row,
                              abut_index number, abut_index count)
{
    error_set(error, status, row, number, (double)(count - 1));
    if (error) {
        error->of_before = 1;
    }
    return status;
}

/* Check the numbers, and tell whether rows ascend by key. */
static abut_status check_rows(const matching *m, abut_index bodies, bool *ascend, abut_error *error)
{
    const abut_convex_before *before = m->before;
    body_key last = {-1, -1};
    *ascend = true;
    for (abut_index row = 0; row < before->row_count; row++) {
        if (!is_number(before->i[row], bodies)) {
            return report_row(error, ABUT_BAD_I, row, before->i[row], bodies);
        }
        if (!is_number(before->j[row], bodies)) {
            return report_row(error, ABUT_BAD_J, row, before->j[row], bodies);
        }
        const body_key key = key_of(before->i, before->j, row);
        *ascend &= compare(last, key) <= 0;
        last = key;
    }
    return ABUT_OK;
}

static bool is_same_column(const abut_index *a, const abut_index *b, abut_index count)
{
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

/* Whether the rows before are just the pairs of now, one by one: those of a caller's list are. */
static bool are_now(const matching *m)
{
    const abut_convex_before *before = m->before;
    const body_pairs *now = m->now;
    const abut_index count = now->count;
    return before->row_count == count && is_same_column(before->i, now->i, count) &&
           is_same_column(before->j, now->j, count) &&
           (before->image == now->image || /* neither has any */
            (before->image && now->image &&
             is_same_column(before->image, now->image, m->dimension * count)));
}

/* ---- sorting ---- */

/* Sort rows, in the order of `items`, by key; those of one key stay as they are. */
static void sort_rows(const int32_t *keys, const int32_t *items, abut_index count,
                      abut_index key_count, int32_t *ends, int32_t *sorted)
{
    const key_block block = {.first_key = 0, .key_count = key_count, .begin = 0};
    const keyed_run run = {.keys = keys, .items = items, .count = count, .step = 1};
    sort_block(&block, &run, 1, ends, sorted);
}

/* Keep a number, which may have been changed since it was checked, within the keys. */
static int32_t key_within(abut_index number, abut_index count)
{
    return is_number(number, count) ? (int32_t)number : 0;
}

/* Sort the rows before by their larger number first and then by the smaller one, which leaves the
 * first order where it is the same. */
static abut_status sort_before(matching *m, abut_index bodies, earlier_rows *earlier)
{
    const abut_index count = m->before->row_count;
    int32_t *keys = memory_reserve(&earlier->key_blocks[0], count, sizeof *keys);
    int32_t *next_keys = memory_reserve(&earlier->key_blocks[1], count, sizeof *keys);
    int32_t *items = memory_reserve(&earlier->item_blocks[0], count, sizeof *items);
    int32_t *sorted = memory_reserve(&earlier->item_blocks[1], count, sizeof *items);
    int32_t *ends = memory_reserve(&earlier->end_block, bodies, sizeof *ends);
    if (!keys || !next_keys || !items || !sorted || !ends) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index row = 0; row < count; row++) {
        keys[row] = key_within(key_of(m->before->i, m->before->j, row).high, bodies);
        items[row] = (int32_t)row;
    }
    sort_rows(keys, items, count, bodies, ends, sorted);
    for (abut_index place = 0; place < count; place++) {
        const abut_index row = sorted[place];
        next_keys[place] = key_within(key_of(m->before->i, m->before->j, row).low, bodies);
    }
    sort_rows(next_keys, sorted, count, bodies, ends, items);
    m->order = items;
    return ABUT_OK;
}

static void match_one_by_one(const matching *m)
{
    for (abut_index pair = 0; pair < m->now->count; pair++) {
        m->match[pair] = pair;
    }
}

static abut_status match_all(matching *m, const abut_convex_finder *finder,
                             const abut_convex_query *query, earlier_rows *earlier,
                             abut_error *error)
{
    bool ascend = true;
    if (are_now(m)) {
        match_one_by_one(m);
        return ABUT_OK;
    }
    abut_status status = check_rows(m, finder->body_count, &ascend, error);
    if (status) {
        return status;
    }
    if (!ascend) {
        status = sort_before(m, finder->body_count, earlier);
    }
    if (!status) {
        const parallel_plan plan = finder_plan(query, m->now->count, STRETCH, 1);
        status = parallel_run(&plan, match_stretch, m);
    }
    return error_set_status(error, status);
}

abut_status states_match(const abut_convex_finder *finder, const abut_convex_query *query,
                         const body_pairs *now, earlier_rows *earlier, abut_error *error)
{
    earlier->match = NULL;
    if (query->before.row_count == 0) {
        return ABUT_OK;
    }
    if (query->before.row_count > INT32_MAX) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    abut_index *match = memory_reserve(&earlier->match_block, now->count, sizeof *match);
    if (!match) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    matching m = {
        .now = now, .before = &query->before, .match = match, .dimension = finder->dimension};
    earlier->match = match;
    return match_all(&m, finder, query, earlier, error);
}

void states_free(earlier_rows *earlier)
{
    memory_free(earlier->match_block.data);
    memory_free(earlier->key_blocks[0].data), memory_free(earlier->key_blocks[1].data);
    memory_free(earlier->item_blocks[0].data), memory_free(earlier->item_blocks[1].data);
    memory_free(earlier->end_block.data);
    *earlier = (earlier_rows){0};
}
