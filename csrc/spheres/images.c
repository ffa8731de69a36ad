/* All images of spheres that may touch those of a small periodic box. */
#include <math.h>

#include "pairs.h"

/* Of one sphere: more come from a slip of units. */
#define IMAGE_LIMIT 0x1p20

typedef struct image_range {
    double first[3], last[3];
} image_range;

/* The images of a place that a sphere in the box with such a reach may touch, reaches added up. */
static image_range find_images(const abut_pair_finder *finder, const double place[3], double reach)
{
    image_range range = {{0.0}, {0.0}};
    for (int axis = 0; axis < 3; axis++) {
        const double period = finder->period[axis], wide = reach * (1.0 + GRID_ROUNDING);
        if (period > 0.0) {
            range.first[axis] = ceil(-(wide + place[axis]) / period - GRID_ROUNDING);
            range.last[axis] = floor((wide - place[axis]) / period + 1.0 + GRID_ROUNDING);
        }
    }
    return range;
}

static double count_images(const image_range *range)
{
    double count = 1.0;
    for (int axis = 0; axis < 3; axis++) {
        count *= range->last[axis] - range->first[axis] + 1.0;
    }
    return count;
}

/* The images that are made: of each sphere in order, by image. */
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
        const double shift = image[axis] * finder->period[axis];
        at->image[axis] = (int32_t)image[axis];
        to->place[axis] = row->place[axis] + shift;
        const double far = fabs(shift) + finder->period[axis];
        farthest = far > farthest ? far : farthest;
    }
    /* who decides whether they touch takes no such detour */
    to->reach = row->reach * (1.0 + GRID_ROUNDING) + GRID_ROUNDING * farthest;
    list->reaches[list->count++] = to->reach;
}

static void add_images(image_list *list, int32_t sphere, const image_range *range)
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

static image_range images_of(const abut_pairs *pairs, abut_index sphere, double reach)
{
    const row_set *set = pairs->second_set;
    return find_images(pairs->finder, set->rows[sphere].place, set->reaches[sphere] + reach);
}

static abut_status count_all(const abut_pairs *pairs, double reach, abut_index *count,
                             abut_error *error)
{
    *count = 0;
    for (abut_index k = 0; k < pairs->second_set->count; k++) {
        const image_range range = images_of(pairs, k, reach);
        const double own = count_images(&range);
        if (!(own <= IMAGE_LIMIT) || *count + (abut_index)own > INT32_MAX) {
            *error = (abut_error){.status = ABUT_TOO_MANY_IMAGES, .index = k};
            return ABUT_TOO_MANY_IMAGES;
        }
        *count += (abut_index)own;
    }
    return ABUT_OK;
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

abut_status images_make(abut_pairs *pairs, abut_error *error)
{
    const double reach = levels_reach(&pairs->finder->levels);
    image_list list = {.pairs = pairs};
    abut_index count;
    abut_status status = count_all(pairs, reach, &count, error);
    if (status) {
        return status;
    }
    list.images = memory_reserve(&pairs->image_block, count, sizeof *list.images);
    void *rows = memory_reserve(&pairs->image_row_block, count + GRID_PADDING, sizeof *list.rows);
    list.rows = rows ? memory_first_line(rows) : NULL;
    list.reaches = memory_reserve(&pairs->image_reach_block, count, sizeof *list.reaches);
    if (!list.images || !list.rows || !list.reaches) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index k = 0; k < pairs->second_set->count; k++) {
        const image_range range = images_of(pairs, k, reach);
        add_images(&list, (int32_t)k, &range);
    }
    pairs->images = list.images;
    pairs->image_rows = list.rows;
    pairs->image_reaches = list.reaches;
    pairs->image_count = count;
    set_bounds(&list, &pairs->image_bounds);
    return ABUT_OK;
}
