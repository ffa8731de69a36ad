/* Which step is stable for spheres and bodies (docs/dem.md, section 2). */
#ifndef DEM_STABLE_STEP_H
#define DEM_STABLE_STEP_H

#include "state.h"

/* What touches nothing counts as if it had so many contacts, the fewest that hold grains with
 * friction in place. */
enum { FIRST_CONTACTS = 4 };

/* A contact at rest, and how stiff it is by its law. */
typedef struct resting_contact {
    const law *law;
    law_contact contact; /* at a spot with its part of m* and I* */
    law_stiffness of;
} resting_contact;

/* The first contact of a sphere that touches nothing, which has this speed, and the first spot of
 * such a body. */
resting_contact stable_first_of_sphere(const law *l, double radius, double mass, double speed);
resting_contact stable_first_of_body(const rigid_body *of, const law *l);

/* The longest stable step of a sphere that touches nothing, by so many first contacts under the
 * stiffest law of its material: INFINITY, where that has none. */
double stable_step_of_first(const law_table *laws, int32_t material, double count, double radius,
                            double mass, double speed);

/* What abut_simulation_stable_step does, with so many first contacts; 0: a sphere that touches
 * nothing does not count. */
abut_status stable_step_of_spheres(const abut_simulation *s, double first_contacts,
                                   abut_stable_step *longest);

#endif
