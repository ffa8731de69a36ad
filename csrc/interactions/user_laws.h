/* User laws: blocks of contacts, for which their functions are called (abut_law.h). */
#ifndef INTERACTIONS_USER_LAWS_H
#define INTERACTIONS_USER_LAWS_H

#include <stdbool.h>
#include <stddef.h>

#include "../abut/laws.h"

/* The column of an input or output; for a vector the first of its columns. */
#define USER_INPUT(name) (offsetof(user_input_places, name) / sizeof(double))
#define USER_OUTPUT(name) (offsetof(user_output_places, name) / sizeof(double))
#define USER_PLACE(name, numbers) double name[numbers];

typedef struct user_input_places {
    ABUT_LAW_INPUTS(USER_PLACE)
} user_input_places;

typedef struct user_output_places {
    ABUT_LAW_OUTPUTS(USER_PLACE)
} user_output_places;

/* The columns of a block of contacts: input, output and history of a user law. */
typedef struct user_block {
    _Alignas(64) double inputs[ABUT_LAW_INPUT_COUNT][ABUT_LAW_ROWS];
    double outputs[ABUT_LAW_OUTPUT_COUNT][ABUT_LAW_ROWS];
    double history_in[ABUT_LAW_HISTORY][ABUT_LAW_ROWS];
    double history_out[ABUT_LAW_HISTORY][ABUT_LAW_ROWS];
} user_block;

/* Copies of user laws and their parameters. Zero-initialize. */
typedef struct user_laws {
    abut_user_law *laws;
    double *parameters;
    abut_index count;
} user_laws;

/* Copies user laws and their parameters. from NULL: no laws. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status user_laws_copy(user_laws *to, const abut_user_laws *from);
void user_laws_free(user_laws *laws);

/* The stiffness and damping of a contact. */
typedef struct law_stiffness {
    double normal; /* d force / d overlap */
    double shear;
    double damping_ratio;
} law_stiffness;

/* A contact at rest. vectors and scalars: its history, one number for each column. vectors NULL: a
 * new contact. */
typedef struct law_contact {
    double overlap, radius, mass, inertia, radius_i, radius_j;
    const double *vectors, *scalars;
} law_contact;

/* Computes the stiffness by finite differences of the law's forces. Results that are not finite are
 * ignored here; the step in which they occur ends with an error. */
law_stiffness user_law_stiffness(const abut_user_law *l, const law_contact *c);

/* The number of history columns of a law. */
static inline int user_history_count(const abut_user_law *l)
{
    return 3 * l->vector_count + l->scalar_count;
}

/* Calls a law's function for `count` contacts, a multiple of 8. The block has their inputs and
 * history. */
void user_block_call(user_block *b, const abut_user_law *l, int32_t count, double step);

/* Whether an output or the new history of a contact is not finite. */
bool user_block_is_bad(const user_block *b, const abut_user_law *l, int32_t k);

#endif
