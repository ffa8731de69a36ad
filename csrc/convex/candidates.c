/* Which pairs of bodies a query looks at. */
#include "candidates.h"

#include <string.h>

#include "../spheres/period.h"

/* ---- gap and period ---- */

static bool is_periodic(const double *period, int dimension)
{
    bool is = false;
    for (int axis = 0; period && axis < dimension; axis++) {
        is |= period[axis] != 0.0;
    }
    return is;
}

static abut_status check_gap(double gap, abut_error *error)
{
    const bool is_gap = gap >= 0.0 && gap <= ABUT_COORDINATE_LIMIT;
    return is_gap ? ABUT_OK : error_set(error, ABUT_BAD_GAP, 0, 0, gap);
}

static abut_status check_period(const double *period, int dimension, abut_error *error)
{
    for (int axis = 0; period && axis < dimension; axis++) {
        const double length = period[axis];
        if (length != 0.0 && !(length > 0.0 && length <= ABUT_COORDINATE_LIMIT)) {
            return error_set(error, ABUT_BAD_PERIOD, axis, 0, length);
        }
    }
    return ABUT_OK;
}

static abut_status reserve(body_pairs *pairs, abut_index count, bool has_images, int dimension)
{
    abut_index *i = memory_reserve(&pairs->i_block, count, sizeof *i);
    abut_index *j = memory_reserve(&pairs->j_block, count, sizeof *j);
    abut_index *image = NULL;
    if (has_images) {
        image = memory_reserve(&pairs->image_block, dimension * count, sizeof *image);
    }
    pairs->i = i, pairs->j = j, pairs->image = image;
    pairs->count = count;
    return i && j && (image || !has_images) ? ABUT_OK : ABUT_NO_MEMORY;
}

/* ---- pairs of circumscribed spheres ---- */

static bool is_same_search(const candidate_search *search, double gap, const double period[3])
{
    return search->finder && search->gap == gap &&
           memcmp(search->period, period, sizeof search->period) == 0;
}

/* The finder of the query before, or another one for another gap or period. */
static abut_status make_search(const abut_convex_finder *finder, const abut_convex_query *query,
                               candidate_search *search, abut_error *error)
{
    double period[3] = {0.0, 0.0, 0.0};
    for (int axis = 0; query->period && axis < finder->dimension; axis++) {
        period[axis] = query->period[axis];
    }
    if (is_same_search(search, query->gap, period)) {
        return ABUT_OK;
    }
    abut_pair_finder_free(search->finder);
    search->finder = NULL;
    search->gap = query->gap;
    memcpy(search->period, period, sizeof period);
    abut_pair_input input = abut_pair_input_default();
    input.sphere_count = finder->body_count;
    input.dimension = finder->dimension;
    input.radii = finder->radii;
    input.gap = query->gap;
    input.period = search->period;
    input.workers = query->workers;
    return abut_pair_finder_build(&input, &search->finder, error);
}

static abut_status write_found(const abut_pairs *found, const abut_convex_finder *finder,
                               bool has_images, body_pairs *pairs)
{
    const abut_index count = abut_pairs_count(found);
    const abut_status status = reserve(pairs, count, has_images, finder->dimension);
    if (!status) {
        abut_pair_columns columns = {.i = pairs->i_block.data, .j = pairs->j_block.data};
        if (has_images) {
            columns.image = pairs->image_block.data;
            const abut_index numbers = count * finder->dimension;
            memset(columns.image, 0, (size_t)numbers * sizeof *columns.image);
        }
        abut_pairs_write(found, &columns);
    }
    return status;
}

static abut_status search(const abut_convex_finder *finder, const abut_convex_query *query,
                          const convex_places *places, body_pairs *pairs, abut_error *error)
{
    abut_pairs *found = NULL;
    abut_pair_query spheres = abut_pair_query_default();
    spheres.centers = places->centers;
    spheres.workers = query->workers;
    spheres.interrupted = query->interrupted;
    spheres.interrupted_data = query->interrupted_data;
    abut_status status = make_search(finder, query, &pairs->search, error);
    if (!status) {
        status = abut_pairs_find(pairs->search.finder, &spheres, &found, error);
        status = finder_name_body(status, error);
    }
    if (!status) {
        const bool has_images = is_periodic(query->period, finder->dimension);
        status = write_found(found, finder, has_images, pairs);
        error_set_status(error, status);
    }
    abut_pairs_free(found);
    return status;
}

/* ---- the caller's pairs ---- */

