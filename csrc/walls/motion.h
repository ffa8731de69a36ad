/* How meshes have moved from one step to the next, and what was on them with them. */
#ifndef WALLS_MOTION_H
#define WALLS_MOTION_H

#include "../abut/contacts.h"
#include "../base/lattice.h"
#include "../base/memory.h"
#include "../base/pose.h"

/* One mesh: its points move by `turn` about the origin of its frame, which itself goes along. */
typedef struct mesh_motion {
    pose turn;     /* of which the rows count alone */
    vec3 from, to; /* where the origin was, and where it is */
    bool has_moved;
} mesh_motion;

/* All meshes, from the step before to now. Zero-initialize, free with motion_free. */
typedef struct motion {
    const mesh_motion *meshes; /* NULL where none has moved */
    abut_index mesh_count;
    lattice lattice;
    memory_block block;
} motion;

/* Compare the poses of two steps, in the memory that the last comparison had. ABUT_OK or
 * ABUT_NO_MEMORY. */
abut_status motion_compare(motion *m, const abut_step *now, const abut_step *before);

/* Compare them for a caller: ABUT_OK or what is wrong with the periods of both steps and with the
 * numbers of the meshes that contacts of the step before are on. */
abut_status motion_read(motion *m, const abut_step *now, const abut_step *before,
                        abut_error *error);
void motion_free(motion *m);

/* The normal and the point of a contact of the step before, where its mesh has them now. */
vec3 motion_normal(const motion *m, const abut_step *before, abut_index row);
vec3 motion_point(const motion *m, const abut_step *before, abut_index row);

/* A vector that has turned with the mesh of such a contact. */
vec3 motion_turn(const motion *m, const abut_step *before, abut_index row, vec3 vector);

static inline abut_index step_mesh(const abut_step *step, abut_index row)
{
    return step->mesh ? step->mesh[row] : 0;
}

#endif
