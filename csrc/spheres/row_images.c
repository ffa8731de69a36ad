#include "row_images.h"

/* Whether no other row has the same two spheres. */
static bool is_alone(const abut_pairs *pairs, abut_index row, int32_t first)
{
    const int32_t *seconds = pairs->seconds;
    return (row == pairs->offsets[first] || seconds[row - 1] != seconds[row]) &&
           (row + 1 == pairs->offsets[first + 1] || seconds[row + 1] != seconds[row]);
}

/* How many rows directly before this one have the same two spheres. */
static abut_index rows_before(const abut_pairs *pairs, abut_index row, int32_t first)
{
    abut_index before = row;
    while (before > pairs->offsets[first] && pairs->seconds[before - 1] == pairs->seconds[row]) {
        before--;
    }
    return row - before;
}

vec3 row_images_given(const abut_pairs *pairs, vec3 image)
{
    const abut_pair_finder *finder = pairs->finder;
    return finder->has_other_basis ? lattice_basis_given(&finder->basis, image) : image;
}

/* Whether sphere i touches this image of sphere j, and the pair is a row. A sphere touches its own
 * images in opposite pairs, and one of each pair is a row. */
static bool is_row(const abut_pairs *pairs, const sphere_row *i, const sphere_row *j, vec3 image)
{
    return (i != j || lattice_is_positive(row_images_given(pairs, image))) &&
           grid_touches(&pairs->finder->lattice, i, j, image);
}

/* Sorts images into lexicographic order, as the caller's period counts them. In most cells they are
 * in this order already. */
static void sort_images(const abut_pairs *pairs, int32_t count, vec3 *images)
{
    for (int32_t k = 1; k < count; k++) {
        const vec3 image = images[k], key = row_images_given(pairs, image);
        int32_t at = k;
        for (; at > 0 && vec3_compare(row_images_given(pairs, images[at - 1]), key) > 0; at--) {
            images[at] = images[at - 1];
        }
        images[at] = image;
    }
}

/* Writes the images of `row` and the rows after it with the same two spheres, at most `most`.
 * Returns their number. The k-th of these rows has the k-th image at which the spheres touch. */
static int32_t find_several(const abut_pairs *pairs, abut_index row, int32_t first, int32_t most,
                            vec3 *images)
{
    const sphere_row *i = &pairs->own.rows[first];
    const sphere_row *j = &pairs->second_set->rows[pairs->seconds[row]];
    const vec3 apart = vec3_sub(vec3_load(i->place), vec3_load(j->place));
    const image_range range =
        lattice_images_near(&pairs->finder->lattice, apart, i->reach + j->reach);
    abut_index before = rows_before(pairs, row, first);
    int32_t count = 0;
    vec3 image = range.first;
    bool has_image = image_range_count(&range) > 0.0;
    for (; has_image && count < most; has_image = image_range_next(&range, &image)) {
        if (is_row(pairs, i, j, image) && before-- <= 0) {
            images[count++] = image;
        }
    }
    if (pairs->finder->has_other_basis) {
        sort_images(pairs, count, images);
    }
    return count;
}

/* Replaces the nearest images of rows if their spheres may touch at several images. */
static void replace_several(const abut_pairs *pairs, abut_index row, int32_t count,
                            const int32_t *firsts, const int32_t *seconds, vec3 *images)
{
    for (int32_t k = 0; k < count; k++) {
        const sphere_row *i = &pairs->own.rows[firsts[k]];
        const sphere_row *j = &pairs->second_set->rows[seconds[k]];
        const bool is_nearest =
            !pairs_may_touch_twice(pairs, i->reach + j->reach) ||
            (is_alone(pairs, row + k, firsts[k]) && is_row(pairs, i, j, images[k]));
        if (!is_nearest) {
            const int32_t found = find_several(pairs, row + k, firsts[k], count - k, images + k);
            k += found > 0 ? found - 1 : 0;
        }
    }
}

void row_images_find(const abut_pairs *pairs, abut_index row, int32_t count, const int32_t *firsts,
                     const int32_t *seconds, vec3 *images)
{
    const sphere_row *own = pairs->own.rows, *second = pairs->second_set->rows;
    for (int32_t k = 0; k < count; k++) {
        const vec3 apart =
            vec3_sub(vec3_load(own[firsts[k]].place), vec3_load(second[seconds[k]].place));
        images[k] = lattice_nearest_image(&pairs->finder->lattice, apart);
    }
    if (pairs->image_pair_limit > 0) {
        replace_several(pairs, row, count, firsts, seconds, images);
    }
}
