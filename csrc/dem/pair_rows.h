/* Rows of pairs as steps keep them: each has the number of a candidate of the neighbor list, from
 * which partners, images and the row of the step before follow. Columns of partners are made when
 * something reads them, and where the list ends: until then they are NULL. */
#ifndef DEM_PAIR_ROWS_H
#define DEM_PAIR_ROWS_H

#include "../interactions/active_candidates.h"
#include "state.h"

/* Whether rows are those of the step, not of the last one. */
static inline bool pair_rows_are_of_now(const abut_simulation *s, const interaction_table *t)
{
    return t != &s->before->tables[ABUT_SPHERE_SPHERE];
}

/* Where spheres were when rows were found. */
static inline const double *pair_rows_centers(const abut_simulation *s, const interaction_table *t)
{
    return pair_rows_are_of_now(s, t) ? s->store.centers : s->store.began;
}

/* The image of a row along an axis, as the column has it. */
static inline double pair_rows_image(const abut_simulation *s, const interaction_table *t,
                                     abut_index row, int axis)
{
    return t->list_firsts ? active_image(&s->neighbors, &s->lattice, pair_rows_centers(s, t),
                                         t->candidates[row], axis)
                          : (double)t->pair.image[3 * row + axis];
}

/* Find the rows of the last step that some rows of one chunk, which ascend, go on from; -1: none.
 * `t` has their candidates. */
void pair_rows_find_old(const abut_simulation *s, const interaction_table *t,
                        const abut_index *rows, int32_t count, abut_index *old);

enum { PAIR_ROWS_BLOCKS = 3 };

/* Make a table with columns i, j and image. Where only the list knows the partners, these are
 * written into the blocks. `shown` may be the table itself: then it needs the list no more. Returns
 * ABUT_OK, or ABUT_NO_MEMORY with everything as it was. */
abut_status pair_rows_show(const abut_simulation *s, const interaction_table *t,
                           memory_block blocks[PAIR_ROWS_BLOCKS], interaction_table *shown);

/* table_renumber of a table of any kind. */
abut_status pair_rows_renumber(const abut_simulation *s, interaction_table *to,
                               const interaction_table *from, const renumbering *by,
                               table_extras extras);

#endif
