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

/* A pair of rows, and all images at which they may touch. */
typedef struct image_search {
    const abut_pairs *pairs;
    const sphere_row *i, *j;
    image_range range;
} image_search;

/* Sets *image to the image that follows *given in lexicographic order, and *given to its name, as
 * the caller's period counts it. Images of another basis are in no order, so all are compared. */
static void find_next(const image_search *s, vec3 *given, vec3 *image)
{
    const vec3 before = *given;
    bool is_found = false, has_image = true;
    vec3 next = s->range.first;
    for (; has_image; has_image = image_range_next(&s->range, &next)) {
        const vec3 name = row_images_given(s->pairs, next);
        if (vec3_compare(name, before) > 0 && (!is_found || vec3_compare(name, *given) < 0) &&
            is_row(s->pairs, s->i, s->j, next)) {
            *given = name, *image = next;
            is_found = true;
        }
    }
}

/* Writes `count` images of rows, in the order of rows. `before` rows of the same spheres are before
 * them. */
static void find_by_name(const image_search *s, abut_index before, int32_t count, vec3 *images)
{
    vec3 given = {-INFINITY, -INFINITY, -INFINITY}, image = {0.0, 0.0, 0.0};
    for (abut_index k = 0; k < before + count; k++) {
        find_next(s, &given, &image);
        if (k >= before) {
            images[k - before] = image;
        }
    }
}

/* Does what find_by_name does, if the images of the search are in the order of rows. */
static void find_in_order(const image_search *s, abut_index before, int32_t count, vec3 *images)
{
    abut_index found = 0;
    vec3 image = s->range.first;
    bool has_image = true;
    for (; has_image && found < before + count; has_image = image_range_next(&s->range, &image)) {
        if (is_row(s->pairs, s->i, s->j, image)) {
            if (found >= before) {
                images[found - before] = image;
            }
            found++;
        }
    }
}

/* How many of the rows from `row` on have the same two spheres, at most `most`. */
static int32_t rows_from(const abut_pairs *pairs, abut_index row, int32_t first, int32_t most)
{
    int32_t count = 1;
    while (count < most && row + count < pairs->offsets[first + 1] &&
           pairs->seconds[row + count] == pairs->seconds[row]) {
        count++;
    }
    return count;
}

/* Writes the images of `row` and the rows after it with the same two spheres, at most `most`.
 * Returns their number. Of the rows of two spheres, the k-th one has the k-th image. */
static int32_t find_several(const abut_pairs *pairs, abut_index row, int32_t first, int32_t most,
                            vec3 *images)
{
    image_search s = {.pairs = pairs,
                      .i = &pairs->own.rows[first],
                      .j = &pairs->second_set->rows[pairs->seconds[row]]};
    const vec3 apart = vec3_sub(vec3_load(s.i->place), vec3_load(s.j->place));
    s.range = lattice_images_near(&pairs->finder->lattice, apart, s.i->reach + s.j->reach);
    const abut_index before = rows_before(pairs, row, first);
    const int32_t count = rows_from(pairs, row, first, most);
    if (pairs->finder->has_other_basis) {
        find_by_name(&s, before, count, images);
    } else {
        find_in_order(&s, before, count, images);
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
            k += find_several(pairs, row + k, firsts[k], count - k, images + k) - 1;
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
