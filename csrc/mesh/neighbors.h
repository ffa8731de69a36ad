/* Which triangles of a mesh meet in an edge, told by where their corners lie: a mesh need not share
 * vertices. */
#ifndef MESH_NEIGHBORS_H
#define MESH_NEIGHBORS_H

#include "mesh_data.h"

/* Triangles of larger meshes are not counted with 32 bits three times over. */
#define NEIGHBORS_LIMIT (INT32_MAX / 3)

/* An edge of triangles whose third corners lie at no more than two different places, of which a
 * border has one. Duplicates of a triangle have their third corners at the same place. */
typedef struct neighbor_edge {
    int32_t ends[2];
    int32_t across[2];    /* third corners */
    int32_t across_count; /* of different places: 1, 2, or 3 for all that are more */
} neighbor_edge;

/* A point is the first vertex that lies where it does; points have the numbers of vertices. */
typedef struct neighbors {
    const double *vertices;
    int32_t *points;      /* of each vertex */
    int32_t *corners;     /* triangle_count x 3: points */
    int32_t *edges;       /* triangle_count x 3: edge k runs from corner k to the next; -1: from a
                             point to itself */
    neighbor_edge *items; /* edge_count */
    abut_index triangle_count, edge_count;
    int32_t *slots; /* numbers of edges by their ends, -1 where there is none */
    uint64_t slot_mask;
} neighbors;

/* ABUT_OK or ABUT_NO_MEMORY. The mesh has at most NEIGHBORS_LIMIT triangles and its triangles are
 * made. Free in any case. */
abut_status neighbors_find(const abut_mesh *mesh, neighbors *n);
void neighbors_free(neighbors *n);

/* The edge between two points, or -1. */
int32_t neighbors_edge(const neighbors *n, int32_t a, int32_t b);

/* A hash of where the corners of triangle `number` are, the same in any order. */
uint64_t neighbors_hash(const neighbors *n, abut_index number);

static inline vec3 neighbors_point(const neighbors *n, int32_t point)
{
    return vec3_load(n->vertices + 3 * (abut_index)point);
}

#endif
