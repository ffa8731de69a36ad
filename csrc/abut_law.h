/* Laws of contact in C: what a function is told of contacts, and what it says of them.
 *
 * This header stands alone. `abut.laws.get_include()` tells where it is installed; a law's
 * function is compiled into a library of its own, and `abut.laws.CompiledLaw` takes its address:
 *
 *     void spring(const abut_law_block *b)
 *     {
 *         for (int64_t k = 0; k < b->count; k++) {
 *             const double push = b->parameters[0] * b->overlap[k];
 *             b->push[k] = push > 0.0 ? push : 0.0;
 *         }
 *     }
 *
 * Threads call it at once for blocks of their own: it keeps nothing but what it writes. */
#ifndef ABUT_LAW_H
#define ABUT_LAW_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- laws in C ---- */

/* Columns have room for so many contacts. A vector has three columns: its component k of contact c
 * is at [k * ABUT_LAW_ROWS + c]. */
enum { ABUT_LAW_ROWS = 64 };

/* What is known of contacts, as X(name, numbers). All of it is of this step, as docs/dem.md says:
 *
 * - overlap: negative beyond touch, where the law has a reach
 * - normal: of unit length, from the other one to i
 * - parting: relative velocity along the normal, > 0 where the two part
 * - sliding: relative velocity in the tangent plane
 * - rolling, twisting: relative spin, in the tangent plane and along the normal
 * - radius, mass, inertia: R*, m* and I*, reduced of both; at a wall those of i
 * - radius_i, radius_j: of a wall INFINITY; at spots of convex bodies both are R*
 * - is_new: 1 where the contact begins, or has had another law until now; else 0 */
#define ABUT_LAW_INPUTS(X)                                                                         \
    X(overlap, 1)                                                                                  \
    X(normal, 3)                                                                                   \
    X(parting, 1)                                                                                  \
    X(sliding, 3)                                                                                  \
    X(rolling, 3)                                                                                  \
    X(twisting, 1)                                                                                 \
    X(radius, 1)                                                                                   \
    X(mass, 1)                                                                                     \
    X(inertia, 1)                                                                                  \
    X(radius_i, 1)                                                                                 \
    X(radius_j, 1)                                                                                 \
    X(is_new, 1)

/* What contacts exert on i, as X(name, numbers); the other one gets the opposite. All of it is 0
 * before the call.
 *
 * - push: force along the normal, > 0 where it repels
 * - tangent: force in the tangent plane
 * - moment: beside that of the force about i's center
 * - stored: elastic energy, which sums of energies count */
#define ABUT_LAW_OUTPUTS(X)                                                                        \
    X(push, 1)                                                                                     \
    X(tangent, 3)                                                                                  \
    X(moment, 3)                                                                                   \
    X(stored, 1)

#define ABUT_LAW_ADD(name, numbers) +(numbers)

/* How many columns there are. */
enum {
    ABUT_LAW_INPUT_COUNT = ABUT_LAW_INPUTS(ABUT_LAW_ADD),
    ABUT_LAW_OUTPUT_COUNT = ABUT_LAW_OUTPUTS(ABUT_LAW_ADD)
};

/* Numbers that a contact keeps at most. */
enum { ABUT_LAW_HISTORY = 32 };

#define ABUT_LAW_READ(name, numbers) const double *name;
#define ABUT_LAW_WRITTEN(name, numbers) double *name;

/* Contacts of one law. Columns are aligned to 64 bytes; those of all inputs follow one another, as
 * do those of all outputs. */
typedef struct abut_law_block {
    int64_t size;  /* of this struct in bytes: later versions add members at its end */
    int64_t count; /* a multiple of 8: the last contact is repeated */
    double step;   /* of time */
    ABUT_LAW_INPUTS(ABUT_LAW_READ)
    const double *parameters; /* the law's, one number each: as `CompiledLaw` has them */
    const double *history_in; /* columns: what the contact had in the step before, vectors first;
                                 they have turned with it. 0 of new ones */
    double *history_out;      /* likewise: what it keeps; 0 before the call */
    ABUT_LAW_OUTPUTS(ABUT_LAW_WRITTEN)
} abut_law_block;

/* A law's function. */
typedef void (*abut_law_function)(const abut_law_block *block);

#ifdef __cplusplus
}
#endif

#endif
