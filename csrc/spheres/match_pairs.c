/* Finds the pair of the step before that a pair continues: both have the same two spheres. If these
 * touch at several images, pairs with the same image and a close normal are preferred. */
#include "match_pairs.h"

#include <string.h>

#include "../base/span.h"
#include "steps.h"

/* The cosine of 60 degrees. The normals of two images that touch a sphere differ by at least that
 * angle, unless spheres are larger than the period. In one step, a normal turns by far less. */
#define TURNED 0.5

typedef struct matching {
    pair_steps steps;
    abut_index *match;
} matching;

/* ---- the same two spheres in the step before ---- */

/* The rows with this first sphere. */
static row_span rows_of(const abut_pair_step *step, abut_index sphere)
{
    return span_at(step->offsets, sphere, step->pair_count);
}

static bool is_before_second(const void *step, abut_index row, const void *second)
{
    return ((const abut_pair_step *)step)->j[row] < *(const abut_index *)second;
}

/* The number of rows that are tested one by one, before the remaining ones are bisected. */
enum { FEW_ROWS = 8 };

/* Finds the first of these rows of the step before with a second sphere of number `second` or
 * larger. The search begins at `place`, where the search before ended: rows of this step ascend,
 * and the rows that they continue usually ascend, too. */
static abut_index find_second(const abut_pair_step *step, row_span rows, abut_index second,
                              abut_index place)
{
    const abut_index end = rows.first + rows.count;
    if (place < rows.first || place > end || (place > rows.first && step->j[place - 1] >= second)) {
        place = rows.first;
    }
    for (int k = 0; k < FEW_ROWS && place < end; k++, place++) {
        if (step->j[place] >= second) {
            return place;
        }
    }
    return span_find((row_span){place, end - place}, step, &second, is_before_second);
}

/* All rows of the step before with these two spheres; *place is where the last search ended. */
static row_span rows_before(const pair_steps *s, const renamed_pair *pair, abut_index *place)
{
    if (pair->first < 0 || pair->second < 0) {
        return (row_span){0, 0};
    }
    const row_span all = rows_of(&s->before, pair->first);
    const abut_index first = find_second(&s->before, all, pair->second, *place);
    abut_index end = first;
    while (end < all.first + all.count && s->before.j[end] == pair->second) {
        end++;
    }
    *place = end;
    return (row_span){first, end - first};
}

/* ---- several images of the same two spheres ---- */

/* How well a row continues another, the best first: same image and close normal, other image and
 * close normal, same image and turned normal, neither. */
typedef enum image_rank { SAME_AND_CLOSE, CLOSE, SAME, NEITHER } image_rank;

/* The best row of the step before for a row of this step, among those that are not taken. */
typedef struct proposal {
    image_rank rank;
    double turned;  /* CLOSE: minus the cosine between the normals; else 0 */
    abut_index row; /* row of the step before; -1: none, or `now` is matched already */
    abut_index now; /* the row of this step */
} proposal;

/* Working memory for the pairs of a chunk. */
typedef struct scratch {
    abut_index place;       /* the row of the step before where the last search ended */
    memory_block proposals; /* one for each image of this step */
    memory_block taken;     /* uint8_t, one for each image of the step before */
} scratch;

static bool is_better(const proposal *a, const proposal *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->turned < b->turned;
}

/* Whether two rows have the same image. If their spheres are swapped, the images must have opposite
 * signs. */
static bool is_same_image(const pair_steps *s, abut_index row, abut_index old, bool is_swapped)
{
    bool is_same = true;
    for (int axis = 0; axis < s->now.dimension; axis++) {
        /* unsigned, which cannot overflow: callers may have written any number */
        const size_t now = (size_t)s->now.image[s->now.dimension * row + axis];
        const size_t before = (size_t)s->before.image[s->now.dimension * old + axis];
        is_same &= now == (is_swapped ? 0 - before : before);
    }
    return is_same;
}

static double agreement_of(const pair_steps *s, abut_index row, abut_index old, bool is_swapped)
{
    const double *now = s->now.normal + s->now.dimension * row;
    const double *before = s->before.normal + s->now.dimension * old;
    double sum = 0.0;
    for (int axis = 0; axis < s->now.dimension; axis++) {
        sum += now[axis] * before[axis];
    }
    return is_swapped ? -sum : sum;
}

