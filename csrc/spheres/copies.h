/* Copies: images of spheres near the border of the periodic box.
 *
 * The search knows no periods. A pair across the border is found by a copy of one of its spheres,
 * which is compared with spheres in the box. Of two spheres in different octaves of sizes, this is
 * a copy of the larger one. Otherwise it is the copy at an image after image 0; the copy of the
 * other sphere has the opposite image. So mixtures of all sizes have few copies. Copies only
 * find pairs. Whether a pair touches follows from the spheres' places in the box and the shift of
 * the image. */
#ifndef SPHERES_COPIES_H
#define SPHERES_COPIES_H

#include "query_pairs.h"

/* Makes the copies of a set's spheres behind its rows. Returns ABUT_OK, ABUT_NO_MEMORY, or another
 * status that ends the query. The error is set if there would be too many copies. */
abut_status copies_make(abut_pairs *pairs, row_set *set, abut_error *error);

/* Reports too many images: the error has the vector along which the box is narrowest. Returns
 * ABUT_PERIOD_TOO_SHORT. */
abut_status copies_report_many(const abut_pairs *pairs, abut_error *error);

/* The largest number of pairs that a query may make if spheres touch several images of others. */
abut_index copies_pair_limit(const abut_pairs *pairs);

/* Whether an item of a set is a copy; items of a set are its spheres, then its copies. */
static inline bool copies_has(const row_set *set, int32_t item)
{
    return item >= set->count;
}

/* Whether a copy of the first sphere, and not one of the second sphere, finds their pair at this
 * image of the second one. */
bool copies_are_of_first(const abut_pairs *pairs, const sphere_row *first, const sphere_row *second,
                         vec3 image);

/* The largest reach of spheres with which a copy at this image finds pairs; 0: it finds none. */
double copies_partner_reach(const abut_pairs *pairs, double reach, vec3 image);

/* The sphere of an item. */
static inline int32_t copies_sphere(const row_set *set, int32_t item)
{
    return copies_has(set, item) ? set->copies[item - set->count].sphere : item;
}

/* The image of an item; 0 if it is no copy. */
static inline vec3 copies_image(const row_set *set, int32_t item)
{
    if (!copies_has(set, item)) {
        return (vec3){0.0, 0.0, 0.0};
    }
    const int32_t *image = set->copies[item - set->count].image;
    return (vec3){image[0], image[1], image[2]};
}

#endif
