/* Builds a finder of convex contacts. */
#include "convex_finder.h"

#include <string.h>

#include "../abut/pairs.h"
#include "../mesh/tolerance.h"
#include "spots.h"

abut_convex_options abut_convex_options_default(void)
{
    return (abut_convex_options){.method = ABUT_SHORTEST_LINK,
                                 .patch_angle = 5.0 * PI / 180.0,
                                 .cp_first = 5.0 * PI / 180.0,
                                 .cp_last = 0.01 * PI / 180.0,
                                 .iterations = 100};
}

/* Errors about spheres, and the same ones about bodies. */
static const abut_status same[][2] = {
    {ABUT_CENTER_NOT_FINITE, ABUT_POSITION_NOT_FINITE},
    {ABUT_CENTER_TOO_FAR, ABUT_POSITION_TOO_FAR},
    {ABUT_TOO_MANY_PERIODS, ABUT_POSITION_FAR_PERIODS},
    {ABUT_RADIUS_TOO_SMALL, ABUT_BODY_TOO_SMALL},
    {ABUT_BAD_RADIUS, ABUT_BODY_TOO_LARGE},
    {ABUT_TOO_MANY_IMAGES, ABUT_BODY_MANY_IMAGES},
    {ABUT_PERIOD_TOO_SHORT, ABUT_BODY_SHORT_PERIOD},
};

static abut_status rename(abut_status status, int from, abut_error *error)
{
    for (size_t k = 0; k < sizeof same / sizeof same[0]; k++) {
        if (status == same[k][from]) {
            status = same[k][1 - from];
            break;
        }
    }
    if (error) {
        error->status = status;
    }
    return status;
}

abut_status finder_name_body(abut_status status, abut_error *error)
{
    return rename(status, 0, error);
}

abut_status finder_name_sphere(abut_status status, abut_error *error)
{
    return rename(status, 1, error);
}

/* ---- scratch ---- */

static void destroy_room(pooled *self)
{
    memory_free(((spot_room *)self)->spots);
    memory_free(self);
}

spot_room *finder_take_room(const abut_convex_finder *finder, int32_t spots)
{
    spot_room *room = pool_provide(&finder->leftovers->rooms, sizeof *room, destroy_room);
    if (room && memory_fit(&room->spots, spots, &room->capacity, sizeof *room->spots)) {
        destroy_room(&room->pooled);
        return NULL;
    }
    return room;
}

void finder_give_room(const abut_convex_finder *finder, spot_room *room)
{
    pool_give(&finder->leftovers->rooms, &room->pooled);
}

/* ---- checks ---- */

static bool is_angle(double angle, double limit)
{
    return angle > 0.0 && angle < limit;
}

static abut_status check_cp_angles(const abut_convex_options *options, abut_error *error)
{
    if (!is_angle(options->cp_first, 0.5 * PI)) {
        return error_set(error, ABUT_BAD_CP_ANGLE, 0, 0, options->cp_first);
    }
    if (!is_angle(options->cp_last, 0.5 * PI) || options->cp_last > options->cp_first) {
        return error_set(error, ABUT_BAD_CP_ANGLE, 1, 0, options->cp_last);
    }
    return ABUT_OK;
}

static abut_status check_options(const abut_convex_options *options, abut_error *error)
{
    const int method = (int)options->method;
    if (method < ABUT_SHORTEST_LINK || method > ABUT_DIRECT_SEARCH) {
        return error_set(error, ABUT_BAD_METHOD, method, 0, 0.0);
    }
    if (!is_angle(options->patch_angle, 0.25 * PI)) {
        return error_set(error, ABUT_BAD_PATCH_ANGLE, 0, 0, options->patch_angle);
    }
    if (options->iterations < 1) {
        return error_set(error, ABUT_BAD_ITERATIONS, options->iterations, 0, 0.0);
    }
    return check_cp_angles(options, error);
}

static abut_status check_shapes(const abut_convex_input *input, abut_error *error)
{
    if (input->shape_count < 1) {
        return error_set_status(error, ABUT_NO_SHAPES);
    }
    const int dimension = input->shapes[0]->dimension;
    for (abut_index k = 0; k < input->shape_count; k++) {
        if (input->shapes[k]->dimension != dimension) {
            return error_set(error, ABUT_MIXED_SHAPES, k, input->shapes[k]->dimension, dimension);
        }
    }
    return ABUT_OK;
}

