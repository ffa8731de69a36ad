/* Those that do not touch, but may pull each other: which of them are rows of a step. */
#ifndef DEM_APART_H
#define DEM_APART_H

#include "simulation.h"

/* How far from walls spheres are searched for: the farthest reach of any; 0: none pulls. */
double apart_wall_reach(const abut_simulation *s);

/* Leave out the rows of spheres that are apart and do not pull: those beyond the reach of their own
 * law, and those that have not been in touch since they were. To be called where rows are matched.
 * ABUT_OK or ABUT_NO_MEMORY. */
abut_status apart_drop_rows(abut_simulation *s, abut_interaction who);

#endif
