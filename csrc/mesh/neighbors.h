/* Which triangles of a mesh meet in an edge. Places of corners decide that, not vertex numbers: a
 * mesh need not share vertices. */
#ifndef MESH_NEIGHBORS_H
#define MESH_NEIGHBORS_H

#include "mesh_data.h"

/* A larger mesh has more triangle sides than 32 bits count. */
#define NEIGHBORS_LIMIT (INT32_MAX / 3)

/* An edge and the third corners of its triangles, at most two different places. An edge on the
 * border has one. Duplicates of a triangle have their third corners in the same place. */
typedef struct neighbor_edge {
    int32_t ends[2];
    int32_t across[2];    /* third corners */
    int32_t across_count; /* different third corners: 1, 2, or 3 for all larger numbers */
} neighbor_edge;

/* Points are vertices by place: a point's number is that of the first vertex in its place. */
typedef struct neighbors {
    const double *vertices;
    int32_t *points;      /* the point of each vertex */
    int32_t *corners;     /* triangle_count x 3: points */
    int32_t *edges;       /* triangle_count x 3: edge k runs from corner k to the next; -1: from a
                             point to itself */
    neighbor_edge *items; /* edge_count */
    abut_index triangle_count, edge_count;
    int32_t *slots; /* numbers of edges, hashed by their ends; -1 in empty slots */
    uint64_t slot_mask;
} neighbors;

/* Finds the neighbors of a mesh with at most NEIGHBORS_LIMIT triangles, which must be there.
 * Returns ABUT_OK or ABUT_NO_MEMORY. Call neighbors_free in any case. */
abut_status neighbors_find(const abut_mesh *mesh, neighbors *n);
void neighbors_free(neighbors *n);

/* The edge between two points, or -1. */
int32_t neighbors_edge(const neighbors *n, int32_t a, int32_t b);

/* A hash of the places of a triangle's corners, independent of their order. */
uint64_t neighbors_hash(const neighbors *n, abut_index number);

static inline vec3 neighbors_point(const neighbors *n, int32_t point)
{
    return vec3_load(n->vertices + 3 * (abut_index)point);
}

#endif
