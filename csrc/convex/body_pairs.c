/* Lists the pairs of bodies of a query. */
#include "body_pairs.h"

#include <string.h>

#include "../base/lattice_basis.h"
#include "convex_finder.h"

static abut_status check_gap(double gap, abut_error *error)
{
    const bool is_gap = gap >= 0.0 && gap <= ABUT_COORDINATE_LIMIT;
    return is_gap ? ABUT_OK : error_set(error, ABUT_BAD_GAP, 0, 0, gap);
}

/* Sets the pairs, and reserves memory for the images of their second bodies. */
static abut_status set_pairs(body_pairs *pairs, const abut_index *i, const abut_index *j,
                             abut_index count, int dimension)
{
    const bool has_images = pairs->lattice.is_periodic;
    const abut_index numbers = has_images ? dimension * count : 0;
    const abut_index *image = memory_reserve(&pairs->image_block, numbers, sizeof *image);
    pairs->i = i, pairs->j = j, pairs->image = has_images ? image : NULL;
    pairs->count = count;
    return i && j && image ? ABUT_OK : ABUT_NO_MEMORY;
}

static abut_status reserve(body_pairs *pairs, abut_index count, int dimension)
{
    const abut_index *i = memory_reserve(&pairs->i_block, count, sizeof *i);
    const abut_index *j = memory_reserve(&pairs->j_block, count, sizeof *j);
    return set_pairs(pairs, i, j, count, dimension);
}

/* ---- pairs of circumscribed spheres ---- */

/* Uses the finder of the last query if gap and period are the same; otherwise makes a new one. */
static abut_status make_search(const abut_convex_finder *finder, const abut_convex_query *query,
                               body_pairs *pairs, abut_error *error)
{
    candidate_search *search = &pairs->search;
    if (search->finder && search->gap == query->gap &&
        lattice_is_same(&search->lattice, &pairs->lattice)) {
        return ABUT_OK;
    }
    abut_pair_finder_free(search->finder);
    search->finder = NULL;
    search->gap = query->gap;
    search->lattice = pairs->lattice;
    abut_pair_input input = abut_pair_input_default();
    input.sphere_count = finder->body_count;
    input.dimension = finder->dimension;
    input.radii = finder->radii;
    input.gap = query->gap;
    input.period = query->period; /* in the plane, lattice_vectors has rows of three numbers */
    input.workers = query->workers;
    return abut_pair_finder_build(&input, &search->finder, error);
}

static abut_status write_found(const abut_pairs *found, const abut_convex_finder *finder,
                               body_pairs *pairs)
{
    const abut_index count = abut_pairs_count(found);
    const abut_status status = reserve(pairs, count, finder->dimension);
    if (!status) {
        abut_pair_columns columns = {.i = pairs->i_block.data, .j = pairs->j_block.data};
        if (pairs->image) {
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
    abut_status status = make_search(finder, query, pairs, error);
    if (!status) {
        status = abut_pairs_find(pairs->search.finder, &spheres, &found, error);
        status = finder_name_body(status, error);
    }
    status = status ? status : error_set_status(error, write_found(found, finder, pairs));
    abut_pairs_free(found);
    return status;
}

/* ---- the caller's pairs ---- */

/* Copies a pair and checks the copy, since the caller may change the original at any time. */
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

static vec3 load_center(const double *center, int dimension)
{
    return (vec3){center[0], center[1], dimension == 3 ? center[2] : 0.0};
}

/* Whether the periods between a body and the box can be counted. */
static bool is_near(const body_pairs *pairs, vec3 center)
{
    return lattice_is_near(&pairs->lattice, center);
}

/* Reports the body of pair k that is too far away to count its periods. */
static abut_status report_far(const body_pairs *pairs, abut_index k, const convex_places *places,
                              int dimension, abut_error *error)
{
    const abut_index bodies[2] = {pairs->i[k], pairs->j[k]};
    for (int t = 0; t < 2; t++) {
        const double *center = places->centers + dimension * bodies[t];
        const int axis =
            lattice_far_axis(&pairs->lattice, load_center(center, dimension), dimension);
        if (axis >= 0) {
            error_set(error, ABUT_POSITION_FAR_PERIODS, bodies[t], axis, center[axis]);
        }
    }
    return ABUT_POSITION_FAR_PERIODS;
}

/* Sets the image of each second body that is nearest to the first one, by their centers. For a pair
 * of a body with itself, it is the image to which the shortest vector leads. */
static abut_status set_images(const convex_places *places, int dimension, const body_pairs *pairs,
                              abut_error *error)
{
    if (!pairs->image) {
        return ABUT_OK;
    }
    abut_index *images = pairs->image_block.data;
    const lattice_basis reduced = lattice_reduce(&pairs->lattice);
    for (abut_index k = 0; k < pairs->count; k++) {
        const vec3 i = load_center(places->centers + dimension * pairs->i[k], dimension);
        const vec3 j = load_center(places->centers + dimension * pairs->j[k], dimension);
        const bool is_own = pairs->i[k] == pairs->j[k];
        if (!is_own && !(is_near(pairs, i) && is_near(pairs, j))) {
            return report_far(pairs, k, places, dimension, error);
        }
        lattice_put_image(images + dimension * k, dimension,
                          is_own ? lattice_shortest_image(&reduced)
                                 : lattice_closest_image(&reduced, vec3_sub(i, j)));
    }
    return ABUT_OK;
}

static abut_status copy_given(const abut_convex_finder *finder, const abut_convex_query *query,
                              const convex_places *places, body_pairs *pairs, abut_error *error)
{
    abut_status status = reserve(pairs, query->pair_count, finder->dimension);
    error_set_status(error, status);
    for (abut_index k = 0; !status && k < pairs->count; k++) {
        status = copy_pair(query, k, finder->body_count, pairs, error);
    }
    return status ? status : set_images(places, finder->dimension, pairs, error);
}

abut_status candidates_make(const abut_convex_finder *finder, const abut_convex_query *query,
                            const convex_places *places, body_pairs *pairs, abut_error *error)
{
    abut_status status = check_gap(query->gap, error);
    pairs->lattice = lattice_load(query->period, finder->dimension);
    status = status ? status : lattice_check(&pairs->lattice, error);
    if (status) {
        return status;
    }
    return query->i ? copy_given(finder, query, places, pairs, error)
                    : search(finder, query, places, pairs, error);
}

abut_status candidates_take(const abut_convex_finder *finder, const abut_convex_query *query,
                            const convex_places *places, body_pairs *pairs, abut_error *error)
{
    pairs->lattice = lattice_load(query->period, finder->dimension);
    const abut_status status =
        set_pairs(pairs, query->i, query->j, query->pair_count, finder->dimension);
    return status ? error_set_status(error, status)
                  : set_images(places, finder->dimension, pairs, error);
}

vec3 candidates_shift(const body_pairs *pairs, abut_index row, int dimension)
{
    if (!pairs->image) {
        return (vec3){0.0, 0.0, 0.0};
    }
    const abut_index *image = pairs->image + dimension * row;
    const vec3 at = {(double)image[0], (double)image[1], dimension == 3 ? (double)image[2] : 0.0};
    return lattice_shift(&pairs->lattice, at);
}

void candidates_free(body_pairs *pairs)
{
    memory_free(pairs->i_block.data);
    memory_free(pairs->j_block.data);
    memory_free(pairs->image_block.data);
    abut_pair_finder_free(pairs->search.finder);
    *pairs = (body_pairs){0};
}