static proposal compare(const pair_steps *s, abut_index row, abut_index old, bool is_swapped)
{
    const bool is_same = is_same_image(s, row, old, is_swapped);
    const double agreement = agreement_of(s, row, old, is_swapped);
    if (agreement > TURNED) {
        return is_same ? (proposal){SAME_AND_CLOSE, 0.0, old, row}
                       : (proposal){CLOSE, -agreement, old, row};
    }
    return is_same ? (proposal){SAME, 0.0, old, row} : (proposal){NEITHER, 0.0, -1, row};
}

/* Rows of the same two spheres in both steps. */
typedef struct image_lists {
    row_span now, before;
    bool is_swapped; /* the first sphere of this step was the second */
} image_lists;

/* Matches rows with the same image and a close normal: no other match is better. Each search begins
 * behind the row that was found last, which is the right place for most rows. */
static abut_status match_same(const matching *m, const image_lists *l, uint8_t *taken,
                              parallel_job *job)
{
    const abut_index old_count = l->before.count;
    abut_status status = ABUT_OK;
    abut_index place = 0;
    memset(taken, 0, (size_t)old_count);
    for (abut_index row = l->now.first; !status && row < l->now.first + l->now.count; row++) {
        abut_index seen = 0;
        m->match[row] = -1;
        for (; m->match[row] < 0 && seen < old_count; seen++, place = (place + 1) % old_count) {
            const abut_index old = l->before.first + place;
            if (!taken[place] &&
                compare(&m->steps, row, old, l->is_swapped).rank == SAME_AND_CLOSE) {
                m->match[row] = old;
                taken[place] = 1;
            }
        }
        status = parallel_report(job, seen);
    }
    return status;
}

/* Returns the best row of the step before for row `row`, among the rows that are not taken. Of
 * equally good rows, it is the first. */
static proposal propose(const matching *m, abut_index row, const image_lists *l,
                        const uint8_t *taken)
{
    proposal best = {NEITHER, 0.0, -1, row};
    for (abut_index k = 0; k < l->before.count; k++) {
        if (!taken[k]) {
            const proposal one = compare(&m->steps, row, l->before.first + k, l->is_swapped);
            best = is_better(&one, &best) ? one : best;
        }
    }
    return best;
}

/* The index of the best proposal, of equal ones the first; -1: none remains. */
static abut_index find_best(const proposal *proposals, abut_index count)
{
    abut_index best = -1;
    for (abut_index k = 0; k < count; k++) {
        if (proposals[k].row >= 0 && (best < 0 || is_better(&proposals[k], &proposals[best]))) {
            best = k;
        }
    }
    return best;
}

/* Matches the best proposals first, and each row of either step at most once. If the row of a
 * proposal was taken meanwhile, a new proposal replaces it. */
static abut_status match_best_first(const matching *m, const image_lists *l, const scratch *room,
                                    parallel_job *job)
{
    proposal *proposals = room->proposals.data;
    uint8_t *taken = room->taken.data;
    abut_status status = match_same(m, l, taken, job);
    abut_index left = 0, k;
    for (abut_index row = l->now.first; !status && row < l->now.first + l->now.count; row++) {
        if (m->match[row] < 0) {
            proposals[left++] = propose(m, row, l, taken);
            status = parallel_report(job, l->before.count);
        }
    }
    while (!status && (k = find_best(proposals, left)) >= 0) {
        const abut_index old = proposals[k].row, place = old - l->before.first;
        if (taken[place]) {
            proposals[k] = propose(m, proposals[k].now, l, taken);
            status = parallel_report(job, l->before.count);
        } else {
            taken[place] = 1;
            m->match[proposals[k].now] = old;
            proposals[k].row = -1;
        }
    }
    return status;
}

/* Matches all rows of this step with the same two spheres. Nearly always there is a single row. */
static abut_status match_images(const matching *m, row_span now, scratch *room, parallel_job *job)
{
    const renamed_pair pair = steps_rename(&m->steps, now.first);
    const row_span before = rows_before(&m->steps, &pair, &room->place);
    if (now.count == 1 && before.count == 1) {
        m->match[now.first] = compare(&m->steps, now.first, before.first, pair.is_swapped).row;
        return ABUT_OK;
    }
    for (abut_index k = 0; k < now.count; k++) {
        m->match[now.first + k] = -1;
    }
    if (before.count == 0) {
        return ABUT_OK;
    }
    if (!memory_reserve(&room->proposals, now.count, sizeof(proposal)) ||
        !memory_reserve(&room->taken, before.count, sizeof(uint8_t))) {
        return ABUT_NO_MEMORY;
    }
    const image_lists lists = {now, before, pair.is_swapped};
    return match_best_first(m, &lists, room, job);
}

