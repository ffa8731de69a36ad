/* Makes all images of spheres that may touch other spheres in a small periodic box. */
#include <math.h>

#include "../base/error.h"
#include "query_pairs.h"

/* Limits of a query in which a sphere may touch several images of another: these numbers of images
 * and pairs, and COUNT_EACH more for each sphere. An image or a pair takes about 150 bytes, so the
 * limits are 1.5 GB, and 77 kB for each sphere. Small spheres near a sphere that is five periods
 * wide need no more. Larger numbers usually come from wrong units. */
#define IMAGES_AT_LEAST 0x1p20
#define PAIRS_AT_LEAST 0x1p23
#define COUNT_EACH 256.0

box_images images_find(const abut_pair_finder *finder, const double place[3], double reach)
{
    box_images range = {{0.0}, {0.0}};
    for (int axis = 0; axis < 3; axis++) {
        const double period = finder->lattice.period[axis], wide = reach * (1.0 + GRID_ROUNDING);
        if (period > 0.0) {
            range.first[axis] = ceil(-(wide + place[axis]) / period - GRID_ROUNDING);
            range.last[axis] = floor((wide - place[axis]) / period + 1.0 + GRID_ROUNDING);
        }
    }
    return range;
}

static double count_images(const box_images *range)
{
    double count = 1.0;
    for (int axis = 0; axis < 3; axis++) {
        count *= range->last[axis] - range->first[axis] + 1.0;
    }
    return count;
}

/* The images made so far, sphere by sphere; the images of a sphere ascend. */
typedef struct image_list {
    const abut_pairs *pairs;
    sphere_image *images;
    sphere_row *rows;
    double *reaches;
    abut_index count;
} image_list;

static void add_image(image_list *list, int32_t sphere, const double image[3])
{
    const abut_pair_finder *finder = list->pairs->finder;
    const sphere_row *row = &list->pairs->second_set->rows[sphere];
    sphere_image *at = &list->images[list->count];
    sphere_row *to = &list->rows[list->count];
    double farthest = 0.0;
    at->sphere = sphere;
    for (int axis = 0; axis < 3; axis++) {
        const double shift = image[axis] * finder->lattice.period[axis];
        at->image[axis] = (int32_t)image[axis];
        to->place[axis] = row->place[axis] + shift;
        const double far = fabs(shift) + finder->lattice.period[axis];
        farthest = far > farthest ? far : farthest;
    }
    /* a little larger than the sphere, to cover rounding; touches_image decides */
    to->reach = row->reach * (1.0 + GRID_ROUNDING) + GRID_ROUNDING * farthest;
    list->reaches[list->count++] = to->reach;
}

static void add_images(image_list *list, int32_t sphere, const box_images *range)
{
    double image[3];
    for (image[0] = range->first[0]; image[0] <= range->last[0]; image[0] += 1.0) {
        for (image[1] = range->first[1]; image[1] <= range->last[1]; image[1] += 1.0) {
            for (image[2] = range->first[2]; image[2] <= range->last[2]; image[2] += 1.0) {
                add_image(list, sphere, image);
            }
        }
    }
}

static box_images images_of(const abut_pairs *pairs, abut_index sphere, double reach)
{
    const row_set *set = pairs->second_set;
    return images_find(pairs->finder, set->rows[sphere].place, set->reaches[sphere] + reach);
}

static double count_all(const abut_pairs *pairs, double reach)
{
    double count = 0.0;
    for (abut_index k = 0; k < pairs->second_set->count; k++) {
        const box_images range = images_of(pairs, k, reach);
        count += count_images(&range);
    }
    return count;
}

abut_status images_report_many(const abut_pairs *pairs, abut_error *error)
{
    const lattice *l = &pairs->finder->lattice;
    const int narrowest = lattice_narrowest(l);
    return error_set(error, ABUT_PERIOD_TOO_SHORT, narrowest, 0, l->widths[narrowest]);
}

abut_index images_pair_limit(const abut_pairs *pairs)
{
    const double spheres = (double)pairs->own.count + (double)pairs->others.count;
    return (abut_index)(PAIRS_AT_LEAST + COUNT_EACH * spheres);
}

/* Sets the number of images, and the largest number of pairs allowed. False: too many images. */
static bool set_limits(abut_pairs *pairs, double image_count)
{
    const double spheres = (double)pairs->own.count + (double)pairs->others.count;
    const double most = IMAGES_AT_LEAST + COUNT_EACH * spheres;
    pairs->image_pair_limit = images_pair_limit(pairs);
    pairs->image_count = image_count <= most ? (abut_index)image_count : 0;
    return image_count <= (most < INT32_MAX ? most : INT32_MAX);
}

static void set_bounds(const image_list *list, row_bounds *bounds)
{
    for (abut_index k = 0; k < list->count; k++) {
        for (int axis = 0; axis < 3; axis++) {
            const double x = list->rows[k].place[axis];
            bounds->low[axis] = k == 0 || x < bounds->low[axis] ? x : bounds->low[axis];
            bounds->high[axis] = k == 0 || x > bounds->high[axis] ? x : bounds->high[axis];
        }
    }
}

abut_status images_make(abut_pairs *pairs)
{
    const double reach = levels_reach(&pairs->finder->levels);
    image_list list = {.pairs = pairs};
    if (!set_limits(pairs, count_all(pairs, reach))) {
        return ABUT_PERIOD_TOO_SHORT;
    }
    const abut_index count = pairs->image_count;
    list.images = memory_reserve(&pairs->memory->blocks[IMAGES], count, sizeof *list.images);
    void *rows =
        memory_reserve(&pairs->memory->blocks[IMAGE_ROWS], count + GRID_PADDING, sizeof *list.rows);
    list.rows = rows ? memory_first_line(rows) : NULL;
    list.reaches =
        memory_reserve(&pairs->memory->blocks[IMAGE_REACHES], count, sizeof *list.reaches);
    if (!list.images || !list.rows || !list.reaches) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index k = 0; k < pairs->second_set->count; k++) {
        const box_images range = images_of(pairs, k, reach);
        add_images(&list, (int32_t)k, &range);
    }
    pairs->images = list.images;
    pairs->image_rows = list.rows;
    pairs->image_reaches = list.reaches;
    set_bounds(&list, &pairs->image_bounds);
    return ABUT_OK;
}
