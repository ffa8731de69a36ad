/* Several images of the same two spheres in two steps, where they are many: which one continues
 * which. */
#ifndef SPHERES_TWINS_H
#define SPHERES_TWINS_H

#include "../base/span.h"
#include "steps.h"

/* The cosine of 60 degrees. The normals of two images that both touch are as far apart, or farther,
 * unless the spheres are larger than the period; from step to step a normal turns far less. */
#define TURNED 0.5

/* Rows of now and of before that are of the same two spheres. */
typedef struct twin_rows {
    const pair_steps *steps;
    row_span spans[2];
    bool is_swapped; /* whether the first sphere of now was the second */
} twin_rows;

/* Whether trees are worth making, and normals are such that these can hold them. */
bool twins_are_many(const pair_steps *steps, const row_span spans[2]);

/* Match what suits best first, as match.c says; what is not matched stays as it is. ABUT_OK,
 * ABUT_NO_MEMORY or what parallel_report says. */
abut_status twins_match(const twin_rows *twins, abut_index *match, parallel_job *job);

#endif
