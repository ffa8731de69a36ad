/* What a query asks: checked, but for its spheres, and how their reaches are distributed. */
#ifndef WALLS_QUERY_H
#define WALLS_QUERY_H

#include "finder.h"

/* Fill in an error; returns its status. */
abut_status query_report(abut_error *error, abut_status status, abut_index index, abut_index detail,
                         double value);

/* Check all but the spheres. */
abut_status query_check(const abut_finder *finder, const abut_query *query, abut_error *error);

/* How the reaches are distributed. False: a radius is none. */
bool query_profile(const abut_query *query, reach_profile *profile);

/* Name the first sphere that is not one, of which it is known that there is one. */
abut_status query_find_bad_sphere(const abut_query *query, abut_error *error);

#endif
