/* What moves as one, as it was at the beginning of the last step. */
#ifndef DEM_GRAINS_H
#define DEM_GRAINS_H

#include "state.h"

/* The mean of the velocities half a step before and after the beginning of the last step: of what
 * has such a velocity now, and such a mass to what pushes it, and of a sphere that is in no
 * cluster.
 */
vec3 grains_mean_velocity(const abut_simulation *s, vec3 velocity, vec3 force, double mass);
vec3 grains_sphere_velocity(const abut_simulation *s, abut_index place);

/* The sum of the members' forces, which is what moves a cluster. */
vec3 grains_cluster_force(const abut_simulation *s, const rigid_body *c);

#endif
