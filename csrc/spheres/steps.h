/* The pairs of two steps: checks of columns, and the spheres' numbers in both. */
#ifndef SPHERES_STEPS_H
#define SPHERES_STEPS_H

#include <stdbool.h>

#include "../abut/pairs.h"
#include "../base/error.h"
#include "../base/parallel.h"

typedef struct pair_steps {
    abut_pair_step now, before;
    /* each sphere's number in the step before; NULL: unchanged */
    const abut_index *earlier, *other_earlier;
} pair_steps;

/* A pair of this step, with the numbers that its spheres had in the step before. */
typedef struct renamed_pair {
    abut_index first, second; /* -1: the sphere was not there */
    bool is_swapped;          /* the first sphere of this step was the second one */
} renamed_pair;

/* The number of spheres in the set to which a pair's second sphere belongs. */
static inline abut_index step_second_count(const abut_pair_step *step)
{
    return step->has_others ? step->other_count : step->sphere_count;
}

/* A sphere's number in the step before; -1: it was not there, or the number is out of range, since
 * callers may change numbers after their check. */
static inline abut_index steps_number_before(const abut_index *earlier, abut_index number,
                                             abut_index count, abut_index count_before)
{
    if (number < 0 || number >= count) {
        return -1;
    }
    const abut_index before = earlier ? earlier[number] : number;
    return before >= 0 && before < count_before ? before : -1;
}

static inline renamed_pair steps_rename(const pair_steps *s, abut_index row)
{
    const abut_pair_step *now = &s->now, *before = &s->before;
    const abut_index *second_earlier = now->has_others ? s->other_earlier : s->earlier;
    const abut_index i =
        steps_number_before(s->earlier, now->i[row], now->sphere_count, before->sphere_count);
    const abut_index j = steps_number_before(second_earlier, now->j[row], step_second_count(now),
                                             step_second_count(before));
    const bool is_swapped = !now->has_others && i > j;
    return is_swapped ? (renamed_pair){j, i, true} : (renamed_pair){i, j, false};
}

/* The number of pairs in a chunk. */
enum { STEP_ROWS = 4096 };

/* The end of a chunk's pairs. */
static inline abut_index step_chunk_end(const abut_pair_step *step, abut_index chunk)
{
    const abut_index end = (chunk + 1) * STEP_ROWS;
    return end < step->pair_count ? end : step->pair_count;
}

/* The plan of a parallel run over all pairs of a step. */
static inline parallel_plan step_plan(const abut_pair_step *step, int workers)
{
    return (parallel_plan){.chunk_count = parallel_chunk_count(step->pair_count, STEP_ROWS),
                           .work = step->pair_count,
                           .workers = workers,
                           .interrupted = step->interrupted,
                           .interrupted_data = step->interrupted_data};
}

/* Checks offsets, i, j and earlier numbers. The error names the first wrong number. */
abut_status steps_check(const pair_steps *s, abut_error *error);

#endif
