/* Walls that move by what acts on them. */
#ifndef DEM_DRIVES_H
#define DEM_DRIVES_H

#include "state.h"

/* What drives walls under load, and free ones, after this step: ABUT_OK, or ABUT_WALL_LOST, and
 * nothing has moved. */
abut_status drives_weigh(abut_simulation *s, abut_error *error);

/* Move them; cannot fail. */
void drives_move(abut_simulation *s);

#endif
