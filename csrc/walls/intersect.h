/* Fast intersection test: from the many candidates of the bins to the few facets
 * that a sphere touches. */
#ifndef WALLS_INTERSECT_H
#define WALLS_INTERSECT_H

#include <float.h>

#include "../base/parallel.h"
#include "bins.h"

/* A facet that a sphere touches, with its closest point. */
typedef struct touch {
    closest closest;
    double distance;
    double noise, normal_noise; /* of the facet, or the noisiest of those with this very contact */
    const triangle *triangle;
} touch;

/* Whether the center is on the facet, as far as squares can tell. */
static inline bool touch_is_at_center(const touch *t)
{
    return t->closest.distance_sq < DBL_MIN;
}

/* From the mesh to the center; where they coincide the facet's own. */
static inline vec3 touch_normal(const touch *t)
{
    return touch_is_at_center(t) ? t->triangle->facet_normal
                                 : vec3_scale(t->closest.offset, 1.0 / t->distance);
}

/* The facets that one sphere touches, and scratch. Grows as needed: zero-initialize,
 * free with touches_free. */
typedef struct touches {
    touch *items;
    abut_index count, capacity;
    int32_t *near; /* candidates that the box test left */
    abut_index near_capacity;
} touches;

void touches_free(touches *list);

/* Replace the list by all facets within `reach` (radius plus gap) of `center`, each once, in no
 * order that means anything. The candidates looked at are reported to the job as work done. Returns
 * ABUT_OK, ABUT_NO_MEMORY, or why the job is to end. */
abut_status intersect_sphere(const abut_mesh *mesh, const bins *set, vec3 center, double reach,
                             touches *list, parallel_job *job);

#endif