static abut_status check_input(const abut_convex_input *input, abut_error *error)
{
    if (input->body_count > INT32_MAX) {
        return error_set(error, ABUT_TOO_MANY_BODIES, input->body_count, 0, 0.0);
    }
    const abut_status status = check_shapes(input, error);
    return status ? status : check_options(&input->options, error);
}

/* ---- copies ---- */

/* Copies a body, and computes the radius of the sphere around it. Checks are made on the copy. */
static abut_status copy_body(const abut_convex_input *input, abut_index i,
                             const abut_convex_finder *finder, abut_error *error)
{
    const abut_index number = input->shape ? input->shape[i] : 0;
    const double scale = input->scales ? input->scales[i] : 1.0;
    if (number < 0 || number >= finder->shape_count) {
        return error_set(error, ABUT_BAD_SHAPE_NUMBER, i, number,
                         (double)(finder->shape_count - 1));
    }
    if (!(scale > 0.0 && scale <= ABUT_COORDINATE_LIMIT)) {
        return error_set(error, ABUT_BAD_SCALE, i, 0, scale);
    }
    const abut_shape *shape = finder->shapes[number];
    const double radius = scale * shape->view.circumradius * (1.0 + TOLD_APART);
    if (!(radius >= ABUT_SMALLEST_RADIUS)) {
        return error_set(error, ABUT_BODY_TOO_SMALL, i, 0, radius);
    }
    if (radius > ABUT_COORDINATE_LIMIT) {
        return error_set(error, ABUT_BODY_TOO_LARGE, i, 0, radius);
    }
    finder->bodies[i] = (convex_body){.shape = shape, .scale = scale};
    finder->radii[i] = radius;
    return ABUT_OK;
}

/* The largest number of spots of any two bodies. spots_limit grows with the corners of both shapes,
 * so two bodies of one shape reach the largest number. */
static int32_t most_spots(const abut_convex_finder *finder)
{
    int32_t most = 1;
    for (abut_index k = 0; k < finder->shape_count; k++) {
        const int32_t limit = spots_limit(finder->shapes[k], finder->shapes[k]);
        most = limit > most ? limit : most;
    }
    return most;
}

static abut_status fill_finder(const abut_convex_input *input, abut_convex_finder *finder,
                               abut_error *error)
{
    const size_t shapes = (size_t)input->shape_count;
    finder->leftovers = memory_alloc_zeroed(1, sizeof *finder->leftovers);
    finder->shapes = memory_alloc(input->shape_count, sizeof *finder->shapes);
    finder->bodies = memory_alloc(input->body_count, sizeof *finder->bodies);
    finder->radii = memory_alloc(input->body_count, sizeof *finder->radii);
    if (!finder->leftovers || !finder->shapes || !finder->bodies || !finder->radii) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    memcpy(finder->shapes, input->shapes, shapes * sizeof *finder->shapes);
    finder->spot_limit = most_spots(finder);
    abut_status status = ABUT_OK;
    for (abut_index i = 0; !status && i < input->body_count; i++) {
        status = copy_body(input, i, finder, error);
    }
    return status;
}

abut_status abut_convex_finder_build(const abut_convex_input *input, abut_convex_finder **finder,
                                     abut_error *error)
{
    const abut_convex_input copy = *input;
    *finder = NULL;
    error_set_status(error, ABUT_OK);
    abut_status status = check_input(&copy, error);
    if (status) {
        return status;
    }
    abut_convex_finder *made = memory_alloc_zeroed(1, sizeof *made);
    if (!made) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    made->shape_count = copy.shape_count;
    made->dimension = copy.shapes[0]->dimension;
    made->body_count = copy.body_count;
    made->options = copy.options;
    status = fill_finder(&copy, made, error);
    if (status) {
        abut_convex_finder_free(made);
    } else {
        *finder = made;
    }
    return status;
}

void abut_convex_finder_free(abut_convex_finder *finder)
{
    if (!finder) {
        return;
    }
    if (finder->leftovers) {
        pool_empty(&finder->leftovers->contacts);
        pool_empty(&finder->leftovers->entrances);
        pool_empty(&finder->leftovers->rooms);
        memory_free(finder->leftovers);
    }
    memory_free((void *)finder->shapes);
    memory_free(finder->bodies);
    memory_free(finder->radii);
    memory_free(finder);
}
