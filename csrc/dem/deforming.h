/* Deforming walls: motion of their contacts from step to step, and the loads on them. */
#ifndef DEM_DEFORMING_H
#define DEM_DEFORMING_H

#include "state.h"

/* Moves contacts of the last step as their deforming surfaces move. ABUT_OK or ABUT_NO_MEMORY. */
abut_status deforming_carry(abut_simulation *s);

/* Copies the vertices and velocities at the beginning of a completed step. */
void deforming_keep(abut_simulation *s);

/* The power of a contact of the last step on its surface: the mean of the powers with the
 * velocities half a step before and after. */
double deforming_power(const abut_simulation *s, abut_index row);

#endif
