/* The parts of a step that find who touches whom, apply laws and sum up: each may end it. */
#ifndef DEM_PARTS_H
#define DEM_PARTS_H

#include "state.h"

/* Place the walls where they are now. */
void contacts_place_walls(abut_simulation *s);

/* Compare where they are with where they were in the step before. ABUT_OK or ABUT_NO_MEMORY. */
abut_status contacts_follow_walls(abut_simulation *s);

/* Find contacts with walls; match them with those of the step before, and apply their laws. */
abut_status contacts_find(abut_simulation *s, const parallel_plan *plan, abut_error *error);
abut_status contacts_apply(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* Look whether the lists of who may come to touch whom are whole where spheres and walls are now,
 * and make them anew if not. */
abut_status pairs_refresh(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* Find pairs of spheres, and apply their laws. To be called when it is known which bonds break. */
abut_status pairs_apply(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* Find what bodies touch, and match it with what they did in the step before; apply the laws of
 * this, which are those of spots. */
abut_status solids_find(abut_simulation *s, const parallel_plan *plan, abut_error *error);
abut_status solids_apply_laws(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* Sum up forces and torques; lost_row and lost_body tell who would be lost. ABUT_OK or
 * ABUT_NO_MEMORY. */
abut_status forces_sum(abut_simulation *s);

/* Add what a sphere's contacts with walls exert, nearest first. */
void forces_add_contacts(const abut_simulation *s, abut_index place, double radius, sphere_sum *w);

/* Count the grains that are beyond the bounds of the world after a step. */
void bounds_look(abut_simulation *s);

#endif
