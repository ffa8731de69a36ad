/* Candidates: spheres of a batch with triangles that may touch them, as the bins say.
 *
 * They stand in arrays: each step does the same to all of them, whichever sphere they are of. */
#ifndef WALLS_CANDIDATES_H
#define WALLS_CANDIDATES_H

#include "batch.h"

/* Candidates that are tested in one go, unless one sphere has more, and how many more are read. */
enum { CANDIDATE_ROOM = 1024, CANDIDATE_PADDING = 64 };

/* Spheres as views see them, each where that gives candidates. */
typedef struct seen_spheres {
    int32_t count, capacity;
    int32_t *view;                    /* number in the batch */
    double *center[3];                /* in the mesh's frame */
    double *reach, *largest, *radius; /* largest: see batch_largest */
    double *doubt;                    /* see bins/bins.h; infinite where the sphere is not narrow */
} seen_spheres;

typedef struct candidates {
    const batch *batch;
    bool is_wide; /* narrow spheres look for all facets, too, and have been counted before */
    int32_t count, capacity;
    int32_t *triangle; /* number in its mesh */
    int32_t *seen; /* 0, 0, 1, ...: those of one seen sphere follow one another, none is left out */
    int32_t *facet; /* of polygons that are to become triangles */
    seen_spheres of;

    /* spheres that have candidates: sphere k of them is number sphere[k] of the batch and has
     * first[k] ... first[k + 1] - 1 */
    int32_t sphere_count;
    int32_t sphere[BATCH_SPHERES], first[BATCH_SPHERES + 1];

    abut_index entry_count; /* of bins, compared with spheres */
    void *block;            /* what the arrays point into */
} candidates;

/* The candidates of the batch's spheres from number `from` on whose bits are set, as many spheres
 * as there is room for; sphere *next is the first that there was none for, or the batch's count.
 * Zero-initialize, free with candidates_free. ABUT_OK or ABUT_NO_MEMORY. */
abut_status candidates_collect(candidates *c, const uint64_t *spheres, int32_t from, int32_t *next);
void candidates_free(candidates *c);

/* Whether narrow spheres look for the facets at their foot alone. */
static inline bool candidates_at_feet(const candidates *c)
{
    return c->batch->has_narrow && !c->is_wide;
}

static inline const view *candidate_view(const candidates *c, int32_t i)
{
    return &c->batch->views[c->of.view[c->seen[i]]];
}

static inline const triangle *candidate_triangle(const candidates *c, int32_t i)
{
    return candidate_view(c, i)->mesh->triangles + c->triangle[i];
}

#endif
