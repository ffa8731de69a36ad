/* Adds spheres to a neighbor list, and removes spheres from it, without making a new list. */
#ifndef INTERACTIONS_EXTEND_LIST_H
#define INTERACTIONS_EXTEND_LIST_H

#include "table.h"
#include "neighbor_list.h"

/* Whether new spheres can be added to the list: they are few, and can touch others only at the
 * nearest image. */
bool extend_list_can(const neighbor_list *l, const neighbor_spheres *s);

/* Adds the new spheres, at their places in `places`, and renumbers the candidates of the last
 * step's pairs. Call listing_make_buckets() next. Returns ABUT_OK; after ABUT_NO_MEMORY the list
 * must be rebuilt. */
abut_status extend_list(neighbor_list *l, const neighbor_spheres *s, interaction_table *before,
                        const parallel_plan *plan);

/* Whether spheres can be removed from the list: it has been used for a step, and the pairs of that
 * step have its candidates. */
bool shorten_list_can(const neighbor_list *l, const interaction_table *before);

/* Removes spheres from the list, and renumbers the candidates of the last step's pairs. places: the
 * new place of each sphere, or -1; new places ascend. Call listing_make_buckets() next. */
void shorten_list(neighbor_list *l, const int32_t *places, interaction_table *before);

#endif
