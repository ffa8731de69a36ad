/* Where walls are at a time, and how they move. */
#ifndef DEM_WALLS_H
#define DEM_WALLS_H

#include "../abut.h"
#include "../base/pose.h"

/* The state at a time of a wall whose motion is not given. */
abut_wall_state walls_move(const abut_wall *wall, double time);

/* The velocity of a point that goes with a wall. */
vec3 walls_velocity(const abut_wall_state *wall, vec3 point);

/* The power on a wall of a force that acts on something else at a point, with a moment (NULL:
 * none).
 */
double walls_power(const abut_wall_state *wall, vec3 point, vec3 force, const double *moment);

/* Add to what a wall bears a force that acts on something else at a point, with a moment (NULL:
 * none) and the power of both. */
void walls_add_load(abut_wall_load *load, const abut_wall_state *wall, vec3 point, vec3 force,
                    const double *moment, double power);

#endif
