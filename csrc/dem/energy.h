/* Energies at the beginning of the last step, which step is stable, and what walls bear. */
#ifndef DEM_ENERGY_H
#define DEM_ENERGY_H

#include "state.h"

/* What touches nothing counts as if it had so many contacts, the fewest that hold grains with
 * friction in place (docs/dem.md, section 2). */
enum { FIRST_CONTACTS = 4 };

/* How stiff the first contact of a sphere that touches nothing is, which has this speed
 * (docs/dem.md, section 2). */
law_stiffness energy_first_stiffness(const law *l, double radius, double mass, double speed);

/* The longest stable step of a sphere that touches nothing, by so many first contacts (docs/dem.md,
 * section 2) under the stiffest law of its material: INFINITY, where that has none. */
double energy_step_of_first_contacts(const law_table *laws, int32_t material, double count,
                                     double radius, double mass, double speed);

/* What abut_simulation_stable_step does, with so many first contacts; 0: a sphere that touches
 * nothing does not count. */
abut_status energy_stable_step(const abut_simulation *s, double first_contacts,
                               abut_stable_step *longest);

/* Where a row of a step touches its wall. */
wall_touch energy_wall_touch(const abut_simulation *s, const step_tables *of, abut_index row);

/* What a wall bears in a step. */
abut_wall_load energy_load(const abut_simulation *s, const step_tables *of, abut_index wall);

/* What a contact of a step adds to what its wall bears. */
void energy_add_load(const abut_simulation *s, const step_tables *of, abut_index row,
                     abut_wall_load *load);

/* The gravitational energy of all where they are now, in a field. */
double energy_of_gravity(const abut_simulation *s, vec3 gravity);

/* To be called before grains come or go: the dissipated energy then goes on from what it is. */
void energy_hold(abut_simulation *s);

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
