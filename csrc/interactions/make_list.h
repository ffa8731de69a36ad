/* Making a neighbor list. */
#ifndef INTERACTIONS_MAKE_LIST_H
#define INTERACTIONS_MAKE_LIST_H

#include "neighbor_list.h"

/* Set what a sphere, or outline, is searched with, and what it may use of it. */
void make_list_set_allowance(neighbor_list *l, const neighbor_spheres *s, abut_index sphere);

/* Make the list of where spheres are now, which `places` has. */
abut_status neighbor_list_make(neighbor_list *l, const neighbor_spheres *s,
                               const parallel_plan *plan, abut_error *error);

#endif
