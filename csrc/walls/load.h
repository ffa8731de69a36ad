/* Spheres from rows into a batch: those that may find facets. */
#ifndef WALLS_LOAD_H
#define WALLS_LOAD_H

#include "batch.h"

/* Fill the batch with those of `count` spheres that its views may have something for, until it is
 * full. Returns how many spheres it has passed, in `is_good` whether all centers that were read are
 * finite and not too far, and all radii are some. */
abut_index load_spheres(batch *b, const sphere_rows *rows, abut_index count, bool *is_good);

/* Note how many of the spheres that were passed are to be searched. */
void load_note_share(batch *b, abut_index passed);

#endif
