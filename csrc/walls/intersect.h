/* Fast intersection test (paper, section 4): from the many candidates of the bins to the closest
 * points of the facets that spheres touch. */
#ifndef WALLS_INTERSECT_H
#define WALLS_INTERSECT_H

#include "../base/parallel.h"
#include "kernels.h"

/* As parallel_report counts it: a closest point costs as much as four candidates. */
static inline abut_index intersect_work(abut_index candidate_count, int32_t pair_count)
{
    return candidate_count + 4 * (abut_index)pair_count;
}

/* Replace the pairs by those of the batch's spheres from number `from` on, as many spheres as there
 * is room for, with their closest points: tests candidates' boxes, then each left triangle. `next`:
 * the first sphere that was left for another time. Candidates are reported to the job as work done.
 * ABUT_OK, ABUT_NO_MEMORY, or why the job is to end. */
abut_status intersect_batch(const batch *b, int32_t from, pairs *p, int32_t *next,
                            parallel_job *job);

#endif
