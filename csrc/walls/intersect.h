/* Fast intersection test: from the many candidates of the bins to the few facets that a sphere
 * touches. */
#ifndef WALLS_INTERSECT_H
#define WALLS_INTERSECT_H

#include <float.h>

#include "../base/parallel.h"
#include "bins.h"
#include "pose.h"

/* A sphere as one image of one mesh sees it. */
typedef struct sphere_view {
    const abut_mesh *mesh;
    const bins *set;
    const pose *pose; /* of the mesh */
    vec3 center;      /* in the mesh's frame */
    double noise;     /* how far rounding can have moved it */
    int32_t number;   /* of the mesh */
    int32_t image[3];
} sphere_view;

/* A facet that a sphere touches, with its closest point. */
typedef struct touch {
    closest closest; /* its offset along the world's axes */
    double distance;
    double noise, normal_noise; /* of the facet and the center, or the noisiest of those with this
                                   very contact */
    const triangle *triangle;
    const sphere_view *view;
} touch;

/* Whether the center is on the facet, as far as squares can tell. */
static inline bool touch_is_at_center(const touch *t)
{
    return t->closest.distance_sq < DBL_MIN;
}

static inline vec3 touch_facet_normal(const touch *t)
{
    return pose_turn(t->view->pose, t->triangle->facet_normal);
}

/* From the mesh to the center; where they coincide the facet's own. */
static inline vec3 touch_normal(const touch *t)
{
    return touch_is_at_center(t) ? touch_facet_normal(t)
                                 : vec3_scale(t->closest.offset, 1.0 / t->distance);
}

/* What one sphere touches, and scratch. Grows as needed: zero-initialize, free with touches_free.
 */
typedef struct touches {
    touch *items;
    abut_index count, capacity;
    sphere_view *views; /* the images of the meshes that it may touch */
    abut_index view_count, view_capacity;
    int32_t *near; /* candidates that the box test left */
    abut_index near_capacity;
} touches;

void touches_free(touches *list);

/* Add all facets of a view's mesh within `reach` (radius plus gap) of its center, each once, in no
 * order that means anything. The candidates looked at are reported to the job as work done. Returns
 * ABUT_OK, ABUT_NO_MEMORY, or why the job is to end. */
abut_status intersect_sphere(const sphere_view *view, double reach, touches *list,
                             parallel_job *job);

#endif
