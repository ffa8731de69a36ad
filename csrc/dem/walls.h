/* Where walls are at a time, and how they move. */
#ifndef DEM_WALLS_H
#define DEM_WALLS_H

#include "../abut.h"
#include "../base/pose.h"

/* The state at a time of a wall whose motion is not given. */
abut_wall_state walls_move(const abut_wall *wall, double time);

/* The velocity of a point that goes with a wall. */
vec3 walls_velocity(const abut_wall_state *wall, vec3 point);

#endif
