/* A queue of pairs, a sphere and a triangle each, and what is found of them.
 *
 * They stand in arrays: the exact test does the same to all of them, whichever sphere they are of.
 */
#ifndef WALLS_PAIRS_H
#define WALLS_PAIRS_H

#include "batch.h"
#include "contact.h"

/* Distances below this have squares that vanish: the center is on the facet. */
#define AT_CENTER 0x1p-511

/* Pairs that are tested in one go, unless one sphere has more. */
enum { PAIR_ROOM = 1024, PAIR_PADDING = 64 };

/* A closest point's type and the triangle's number of its edge or corner in one number; no edge and
 * no corner is local number 3. */
enum { CODES_PER_TYPE = 4, LOCAL_INSIDE = 3 };

/* The nearest contact of the sphere of each sight, and its tangent plane. */
typedef struct tangents {
    double *distance_sq, *offset[3];
    double *largest, *normal_noise; /* the noise of the facet alone */
    double *limit; /* times the distance, what is in front by no more is behind for sure; -INFINITY:
                      the sphere keeps all that it touches */
    double *rows;  /* CONTACT_DOUBLES each: what a contact's record begins with */
} tangents;

typedef struct pairs {
    const batch *batch;
    int32_t count, capacity, sight_capacity;

    /* of each pair */
    int32_t *triangle; /* number in its mesh */
    int32_t *sight;    /* 0, 0, 1, ...: those of a sight follow one another, none is left out */

    /* and what the exact test finds */
    double *distance_sq; /* infinite: apart, or another triangle of the facet is nearer */
    double *offset[3];   /* center - point, the paper's contact vector V, along the world's axes */
    int32_t *code;       /* CODES_PER_TYPE x abut_type + local number */

    /* of each sight: a sphere as one view sees it, where that gives pairs */
    int32_t sight_count;
    int32_t *view;     /* number in the batch */
    double *center[3]; /* in the mesh's frame */
    double *reach;
    double *largest; /* see batch_largest */
    double *radius;
    double *doubt; /* see bins/bins.h; infinite where the sphere is not narrow */

    /* spheres that have pairs: sphere k of them is number sphere[k] of the batch and has the pairs
     * first[k] ... first[k + 1] - 1 */
    int32_t sphere_count;
    int32_t sphere[BATCH_SPHERES], first[BATCH_SPHERES + 1];

    /* bit: what the batch's sphere looked for at its foot was not enough */
    uint64_t refused[BATCH_SPHERES / 64];
    bool has_refused;

    /* the pairs that are still in question, nearest first once they are sorted: those of sphere k
     * are left[first_left[k]] ... */
    int32_t *left;
    int32_t first_left[BATCH_SPHERES + 1];
    double *distance;             /* of a pair in question */
    double *noise, *normal_noise; /* likewise, of its facet and its center */
    int32_t *spare;               /* scratch */

    tangents tangents;
    bool has_rivals; /* whether a contact is as near as some sphere's nearest, but another */

    double *block; /* what the arrays of doubles point into */

    abut_index candidate_count, test_count, touch_count; /* for statistics */
} pairs;

/* Room for at least `count` pairs of a batch with so many views; what is in them is lost. ABUT_OK
 * or ABUT_NO_MEMORY. */
abut_status pairs_reserve(pairs *p, abut_index count, abut_index views);
void pairs_free(pairs *p);

static inline abut_type pair_type(const pairs *p, int32_t i)
{
    return (abut_type)(p->code[i] / CODES_PER_TYPE);
}

static inline int32_t pair_local(const pairs *p, int32_t i)
{
    return p->code[i] % CODES_PER_TYPE;
}

static inline vec3 pair_offset(const pairs *p, int32_t i)
{
    return (vec3){p->offset[0][i], p->offset[1][i], p->offset[2][i]};
}

static inline const view *pair_view(const pairs *p, int32_t i)
{
    return &p->batch->views[p->view[p->sight[i]]];
}

/* Whether the center is on the facet, as far as squares can tell. */
static inline bool pair_is_at_center(const pairs *p, int32_t i)
{
    return p->distance[i] < AT_CENTER;
}

static inline const triangle *pair_triangle(const pairs *p, int32_t i)
{
    return pair_view(p, i)->mesh->triangles + p->triangle[i];
}

static inline vec3 pair_facet_normal(const pairs *p, int32_t i)
{
    const view *v = pair_view(p, i);
    return pose_turn(v->pose, mesh_normal(v->mesh, pair_triangle(p, i)->facet));
}

/* From the mesh to the center; where they coincide the facet's own. */
static inline vec3 pair_normal(const pairs *p, int32_t i)
{
    return pair_is_at_center(p, i) ? pair_facet_normal(p, i)
                                   : vec3_scale(pair_offset(p, i), 1.0 / p->distance[i]);
}

#endif
