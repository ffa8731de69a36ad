/* Spheres that come, or go, while a neighbor list lives. */
#ifndef INTERACTIONS_EXTEND_LIST_H
#define INTERACTIONS_EXTEND_LIST_H

#include "table.h"
#include "neighbor_list.h"

/* Whether the list may be extended by the spheres that are behind its own: they are few, and touch
 * others at their nearest images alone. */
bool extend_list_can(const neighbor_list *l, const neighbor_spheres *s);

/* Extend the list by these spheres, which `places` has, and let the pairs of the last step name its
 * candidates. Buckets are to be made then. ABUT_OK, or ABUT_NO_MEMORY: then the list is to be made
 * anew. */
abut_status extend_list(neighbor_list *l, const neighbor_spheres *s, interaction_table *before,
                        const parallel_plan *plan);

/* Whether spheres may leave the list: it has lived for a step, whose pairs name its candidates. */
bool shorten_list_can(const neighbor_list *l, const interaction_table *before);

/* Let spheres leave the list: `places` has for each its new place, or -1; these ascend. The pairs
 * of the last step go along. Buckets are to be made then. */
void shorten_list(neighbor_list *l, const int32_t *places, interaction_table *before);

#endif
