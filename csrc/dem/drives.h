/* Servo-controlled walls and free walls, which move by the forces on them. */
#ifndef DEM_DRIVES_H
#define DEM_DRIVES_H

#include "state.h"

/* Computes how servo-controlled and free walls move after this step, without moving them. ABUT_OK
 * or ABUT_WALL_LOST. */
abut_status drives_weigh(abut_simulation *s, abut_error *error);

/* Moves servo-controlled and free walls. Cannot fail. */
void drives_move(abut_simulation *s);

#endif
