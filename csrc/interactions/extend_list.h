/* Adds and removes spheres while a neighbor list lives. */
#ifndef INTERACTIONS_EXTEND_LIST_H
#define INTERACTIONS_EXTEND_LIST_H

#include "table.h"
#include "neighbor_list.h"

/* Whether the new spheres behind those of the list can be added to it: they are few, and touch
 * others at their nearest images alone. */
bool extend_list_can(const neighbor_list *l, const neighbor_spheres *s);

/* Adds the new spheres, at their places in `places`, and renumbers the candidates of the last
 * step's pairs. Call listing_make_buckets() next. Returns ABUT_OK, or ABUT_NO_MEMORY; then the list
 * must be rebuilt. */
abut_status extend_list(neighbor_list *l, const neighbor_spheres *s, interaction_table *before,
                        const parallel_plan *plan);

/* Whether spheres can be removed from the list: it has lived for a step, and the pairs of that step
 * have its candidates. */
bool shorten_list_can(const neighbor_list *l, const interaction_table *before);

/* Removes spheres from the list. places: the new place of each sphere, or -1; new places ascend.
 * The pairs of the last step are renumbered. Call listing_make_buckets() next. */
void shorten_list(neighbor_list *l, const int32_t *places, interaction_table *before);

#endif
