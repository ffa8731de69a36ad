/* The shortest link method. */
#ifndef CONVEX_LINK_H
#define CONVEX_LINK_H

#include "parting.h"

/* The method "slm"; a convex_method. */
void link_find(const convex_pair *pair, const convex_link *before,
               const abut_convex_options *options, convex_link *link);

/* Whether the features of the step before still are what a facet and a vertex, or two edges that
 * cross, should be: the shortest link, or a local minimum of the way apart. That is then the link.
 */
bool link_stands(const convex_pair *pair, const convex_link *before, convex_link *link);

/* Whether bodies overlap whose least way apart this link may be: a witness is sought that costs
 * little. False: not known (overlap.c). */
bool link_overlaps(const convex_pair *pair, const convex_link *link);

/* The link of bodies that are apart. Where they are not, or it does not get that far, the status is
 * OVERLAPPING or UNCONVERGED, with true bounds. */
void link_find_apart(const convex_pair *pair, const convex_link *before, int iterations,
                     convex_link *link);

/* Overlapping bodies (overlap.c): a local minimum of the way apart, which is that of `before` where
 * it still is one. Bodies that touch, or nearly do, are not told from those by rounding. */
void link_find_overlap(const convex_pair *pair, const convex_link *before, int iterations,
                       convex_link *link);

/* Bodies that overlap: the least way apart of all (overlap.c). `link` is a minimum that is known
 * and stays where none is less. */
void link_find_global(const convex_pair *pair, int iterations, convex_link *link);

/* ---- shared by both files ---- */

vec3 link_direction(const convex_pair *pair);

/* A link and a plane, and what they leave open; OVERLAPPING, TOUCHING or SEPARATED by the gap, and
 * UNCONVERGED where that is too much. */
void link_write(const convex_pair *pair, const span *s, const parting *plane, double error,
                convex_link *link);

/* Ends of a link on the features of an entrance: anywhere on edges and facets. */
span link_of_entrance(const convex_pair *pair, const convex_end ends[2]);

#endif
