/* Laws of users: blocks of contacts as their functions see them (abut_law.h). */
#ifndef INTERACTIONS_OWN_LAWS_H
#define INTERACTIONS_OWN_LAWS_H

#include <stdbool.h>
#include <stddef.h>

#include "../abut/laws.h"

/* The column of an input, and that of an output; of a vector the first. */
#define OWN_INPUT(name) (offsetof(own_input_places, name) / sizeof(double))
#define OWN_OUTPUT(name) (offsetof(own_output_places, name) / sizeof(double))
#define OWN_PLACE(name, numbers) double name[numbers];

typedef struct own_input_places {
    ABUT_LAW_INPUTS(OWN_PLACE)
} own_input_places;

typedef struct own_output_places {
    ABUT_LAW_OUTPUTS(OWN_PLACE)
} own_output_places;

/* A block with its columns. */
typedef struct own_block {
    _Alignas(64) double inputs[ABUT_LAW_INPUT_COUNT][ABUT_LAW_ROWS];
    double outputs[ABUT_LAW_OUTPUT_COUNT][ABUT_LAW_ROWS];
    double history_in[ABUT_LAW_HISTORY][ABUT_LAW_ROWS];
    double history_out[ABUT_LAW_HISTORY][ABUT_LAW_ROWS];
} own_block;

/* Copies of the laws of users, with their parameters. Zero-initialize. */
typedef struct own_laws {
    abut_own_law *laws;
    double *parameters;
    abut_index count;
} own_laws;

/* from: NULL: none. ABUT_OK or ABUT_NO_MEMORY. */
abut_status own_laws_copy(own_laws *to, const abut_own_laws *from);
void own_laws_free(own_laws *laws);

/* How stiff a contact is. */
typedef struct law_stiffness {
    double normal; /* d force / d overlap */
    double shear;
    double damping_ratio;
} law_stiffness;

/* A contact at rest, and what it keeps: NULL: nothing yet, else columns of one number. */
typedef struct own_contact {
    double overlap, radius, mass, inertia, radius_i, radius_j;
    const double *vectors, *scalars;
} own_contact;

/* By differences of the forces of contacts that are moved a little. What is no number counts for
 * nothing: the step that comes upon it names it. */
law_stiffness own_law_stiffness(const abut_own_law *l, const own_contact *c);

/* How many numbers a contact keeps under a law. */
static inline int own_history_count(const abut_own_law *l)
{
    return 3 * l->vector_count + l->scalar_count;
}

/* Call a law's function for so many contacts, a multiple of 8, whose inputs and history the block
 * has. */
void own_block_call(own_block *b, const abut_own_law *l, int32_t count, double step);

/* Whether a contact exerts or keeps something that is not finite. */
bool own_block_is_bad(const own_block *b, const abut_own_law *l, int32_t k);

#endif
