/* A convex polygon or polyhedron: vertices, edges and facets, which of them meet, and rounding. */
#ifndef CONVEX_SHAPE_H
#define CONVEX_SHAPE_H

#include "../abut/convex.h"
#include "../base/vec3.h"

/* A facet, or a side of a polygon. All points x of the shape have normal . x <= offset. */
typedef struct shape_facet {
    vec3 normal;
    double offset;
    int32_t begin, count; /* range in corners */
} shape_facet;

/* A corner of a facet, and the side of the facet from this corner to the next one. A facet of a
 * polygon is a segment without sides, and the corner is its border. All points x of the facet have
 * outward . x <= offset. */
typedef struct shape_corner {
    vec3 outward; /* unit vector in the facet's plane */
    double offset;
    int32_t vertex;
    int32_t edge; /* the edge on that side; -1 in a polygon */
} shape_corner;

typedef struct shape_edge {
    vec3 direction; /* unit, from the first vertex to the second */
    double length;
    int32_t vertices[2];
    int32_t facets[2]; /* the facets left and right of the edge, seen from outside */
} shape_edge;

/* The neighbors of a vertex, counter-clockwise seen from outside: edge k leads to neighbor k, and
 * facet k is between edges k and k + 1. A polygon has no edges: neighbor 0 is the next vertex,
 * neighbor 1 the vertex before, and facet k is the side that leads to neighbor k. A point has no
 * neighbors. */
typedef struct shape_vertex {
    int32_t first_facet, facet_count; /* range in facets_at */
    int32_t first_edge, edge_count;   /* range in edges_at and neighbors */
} shape_vertex;

/* A shape. Its arrays share one block: `memory`, or the block of a flat_shape (flats/flat.h). */
struct abut_shape {
    int dimension;
    bool is_flat; /* it is one facet with a front and a back */
    int32_t vertex_count, facet_count, edge_count, corner_count;
    int32_t most_corners; /* largest number of corners of a facet */
    double *x, *y, *z;    /* coordinates of the vertices; z is 0 in a polygon */
    shape_facet *facets;
    shape_corner *corners;
    shape_edge *edges;
    shape_vertex *vertices;
    int32_t *facets_at, *edges_at, *neighbors; /* lists of all vertices, vertex after vertex */
    vec3 centroid;                             /* centroid without the rounding */
    double reach;  /* distance of the farthest vertex from the centroid */
    double radius; /* radius of the rounding */
    void *memory;
    abut_shape_view view;
};

static inline vec3 shape_point(const abut_shape *s, int32_t vertex)
{
    return (vec3){s->x[vertex], s->y[vertex], s->z[vertex]};
}

/* Lays a shape's arrays one after the other in `block`, sized by the shape's counts, and sets the
 * pointers to them. `has_view` adds the arrays of the shape's view. Returns the size of all arrays
 * in bytes. If `block` is NULL, only this size is computed. */
size_t shape_lay_out(abut_shape *s, void *block, bool has_view);

#endif
