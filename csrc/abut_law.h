/* Contact laws in C: the inputs and outputs of a law's function.
 *
 * This header needs no other one; `abut.laws.get_include()` returns its folder. Compile a law's
 * function into a library of its own, and pass its address to `abut.laws.CompiledLaw`:
 *
 *     void spring(const abut_law_block *b)
 *     {
 *         for (int64_t k = 0; k < b->count; k++) {
 *             const double push = b->parameters[0] * b->overlap[k];
 *             b->push[k] = push > 0.0 ? push : 0.0;
 *         }
 *     }
 *
 * Several threads call the function at once, each for its own block. So it must write nothing
 * except the output columns. */
#ifndef ABUT_LAW_H
#define ABUT_LAW_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- laws in C ---- */

/* The length of a column, in contacts. A vector has three columns. Component k of contact c is at
 * [k * ABUT_LAW_ROWS + c]. */
enum { ABUT_LAW_ROWS = 64 };

/* The inputs of a law, as X(name, numbers). All are those of the present step (docs/dem.md §13):
 *
 * - overlap: negative at a gap, where the law has a reach
 * - normal: unit vector, from the other partner to i
 * - parting: relative velocity along the normal, > 0 where the two separate
 * - sliding: relative velocity in the tangent plane
 * - rolling, twisting: relative spin in the tangent plane, and along the normal
 * - radius, mass, inertia: R*, m* and I*, the reduced values of both partners; at a wall those of i
 * - radius_i, radius_j: INFINITY for a wall; at spots of convex bodies both are R*
 * - is_new: 1 where the contact begins, or had another law in the step before; otherwise 0 */
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

/* The outputs of a law, which act on i, as X(name, numbers). The other partner gets the opposite.
 * All are 0 before the call.
 *
 * - push: normal force, > 0 where it repels
 * - tangent: force in the tangent plane
 * - moment: in addition to the torque of the force about i's center
 * - stored: elastic energy, which the energies of the simulation include */
#define ABUT_LAW_OUTPUTS(X)                                                                        \
    X(push, 1)                                                                                     \
    X(tangent, 3)                                                                                  \
    X(moment, 3)                                                                                   \
    X(stored, 1)

#define ABUT_LAW_ADD(name, numbers) +(numbers)

/* The numbers of columns for inputs and for outputs. */
enum {
    ABUT_LAW_INPUT_COUNT = ABUT_LAW_INPUTS(ABUT_LAW_ADD),
    ABUT_LAW_OUTPUT_COUNT = ABUT_LAW_OUTPUTS(ABUT_LAW_ADD)
};

/* The largest count of numbers in the history of a contact. */
enum { ABUT_LAW_HISTORY = 32 };

#define ABUT_LAW_READ(name, numbers) const double *name;
#define ABUT_LAW_WRITTEN(name, numbers) double *name;

/* Contacts of one law. Columns are aligned to 64 bytes. The columns of all inputs are consecutive
 * in memory, and so are the columns of all outputs. */
typedef struct abut_law_block {
    int64_t size;  /* of this struct in bytes; later versions add members at its end */
    int64_t count; /* a multiple of 8; copies of the last contact fill up a block */
    double step;   /* time step */
    ABUT_LAW_INPUTS(ABUT_LAW_READ)
    const double *parameters; /* parameters of the law, in the order of `CompiledLaw` */
    const double *history_in; /* columns of the contact history of the last step, vectors first.
                                 Vectors have been rotated with the contact. 0 for new contacts */
    double *history_out;      /* columns of the new contact history; all 0 before the call */
    ABUT_LAW_OUTPUTS(ABUT_LAW_WRITTEN)
} abut_law_block;

/* The type of a law's function. */
typedef void (*abut_law_function)(const abut_law_block *block);

#ifdef __cplusplus
}
#endif

#endif
