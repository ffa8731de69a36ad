/* Makes a neighbor list. */
#ifndef INTERACTIONS_MAKE_LIST_H
#define INTERACTIONS_MAKE_LIST_H

#include "neighbor_list.h"

/* Sets the gap with which a sphere or outline is searched, and its allowance. */
void make_list_set_allowance(neighbor_list *l, const neighbor_spheres *s, abut_index sphere);

/* Makes the list for the present places of spheres, which are in `places`. */
abut_status neighbor_list_make(neighbor_list *l, const neighbor_spheres *s,
                               const parallel_plan *plan, abut_error *error);

#endif
