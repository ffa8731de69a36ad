/* The shortest link method. */
#ifndef CONVEX_LINK_H
#define CONVEX_LINK_H

#include "parting.h"

/* The method "slm", of type convex_method. */
void link_find(const convex_pair *pair, const convex_link *before,
               const abut_convex_options *options, convex_link *link);

/* Whether the features of the step before still are the shortest link, or a local minimum of the
 * way apart. They are a facet and a vertex, or two crossing edges. If so, *link is set to it. */
bool link_stands(const convex_pair *pair, const convex_link *before, convex_link *link);

/* Whether the bodies surely overlap: looks for a witness that costs little. `link` may be their
 * least way apart. False: not known (overlap.c). */
bool link_overlaps(const convex_pair *pair, const convex_link *link);

/* Finds the link of bodies that are apart. For others the status is OVERLAPPING; if the iterations
 * do not suffice, it is UNCONVERGED. The bounds are true in any case. */
void link_find_apart(const convex_pair *pair, const convex_link *before, int iterations,
                     convex_link *link);

/* Finds a local minimum of the way apart of overlapping bodies (overlap.c): that of `before`, if it
 * still is one. Rounding does not separate them from bodies that just touch. */
void link_find_overlap(const convex_pair *pair, const convex_link *before, int iterations,
                       convex_link *link);

/* Finds the least way apart of overlapping bodies (overlap.c). `link` has a known minimum, which
 * stays if none is less. */
void link_find_global(const convex_pair *pair, int iterations, convex_link *link);

/* ---- shared by both files ---- */

vec3 link_direction(const convex_pair *pair);

/* Writes a link, a plane and the error between their gaps. The status follows from the gap; if the
 * error is too large, it is UNCONVERGED. */
void link_write(const convex_pair *pair, const span *s, const parting *plane, double error,
                convex_link *link);

/* A link between the features of an entrance, with its ends anywhere on edges and facets. */
span link_of_entrance(const convex_pair *pair, const convex_end ends[2]);

#endif
