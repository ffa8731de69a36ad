/* The motion of spheres, clusters and bodies. */
#ifndef DEM_MOVE_H
#define DEM_MOVE_H

#include "state.h"

/* Laws of type A: less spin by the torque of all contacts against it, but never more than there is.
 */
vec3 spheres_brake(vec3 spin, double brake, double step, double inertia);

/* Move spheres, clusters and bodies; cannot fail. */
void spheres_move(abut_simulation *s, const parallel_plan *plan);

/* The same center without the periods that it was moved by, before the step that has moved it since
 * `began`. */
vec3 spheres_unwrap(const abut_simulation *s, vec3 began, vec3 center, const int32_t *images);

#endif
