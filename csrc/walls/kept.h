/* Which candidates stay contacts: those of each sphere that are left in the end. */
#ifndef WALLS_KEPT_H
#define WALLS_KEPT_H

#include "closest.h"
#include "contact.h"

/* Distances below this have squares that vanish: the center is on the facet. */
#define AT_CENTER 0x1p-511

/* Beside each seen sphere, the nearest contact of its sphere and its tangent plane. */
typedef struct tangents {
    double *distance_sq, *offset[3];
    double *largest, *normal_noise; /* the noise of the facet alone */
    double *limit; /* times the distance, what is in front by no more is behind for sure; -INFINITY:
                      the sphere keeps all that it touches */
    double *rows;  /* CONTACT_DOUBLES each: what a contact's record begins with */
} tangents;

typedef struct kept {
    const candidates *candidates;
    const closest_points *closest;
    int32_t capacity, seen_capacity;

    /* numbers of the candidates that are left: sphere k's are first[k] ... first[k + 1] - 1 */
    int32_t *items;
    int32_t first[BATCH_SPHERES + 1];
    double *distance;             /* of a candidate that is left */
    double *noise, *normal_noise; /* likewise, of its facet and its center */
    tangents tangents;

    /* bit: what a sphere of the batch looked for at its foot was not enough */
    uint64_t refused[BATCH_SPHERES / 64];
    bool has_refused;
    abut_index refused_count; /* candidates of those */

    bool has_rivals; /* of some sphere two contacts are the nearest */
    int32_t *spare;  /* numbers of candidates */
    abut_index touch_count;
    void *block; /* what the arrays point into */
} kept;

/* What candidates of one sphere stay contacts is still in question. */
typedef struct touching {
    kept *of;
    int32_t *items;
    int32_t count;
} touching;

/* Room for what may be kept of candidates. Zero-initialize, free with kept_free. ABUT_OK or
 * ABUT_NO_MEMORY. */
abut_status kept_begin(kept *k, const candidates *c, const closest_points *p);
void kept_free(kept *k);

/* Keep all facets that spheres touch. */
void kept_take_all(kept *k);

/* What is left of sphere number `sphere` of the candidates' spheres, measured. */
touching kept_of(kept *k, int32_t sphere);

/* Whether the center is on the facet, as far as squares can tell. */
static inline bool kept_is_at_center(const kept *k, int32_t i)
{
    return k->distance[i] < AT_CENTER;
}

static inline vec3 kept_facet_normal(const kept *k, int32_t i)
{
    const view *v = candidate_view(k->candidates, i);
    return pose_turn(v->pose, mesh_normal(v->mesh, candidate_triangle(k->candidates, i)->facet));
}

/* From the mesh to the center; where they coincide the facet's own. */
static inline vec3 kept_normal(const kept *k, int32_t i)
{
    return kept_is_at_center(k, i)
               ? kept_facet_normal(k, i)
               : vec3_scale(closest_offset(k->closest, i), 1.0 / k->distance[i]);
}

#endif
