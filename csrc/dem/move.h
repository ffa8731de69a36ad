/* The motion of spheres, clusters and bodies. */
#ifndef DEM_MOVE_H
#define DEM_MOVE_H

#include "state.h"

/* The spin after rolling friction of type A, which never reverses the spin: docs/dem.md eq. 15. */
vec3 spheres_brake(vec3 spin, double brake, double step, double inertia);

/* Moves spheres, clusters and bodies. Cannot fail. */
void spheres_move(abut_simulation *s, const parallel_plan *plan);

/* The unwrapped center of a sphere at the beginning of the step that has moved it from `began` to
 * `center`. images: the periods subtracted from the center since the sphere was added. */
vec3 spheres_unwrap(const abut_simulation *s, vec3 began, vec3 center, const int32_t *images);

/* The present unwrapped center. */
vec3 spheres_unwrap_now(const abut_simulation *s, vec3 center, const int32_t *images);

#endif
