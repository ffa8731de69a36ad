/* Forces, energy and breaking of bonds. */
#ifndef DEM_BOND_LAWS_H
#define DEM_BOND_LAWS_H

#include "state.h"

/* Computes the forces of all bonds in this step, and marks those that break. */
abut_status bonds_apply(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* Turns the ends of bonds with their spheres after a step. Cannot fail. */
void bonds_turn(abut_simulation *s, const parallel_plan *plan);

/* Whether all stiffnesses of a bond are positive and finite numbers. */
bool bonds_are_stiff(const bond *b);

/* Updates the stiffnesses of all bonds. Call it after bonds, masses or radii have changed. */
void bonds_refresh(abut_simulation *s);

/* The elastic energy of all bonds. */
double bonds_energy(const abut_simulation *s);
/* The longest stable step for the bonds of the sphere in a row; INFINITY without bonds. */
double bonds_stable_step(const abut_simulation *s, abut_index row);

#endif
