/* Makes the facets of a shape from the caller's arrays. Checks the input, and merges facets that
 * are in one plane.
 *
 * A polygon's facets are its sides. Two facets share a ridge: an edge of a polyhedron, a vertex of
 * a polygon. A facet has as many ridges as corners. Ridge k of a polyhedron's facet leads from
 * corner k to the next one. Ridge k of a polygon's side is its corner k. */
#ifndef CONVEX_HULL_H
#define CONVEX_HULL_H

#include "../abut/convex.h"
#include "../base/error.h"
#include "../base/vec3.h"

/* Facets as lists of corners, as in abut_shape_input; a corner is the number of a vertex. */
typedef struct loops {
    int32_t facet_count, corner_count;
    int32_t *offsets; /* length facet_count + 1 */
    int32_t *corners; /* length corner_count */
    int32_t *source;  /* for each facet, the first facet of the input that it contains */
} loops;

/* The input's vertices, and its facets before and after merging. */
typedef struct hull {
    int dimension;
    int32_t vertex_count;
    double *vertices; /* vertex_count x 3, as in the input; for a polygon z is 0 */
    vec3 middle;      /* middle of the bounding box of the facets' vertices */
    double size;      /* half the diagonal of the bounding box */
    double tolerance; /* points within this distance of a plane count as in it */
    loops given;      /* the facets before the merge: the input's, or those of an earlier merge */
    double *areas;    /* areas of the facets in `given`; for a polygon, lengths of its sides */
    loops merged;     /* the merged facets; vertices keep their numbers in the input */
    int32_t *twins;   /* for each corner of `given`, the corner of another facet with the same
                         ridge; after hull_make, for each corner of `merged` */
    int32_t kept_count, *kept; /* numbers of the vertices that are corners, ascending */
} hull;

static inline vec3 hull_vertex(const hull *h, int32_t vertex)
{
    return vec3_load(h->vertices + 3 * (size_t)vertex);
}

/* Checks the input and makes the facets. `h` must be zero before; free it in any case. */
abut_status hull_make(const abut_shape_input *input, hull *h, abut_error *error);
void hull_free(hull *h);

/* A facet's area and outward normal (0 if the area is 0). Both are the same to the last bit
 * whichever corner is the first in the facet's list. */
typedef struct loop_plane {
    vec3 normal;
    double area;
} loop_plane;

loop_plane hull_plane(const hull *h, const loops *l, int32_t facet);

/* Makes h->merged of h->given (merge.c). Facets with all corners in one plane, within the
 * tolerance, become one facet. Corners that are then on a straight line are removed. */
abut_status hull_merge(hull *h, double tolerance, abut_error *error);
void loops_free(loops *l);

#endif
