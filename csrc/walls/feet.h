/* Spheres that may touch facets of one plane alone look for those at their foot: where their
 * nearest contact is one with a facet's inside, the hierarchy would keep no other (mesh/planes.h).
 */
#ifndef WALLS_FEET_H
#define WALLS_FEET_H

#include "candidates.h"

/* Make those of the batch's spheres narrow that are to look for the facets at their foot alone. All
 * have looked for buckets. */
void feet_look(batch *b);

/* Refuse those narrow spheres of `from` ... `next` - 1, which the candidates are of, whose nearest
 * contact is none with a facet's inside: they have to look for all facets. */
void feet_refuse(kept *k, int32_t from, int32_t next);

/* Take the refused spheres before number `end` out of those that are refused. */
void feet_take_refused(kept *k, int32_t end, uint64_t *spheres);

static inline bool feet_is_refused(const kept *k, int32_t sphere)
{
    return k->refused[sphere / 64] >> (sphere % 64) & 1;
}

/* The first that is refused, or BATCH_SPHERES. */
int32_t feet_first_refused(const kept *k);

#endif
