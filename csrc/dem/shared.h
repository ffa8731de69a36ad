/* What all parts of a simulation share: names of errors, visits of rows, tables that take turns. */
#ifndef DEM_SHARED_H
#define DEM_SHARED_H

#include "state.h"

/* ABUT_OK, ABUT_BAD_TIME_STEP or ABUT_BAD_GRAVITY; gravity: NULL: not to be checked. */
abut_status simulation_check_terms(double step, const double gravity[3], abut_error *error);

/* The error of a search of the store's spheres names them by places, or by numbers among those that
 * are near walls: let it name them by rows. near: NULL, where all were searched for. Who searches
 * something else names what was searched. Returns the error's status. */
abut_status simulation_name_row(const abut_simulation *s, const near_walls *near,
                                abut_error *error);

/* To be called where bodies have changed: their finder is made anew. */
void simulation_forget_bodies(abut_simulation *s);

/* This step's tables become those of the step before. */
void simulation_swap_tables(abut_simulation *s);

#endif
