/* Makes the facets of a shape from the caller's arrays: checks them, and merges those in one plane.
 *
 * A polygon's facets are its sides. Two facets share a ridge: an edge of a polyhedron, a vertex of
 * a polygon. A facet has as many ridges as corners. Ridge k of a polyhedron's facet runs from
 * corner k to the next one; ridge k of a polygon's side is its corner k. */
#ifndef CONVEX_HULL_H
#define CONVEX_HULL_H

#include "../abut/convex.h"
#include "../base/error.h"
#include "../base/vec3.h"

/* Facets as lists of corners, as in abut_shape_input; a corner is the number of a vertex. */
typedef struct loops {
    int32_t facet_count, corner_count;
    int32_t *offsets; /* facet_count + 1 */
    int32_t *corners; /* corner_count */
    int32_t *source;  /* for each facet the first of the input's facets in it */
} loops;

/* The input's vertices, and its facets before and after merging. */
typedef struct hull {
    int dimension;
    int32_t vertex_count;
    double *vertices; /* vertex_count x 3, as in the input; for a polygon z is 0 */
    vec3 middle;      /* middle of the bounds of the facets' vertices */
    double size;      /* half the diagonal of these bounds */
    double tolerance; /* points nearer than this to a plane are in it */
    loops given;      /* the input's facets */
    double *areas;    /* areas of the input's facets; lengths of sides */
    loops merged;     /* the merged facets, with the input's numbers of vertices */
    int32_t *twins;   /* for each corner of the merged facets, or until then of the given ones, the
                         corner in another facet with the same ridge */
    int32_t kept_count, *kept; /* the vertices that are corners, ascending */
} hull;

static inline vec3 hull_vertex(const hull *h, int32_t vertex)
{
    return vec3_load(h->vertices + 3 * (size_t)vertex);
}

/* Checks the input and makes the facets. Zero-initialize the hull, and free it in any case. */
abut_status hull_make(const abut_shape_input *input, hull *h, abut_error *error);
void hull_free(hull *h);

/* A facet's area and outward normal (0 if the area is 0). Both are the same to the bit wherever the
 * list of corners begins. */
typedef struct loop_plane {
    vec3 normal;
    double area;
} loop_plane;

loop_plane hull_plane(const hull *h, const loops *l, int32_t facet);

/* Makes `merged` of `given`: merges facets in one plane to within a tolerance, and drops corners
 * that are then on a straight line (merge.c). */
abut_status hull_merge(hull *h, double tolerance, abut_error *error);
void loops_free(loops *l);

#endif
