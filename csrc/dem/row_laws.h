/* Applies laws to table rows, block by block. Contacts with walls, pairs of spheres and spots of
 * bodies differ in how a block is filled. */
#ifndef DEM_ROW_LAWS_H
#define DEM_ROW_LAWS_H

#include "state.h"

/* A block of rows with one law function, and memory for columns that the table lacks. */
typedef struct row_block {
    law_block block;
    const abut_index *rows; /* numbers of table rows, ascending */
    bool has_moments;
    mover movers[3][LAW_BLOCK]; /* first partners, second partners, walls as they move now */
    /* normals and contact history of the last step, turned with their walls */
    double turned_normals[LAW_BLOCK][4], turned[LAW_BLOCK * HISTORY_MOST + HISTORY_PADDING];
    double normals[3 * LAW_BLOCK + ROW_PADDING], overlaps[LAW_BLOCK], shares[LAW_BLOCK];
    /* for rows that are not consecutive, and effects if the table has no such column */
    _Alignas(64) effect effects[LAW_BLOCK];
    double moment[3 * LAW_BLOCK], power[LAW_BLOCK];
} row_block;

/* Table rows of a step, and how their laws are applied. */
typedef struct row_laws {
    abut_simulation *simulation;
    abut_index count, work; /* rows, and the work of one in units of parallel_report */
    const interaction_table *table;
    const double *normal, *overlap, *share; /* columns; NULL: `fill` writes those of the block */
    bool are_mixed;                         /* the rows may have several law functions */
    atomic_bool lacks_law;                  /* some row has no law */
    atomic_intptr_t bad_row; /* the first row with a bad R* or result (name_bad); -1: none */

    /* Sets partners, laws and contact history of `count` rows of a block. */
    void (*fill)(const void *context, row_block *b, int32_t count);

    /* Takes the effects of a block if the table has no such column; else NULL. */
    void (*take)(const void *context, row_block *b);
    const void *context;
} row_laws;

/* Turns a vector of an entry of the last step with its wall, to the wall's present pose. */
typedef vec3 row_turn(const void *context, abut_index entry_before, vec3 vector);

/* ---- rows.c ---- */

/* Rows per task: more with several law functions, since each fills blocks of its own. */
enum { ROWS_OF_SPAN = 8 * LAW_BLOCK };

static inline abut_index rows_of_span(const row_laws *r)
{
    return r->are_mixed ? ROWS_OF_SPAN : LAW_BLOCK;
}

/* Applies the laws of all rows. ABUT_OK or the error: ABUT_LAW_MISSING for the first row without
 * law. */
abut_status rows_apply(row_laws *r, const parallel_plan *plan, abut_error *error);

/* The three parts of rows_apply, for a caller with its own order of rows. Several threads may call
 * rows_apply_span between rows_begin and rows_end. */
void rows_begin(row_laws *r);
void rows_apply_span(row_laws *r, row_span rows);
abut_status rows_end(row_laws *r, abut_error *error);

/* Sets the motion of a rigid wall at a point since the last step, and its present motion. The first
 * partner must be set; `arm` leads to the point from where its velocity is given. */
void rows_set_wall(const abut_simulation *s, row_block *b, int32_t k, abut_index wall, vec3 point,
                   vec3 arm);

/* Sets the contact history of a row, turned with its wall by `turn`. */
void rows_set_turned(row_block *b, int32_t k, const interaction_table *before,
                     abut_index entry_before, row_turn *turn, const void *context);

/* Turns the velocity of the first partner relative to the wall as the springs on the wall have
 * turned. left: 1 - T, where T is the wall's rotation. */
void rows_turn_along(row_block *b, int32_t k, vec3 arm, const vec3 left[3]);

#endif
