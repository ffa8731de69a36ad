/* Distance hierarchy (section 5.2): which facets that a sphere touches become its contacts. */
#ifndef WALLS_HIERARCHY_H
#define WALLS_HIERARCHY_H

#include "../base/parallel.h"
#include "candidates.h"

/* Sorts canonically: nearest first, ties by type and geometry, whatever the order of facets. */
void hierarchy_sort(touching *q);

/* Keeps the contacts that no nearer kept contact eliminates, sorted canonically. `flat_tilt` is
 * sin(flat_angle / 2). Reports its work to the job. Returns ABUT_OK, ABUT_NO_MEMORY or the status
 * that ends the job. */
abut_status hierarchy_eliminate(touching *q, double flat_tilt, parallel_job *job);

#endif
