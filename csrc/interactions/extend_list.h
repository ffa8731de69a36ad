/* Spheres that come while a neighbor list lives. */
#ifndef INTERACTIONS_EXTEND_LIST_H
#define INTERACTIONS_EXTEND_LIST_H

#include "table.h"
#include "neighbor_list.h"

/* Whether the list may be extended by the spheres that are behind its own: they are few, and touch
 * others at their nearest images alone. */
bool extend_list_can(const neighbor_list *l, const neighbor_spheres *s);

/* Extend the list by these spheres, which `places` has, and let the pairs of the last step name its
 * candidates. ABUT_OK, ABUT_NO_MEMORY, or ABUT_INTERRUPTED: then the list is to be made anew. */
abut_status extend_list(neighbor_list *l, const neighbor_spheres *s, interaction_table *before,
                        const parallel_plan *plan);

#endif
