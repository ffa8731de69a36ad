/* The part of a step that is about pairs of spheres: who touches whom, and their laws. */
#ifndef DEM_PAIRS_H
#define DEM_PAIRS_H

#include "state.h"

/* Look whether the lists of who may come to touch whom are whole where spheres and walls are now,
 * and make them anew if not. */
abut_status pairs_refresh(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* Find pairs of spheres, and apply their laws. To be called when it is known which bonds break. */
abut_status pairs_apply(abut_simulation *s, const parallel_plan *plan, abut_error *error);

#endif
