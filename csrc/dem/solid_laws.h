/* The part of a step that is about what bodies exert. */
#ifndef DEM_SOLID_LAWS_H
#define DEM_SOLID_LAWS_H

#include "state.h"

/* Apply the laws of what bodies touch, which are those of spots. */
abut_status solids_apply_laws(abut_simulation *s, const parallel_plan *plan, abut_error *error);

#endif
