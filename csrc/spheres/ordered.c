/* Sorts rows by i, then j, and swaps the spheres of rows with j < i. */
#include "ordered.h"

#include <string.h>

#include "../base/sort.h"

enum { OFFSETS, KEYS, NEXT_KEYS, ROWS, SORTED, ENDS, FIRSTS, SECONDS, NORMALS, IMAGES };

/* A row's two spheres, the smaller number first. Spheres of a second set stay second. */
typedef struct row_key {
    abut_index first, second;
    bool is_turned;
} row_key;

/* Returns the number, or 0 if it is out of range: it may have changed since its check. */
static abut_index number_within(abut_index number, abut_index count)
{
    return number >= 0 && number < count ? number : 0;
}

static row_key key_of(const abut_pair_step *step, abut_index row)
{
    const abut_index i = number_within(step->i[row], step->sphere_count);
    const abut_index j = number_within(step->j[row], step_second_count(step));
    return !step->has_others && j < i ? (row_key){j, i, true} : (row_key){i, j, false};
}

/* Whether rows are sorted as match_pairs.c needs them. */
static bool are_ordered(const abut_pair_step *step)
{
    const abut_index *i = step->i, *j = step->j;
    bool is_right = true;
    for (abut_index row = 0; is_right && row < step->pair_count; row++) {
        is_right = step->has_others || i[row] <= j[row];
        if (is_right && row > 0) {
            is_right = i[row - 1] == i[row] ? j[row - 1] <= j[row] : i[row - 1] < i[row];
        }
    }
    return is_right;
}

/* ---- sorting ---- */

/* Sorts rows stably by key. */
static void sort_rows(const int32_t *keys, const int32_t *items, abut_index count,
                      abut_index key_count, int32_t *ends, int32_t *sorted)
{
    const key_block block = {.first_key = 0, .key_count = key_count, .begin = 0};
    const keyed_run run = {.keys = keys, .items = items, .count = count, .step = 1};
    sort_block(&block, &run, 1, ends, sorted);
}

static abut_index list_rows(const abut_pair_step *step, const uint8_t *done, int32_t *keys,
                            int32_t *rows)
{
    abut_index count = 0;
    for (abut_index row = 0; row < step->pair_count; row++) {
        keys[count] = (int32_t)key_of(step, row).second;
        rows[count] = (int32_t)row;
        count += done && done[row] ? 0 : 1;
    }
    return count;
}

/* Sorts by the second sphere and then, stably, by the first one. */
static abut_status sort_step(const abut_pair_step *step, const uint8_t *done, ordered_step *ordered)
{
    const abut_index all = step->pair_count, seconds = step_second_count(step);
    const abut_index most = seconds > step->sphere_count ? seconds : step->sphere_count;
    memory_block *blocks = ordered->blocks;
    int32_t *keys = memory_reserve(&blocks[KEYS], all, sizeof *keys);
    int32_t *next_keys = memory_reserve(&blocks[NEXT_KEYS], all, sizeof *keys);
    int32_t *rows = memory_reserve(&blocks[ROWS], all, sizeof *rows);
    int32_t *sorted = memory_reserve(&blocks[SORTED], all, sizeof *rows);
    int32_t *ends = memory_reserve(&blocks[ENDS], most, sizeof *ends);
    if (all > INT32_MAX || most > INT32_MAX || !keys || !next_keys || !rows || !sorted || !ends) {
        return ABUT_NO_MEMORY;
    }
    const abut_index count = list_rows(step, done, keys, rows);
    sort_rows(keys, rows, count, seconds, ends, sorted);
    for (abut_index place = 0; place < count; place++) {
        next_keys[place] = (int32_t)key_of(step, sorted[place]).first;
    }
    sort_rows(next_keys, sorted, count, step->sphere_count, ends, rows);
    ordered->order = rows;
    ordered->step.pair_count = count;
    return ABUT_OK;
}

/* ---- copies ---- */

/* Copies normal and image of a row. Their signs change if its spheres are swapped. */
static void copy_row(const abut_pair_step *from, abut_index row, bool is_turned, double *normal,
                     abut_index *image)
{
    const int dimension = from->dimension;
    for (int axis = 0; from->normal && axis < dimension; axis++) {
        const double number = from->normal[dimension * row + axis];
        normal[axis] = is_turned ? -number : number;
    }
    for (int axis = 0; from->image && axis < dimension; axis++) {
        /* unsigned, which cannot overflow: callers may have written any number */
        const size_t number = (size_t)from->image[dimension * row + axis];
        image[axis] = (abut_index)(is_turned ? 0 - number : number);
    }
}

static abut_status copy_step(const abut_pair_step *from, ordered_step *ordered)
{
    const abut_index count = ordered->step.pair_count, numbers = from->dimension * count;
    memory_block *blocks = ordered->blocks;
    abut_index *i = memory_reserve(&blocks[FIRSTS], count, sizeof *i);
    abut_index *j = memory_reserve(&blocks[SECONDS], count, sizeof *j);
    double *normal = memory_reserve(&blocks[NORMALS], from->normal ? numbers : 0, sizeof *normal);
    abut_index *image = memory_reserve(&blocks[IMAGES], from->image ? numbers : 0, sizeof *image);
    if (!i || !j || !normal || !image) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index place = 0; place < count; place++) {
        const abut_index row = ordered->order[place];
        const row_key key = key_of(from, row);
        i[place] = key.first, j[place] = key.second;
        copy_row(from, row, key.is_turned, normal + (from->normal ? from->dimension * place : 0),
                 image + (from->image ? from->dimension * place : 0));
    }
    ordered->step.i = i, ordered->step.j = j;
    ordered->step.normal = from->normal ? normal : NULL;
    ordered->step.image = from->image ? image : NULL;
    return ABUT_OK;
}

static abut_status count_offsets(ordered_step *ordered)
{
    abut_pair_step *step = &ordered->step;
    const abut_index spheres = step->sphere_count;
    abut_index *offsets = memory_reserve(&ordered->blocks[OFFSETS], spheres + 1, sizeof *offsets);
    if (!offsets) {
        return ABUT_NO_MEMORY;
    }
    memset(offsets, 0, (size_t)(spheres + 1) * sizeof *offsets);
    for (abut_index row = 0; row < step->pair_count; row++) {
        offsets[number_within(step->i[row], spheres)]++;
    }
    sort_sum_up(offsets, spheres);
    step->offsets = offsets;
    return ABUT_OK;
}

abut_status ordered_make(const abut_pair_step *given, const uint8_t *done, ordered_step *ordered)
{
    ordered->step = *given;
    ordered->order = NULL;
    if (!given->any_order) {
        return ABUT_OK;
    }
    abut_status status = ABUT_OK;
    if (done || !are_ordered(given)) {
        status = sort_step(given, done, ordered);
        status = status ? status : copy_step(given, ordered);
    }
    return status ? status : count_offsets(ordered);
}

void ordered_free(ordered_step *ordered)
{
    memory_free_blocks(ordered->blocks, ORDERED_BLOCKS);
    *ordered = (ordered_step){.order = NULL};
}
