/* How rows go through the kernels of laws, block by block, whatever they are of: spheres on walls,
 * pairs of spheres, and spots of bodies differ in how a block is filled. */
#ifndef DEM_ROW_LAWS_H
#define DEM_ROW_LAWS_H

#include "state.h"

/* Rows whose laws one function computes, and room for what is not read from tables, or not written
 * there. */
typedef struct row_block {
    law_block block;
    const abut_index *rows;              /* their numbers, which ascend */
    bool has_moments;                    /* some of block.moment are not 0 */
    mover movers[3][LAW_BLOCK];          /* of both partners; of walls as they move now */
    double turned_normals[LAW_BLOCK][4]; /* what went with a wall: normals, */
    double turned[LAW_BLOCK * HISTORY_MOST + HISTORY_PADDING]; /* and what rows have kept */
    double normals[3 * LAW_BLOCK + ROW_PADDING], overlaps[LAW_BLOCK], shares[LAW_BLOCK];
    /* of rows that do not follow one another, and effects where the table has no such column */
    _Alignas(64) effect effects[LAW_BLOCK];
    double moment[3 * LAW_BLOCK], power[LAW_BLOCK];
} row_block;

/* Rows of a step whose laws are to be applied. */
typedef struct row_laws {
    abut_simulation *simulation;
    abut_index count, work; /* rows, and what one takes, as parallel_report counts it */
    const interaction_table *table;
    const double *normal, *overlap, *share; /* columns; NULL: the block's own, which are filled */
    bool are_mixed;                         /* more than one function may compute their laws */
    atomic_bool lacks_law;                  /* some row */
    atomic_intptr_t
        bad_row; /* the first whose law says what is not finite, or does not hold; -1: none */

    /* Set partners, laws and what the step before left of so many rows of a block. */
    void (*fill)(const void *context, row_block *b, int32_t count);

    /* Take a block's effects, where the table has no such column; else NULL. */
    void (*take)(const void *context, row_block *b);
    const void *context;
} row_laws;

/* Take a vector of an entry of the table before to where its wall is now. */
typedef vec3 row_turn(const void *context, abut_index old, vec3 vector);

/* ---- rows.c ---- */

/* Rows that one thread takes in one go. There are more of them if several functions compute laws,
 * since each function fills its own blocks. */
enum { ROWS_OF_SPAN = 8 * LAW_BLOCK };

static inline abut_index rows_of_span(const row_laws *r)
{
    return r->are_mixed ? ROWS_OF_SPAN : LAW_BLOCK;
}

/* ABUT_OK, or why the run is to end: ABUT_LAW_MISSING names the first row without a law. */
abut_status rows_apply(row_laws *r, const parallel_plan *plan, abut_error *error);

/* The same for who goes over rows in an order of its own: what is between both other functions is
 * called for all rows, at once by several threads maybe. */
void rows_begin(row_laws *r);
void rows_apply_span(row_laws *r, row_span rows);
abut_status rows_end(row_laws *r, abut_error *error);

/* Set how a wall that does not deform has moved at a point, and how it moves there now. The first
 * partner is known; the point is an arm away from where its velocity is. */
void rows_set_wall(const abut_simulation *s, row_block *b, int32_t k, abut_index wall, vec3 point,
                   vec3 arm);

/* Set what a row has kept, which went with its wall. */
void rows_set_turned(row_block *b, int32_t k, const interaction_table *before, abut_index old,
                     row_turn *turn, const void *context);

/* Turn the velocities with which the first partner moves on a wall as springs there have turned;
 * left: 1 - T of the wall's turn. */
void rows_turn_along(row_block *b, int32_t k, vec3 arm, const vec3 left[3]);

#endif
