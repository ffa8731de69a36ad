/* How rows go through the kernels of laws, block by block, whatever they are of: spheres on walls,
 * pairs of spheres, and spots of bodies differ in how a block is filled. */
#ifndef DEM_ROWS_H
#define DEM_ROWS_H

#include "row_laws.h"

/* Rows that one thread takes in one go. There are more of them if several functions compute laws,
 * since each function fills its own blocks. */
enum { ROWS_OF_SPAN = 8 * LAW_BLOCK };

static inline abut_index rows_of_span(const row_laws *r)
{
    return r->find_laws ? ROWS_OF_SPAN : LAW_BLOCK;
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

/* Turn the velocities with which the first partner moves on a wall as springs there have turned;
 * left: 1 - T of the wall's turn. */
void rows_turn_along(row_block *b, int32_t k, vec3 arm, const vec3 left[3]);

#endif
