/* Energies at the beginning of the last step. */
#ifndef DEM_ENERGY_H
#define DEM_ENERGY_H

#include "state.h"

/* The gravitational energy of all grains at their present positions in a field. */
double energy_of_gravity(const abut_simulation *s, vec3 gravity);

/* Keeps the dissipated energy constant in the next step. Call it when grains are added or
 * removed. */
void energy_hold(abut_simulation *s);

/* Takes the spheres with marked rows out of the energy balance. Call it before they are removed.
 * - Their work on walls stays in the balance. The energy of their contacts does not.
 * - Half of the last step's work on each partner that stays is subtracted from the partner's
 *   `last_work`.
 * - If clusters, bonds or bodies take part, it calls energy_hold instead. */
void energy_remove_spheres(abut_simulation *s, const uint8_t *is_gone);

/* Records that spheres were added from row `first` on. They change the dissipated energy only if
 * they touch something in the next step, which energy_hold_touched checks. */
void energy_add_spheres(abut_simulation *s, abut_index first);

/* Calls energy_hold if a new sphere touches something. Call it when all contacts are known. */
void energy_hold_touched(abut_simulation *s);

/* Keeps the sum of all energies constant through the next step; the change counts as work from
 * outside. Call it before centers or radii are assigned. */
void energy_hold_total(abut_simulation *s);

/* Ends the effects of energy_hold and energy_hold_total. Call it after a step. */
void energy_settle(abut_simulation *s);

/* Counts a caller's change between steps as work from outside, in `wall_work`, not as dissipated
 * energy. before: the energies before the change. */
void energy_count_outside(abut_simulation *s, abut_energy before);

/* Counts elastic energy that contacts have lost as dissipated. elastic: their energy before. */
void energy_dissipate(abut_simulation *s, double elastic);

#endif
