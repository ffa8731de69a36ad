/* Laws of users: blocks of contacts as their functions see them (abut_law.h). */
#ifndef INTERACTIONS_OWN_LAWS_H
#define INTERACTIONS_OWN_LAWS_H

#include <stdbool.h>
#include <stddef.h>

#include "../abut.h"

#define OWN_COUNT(name, numbers) +(numbers)

enum {
    OWN_INPUTS = 0 ABUT_LAW_INPUTS(OWN_COUNT), /* columns */
    OWN_OUTPUTS = 0 ABUT_LAW_OUTPUTS(OWN_COUNT)
};

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
    _Alignas(64) double inputs[OWN_INPUTS][ABUT_LAW_ROWS];
    double outputs[OWN_OUTPUTS][ABUT_LAW_ROWS];
    double history_in[ABUT_OWN_HISTORY][ABUT_LAW_ROWS];
    double history_out[ABUT_OWN_HISTORY][ABUT_LAW_ROWS];
} own_block;

/* How many numbers a contact keeps under a law. */
static inline int own_history_count(const abut_own_law *l)
{
    return 3 * l->vector_count + l->scalar_count;
}

/* Call a law's function for so many contacts, a multiple of 8, whose inputs and history the block
 * has. */
void own_block_call(own_block *b, const abut_own_law *l, int32_t count, double step);

/* The first of so many contacts that exerts or keeps what is not finite; -1: there is none. */
int32_t own_block_find_bad(const own_block *b, const abut_own_law *l, int32_t count);

#endif
