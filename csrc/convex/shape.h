/* A convex polygon or polyhedron with all that follows from it. */
#ifndef CONVEX_SHAPE_H
#define CONVEX_SHAPE_H

#include "../abut/convex.h"
#include "../base/vec3.h"

/* A facet, or a side of a polygon. All points x of the shape have normal . x <= offset. */
typedef struct shape_facet {
    vec3 normal;
    double offset;
    int32_t begin, count; /* of its corners */
} shape_facet;

/* A corner of a facet, and the facet's border there: the side from this corner to the next one. A
 * polygon's facets are segments, which end at the corner itself. All points x of the facet have
 * outward . x <= offset. */
typedef struct shape_corner {
    vec3 outward; /* in the facet's plane, unit */
    double offset;
    int32_t vertex;
    int32_t edge; /* of the side; -1 in a polygon */
} shape_corner;

typedef struct shape_edge {
    vec3 direction; /* unit, from the first vertex to the second */
    double length;
    int32_t vertices[2];
    int32_t facets[2]; /* on its left and on its right, as seen from outside */
} shape_edge;

/* The neighbors of a vertex, counter-clockwise seen from outside: edge k leads to neighbor k, and
 * facet k is between edges k and k + 1. A polygon has no edges: neighbor 0 is the next vertex, 1
 * the one before, and facet k is the side that leads to neighbor k. A point has neither. */
typedef struct shape_vertex {
    int32_t first_facet, facet_count; /* in facets_at */
    int32_t first_edge, edge_count;   /* in edges_at and neighbors */
} shape_vertex;

/* A shape's arrays share one allocation, or are borrowed if the shape is remade for each facet of a
 * wall. */
struct abut_shape {
    int dimension;
    bool is_flat; /* a single facet, twice: back to back */
    int32_t vertex_count, facet_count, edge_count, corner_count;
    int32_t most_corners; /* of a facet */
    double *x, *y, *z;    /* of the vertices; in a polygon z is 0 */
    shape_facet *facets;
    shape_corner *corners;
    shape_edge *edges;
    shape_vertex *vertices;
    int32_t *facets_at, *edges_at, *neighbors; /* of vertices, list after list */
    vec3 centroid;                             /* of the polyhedron without its rounding */
    double reach;  /* distance of the farthest vertex from the centroid */
    double radius; /* of the rounding */
    void *memory;
    abut_shape_view view;
};

static inline vec3 shape_point(const abut_shape *s, int32_t vertex)
{
    return (vec3){s->x[vertex], s->y[vertex], s->z[vertex]};
}

/* Points a shape's arrays into a block, by the shape's counts; those of its view only if it has
 * one. Returns their bytes. Without a block they are only counted. */
size_t shape_lay_out(abut_shape *s, void *block, bool has_view);

#endif
