/* The parts of a step that find contacts, apply laws and sum up forces. */
#ifndef DEM_PARTS_H
#define DEM_PARTS_H

#include "state.h"

/* Computes the poses of walls at the time of this step. */
void contacts_place_walls(abut_simulation *s);

/* Computes the motion of the walls since the last step. ABUT_OK or ABUT_NO_MEMORY. */
abut_status contacts_follow_walls(abut_simulation *s);

/* Finds contacts of spheres with walls. */
abut_status contacts_find(abut_simulation *s, const parallel_plan *plan, abut_error *error);
/* Matches contacts with walls with those of the last step, and applies their laws. */
abut_status contacts_apply(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* Checks the neighbor lists at the present positions, and makes new ones if they are incomplete. */
abut_status pairs_refresh(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* Finds pairs of spheres and applies their laws. bonds_apply must have marked broken bonds. */
abut_status pairs_apply(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* Finds contacts of bodies, and matches them with those of the last step. */
abut_status solids_find(abut_simulation *s, const parallel_plan *plan, abut_error *error);
/* Applies the laws at the spots of bodies. */
abut_status solids_apply_laws(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* Sums up forces and torques. Sets lost_row and lost_body to the first sphere and the first body
 * with a next motion that is not finite, or out of range. ABUT_OK or ABUT_NO_MEMORY. */
abut_status forces_sum(abut_simulation *s);

/* Adds the forces of walls on the sphere at `place`, in the order of distance. */
void forces_add_contacts(const abut_simulation *s, abut_index place, double radius,
                         sphere_sum *sum);

/* Counts the grains outside of the world's bounds after a step. */
void bounds_count(abut_simulation *s);

#endif
