/* Energies at the beginning of the last step. */
#ifndef DEM_ENERGY_H
#define DEM_ENERGY_H

#include "state.h"

/* The gravitational energy of all grains at their present positions in a field. */
double energy_of_gravity(const abut_simulation *s, vec3 gravity);

/* Keeps the dissipated energy through the next step, in which grains are added or removed. */
void energy_hold(abut_simulation *s);

/* Takes the spheres with marked rows out of the account; call it before they are removed.
 * - Their work on walls stays in the account. The energy stored in their contacts leaves it.
 * - Half of the last step's work on partners that stay is subtracted from these partners'
 *   `last_work`.
 * - If clusters, bonds or bodies take part, it calls energy_hold instead. */
void energy_remove_spheres(abut_simulation *s, const uint8_t *is_gone);

/* Call it when spheres were added from row `first` on. They change the dissipated energy only if
 * they touch something at once, which the next step finds. */
void energy_add_spheres(abut_simulation *s, abut_index first);

/* Calls energy_hold if a new sphere touches something. Call it when a step has all its contacts. */
void energy_hold_touched(abut_simulation *s);

/* Keeps the sum of energies through the next step. Call it before centers or radii are assigned.
 * The change is counted as work from outside. */
void energy_hold_total(abut_simulation *s);

/* Ends what energy_hold and energy_hold_total have begun. Call it after a step. */
void energy_settle(abut_simulation *s);

/* Counts a caller's change between steps as work from outside: in `wall_work`, not as dissipated
 * energy. before: the energies before the change. */
void energy_count_outside(abut_simulation *s, abut_energy before);

/* Counts lost elastic energy of contacts as dissipated. elastic: the energy before. */
void energy_dissipate(abut_simulation *s, double elastic);

#endif
