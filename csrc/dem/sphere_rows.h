/* Spheres by row, in the order of the caller's columns. */
#ifndef DEM_SPHERE_ROWS_H
#define DEM_SPHERE_ROWS_H

#include "state.h"

/* Sets the mass and inertia of a sphere for laws and motion; for a member those of its cluster. */
void spheres_set_mass(abut_simulation *s, abut_index place, bool is_fixed);

/* Checks forces or torques of the next step (count x 3, or NULL). ABUT_OK or ABUT_BAD_FORCE. */
abut_status spheres_check_pushes(const double *pushes, abut_index count, abut_error *error);

#endif
