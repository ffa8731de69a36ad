/* How meshes have moved from one step to the next, and how contacts move with them. */
#ifndef WALLS_MOTION_H
#define WALLS_MOTION_H

#include "../abut/contacts.h"
#include "../base/lattice.h"
#include "../base/memory.h"
#include "../base/pose.h"

/* The motion of one mesh: its points turn about the origin of its frame, which moves, too. */
typedef struct mesh_motion {
    pose turn;     /* the rotation; only its rows are used */
    vec3 from, to; /* the origin before, and now */
    bool has_moved;
} mesh_motion;

/* The motions of all meshes since the step before. Zero-initialize, free with motion_free. */
typedef struct motion {
    const mesh_motion *meshes; /* NULL if none has moved */
    abut_index mesh_count;
    lattice lattice;
    memory_block block;
} motion;

/* Compares the poses of two steps. Reuses its memory. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status motion_compare(motion *m, const abut_step *now, const abut_step *before);

/* Checks both periods, and the mesh numbers of earlier contacts. Then compares the poses. Returns
 * ABUT_OK or the status of what is wrong. */
abut_status motion_read(motion *m, const abut_step *now, const abut_step *before,
                        abut_error *error);
void motion_free(motion *m);

/* The normal and the point of a contact of the step before, moved with its mesh. */
vec3 motion_normal(const motion *m, const abut_step *before, abut_index row);
vec3 motion_point(const motion *m, const abut_step *before, abut_index row);

/* A vector of a contact of the step before, turned with its mesh. */
vec3 motion_turn(const motion *m, const abut_step *before, abut_index row, vec3 vector);

static inline abut_index step_mesh(const abut_step *step, abut_index row)
{
    return step->mesh ? step->mesh[row] : 0;
}

#endif
