/* Whether neighbor lists were whole; see check_lists.c. Other builds check nothing. */
#ifndef DEM_CHECK_LISTS_H
#define DEM_CHECK_LISTS_H

#include "state.h"

#ifdef ABUT_CHECK_LISTS

/* What the step has found, after it was found. ABUT_OK or ABUT_LIST_INCOMPLETE, or why a search
 * failed. */
abut_status check_pairs_of_lists(const abut_simulation *s, const neighbor_spheres *spheres,
                                 abut_error *error);
abut_status check_contacts_of_lists(const abut_simulation *s, const abut_query *narrow,
                                    abut_error *error);

/* Of bodies with bodies and spheres: the convex finders' search among all of them. */
abut_status check_bodies_of_lists(const abut_simulation *s, abut_error *error);

/* Of bodies with walls: the same search for all bodies. */
abut_status check_walls_of_bodies(const abut_simulation *s, const abut_convex_query *query,
                                  const abut_convex_walls *narrow, abut_error *error);

#else

static inline abut_status check_pairs_of_lists(const abut_simulation *s,
                                               const neighbor_spheres *spheres, abut_error *error)
{
    (void)s, (void)spheres, (void)error;
    return ABUT_OK;
}

static inline abut_status check_contacts_of_lists(const abut_simulation *s,
                                                  const abut_query *narrow, abut_error *error)
{
    (void)s, (void)narrow, (void)error;
    return ABUT_OK;
}

static inline abut_status check_walls_of_bodies(const abut_simulation *s,
                                                const abut_convex_query *query,
                                                const abut_convex_walls *narrow, abut_error *error)
{
    (void)s, (void)query, (void)narrow, (void)error;
    return ABUT_OK;
}

static inline abut_status check_bodies_of_lists(const abut_simulation *s, abut_error *error)
{
    (void)s, (void)error;
    return ABUT_OK;
}

#endif
#endif
