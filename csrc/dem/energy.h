/* Energies at the beginning of the last step. */
#ifndef DEM_ENERGY_H
#define DEM_ENERGY_H

#include "state.h"

/* The gravitational energy of all where they are now, in a field. */
double energy_of_gravity(const abut_simulation *s, vec3 gravity);

/* To be called before grains come or go: the dissipated energy then goes on from what it is. */
void energy_hold(abut_simulation *s);

/* To be called before spheres go: of their rows marks are set. What they have done on walls stays.
 * The energy that their contacts store leaves the account with them, and half of the work that
 * these contacts did in the last step on partners that stay is taken from `last_work` of the
 * partners, so that the next step dissipates what it would with them. Where clusters, bonds or
 * bodies take part, the dissipated energy does not change in the next step. */
void energy_let_go(abut_simulation *s, const uint8_t *is_gone);

/* To be called when spheres have come, from this row on. They change the dissipated energy only
 * where they touch something at once, which the next step finds. */
void energy_await(abut_simulation *s, abut_index first);

/* To be called when a step has found all that touches, before its tables become those of the last
 * step: where a new sphere touches something, the dissipated energy is held. */
void energy_hold_touched(abut_simulation *s);

/* To be called before centers or radii are assigned, whose contacts the next step finds. The change
 * of the sum of energies until then is work from outside. */
void energy_hold_total(abut_simulation *s);

/* To be called after a step. */
void energy_settle(abut_simulation *s);

/* What a caller has changed between steps is work from outside: `wall_work` takes it, and the
 * dissipated energy stays. before: the energies before the change. */
void energy_count_outside(abut_simulation *s, abut_energy before);

/* What contacts no longer hold that had so much elastic energy together is dissipated. */
void energy_lose(abut_simulation *s, double elastic);

#endif
