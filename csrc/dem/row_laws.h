/* Rows whose laws are to be applied, whatever they are of, and blocks of them on their way through
 * kernels. */
#ifndef DEM_ROW_LAWS_H
#define DEM_ROW_LAWS_H

#include "state.h"

/* Rows whose laws one function computes, and room for what is not read from tables, or not written
 * there. */
typedef struct row_block {
    law_block block;
    const abut_index *rows;         /* their numbers, which ascend */
    abut_index old[LAW_BLOCK];      /* the rows of the last step that they go on from, or -1 */
    bool has_moments;               /* some of block.moment are not 0 */
    mover movers[3][LAW_BLOCK];     /* of both partners; of walls as they move now */
    double turned[3][LAW_BLOCK][4]; /* normals, springs and rolling springs that went with a wall */
    double normals[3 * LAW_BLOCK + ROW_PADDING], overlaps[LAW_BLOCK], shares[LAW_BLOCK];
    /* of rows that do not follow one another, and effects where the table has no such column */
    _Alignas(64) effect effects[LAW_BLOCK];
    double spring[3 * LAW_BLOCK], roll[3 * LAW_BLOCK], moment[3 * LAW_BLOCK], power[LAW_BLOCK];
} row_block;

/* Rows of a step whose laws are to be applied. */
typedef struct row_laws {
    abut_simulation *simulation;
    abut_index count, work;         /* rows, and what one takes, as parallel_report counts it */
    const interaction_table *table; /* whose springs are written to */
    const double *normal, *overlap, *share; /* columns; NULL: the block's own, which are filled */
    pair_laws_kernel *kernel;
    bool is_watched;       /* whether somebody is told of overlaps */
    atomic_bool lacks_law; /* some row */
    atomic_intptr_t
        bad_row; /* the first whose law says what is not finite, or does not hold; -1: none */

    /* The laws of so many rows from `first` on. NULL: one function computes those of all rows. */
    void (*find_laws)(const void *context, const law **laws, abut_index first, abut_index count);

    /* Set partners, laws and what the step before left of so many rows of a block. */
    void (*fill)(const void *context, row_block *b, int32_t count);

    /* Take a block's effects, where the table has no such column; else NULL. */
    void (*take)(const void *context, row_block *b);
    const void *context;

    /* Take a vector of an entry of the table before to where its wall is now. NULL: no walls. */
    vec3 (*turn)(const void *context, abut_index old, vec3 vector);
} row_laws;

#endif
