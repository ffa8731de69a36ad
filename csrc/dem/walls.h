/* Walls: their poses in time and their motions. */
#ifndef DEM_WALLS_H
#define DEM_WALLS_H

#include "../abut/simulation.h"
#include "../interactions/deforming_mesh.h"
#include "../walls/motion.h"

/* The motion of a wall since the last step: the velocity at x is velocity + rows (x - at). */
typedef struct wall_way {
    vec3 velocity, at, rows[3];
    vec3 spin;
    bool turns;
    vec3 left[3]; /* 1 - T, where T rotates the wall and its springs; 0 for driven walls */
} wall_way;

/* A wall, with all data that steps store about it. */
typedef struct wall_record {
    abut_wall given;             /* the caller's wall, with copies of its motions */
    abut_wall_state next_state;  /* the next state of walls that are GIVEN or FREE */
    abut_wall_state now, before; /* at the beginning of this step, and of the last one */
    wall_way way; /* from `before` to `now`; for driven walls the motion half a step ago */
    abut_drive drive, next; /* of a driven wall: now, and after this step, which may still fail */
} wall_record;

/* All walls in this order: the finder's meshes, half spaces, then those without contacts (off). */
typedef struct wall_set {
    const abut_finder *finder; /* NULL: no meshes */
    wall_record *walls;
    abut_motion *motions;
    abut_index count, mesh_count, touched_count; /* touched_count: walls that are not off */
    bool has_driven, has_deforming;

    /* data in the form that queries need */
    double *poses, *poses_before; /* 16 per wall: poses of `now` and `before` */
    double *half_spaces;          /* 6 per half space: point and normal in the wall's frame */
    double *placed;            /* 6 per half space: point and normal in the world, in this step */
    deforming_mesh *deforming; /* by wall */
    double *numbers;           /* memory of poses and half spaces */

    motion motion; /* the motion since the last step, for contacts that move with walls */
    /* points and normals of the last step's contacts after motion with deforming surfaces */
    double *points, *normals;
    memory_block carried[2];
    double driven_power;           /* in this step: account.driven_work is its time integral */
    double grain_size, grain_mass; /* mean diameter and total mass of grains; 0: not known */
} wall_set;

/* Makes walls at their first poses. ABUT_OK or ABUT_NO_MEMORY; call wall_set_free in any case. */
abut_status wall_set_make(wall_set *set, const abut_finder *finder, const abut_wall *walls,
                          abut_index count);
void wall_set_free(wall_set *set);

/* Makes the present poses those of the last step. */
void wall_set_step(wall_set *set);

/* Whether a wall's last motion is of this kind. GIVEN and FREE are the only motion of a wall. */
static inline bool walls_move_by(const wall_record *record, abut_motion_kind kind)
{
    const abut_index count = record->given.motion_count;
    return count > 0 && record->given.motions[count - 1].kind == kind;
}

/* Whether a wall is servo-controlled or free: it moves by the forces on it. */
static inline bool walls_are_driven(const wall_record *record)
{
    return walls_move_by(record, ABUT_SERVO) || walls_move_by(record, ABUT_FREE);
}

/* The state of a wall at a time at which a step begins. */
abut_wall_state walls_next(const wall_record *record, double time);

/* The motion of a wall in a step, from a 4 x 4 pose to a state. */
wall_way walls_way(const double *before, const abut_wall_state *now, double step);
/* The present motion of a wall, by the velocities of its state. */
wall_way walls_way_of(const abut_wall_state *state);

/* The mean velocity since the last step of a point that moves with the wall. */
vec3 walls_way_velocity(const wall_way *way, vec3 point);

/* The velocity of a point that moves with a wall. */
vec3 walls_velocity(const abut_wall_state *wall, vec3 point);

/* The power of a contact on its wall; force and moment (NULL: none) are those on the partner. */
double walls_power(const abut_wall_state *wall, vec3 point, vec3 force, const double *moment);

/* Adds a contact to a wall's load. `force` and `moment` (NULL: none) act on the partner, so the
 * wall gets their opposites. `power` is their power on the wall. */
void walls_add_load(abut_wall_load *load, const abut_wall_state *wall, vec3 point, vec3 force,
                    const double *moment, double power);

#endif
