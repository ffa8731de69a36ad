/* Distance hierarchy (section 5.2): which of the facets that a sphere touches stay its contacts. */
#ifndef WALLS_HIERARCHY_H
#define WALLS_HIERARCHY_H

#include "../base/parallel.h"
#include "candidates.h"

/* Sort canonically: nearest first, ties by type and geometry, so that the order of the facets does
 * not matter. */
void hierarchy_sort(touching *q);

/* Keep the contacts that no nearer kept one eliminates, sorted canonically. `flat_tilt`:
 * sin(flat_angle / 2). The work is reported to the job. Returns ABUT_OK, or why the job is to end,
 * or ABUT_NO_MEMORY. */
abut_status hierarchy_eliminate(touching *q, double flat_tilt, parallel_job *job);

#endif
