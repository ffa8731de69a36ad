/* Bodies and spheres in the form that finders and queries of convex bodies take. */
#include "finder_bodies.h"

#include <string.h>

#include "../base/parallel.h"
#include "rigid_set.h"

/* STRETCH: bodies and spheres per task. WORK_OF_FRAME: the work of each in units of
 * parallel_report. */
enum { STRETCH = 256, WORK_OF_FRAME = 3 };

typedef struct gathering {
    const finder_bodies *finder_bodies;
    const rigid_set *bodies;
    const store *spheres;
    const int32_t *rows;
} gathering;

static void put(const finder_bodies *c, abut_index k, abut_index shape, double scale,
                const rigid_frame *frame)
{
    vec3_store(c->positions + 3 * k, frame->origin);
    memcpy(c->orientations + 4 * k, frame->orientation, sizeof frame->orientation);
    c->shapes[k] = shape, c->scales[k] = scale;
}

static void gather_stretch(void *context, abut_index begin, abut_index end)
{
    const gathering *g = context;
    const abut_index body_count = g->bodies->count;
    for (abut_index k = begin; k < end && k < body_count; k++) {
        const rigid_body *body = &g->bodies->bodies[k];
        const rigid_frame frame = rigid_body_frame(body);
        put(g->finder_bodies, k, body->shape, body->scale, &frame);
    }
    for (abut_index k = begin > body_count ? begin : body_count; k < end; k++) {
        const abut_index place = g->spheres->places[g->rows[k - body_count]];
        const double *center = g->spheres->centers + 3 * place;
        const rigid_frame frame = {vec3_load(center), {0.0, 0.0, 0.0, 1.0}};
        put(g->finder_bodies, k, g->bodies->shape_count, g->spheres->radii[place], &frame);
    }
}

abut_status finder_bodies_gather(finder_bodies *c, const rigid_set *bodies, const store *spheres,
                                 const int32_t *rows, abut_index row_count, int workers)
{
    const abut_index count = bodies->count + row_count;
    gathering g = {c, bodies, spheres, rows};
    c->count = 0;
    c->shapes = memory_reserve(&c->blocks[0], count, sizeof *c->shapes);
    c->scales = memory_reserve(&c->blocks[1], count, sizeof *c->scales);
    c->positions = memory_reserve(&c->blocks[2], 3 * count, sizeof *c->positions);
    c->orientations = memory_reserve(&c->blocks[3], 4 * count, sizeof *c->orientations);
    if (!c->shapes || !c->scales || !c->positions || !c->orientations) {
        return ABUT_NO_MEMORY;
    }
    c->count = count;
    parallel_loop(workers, count, STRETCH, WORK_OF_FRAME * count, gather_stretch, &g);
    return ABUT_OK;
}

abut_status finder_bodies_build(const finder_bodies *c, const rigid_set *bodies, abut_index count,
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