/* Copy, then check the copies: the caller's may change at any time. */
static abut_status copy_pair(const abut_convex_query *query, abut_index k, abut_index bodies,
                             const body_pairs *pairs, abut_error *error)
{
    const abut_index i = query->i[k], j = query->j[k];
    ((abut_index *)pairs->i_block.data)[k] = i;
    ((abut_index *)pairs->j_block.data)[k] = j;
    if (i < 0 || i >= bodies) {
        return error_set(error, ABUT_BAD_I, k, i, (double)(bodies - 1));
    }
    if (j < 0 || j >= bodies) {
        return error_set(error, ABUT_BAD_J, k, j, (double)(bodies - 1));
    }
    return i == j && !pairs->image ? error_set(error, ABUT_SAME_BODY, k, i, 0.0) : ABUT_OK;
}

/* Of a body and itself: the nearest image is a shortest period away. */
static void set_own_image(const double *period, int dimension, abut_index *image)
{
    int shortest = -1;
    for (int axis = 0; axis < dimension; axis++) {
        image[axis] = 0;
        if (period[axis] > 0.0 && (shortest < 0 || period[axis] < period[shortest])) {
            shortest = axis;
        }
    }
    image[shortest] = 1;
}

/* The image of j whose center is nearest to that of i. False where one is too far to count. */
static bool set_nearest_image(const double *from, const double *to, const double *period,
                              int dimension, abut_index *image)
{
    bool is_near = true;
    for (int axis = 0; axis < dimension; axis++) {
        const double length = period[axis];
        const bool has_images = length > 0.0;
        is_near &=
            !has_images || (period_is_near(from[axis], length) && period_is_near(to[axis], length));
        image[axis] =
            has_images && is_near ? (abut_index)rint((from[axis] - to[axis]) / length) : 0;
    }
    return is_near;
}

/* Name the body of pair k that is too far to count its periods. */
static abut_status report_far(const body_pairs *pairs, abut_index k, const convex_places *places,
                              const double *period, int dimension, abut_error *error)
{
    const abut_index bodies[2] = {pairs->i[k], pairs->j[k]};
    for (int t = 0; t < 2 * dimension; t++) {
        const abut_index body = bodies[t / dimension];
        const double x = places->centers[dimension * body + t % dimension];
        const double length = period[t % dimension];
        if (length > 0.0 && !period_is_near(x, length)) {
            error_set(error, ABUT_POSITION_FAR_PERIODS, body, t % dimension, x);
        }
    }
    return ABUT_POSITION_FAR_PERIODS;
}

static abut_status set_images(const abut_convex_query *query, const convex_places *places,
                              int dimension, const body_pairs *pairs, abut_error *error)
{
    abut_index *images = pairs->image_block.data;
    for (abut_index k = 0; k < pairs->count; k++) {
        const double *from = places->centers + dimension * pairs->i[k];
        const double *to = places->centers + dimension * pairs->j[k];
        abut_index *image = images + dimension * k;
        if (pairs->i[k] == pairs->j[k]) {
            set_own_image(query->period, dimension, image);
        } else if (!set_nearest_image(from, to, query->period, dimension, image)) {
            return report_far(pairs, k, places, query->period, dimension, error);
        }
    }
    return ABUT_OK;
}

static abut_status copy_given(const abut_convex_finder *finder, const abut_convex_query *query,
                              const convex_places *places, body_pairs *pairs, abut_error *error)
{
    const int dimension = finder->dimension;
    const bool has_images = is_periodic(query->period, dimension);
    abut_status status = reserve(pairs, query->pair_count, has_images, dimension);
    if (status) {
        return error_set_status(error, status);
    }
    for (abut_index k = 0; !status && k < pairs->count; k++) {
        status = copy_pair(query, k, finder->body_count, pairs, error);
    }
    return status || !has_images ? status : set_images(query, places, dimension, pairs, error);
}

abut_status candidates_make(const abut_convex_finder *finder, const abut_convex_query *query,
                            const convex_places *places, body_pairs *pairs, abut_error *error)
{
    abut_status status = check_gap(query->gap, error);
    status = status ? status : check_period(query->period, finder->dimension, error);
    if (status) {
        return status;
    }
    return query->i ? copy_given(finder, query, places, pairs, error)
                    : search(finder, query, places, pairs, error);
}

vec3 candidates_shift(const body_pairs *pairs, abut_index row, const double *period, int dimension)
{
    if (!pairs->image) {
        return (vec3){0.0, 0.0, 0.0};
    }
    const abut_index *image = pairs->image + dimension * row;
    return (vec3){(double)image[0] * period[0], (double)image[1] * period[1],
                  dimension == 3 ? (double)image[2] * period[2] : 0.0};
}

void candidates_free(body_pairs *pairs)
{
    memory_free(pairs->i_block.data);
    memory_free(pairs->j_block.data);
    memory_free(pairs->image_block.data);
    abut_pair_finder_free(pairs->search.finder);
    *pairs = (body_pairs){0};
}
