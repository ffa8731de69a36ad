/* Finds which triangles of a mesh meet in an edge. Corners at one place are the same, whatever
 * their vertex numbers: a mesh need not share vertices. */
#ifndef MESH_NEIGHBORS_H
#define MESH_NEIGHBORS_H

#include "mesh_data.h"

/* The largest number of triangles: with more, numbers of their edges do not fit into 32 bits. */
#define NEIGHBORS_LIMIT (INT32_MAX / 3)

/* An edge, and up to two different third corners of its triangles. An edge on the border has one
 * third corner. Duplicates of a triangle have the same third corner. */
typedef struct neighbor_edge {
    int32_t ends[2];
    int32_t across[2];    /* third corners of its triangles */
    int32_t across_count; /* number of different third corners: 1, 2, or 3 for three or more */
} neighbor_edge;

/* Points are places of vertices. A point has the number of the first vertex at its place. */
typedef struct neighbors {
    const double *vertices;
    int32_t *points;  /* the point of each vertex */
    int32_t *corners; /* triangle_count x 3: the points of each triangle */
    int32_t *edges;   /* triangle_count x 3: edge after each corner; -1 if its ends are one point */
    neighbor_edge *items; /* edge_count: all edges */
    abut_index triangle_count, edge_count;
    int32_t *slots; /* numbers of edges, hashed by their ends; -1 in empty slots */
    uint64_t slot_mask;
} neighbors;

/* Finds the neighbors of a mesh with at most NEIGHBORS_LIMIT triangles, which must already be
 * computed. Returns ABUT_OK or ABUT_NO_MEMORY. Call neighbors_free in any case. */
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
