/* The part of a step that is about walls: where they are, who touches them, and their laws. */
#ifndef DEM_CONTACTS_H
#define DEM_CONTACTS_H

#include "state.h"

/* Place the walls where they are now. */
void contacts_place_walls(abut_simulation *s);

/* Compare where they are with where they were in the step before. ABUT_OK or ABUT_NO_MEMORY. */
abut_status contacts_follow_walls(abut_simulation *s);

/* Find contacts with walls; match them with those of the step before, and apply their laws. */
abut_status contacts_find(abut_simulation *s, const parallel_plan *plan, abut_error *error);
abut_status contacts_apply(abut_simulation *s, const parallel_plan *plan, abut_error *error);

#endif
