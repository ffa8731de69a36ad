/* What bonds exert and store, and whether they break. */
#ifndef DEM_BOND_LAWS_H
#define DEM_BOND_LAWS_H

#include "state.h"

/* What bonds exert in this step, and which of them break. */
abut_status bonds_apply(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* Let bonds turn with their spheres after a step; cannot fail. */
void bonds_turn(abut_simulation *s, const parallel_plan *plan);

/* Whether what a bond's stiffness follows from is neither 0 nor infinite. */
bool bonds_are_stiff(const bond *b);

/* What follows from bonds and their spheres, after bonds, masses or radii have changed. */
void bonds_refresh(abut_simulation *s);

/* What bonds store, and the longest step that is stable for those of a row: INFINITY, where it has
 * none. */
double bonds_energy(const abut_simulation *s);
double bonds_stable_step(const abut_simulation *s, abut_index row);

#endif
