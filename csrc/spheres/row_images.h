/* The images of rows. A query stores the two spheres of each pair, but no image: most spheres touch
 * at the nearest image only. */
#ifndef SPHERES_ROW_IMAGES_H
#define SPHERES_ROW_IMAGES_H

#include "query_pairs.h"

/* Writes the images of `count` rows, from `row` on. firsts, seconds: the spheres of these rows. */
void row_images_find(const abut_pairs *pairs, abut_index row, int32_t count, const int32_t *firsts,
                     const int32_t *seconds, vec3 *images);

/* An image as the caller's period counts it. */
vec3 row_images_given(const abut_pairs *pairs, vec3 image);

#endif
