/* What all parts of a simulation share: checks, rows in errors, the tables of two steps. */
#ifndef DEM_SHARED_H
#define DEM_SHARED_H

#include "state.h"

/* Checks a time step, and gravity if given. ABUT_OK, ABUT_BAD_TIME_STEP or ABUT_BAD_GRAVITY. */
abut_status simulation_check_terms(double step, const double gravity[3], abut_error *error);

/* Converts the place in an error of a search to a row. near: the search numbered the spheres near
 * walls; NULL: all spheres. Only for searches of the store's spheres. Returns the error's
 * status. */
abut_status simulation_name_row(const abut_simulation *s, const near_walls *near,
                                abut_error *error);

/* Discards the finder of bodies. Call it when bodies have changed. */
void simulation_forget_bodies(abut_simulation *s);

/* This step's tables become those of the last step. */
void simulation_swap_tables(abut_simulation *s);

#endif
