/* Finds the row of the last step that each pair continues, with the method of pairs of spheres. */
#include "states.h"

#include <string.h>

#include "convex_finder.h"

static bool is_same_column(const abut_index *a, const abut_index *b, abut_index count)
{
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

/* Whether the rows of the last step have the same pairs as now, in the same order. This is so if
 * the caller gives the same list of pairs in each step. */
static bool are_now(const abut_convex_before *before, const body_pairs *now, int dimension)
{
    const abut_index count = now->count;
    return before->row_count == count && is_same_column(before->i, now->i, count) &&
           is_same_column(before->j, now->j, count) &&
           (before->image == now->image || /* neither has images */
            (before->image && now->image &&
             is_same_column(before->image, now->image, dimension * count)));
}

static pair_steps steps_of(const abut_convex_finder *finder, const abut_convex_query *query,
                           const body_pairs *now)
{
    const abut_convex_before *before = &query->before;
    abut_pair_step step = {.dimension = finder->dimension,
                           .sphere_count = finder->body_count,
                           .pair_count = now->count,
                           .i = now->i,
                           .j = now->j,
                           .image = now->image,
                           .any_order = 1,
                           .interrupted = query->interrupted,
                           .interrupted_data = query->interrupted_data};
    pair_steps steps = {.now = step};
    step.pair_count = before->row_count;
    step.i = before->i, step.j = before->j, step.image = before->image;
    steps.before = step;
    return steps;
}

static abut_status check_given(const abut_convex_query *query, abut_error *error)
{
    const abut_convex_before *before = &query->before;
    for (abut_index pair = 0; pair < query->pair_count; pair++) {
        const abut_index row = before->match[pair];
        if (row < -1 || row >= before->row_count) {
            return error_set(error, ABUT_BAD_MATCH, pair, row, (double)before->row_count);
        }
    }
    return ABUT_OK;
}

void states_take(const abut_convex_query *query, earlier_rows *earlier)
{
    earlier->match = query->before.row_count > 0 ? query->before.match : NULL;
}

abut_status states_match(const abut_convex_finder *finder, const abut_convex_query *query,
                         const body_pairs *now, earlier_rows *earlier, abut_error *error)
{
    earlier->match = NULL;
    if (query->before.row_count == 0) {
        return ABUT_OK;
    }
    if (query->i && query->before.match) {
        states_take(query, earlier);
        return check_given(query, error);
    }
    abut_index *match = memory_reserve(&earlier->match_block, now->count, sizeof *match);
    if (!match) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    earlier->match = match;
    if (are_now(&query->before, now, finder->dimension)) {
        for (abut_index pair = 0; pair < now->count; pair++) {
            match[pair] = pair;
        }
        return ABUT_OK;
    }
    const pair_steps steps = steps_of(finder, query, now);
    return match_steps(&steps, query->workers, &earlier->memory, match, error);
}

void states_free(earlier_rows *earlier)
{
    memory_free(earlier->match_block.data);
    match_free(&earlier->memory);
    *earlier = (earlier_rows){0};
}
