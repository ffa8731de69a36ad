/* Grains beyond the bounds of the world. */
#ifndef DEM_BOUNDS_H
#define DEM_BOUNDS_H

#include "state.h"

/* Count who is beyond the bounds after a step. */
void bounds_look(abut_simulation *s);

#endif
