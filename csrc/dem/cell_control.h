/* Control of the stress of a periodic cell: components of the velocity gradient follow from the
 * stress of the step (docs/dem.md, section 16). */
#ifndef DEM_CELL_CONTROL_H
#define DEM_CELL_CONTROL_H

#include "state.h"

/* Sets the velocity gradient of this step where the stress has targets. Call it after the forces
 * are known and before anything moves. ABUT_OK, ABUT_CELL_SMALL, ABUT_CELL_LARGE or ABUT_NO_MEMORY,
 * with everything unchanged. */
abut_status cell_control(abut_simulation *s, abut_error *error);

#endif
