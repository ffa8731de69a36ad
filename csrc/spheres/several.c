/* Compares spheres that may touch at several images, each image by itself. */
#include <math.h>
#include <string.h>

#include "giants.h"
#include "query_pairs.h"

/* Whether this image counts for a pair of a sphere with itself. Such a sphere touches the opposite
 * image, too, and only one of both is a row. */
static bool is_first_of_own(const double image[3])
{
    for (int axis = 0; axis < 3; axis++) {
        if (image[axis] != 0.0) {
            return image[axis] > 0.0;
        }
    }
    return false;
}

/* Whether run->from may touch spheres within the bounds, at the run's image. `reach` is as in
 * several_search. False only if they are surely too far away. */
static bool is_near(const abut_pairs *pairs, const row_bounds *bounds, const image_run *run,
                    double reach)
{
    double distance_sq = 0.0, farthest = reach;
    for (int axis = 0; axis < 3; axis++) {
        const double shift = run->image[axis] * pairs->finder->lattice.period[axis];
        const double place = run->from->place[axis] - shift;
        const double below = bounds->low[axis] - place, above = place - bounds->high[axis];
        double apart = below > above ? below : above;
        apart = apart > 0.0 ? apart : 0.0;
        distance_sq += apart * apart;
        farthest = fabs(shift) + fabs(place) > farthest ? fabs(shift) + fabs(place) : farthest;
    }
    const double most = reach + 4.0 * GRID_ROUNDING * farthest;
    return distance_sq <= most * most;
}

bool several_search(const abut_pairs *pairs, image_run *run, double reach, pair_queue *queue)
{
    const row_bounds *bounds = &pairs->second_set->bounds;
    const box_images range = images_find(pairs->finder, run->from->place, reach);
    double image[3];
    for (image[0] = range.first[0]; image[0] <= range.last[0]; image[0] += 1.0) {
        for (image[1] = range.first[1]; image[1] <= range.last[1]; image[1] += 1.0) {
            for (image[2] = range.first[2]; image[2] <= range.last[2]; image[2] += 1.0) {
                for (int axis = 0; axis < 3; axis++) {
                    /* the range is of images of run->from; images of the others are opposite */
                    run->image[axis] = 0.0 - image[axis];
                }
                if (is_near(pairs, bounds, run, reach) &&
                    !pair_kernels_take()->several_run(&pairs->memory->grid, run, queue)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* ---- the images of rows ---- */

/* The images of sphere j that may be within `reach` of sphere i; `apart` leads from j to i. */
static box_images images_within(const lattice *l, const double apart[3], double reach)
{
    box_images range = {{0.0}, {0.0}};
    for (int axis = 0; axis < 3; axis++) {
        const double period = l->period[axis], wide = reach * (1.0 + GRID_ROUNDING);
        if (period > 0.0) {
            range.first[axis] = ceil((apart[axis] - wide) / period - GRID_ROUNDING);
            range.last[axis] = floor((apart[axis] + wide) / period + GRID_ROUNDING);
        }
    }
    return range;
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

/* Whether sphere i touches this image of sphere j, and the pair is a row. */
static bool is_pair(const abut_pairs *pairs, const sphere_row *i, const sphere_row *j,
                    const double image[3])
{
    return (i != j || is_first_of_own(image)) && grid_touches(&pairs->finder->lattice, i, j, image);
}

/* Whether no other row has the same two spheres. */
static bool is_alone(const abut_pairs *pairs, abut_index row, int32_t first)
{
    const int32_t *seconds = pairs->seconds;
    return (row == pairs->offsets[first] || seconds[row - 1] != seconds[row]) &&
           (row + 1 == pairs->offsets[first + 1] || seconds[row + 1] != seconds[row]);
}

/* True for most pairs: they touch at the nearest image only. Then no search is needed. */
bool several_has_image(const abut_pairs *pairs, abut_index row, int32_t first,
                       const double image[3])
{
    const sphere_row *i = &pairs->own.rows[first];
    const sphere_row *j = &pairs->second_set->rows[pairs->seconds[row]];
    return is_alone(pairs, row, first) && is_pair(pairs, i, j, image);
}

/* Rows of the same two spheres are in the order of their images: the k-th of these rows has the
 * k-th image at which the spheres touch. */
int32_t several_find_images(const abut_pairs *pairs, abut_index row, int32_t first, int32_t most,
                            double (*images)[3])
{
    const sphere_row *i = &pairs->own.rows[first];
    const sphere_row *j = &pairs->second_set->rows[pairs->seconds[row]];
    double apart[3], image[3];
    for (int axis = 0; axis < 3; axis++) {
        apart[axis] = i->place[axis] - j->place[axis];
    }
    const box_images range = images_within(&pairs->finder->lattice, apart, i->reach + j->reach);
    abut_index before = rows_before(pairs, row, first);
    int32_t count = 0;
    for (image[0] = range.first[0]; image[0] <= range.last[0]; image[0] += 1.0) {
        for (image[1] = range.first[1]; image[1] <= range.last[1]; image[1] += 1.0) {
            for (image[2] = range.first[2]; image[2] <= range.last[2]; image[2] += 1.0) {
                if (count < most && is_pair(pairs, i, j, image) && before-- <= 0) {
                    memcpy(images[count++], image, sizeof image);
                }
            }
        }
    }
    return count;
}

bool several_search_own(const abut_pairs *pairs, const sphere_row *row, int32_t number,
                        pair_queue *queue)
{
    const lattice *l = &pairs->finder->lattice;
    const box_images range = images_within(l, (double[3]){0.0}, 2.0 * row->reach);
    double image[3];
    for (image[0] = 0.0; image[0] <= range.last[0]; image[0] += 1.0) {
        for (image[1] = range.first[1]; image[1] <= range.last[1]; image[1] += 1.0) {
            for (image[2] = range.first[2]; image[2] <= range.last[2]; image[2] += 1.0) {
                if (!is_first_of_own(image) || !grid_touches(l, row, row, image)) {
                    continue;
                }
                if (queue->count + GRID_PADDING >= queue->capacity && !queue->drain(queue, 1)) {
                    return false;
                }
                queue->firsts[queue->count] = queue->seconds[queue->count] = number;
                queue->count++;
            }
        }
    }
    return true;
}
