/* Forces and torques on each sphere and body. */
#ifndef DEM_FORCES_H
#define DEM_FORCES_H

#include "state.h"

/* Add what its contacts with walls exert, nearest first. */
void forces_add_contacts(const abut_simulation *s, abut_index place, double radius, sphere_sum *w);

/* Sum up forces and torques; lost_row and lost_body tell who would be lost. */
abut_status forces_sum(abut_simulation *s, const parallel_plan *plan);

#endif
