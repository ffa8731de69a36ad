/* The stable time step of spheres and bodies (docs/dem.md, section 2). */
#ifndef DEM_STABLE_STEP_H
#define DEM_STABLE_STEP_H

#include "state.h"

/* The number of contacts that a grain without contacts is assumed to get. It is the smallest number
 * that holds grains with friction in place. */
enum { FIRST_CONTACTS = 4 };

/* The law, input and stiffness of a contact at rest. */
typedef struct resting_contact {
    const law *law;
    law_contact contact; /* at a spot: with the spot's part of m* and I* */
    law_stiffness stiffness;
} resting_contact;

/* The first contact of a sphere that has this speed: docs/dem.md eq. 32. */
resting_contact stable_first_of_sphere(const law *l, double radius, double mass, double speed);
/* The first contact of a body. */
resting_contact stable_first_of_body(const rigid_body *body, const law *l);

/* The longest stable step of a sphere with `count` contacts, by the stiffest law of its material.
 * INFINITY if its material has no law. */
double stable_step_of_first(const law_table *laws, int32_t material, double count, double radius,
                            double mass, double speed);

/* As abut_simulation_stable_step. A sphere without contacts is assumed to get `first_contacts` of
 * them. If this is 0, such a sphere only counts if it has bonds. */
abut_status stable_step_of_spheres(const abut_simulation *s, double first_contacts,
                                   abut_stable_step *longest);

#endif
