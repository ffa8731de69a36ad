/* Spheres from the caller's rows into a batch: all of them, or those that may find facets. */
#ifndef WALLS_LOAD_H
#define WALLS_LOAD_H

#include "batch.h"

/* Copy `count` spheres into the batch. False: a center is not finite, or too far, or a radius is
 * none. */
bool load_all(batch *b, const sphere_rows *rows, abut_index count);

/* Fill the batch with those of `count` spheres that its views, which are of image 0, may have
 * something for, until it is full. Returns how many spheres it has passed, whole blocks. Clears
 * `is_good` where a center is not finite, or too far, or a radius that was read is none. There is a
 * view, or nothing is checked. */
abut_index load_seen(batch *b, const sphere_rows *rows, abut_index count, bool *is_good);

/* Note how many of the spheres that were loaded or passed over are to be searched. */
void load_note_share(batch *b, abut_index passed);

/* Whether load_seen is likely to take less than load_all. */
bool load_is_sparse(const batch *b);

#ifdef ABUT_TESTING
/* Call all batches sparse, or none, or judge them by their share again. */
typedef enum sparse_choice { SPARSE_JUDGED, SPARSE_ALWAYS, SPARSE_NEVER } sparse_choice;
void load_force_sparse(sparse_choice choice);
#endif

#endif
