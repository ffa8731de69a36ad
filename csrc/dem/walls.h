/* Where walls are at a time, and how they move. */
#ifndef DEM_WALLS_H
#define DEM_WALLS_H

#include "../abut/simulation.h"
#include "../base/pose.h"

/* How a wall has moved since the step before: a point x of it with velocity + rows (x - at). */
typedef struct wall_way {
    vec3 velocity, at, rows[3];
    vec3 spin;
    bool turns;
    vec3 left[3]; /* 1 - T of its turn T, with which springs on it go; of driven walls 0 */
} wall_way;

/* Whether a wall's first motion, which then stands alone, is of this kind. */
static inline bool walls_move_by(const abut_wall *wall, abut_motion_kind kind)
{
    return wall->motion_count > 0 && wall->motions[0].kind == kind;
}

/* Whether a wall moves by what acts on it. */
static inline bool walls_are_driven(const abut_wall *wall)
{
    return walls_move_by(wall, ABUT_SERVO) || walls_move_by(wall, ABUT_FREE);
}

/* The state at a time of a wall whose motion is not given. */
abut_wall_state walls_move(const abut_wall *wall, double time);

/* How a wall has moved from a pose, 4 x 4, to this state in a step; and as the state itself says.
 */
wall_way walls_way(const double *before, const abut_wall_state *now, double step);
wall_way walls_way_of(const abut_wall_state *state);

/* The mean velocity since the step before of a point that goes with a wall. */
vec3 walls_way_velocity(const wall_way *way, vec3 point);

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
