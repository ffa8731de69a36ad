/* Whether neighbor lists were whole; see check_lists.c. Other builds check nothing. */
#ifndef DEM_CHECK_LISTS_H
#define DEM_CHECK_LISTS_H

#include "state.h"

/* What a step has searched for: pairs of spheres; contacts of those that are near walls; the bodies
 * of a query on walls; or, where it is none of these, bodies with bodies and spheres. */
typedef struct checked_search {
    const neighbor_spheres *spheres;
    const abut_query *contacts;
    const abut_convex_query *bodies;
    const abut_convex_walls *walls;
} checked_search;

/* ABUT_OK or ABUT_LIST_INCOMPLETE, or why a search failed. */
#ifdef ABUT_CHECK_LISTS
abut_status check_lists(const abut_simulation *s, checked_search of, abut_error *error);
#else
static inline abut_status check_lists(const abut_simulation *s, checked_search of,
                                      abut_error *error)
{
    (void)s, (void)of, (void)error;
    return ABUT_OK;
}
#endif

#endif
