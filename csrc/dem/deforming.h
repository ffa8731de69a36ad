/* Walls that deform: what their contacts carry from step to step, and what they bear. */
#ifndef DEM_DEFORMING_H
#define DEM_DEFORMING_H

#include "state.h"

/* Let points and normals of the last step's contacts follow surfaces that deform. ABUT_OK or
 * ABUT_NO_MEMORY. */
abut_status deforming_carry(abut_simulation *s);

/* Note where vertices were in a step that is done. */
void deforming_keep(abut_simulation *s);

/* The power on a surface that deforms of a contact of the last step: with the mean of velocities
 * half a step before and after, as spheres have it. */
double deforming_power(const abut_simulation *s, abut_index row);

#endif
