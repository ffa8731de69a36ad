/* Makes rows of spheres from the caller's arrays. */
#include <math.h>
#include <string.h>

#include "../base/error.h"
#include "../base/parallel.h"
#include "query_pairs.h"

enum { ROW_CHUNK = 8192 };

typedef struct loading {
    row_source source;
    sphere_row *rows;
    abut_index count;
    row_bounds *bounds; /* one for each chunk */
} loading;

static abut_status load_chunk(void *context, abut_index chunk, parallel_job *job)
{
    const loading *l = context;
    const abut_index begin = chunk * ROW_CHUNK;
    const abut_index end = parallel_chunk_end(begin, ROW_CHUNK, l->count);
    if (!pair_kernels_take()->gather_load(&l->source, begin, end, l->rows, &l->bounds[chunk])) {
        return ABUT_CENTER_NOT_FINITE;
    }
    return parallel_report(job, (end - begin) / 2);
}

/* Joins the bounds of all chunks. */
static row_bounds join_bounds(const row_bounds *chunks, abut_index count)
{
    row_bounds all = {{0.0}, {0.0}, false};
    for (abut_index k = 0; k < count; k++) {
        for (int axis = 0; axis < 3; axis++) {
            const bool is_lower = k == 0 || chunks[k].low[axis] < all.low[axis];
            const bool is_higher = k == 0 || chunks[k].high[axis] > all.high[axis];
            all.low[axis] = is_lower ? chunks[k].low[axis] : all.low[axis];
            all.high[axis] = is_higher ? chunks[k].high[axis] : all.high[axis];
        }
        all.is_outside |= chunks[k].is_outside;
    }
    return all;
}

static abut_status load_rows(abut_pairs *pairs, row_set *set)
{
    const abut_pair_finder *finder = pairs->finder;
    const abut_index chunks = parallel_chunk_count(set->count, ROW_CHUNK);
    loading l = {.count = set->count};
    l.source = (row_source){.centers = set->centers,
                            .reaches = set->reaches,
                            .dimension = finder->dimension,
                            .lattice = &finder->lattice};
    /* the first row begins a cache line, so that no row crosses one */
    void *block =
        memory_reserve(&set->memory->blocks[SET_ROWS], set->count + GRID_PADDING, sizeof *l.rows);
    l.rows = block ? memory_first_line(block) : NULL;
    l.bounds = memory_reserve(&set->memory->blocks[SET_BOUNDS], chunks, sizeof *l.bounds);
    abut_status status = l.rows && l.bounds ? ABUT_OK : ABUT_NO_MEMORY;
    if (!status) {
        const parallel_plan plan = pairs_plan(pairs, chunks, set->count / 2);
        status = parallel_run(&plan, load_chunk, &l);
    }
    if (!status) {
        set->rows = l.rows;
        set->item_count = set->count;
        set->bounds = set->item_bounds = join_bounds(l.bounds, chunks);
    }
    return status;
}

static abut_status check_coordinate(double x)
{
    if (!isfinite(x)) {
        return ABUT_CENTER_NOT_FINITE;
    }
    return fabs(x) > ABUT_COORDINATE_LIMIT ? ABUT_CENTER_TOO_FAR : ABUT_OK;
}

/* The caller's center of a sphere. In the plane, its third coordinate is 0. */
static vec3 center_of(const row_set *set, int dimension, abut_index sphere)
{
    const double *center = set->centers + dimension * sphere;
    return (vec3){center[0], center[1], dimension == 3 ? center[2] : 0.0};
}

/* Sets the error to a wrong coordinate of a sphere. Returns ABUT_OK if there is none. */
static abut_status check_center(const abut_pairs *pairs, const row_set *set, abut_index sphere,
                                abut_error *error)
{
    const int dimension = pairs->finder->dimension;
    const double *center = set->centers + dimension * sphere;
    for (int axis = 0; axis < dimension; axis++) {
        const abut_status status = check_coordinate(center[axis]);
        if (status) {
            return error_set(error, status, sphere, axis, center[axis]);
        }
    }
    const int far =
        lattice_far_axis(&pairs->finder->lattice, center_of(set, dimension, sphere), dimension);
    return far < 0 ? ABUT_OK : error_set(error, ABUT_TOO_MANY_PERIODS, sphere, far, center[far]);
}

/* Reports the first wrong coordinate. */
static abut_status find_bad_center(const abut_pairs *pairs, const row_set *set, bool is_other,
                                   abut_error *error)
{
    for (abut_index k = 0; k < set->count; k++) {
        const abut_status status = check_center(pairs, set, k, error);
        if (status) {
            error->of_others = is_other;
            return status;
        }
    }
    return error_set_status(error, ABUT_INPUT_CHANGED);
}

static abut_status load_set(abut_pairs *pairs, row_set *set, bool is_other, abut_error *error)
{
    const abut_status status = load_rows(pairs, set);
    return status == ABUT_CENTER_NOT_FINITE ? find_bad_center(pairs, set, is_other, error) : status;
}

abut_status gather_rows(abut_pairs *pairs, abut_error *error)
{
    abut_status status = load_set(pairs, &pairs->own, false, error);
    if (!status && pairs->second_set == &pairs->others) {
        status = load_set(pairs, &pairs->others, true, error);
    }
    return status;
}

vec3 gather_wraps(const abut_pairs *pairs, const row_set *set, int32_t sphere)
{
    const lattice *l = &pairs->finder->lattice;
    const vec3 center = center_of(set, pairs->finder->dimension, sphere);
    double place[3];
    vec3_store(place, center);
    /* the center is checked again, since the caller may have changed it */
    const bool is_moved = set->bounds.is_outside && lattice_is_near(l, center);
    return is_moved ? lattice_wrap_point(l, place) : (vec3){0.0, 0.0, 0.0};
}
