/* The shortest link method.
 *
 * The *depth* of overlapping bodies along n is the distance that B must move along n until they
 * only touch: -g(n). The *penetration depth* is its smallest value over all n. */
#ifndef CONVEX_LINK_H
#define CONVEX_LINK_H

#include "parting.h"

/* The method "slm", of type convex_method. */
void link_find(const convex_pair *pair, const convex_link *before,
               const abut_convex_options *options, convex_link *link);

/* Whether the features of the last step still give the shortest link or, for overlapping bodies, a
 * local minimum of the depth. If so, sets *link, which has a facet and a vertex, or two edges. */
bool link_stands(const convex_pair *pair, const convex_link *before, convex_link *link);

/* Tries to prove that the bodies overlap, by fast tests at the ends of `link`, which may be a local
 * minimum of the depth (overlap.c). Returns false if the tests do not decide. */
bool link_overlaps(const convex_pair *pair, const convex_link *link);

/* Finds the shortest link of bodies that are apart. The status is OVERLAPPING if they are not, and
 * UNCONVERGED if the iterations do not suffice. Gap and error are true bounds in any case. */
void link_find_apart(const convex_pair *pair, const convex_link *before, int iterations,
                     convex_link *link);

/* Finds a local minimum of the depth of overlapping bodies (overlap.c): that of `before`, if it
 * still is one. Bodies that touch count as overlapping, since rounding hides the difference. */
void link_find_overlap(const convex_pair *pair, const convex_link *before, int iterations,
                       convex_link *link);

/* Finds the penetration depth of overlapping bodies (overlap.c). `link` has a known local minimum
 * of the depth, and keeps it if no other one is smaller. */
void link_find_global(const convex_pair *pair, int iterations, convex_link *link);

/* ---- shared by link.c and overlap.c ---- */

/* The unit vector from A's centroid to B's; x if they coincide. */
vec3 link_direction(const convex_pair *pair);

/* Writes a link: its ends, a plane between the bodies, and the error of the plane's gap. The status
 * is UNCONVERGED if the error is above the tolerance, and follows from the gap otherwise. */
void link_write(const convex_pair *pair, const span *s, const parting *plane, double error,
                convex_link *link);

/* The link between the first corners of an entrance's features. It may not be the shortest one. */
span link_of_entrance(const convex_pair *pair, const convex_end ends[2]);

#endif
