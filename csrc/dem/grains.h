/* Grains (free spheres, clusters, convex bodies) at the beginning of the last step. */
#ifndef DEM_GRAINS_H
#define DEM_GRAINS_H

#include "state.h"

/* The velocity at the beginning of the last step: the mean of the velocities half a step before
 * and after. The sphere must not be in a cluster. */
vec3 grains_sphere_velocity(const abut_simulation *s, abut_index place);
/* The velocity of a body of a set at the beginning of the last step. */
vec3 grains_body_velocity(const abut_simulation *s, const rigid_set *set, const rigid_body *body);

#endif