/* ---- all pairs ---- */

/* The first row after `row` with other spheres. */
static abut_index end_of_images(const abut_pair_step *step, abut_index row)
{
    abut_index end = row + 1;
    while (end < step->pair_count && step->i[end] == step->i[row] && step->j[end] == step->j[row]) {
        end++;
    }
    return end;
}

/* Matches the rows of a chunk. Rows of the same two spheres are matched together. They belong to
 * the chunk of the first of these rows, even if they extend beyond its end. */
static abut_status match_image_chunk(void *context, abut_index chunk, parallel_job *job)
{
    const matching *m = context;
    const abut_pair_step *now = &m->steps.now;
    const abut_index begin = chunk * STEP_ROWS, end = step_chunk_end(now, chunk);
    scratch room = {.place = 0};
    abut_status status = ABUT_OK;
    for (abut_index row = begin > 0 ? end_of_images(now, begin - 1) : 0; !status && row < end;) {
        const abut_index next = end_of_images(now, row);
        status = match_images(m, (row_span){row, next - row}, &room, job);
        row = next;
    }
    memory_free(room.proposals.data), memory_free(room.taken.data);
    return status ? status : parallel_report(job, end - begin);
}

/* Whether no row next to this one has the same two spheres. */
static bool is_alone(const abut_pair_step *step, abut_index row)
{
    return end_of_images(step, row) == row + 1 && (row == 0 || end_of_images(step, row - 1) == row);
}

/* Finds the row of the step before that a row continues, if there are no normals: the row with the
 * same image. If no row has it, but the two spheres have a single row in each step, it is their
 * row. */
static abut_index find_by_image(const pair_steps *s, abut_index row, row_span before,
                                bool is_swapped)
{
    for (abut_index old = before.first; old < before.first + before.count; old++) {
        if (is_same_image(s, row, old, is_swapped)) {
            return old;
        }
    }
    return before.count == 1 && is_alone(&s->now, row) ? before.first : -1;
}

/* Matches the rows of a chunk one by one, if there are no images or no normals. Without images, two
 * spheres make one pair at most. Without normals, several rows may continue the same one. */
static abut_status match_chunk(void *context, abut_index chunk, parallel_job *job)
{
    const matching *m = context;
    const pair_steps s = m->steps;
    const abut_index begin = chunk * STEP_ROWS, end = step_chunk_end(&s.now, chunk);
    abut_index place = 0;
    for (abut_index row = begin; row < end; row++) {
        const renamed_pair pair = steps_rename(&s, row);
        const row_span before = rows_before(&s, &pair, &place);
        m->match[row] = before.count == 0 ? -1 : before.first;
        if (before.count > 0 && s.now.image && s.before.image) {
            m->match[row] = find_by_image(&s, row, before, pair.is_swapped);
        }
    }
    return parallel_report(job, end - begin);
}

/* Matches rows that are sorted. */
static abut_status match_all(const matching *m, int workers)
{
    const abut_pair_step *now = &m->steps.now;
    const bool can_compare = now->image && m->steps.before.image && now->normal;
    const parallel_plan plan = step_plan(now, workers);
    return parallel_run(&plan, can_compare ? match_image_chunk : match_chunk, (void *)m);
}

/* Converts matches of sorted rows to the caller's rows. */
static void convert_rows(const match_memory *memory, const abut_index *found, abut_index *match)
{
    const int32_t *order = memory->now.order, *old_order = memory->before.order;
    for (abut_index row = 0; row < memory->now.step.pair_count; row++) {
        const abut_index old = found[row];
        match[order ? order[row] : row] = old >= 0 && old_order ? old_order[old] : old;
    }
}

