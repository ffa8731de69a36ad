/* Distance hierarchy (section 5.2): which of the facets that a sphere touches stay its contacts. */
#ifndef WALLS_HIERARCHY_H
#define WALLS_HIERARCHY_H

#include "intersect.h"

/* Sort canonically: nearest first, ties by type and geometry, so that the order of the
 * facets does not matter. */
void hierarchy_sort(touches *list);

/* Keep the contacts that no nearer kept one eliminates. The list must be sorted. `flat_tilt`:
 * sin(flat_angle / 2). Every contact is compared with those that stay, which is reported to the
 * job. Returns ABUT_OK, or why the job is to end. */
abut_status hierarchy_eliminate(touches *list, double flat_tilt, parallel_job *job);

#endif
