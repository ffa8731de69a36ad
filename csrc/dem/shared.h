/* Functions that all parts of a simulation use: checks, rows in errors, the tables of two steps. */
#ifndef DEM_SHARED_H
#define DEM_SHARED_H

#include "state.h"

/* Checks a time step, and gravity if given. ABUT_OK, ABUT_BAD_TIME_STEP or ABUT_BAD_GRAVITY. */
abut_status simulation_check_terms(double step, const double gravity[3], abut_error *error);

/* Converts the number of a sphere in an error of a search to its row. near: the search had only the
 * spheres near walls; NULL: it had all spheres by place. Returns the error's status. */
abut_status simulation_name_row(const abut_simulation *s, const near_walls *near,
                                abut_error *error);

/* Discards the finder of bodies. Call it when bodies have changed. */
void simulation_forget_bodies(abut_simulation *s);

/* Makes the tables of this step those of the last step. */
void simulation_swap_tables(abut_simulation *s);

#endif
