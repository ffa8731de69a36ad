/* Checks that neighbor lists are complete, only in builds with ABUT_CHECK_LISTS. */
#ifndef DEM_CHECK_LISTS_H
#define DEM_CHECK_LISTS_H

#include "state.h"

/* The search that is checked. All members NULL: the search of bodies with bodies and spheres. */
typedef struct checked_search {
    const neighbor_spheres *spheres;
    const abut_query *contacts;
    const abut_convex_query *bodies;
    const abut_convex_walls *walls;
} checked_search;

/* Returns ABUT_OK, ABUT_LIST_INCOMPLETE, or the error of a search. */
#ifdef ABUT_CHECK_LISTS
abut_status check_lists(const abut_simulation *s, checked_search search, abut_error *error);
#else
static inline abut_status check_lists(const abut_simulation *s, checked_search search,
                                      abut_error *error)
{
    (void)s, (void)search, (void)error;
    return ABUT_OK;
}
#endif

#endif
