/* Bodies and spheres as finders and queries of convex bodies want them. */
#include "crowd.h"

#include <string.h>

#include "rigid_set.h"

static void add(crowd *c, abut_index shape, double scale, const rigid_frame *frame)
{
    vec3_store(c->positions + 3 * c->count, frame->origin);
    memcpy(c->orientations + 4 * c->count, frame->orientation, sizeof frame->orientation);
    c->shapes[c->count] = shape, c->scales[c->count++] = scale;
}

abut_status crowd_gather(crowd *c, const rigid_set *bodies, const store *spheres,
                         const int32_t *rows, abut_index row_count)
{
    const abut_index count = bodies->count + row_count;
    c->count = 0;
    c->shapes = memory_reserve(&c->blocks[0], count, sizeof *c->shapes);
    c->scales = memory_reserve(&c->blocks[1], count, sizeof *c->scales);
    c->positions = memory_reserve(&c->blocks[2], 3 * count, sizeof *c->positions);
    c->orientations = memory_reserve(&c->blocks[3], 4 * count, sizeof *c->orientations);
    if (!c->shapes || !c->scales || !c->positions || !c->orientations) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index k = 0; k < bodies->count; k++) {
        const rigid_frame frame = rigid_body_frame(&bodies->bodies[k]);
        add(c, bodies->bodies[k].shape, bodies->bodies[k].scale, &frame);
    }
    for (abut_index k = 0; k < row_count; k++) {
        const abut_index place = spheres->places[rows[k]];
        const rigid_frame frame = {vec3_load(spheres->centers + 3 * place), {0.0, 0.0, 0.0, 1.0}};
        add(c, bodies->shape_count, spheres->radii[place], &frame);
    }
    return ABUT_OK;
}

abut_status crowd_make_finder(const crowd *c, const rigid_set *bodies, abut_index count,
                              abut_convex_finder **finder, abut_error *error)
{
    const abut_convex_input input = {.shapes = bodies->shapes,
                                     .shape_count = bodies->shape_count + 1,
                                     .body_count = count,
                                     .shape = c->shapes,
                                     .scales = c->scales,
                                     .options = abut_convex_options_default()};
    return abut_convex_finder_build(&input, finder, error);
}

void crowd_free(crowd *c)
{
    memory_free_blocks(c->blocks, sizeof c->blocks / sizeof *c->blocks);
}

abut_index crowd_bytes(const crowd *c)
{
    return memory_count_bytes(c->blocks, sizeof c->blocks / sizeof *c->blocks);
}
