/* Distance hierarchy (section 5.2): which of the facets that a sphere touches stay its contacts. */
#ifndef WALLS_HIERARCHY_H
#define WALLS_HIERARCHY_H

#include "intersect.h"

/* The pairs of one sphere that are in question: numbers of pairs of the queue. */
typedef struct question {
    pairs *of;
    int32_t *items;
    int32_t count;
} question;

/* Sphere k of the queue, after hierarchy_strike or hierarchy_take_all. */
question hierarchy_ask(pairs *p, int32_t k);

/* Put all facets that spheres touch in question. */
void hierarchy_take_all(pairs *p);

/* Sort canonically: nearest first, ties by type and geometry, so that the order of the facets does
 * not matter. */
void hierarchy_sort(question *q);

/* Keep the contacts that no nearer kept one eliminates, sorted canonically. `flat_tilt`:
 * sin(flat_angle / 2). Every contact is compared with those that stay, which is reported to the
 * job. Returns ABUT_OK, or why the job is to end. */
abut_status hierarchy_eliminate(question *q, double flat_tilt, parallel_job *job);

#endif
