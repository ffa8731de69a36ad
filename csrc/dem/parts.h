/* The parts of a step that find contacts, apply laws and sum up forces. Each may end the step. */
#ifndef DEM_PARTS_H
#define DEM_PARTS_H

#include "state.h"

/* Places the walls at the time of the step. */
void contacts_place_walls(abut_simulation *s);

/* Computes the motion of the walls since the last step. ABUT_OK or ABUT_NO_MEMORY. */
abut_status contacts_follow_walls(abut_simulation *s);

/* Finds contacts of spheres with walls; matches them with the last step's and applies laws. */
abut_status contacts_find(abut_simulation *s, const parallel_plan *plan, abut_error *error);
abut_status contacts_apply(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* Checks the neighbor lists at the present positions, and makes incomplete ones anew. */
abut_status pairs_refresh(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* Finds pairs of spheres and applies their laws, after bonds_apply has marked broken bonds. */
abut_status pairs_apply(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* Finds contacts of bodies and matches them with the last step's; applies laws at spots. */
abut_status solids_find(abut_simulation *s, const parallel_plan *plan, abut_error *error);
abut_status solids_apply_laws(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* Sums up forces and torques. lost_row and lost_body get the first sphere and the first body that
 * the step would lose. ABUT_OK or ABUT_NO_MEMORY. */
abut_status forces_sum(abut_simulation *s);

/* Adds the forces of walls on the sphere at `place`, nearest contact first. */
void forces_add_contacts(const abut_simulation *s, abut_index place, double radius,
                         sphere_sum *sum);

/* Counts the grains outside of the world's bounds after a step. */
void bounds_count(abut_simulation *s);

#endif
