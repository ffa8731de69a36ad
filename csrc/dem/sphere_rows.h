/* Spheres as callers have them. */
#ifndef DEM_SPHERE_ROWS_H
#define DEM_SPHERE_ROWS_H

#include "state.h"

/* Set the mass that laws and motion use: of a member that of its cluster. */
void spheres_set_mass(abut_simulation *s, abut_index place, bool is_held);

#endif