/* Matches all rows that are not marked as done. */
static abut_status match_ordered(const pair_steps *steps, const uint8_t *const done[2], int workers,
                                 match_memory *memory, abut_index *match)
{
    abut_status status = ordered_make(&steps->now, done[0], &memory->now);
    status = status ? status : ordered_make(&steps->before, done[1], &memory->before);
    const bool is_other = memory->now.order || memory->before.order;
    abut_index *found = match;
    if (!status && is_other) {
        found = memory_reserve(&memory->found, memory->now.step.pair_count, sizeof *found);
        status = found ? ABUT_OK : ABUT_NO_MEMORY;
    }
    if (!status) {
        const matching m = {
            .steps = {memory->now.step, memory->before.step, steps->earlier, steps->other_earlier},
            .match = found};
        status = match_all(&m, workers);
    }
    if (!status && is_other) {
        convert_rows(memory, found, match);
    }
    return status;
}

/* ---- rows that the caller has guessed ---- */

/* Whether a row continues row `old`: the same image of the same two spheres, with a close normal.
 * Then neither row has a better match. */
static bool continues(const pair_steps *s, abut_index row, abut_index old)
{
    const renamed_pair pair = steps_rename(s, row);
    const abut_index i = s->before.i[old], j = s->before.j[old];
    const bool was_turned = !s->before.has_others && j < i;
    const bool is_swapped = pair.is_swapped != was_turned;
    const bool has_images = s->now.image && s->before.image;
    return pair.first == (was_turned ? j : i) && pair.second == (was_turned ? i : j) &&
           (!has_images || is_same_image(s, row, old, is_swapped)) &&
           agreement_of(s, row, old, is_swapped) > TURNED;
}

/* Matches rows as the caller has guessed, if the guess is right. Returns how many rows remain. */
static abut_index match_guessed(const pair_steps *s, uint8_t *const done[2], abut_index *match)
{
    const abut_index count = s->now.pair_count, old_count = s->before.pair_count;
    abut_index left = count;
    memset(done[0], 0, (size_t)count);
    memset(done[1], 0, (size_t)old_count);
    for (abut_index row = 0; row < count; row++) {
        const abut_index old = s->now.guess[row];
        match[row] = -1;
        if (old >= 0 && old < old_count && !done[1][old] && continues(s, row, old)) {
            match[row] = old;
            done[0][row] = done[1][old] = 1;
            left--;
        }
    }
    return left;
}

static abut_status match_rest(const pair_steps *steps, int workers, match_memory *memory,
                              abut_index *match)
{
    uint8_t *const done[2] = {
        memory_reserve(&memory->done[0], steps->now.pair_count, sizeof(uint8_t)),
        memory_reserve(&memory->done[1], steps->before.pair_count, sizeof(uint8_t))};
    if (!done[0] || !done[1]) {
        return ABUT_NO_MEMORY;
    }
    const abut_index left = match_guessed(steps, done, match);
    const uint8_t *const is_done[2] = {done[0], done[1]};
    return left > 0 ? match_ordered(steps, is_done, workers, memory, match) : ABUT_OK;
}

abut_status match_steps(const pair_steps *steps, int workers, match_memory *memory,
                        abut_index *match, abut_error *error)
{
    static const uint8_t *const NONE[2] = {NULL, NULL};
    const abut_pair_step *now = &steps->now, *before = &steps->before;
    abut_status status = steps_check(steps, error);
    if (status) {
        return status;
    }
    const bool can_guess = now->guess && now->any_order && before->any_order && now->normal;
    status = can_guess ? match_rest(steps, workers, memory, match)
                       : match_ordered(steps, NONE, workers, memory, match);
    return error_set_status(error, status);
}

void match_free(match_memory *memory)
{
    ordered_free(&memory->now), ordered_free(&memory->before);
    memory_free(memory->found.data);
    memory_free(memory->done[0].data), memory_free(memory->done[1].data);
    memory->found = memory->done[0] = memory->done[1] = (memory_block){.data = NULL};
}

abut_status abut_pairs_match(const abut_pair_step *now, const abut_pair_step *before,
                             const abut_index *earlier, const abut_index *other_earlier,
                             int workers, abut_index *match, abut_error *error)
{
    const pair_steps steps = {*now, *before, earlier, other_earlier};
    match_memory memory = {.found = {.data = NULL}};
    const abut_status status = match_steps(&steps, workers, &memory, match, error);
    match_free(&memory);
    return status;
}
