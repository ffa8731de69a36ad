/* The contacts of one sphere in two steps, where they are many: which one continues which. */
#ifndef WALLS_CROWD_H
#define WALLS_CROWD_H

#include "../base/parallel.h"
#include "../base/span.h"
#include "../base/vec3.h"

/* A contact of the sphere in hand, of now or of the step before, where the meshes are now. */
typedef struct contact_row {
    abut_index row, mesh;
    vec3 point, normal;
    double tilt; /* by how much the normal may be off, as an angle */

    /* of now: the nearest contact before that it may continue and that was not taken when it was
     * looked for; -1: none, or it has its own */
    abut_index proposed;
    double distance_sq;
    bool is_taken; /* of before */

    /* of before: the first contact now with the same mesh; of such a first contact: the one before
     * whose normal agrees with it best */
    abut_index partner;
    double agreement;
    vec3 wrap;
} contact_row;

/* The chord of an angle, so that small angles keep their digits. */
static inline double crowd_chord(double tilt)
{
    return 2.0 * sin(0.5 * fmin(tilt, PI));
}

/* The contacts of one sphere in one step. */
typedef struct contact_list {
    contact_row *rows;
    abut_index count;
} contact_list;

/* Whether trees are worth making, and all numbers are such that these can hold them. */
bool crowd_is_one(contact_list now, contact_list before);

/* Say of each contact before which is the first one now with the same mesh, as its partner; -1:
 * none. ABUT_OK or ABUT_NO_MEMORY. */
abut_status crowd_find_first(contact_list now, contact_list before);

/* Match the nearest first, as match.c says: `steps` and `lists` are of now and of before. ABUT_OK,
 * ABUT_NO_MEMORY or what parallel_report says. */
abut_status crowd_match(const abut_step *const steps[2], const contact_list lists[2],
                        abut_index *match, parallel_job *job);

#endif
