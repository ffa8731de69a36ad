/* Applies laws to table rows, block by block. Contacts with walls, pairs, and spots have
 * functions of their own that fill a block. */
#ifndef DEM_ROW_LAWS_H
#define DEM_ROW_LAWS_H

#include "state.h"

/* A block of rows with the same law function. It has memory for columns that the table lacks. */
typedef struct row_block {
    law_block block;
    const abut_index *rows; /* numbers of table rows, ascending */
    bool has_moments;
    mover movers[3][LAW_BLOCK]; /* first partners; second partners; present motions of walls */
    /* pairs in a cell that deforms: whether a border is between them, and its velocity */
    bool has_border[LAW_BLOCK];
    vec3 border[LAW_BLOCK];
    /* normals and contact history of the last step, turned with their walls */
    double turned_normals[LAW_BLOCK][4], turned[LAW_BLOCK * HISTORY_MOST + HISTORY_PADDING];
    double normals[3 * LAW_BLOCK + ROW_PADDING], overlaps[LAW_BLOCK], shares[LAW_BLOCK];
    /* results if the rows are not consecutive; `effects` also if the table has no such column */
    _Alignas(64) effect effects[LAW_BLOCK];
    double moment[3 * LAW_BLOCK], power[LAW_BLOCK];
} row_block;

/* The table rows of a step, and functions that prepare their laws. */
typedef struct row_laws {
    abut_simulation *simulation;
    abut_index count, work; /* number of rows; work of a row in units of parallel_report */
    const interaction_table *table;
    const double *normal, *overlap,
        *share;              /* columns of the table; NULL: `fill` writes the column of the block */
    bool are_mixed;          /* the rows may have several law functions */
    atomic_bool lacks_law;   /* set if a row has no law */
    atomic_intptr_t bad_row; /* the first row with an invalid R* or result; -1: none */

    /* Sets partners, laws and contact history of `count` rows of a block. */
    void (*fill)(const void *context, row_block *b, int32_t count);

    /* Reads the effects of a block, if the table has no column for them; otherwise NULL. */
    void (*take)(const void *context, row_block *b);
    const void *context;
} row_laws;

/* A function that rotates a vector of an entry of the last step as the entry's wall has rotated
 * since that step. */
typedef vec3 row_turn(const void *context, abut_index entry_before, vec3 vector);

/* ---- rows.c ---- */

/* Rows per task, if they have several law functions: each function fills blocks of its own. */
enum { ROWS_OF_SPAN = 8 * LAW_BLOCK };

static inline abut_index rows_of_span(const row_laws *r)
{
    return r->are_mixed ? ROWS_OF_SPAN : LAW_BLOCK;
}

/* Applies the laws of all rows. ABUT_OK, or the error; ABUT_LAW_MISSING names the first row without
 * a law. */
abut_status rows_apply(row_laws *r, const parallel_plan *plan, abut_error *error);

/* rows_apply calls these three functions in turn. Callers with another order of rows use them
 * directly. Several threads may call rows_apply_span between rows_begin and rows_end. */
void rows_begin(row_laws *r);
void rows_apply_span(row_laws *r, row_span rows);
abut_status rows_end(row_laws *r, abut_error *error);

/* Sets two motions of a rigid wall at a point: the motion since the last step, and the present one.
 * The first partner must have been set before. arm: the vector to the point from where the first
 * partner has its velocity; 0 if it has its velocity at the point. */
void rows_set_wall(const abut_simulation *s, row_block *b, int32_t k, abut_index wall, vec3 point,
                   vec3 arm);

/* Sets the contact history of a row, rotated with its wall by the function `turn`. */
void rows_set_turned(row_block *b, int32_t k, const interaction_table *before,
                     abut_index entry_before, row_turn *turn, const void *context);

/* Rotates the relative velocity of the first partner as the springs have been rotated with the
 * wall. left: 1 - T, where T is the wall's rotation since the last step. */
void rows_turn_along(row_block *b, int32_t k, vec3 arm, const vec3 left[3]);

#endif
