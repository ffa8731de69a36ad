/* Energies of what bodies touch, and what walls bear of them. */
#ifndef DEM_SOLID_ENERGY_H
#define DEM_SOLID_ENERGY_H

#include "state.h"

/* What bodies add: the elastic energy of their contacts, and what they exert on a wall. */
double solids_elastic_energy(const abut_simulation *s);
void solids_add_load(const abut_simulation *s, const step_tables *of, row_span rows,
                     abut_index wall, abut_wall_load *load);

/* How stiff the first spot of a body that touches nothing is, and the mass that it bears
 * (docs/dem.md, section 2). */
law_stiffness solids_first_stiffness(const rigid_body *of, const law *l, double *mass);

/* Where bodies touch a wall in a step, in the order of their rows. */
void solids_visit_touches(const abut_simulation *s, const step_tables *of, row_span rows,
                          abut_index wall, wall_touch_visit *visit, void *part);

#endif
