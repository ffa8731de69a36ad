/* The pairs that touch, in every step by a neighbor list that is whole. */
#ifndef INTERACTIONS_TOUCHING_H
#define INTERACTIONS_TOUCHING_H

#include "neighbor_list.h"

/* Look where spheres are, and make the list anew where it has to be. Other than ABUT_OK, error says
 * why; it names spheres by place. */
abut_status touching_refresh(neighbor_list *l, const neighbor_spheres *s, const parallel_plan *plan,
                             abut_error *error);

/* Find the pairs that touch, active_count of them. ABUT_OK or why the run is to end. */
abut_status touching_find(neighbor_list *l, const neighbor_spheres *s, const parallel_plan *plan);

/* Write i, j, normal, overlap, image and offsets of those, and where the list is not new which row
 * of the last step each one had, or -1. */
void touching_write(neighbor_list *l, const neighbor_spheres *s, const parallel_plan *plan,
                    const abut_pair_columns *to, abut_index *match);

/* To be called when the step is done: what it has found is what the next one goes on from. */
void touching_keep(neighbor_list *l);

/* Rows that are not kept are none of this step, and others are numbered anew. */
void touching_renumber(neighbor_list *l, const bool *is_kept);

#endif
