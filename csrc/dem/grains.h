/* Grains (free spheres, clusters, convex bodies) at the beginning of the last step. */
#ifndef DEM_GRAINS_H
#define DEM_GRAINS_H

#include "state.h"

/* The mean of the velocities half a step before and after the beginning of the last step: of a
 * sphere in no cluster, and of a rigid body of a set. */
vec3 grains_sphere_velocity(const abut_simulation *s, abut_index place);
vec3 grains_body_velocity(const abut_simulation *s, const rigid_set *set, const rigid_body *body);

#endif
