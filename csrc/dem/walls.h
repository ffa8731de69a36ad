/* What a wall is: where it is at a time, and how it moves. */
#ifndef DEM_WALLS_H
#define DEM_WALLS_H

#include "../abut/simulation.h"
#include "../interactions/deforming_mesh.h"
#include "../walls/motion.h"

/* How a wall has moved since the step before: a point x of it with velocity + rows (x - at). */
typedef struct wall_way {
    vec3 velocity, at, rows[3];
    vec3 spin;
    bool turns;
    vec3 left[3]; /* 1 - T of its turn T, with which springs on it go; of driven walls 0 */
} wall_way;

/* A wall, with all that steps know of it. */
typedef struct wall_record {
    abut_wall given;             /* its motions are copies */
    abut_wall_state told;        /* where it is next: of GIVEN, SERVO and FREE */
    abut_wall_state now, before; /* at the beginning of this step, and of the last one */
    wall_way way;                /* between both; of driven walls as half a step ago */
    abut_drive drive, next; /* of driven walls: now, and after this step, which may still end */
} wall_record;

/* All walls: the meshes of the finder, half spaces after them, and last those that are off,
 * whatever they are. */
typedef struct wall_set {
    const abut_finder *finder; /* NULL: no meshes */
    wall_record *walls;
    abut_motion *motions;
    abut_index count, mesh_count, touched_count; /* touched_count: those that are not off */
    bool has_driven, has_deforming;

    /* as queries take them */
    double *poses, *poses_before; /* x 16: of `now` and `before` */
    double *half_spaces;          /* x 6: a point and the normal, in their own frames */
    double *placed;               /* likewise, where they are in this step */
    deforming_mesh *deforming;    /* of all walls */
    double *numbers;              /* holds poses and half spaces */

    motion motion; /* since the step before, for what is on walls and goes with them */
    /* where points and normals of the last step's contacts are now, with surfaces that deform */
    double *points, *normals;
    memory_block carried[2];
    double driven_power;           /* of this step: what account.driven_work has the work of */
    double grain_size, grain_mass; /* the mean diameter and the mass of all grains; 0: not known */
} wall_set;

/* Walls with copies of their motions, which stand where they are first. ABUT_OK or ABUT_NO_MEMORY;
 * free in any case. */
abut_status wall_set_make(wall_set *set, const abut_finder *finder, const abut_wall *walls,
                          abut_index count);
void wall_set_free(wall_set *set);

/* What is now becomes what was before. */
void wall_set_step(wall_set *set);

/* Whether a wall's first motion, which then stands alone, is of this kind. */
static inline bool walls_move_by(const wall_record *w, abut_motion_kind kind)
{
    return w->given.motion_count > 0 && w->given.motions[0].kind == kind;
}

/* Whether a wall moves by what acts on it. */
static inline bool walls_are_driven(const wall_record *w)
{
    return walls_move_by(w, ABUT_SERVO) || walls_move_by(w, ABUT_FREE);
}

/* Where a wall is at this time, with which a step begins. */
abut_wall_state walls_next(const wall_record *w, double time);

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
