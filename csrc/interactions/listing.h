/* Converts the pairs of a search to candidates and buckets of a neighbor list. */
#ifndef INTERACTIONS_LISTING_H
#define INTERACTIONS_LISTING_H

#include "neighbor_list.h"

/* Whether two spheres may touch, or be listed, at several images. reach: the largest distance of
 * centers at which they touch, or are listed. */
bool listing_has_several_images(const neighbor_spheres *s, double reach);

/* Lists the pairs that a search has found. has_images: spheres may touch at several images. Call
 * listing_make_buckets() next. Returns ABUT_OK, ABUT_NO_MEMORY or ABUT_INTERRUPTED. */
abut_status listing_take(neighbor_list *l, const neighbor_spheres *s, const abut_pairs *found,
                         bool has_images, const parallel_plan *plan);

/* Sets the number of candidates. They have no buckets until listing_make_buckets() is called. */
void listing_end(neighbor_list *l, abut_index candidate_count);

/* Assigns buckets to candidates. Returns ABUT_OK, ABUT_NO_MEMORY or ABUT_INTERRUPTED. */
abut_status listing_make_buckets(neighbor_list *l, const parallel_plan *plan);

#endif
