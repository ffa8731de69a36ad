/* What a search has found becomes the candidates and buckets of a neighbor list. */
#ifndef INTERACTIONS_LISTING_H
#define INTERACTIONS_LISTING_H

#include "neighbor_list.h"

/* Whether two spheres, of which one is searched for others within this reach of both centers, may
 * touch at several images of one of them, or may have come into a list at several. */
bool listing_has_several_images(const neighbor_spheres *s, double reach);

/* Take over what a search has found; has_images: some spheres may touch at several images. Buckets
 * are to be made then. ABUT_OK, ABUT_NO_MEMORY, or ABUT_INTERRUPTED. */
abut_status listing_take(neighbor_list *l, const neighbor_spheres *s, const abut_pairs *found,
                         bool has_images, const parallel_plan *plan);

/* Set where candidates end, which have no buckets yet. */
void listing_end(neighbor_list *l, abut_index candidate_count);

/* Give candidates their buckets. ABUT_OK, ABUT_NO_MEMORY, or ABUT_INTERRUPTED. */
abut_status listing_make_buckets(neighbor_list *l, const parallel_plan *plan);

#endif
