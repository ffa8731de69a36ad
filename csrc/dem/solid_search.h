/* The part of a step that finds what bodies touch. */
#ifndef DEM_SOLID_SEARCH_H
#define DEM_SOLID_SEARCH_H

#include "state.h"

/* Find what bodies touch, and match it with what they did in the step before. */
abut_status solids_find(abut_simulation *s, const parallel_plan *plan, abut_error *error);

#endif
