/* If all facets of a sphere's buckets lie in one plane, only the facets at its foot are searched.
 * If its nearest contact is inside a facet, the hierarchy keeps no other contact
 * (mesh/planes.h). */
#ifndef WALLS_FEET_H
#define WALLS_FEET_H

#include "candidates.h"

/* Makes spheres narrow that have all facets of their buckets in one plane. Needs looked-up
 * buckets. */
void feet_look(batch *b);

/* Refuses narrow spheres of `from` ... `next` - 1 if their nearest contact is not inside a facet.
 * All facets must then be searched for them. */
void feet_refuse(kept *k, int32_t from, int32_t next);

/* Moves the refused spheres before number `end` from `k` to `spheres`. */
void feet_take_refused(kept *k, int32_t end, uint64_t *spheres);

static inline bool feet_is_refused(const kept *k, int32_t sphere)
{
    return k->refused[sphere / 64] >> (sphere % 64) & 1;
}

/* The number of the first refused sphere, or BATCH_SPHERES. */
int32_t feet_first_refused(const kept *k);

#endif
