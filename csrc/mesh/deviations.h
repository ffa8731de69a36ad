/* How far the triangles at each edge of a mesh are off one plane. */
#ifndef MESH_DEVIATIONS_H
#define MESH_DEVIATIONS_H

#include "mesh_data.h"
#include "neighbors.h"

/* Properties of an edge; it may have several. */
enum {
    EDGE_EXPLAINED = 1, /* its deviation is no more than the rounding of digits */
    EDGE_FLAT = 2,      /* its triangles are nearly coplanar */
    EDGE_TINY = 4,      /* its deviation is no more than rounding to single precision */
    EDGE_THIN = 8,      /* its triangles are nearly coplanar, or thin with a deviation that is small
                           compared with their length */
    EDGE_INSIDE = 16,   /* it is a diagonal of a polygon, which may be bent */
    EDGE_NOISY = 32,    /* its deviation is noise */
    EDGE_COPLANAR = EDGE_EXPLAINED | EDGE_FLAT | EDGE_TINY
};

/* The steepness of an edge is ilogb(deviation / longest distance of its triangles' corners) +
 * STEEPNESS_COUNT - 1, and at least 0. */
enum { STEEPNESS_COUNT = 64 };

/* The deviation of an edge: the least error that puts its triangles' four corners in one plane. */
typedef struct edge_measure {
    double deviation;
    double assumed; /* the larger eps_n of its triangles, from their digits */
    double spread;  /* the larger noise found so far at the edges of its triangles */
    uint8_t flags;
    uint8_t steepness; /* STEEPNESS_COUNT - 1: the deviation is as large as the triangles */
} edge_measure;

/* The deviations of all edges. An edge without exactly two triangles has none. */
typedef struct deviations {
    const abut_mesh *mesh;
    neighbors near;
    edge_measure *edges;
} deviations;

/* Returns ABUT_OK, ABUT_TOO_MANY_FACETS or ABUT_NO_MEMORY. Call deviations_free in any case. */
abut_status deviations_find(const abut_mesh *mesh, deviations *d);
void deviations_free(deviations *d);

/* The deviation of four points. Sorts them, so that it does not depend on the order of facets. */
double deviations_of_four(vec3 p[4]);

static inline const triangle *deviations_triangle(const deviations *d, abut_index number)
{
    return &d->mesh->triangles[number];
}

/* Edge `side % 3` of triangle `side / 3`; NULL if it runs from a point to itself. */
static inline edge_measure *deviations_edge(const deviations *d, abut_index side)
{
    const int32_t number = d->near.edges[side];
    return number >= 0 ? &d->edges[number] : NULL;
}

/* Whether exactly two facets meet in the edge. */
static inline bool deviations_joins_facets(const deviations *d, abut_index number)
{
    return d->near.items[number].across_count == 2 && !(d->edges[number].flags & EDGE_INSIDE);
}

/* Whether the rounding of digits, or the bend of a polygon, explains the edge's deviation. */
static inline bool edge_is_explained(const edge_measure *edge)
{
    return edge->flags & (EDGE_EXPLAINED | EDGE_INSIDE);
}

/* Whether the deviation may be noise or shape: nothing explains it, but it is as small as rounding,
 * or the triangles are nearly coplanar. */
static inline bool edge_is_in_question(const edge_measure *edge)
{
    return edge && (edge->flags & EDGE_COPLANAR) && !edge_is_explained(edge);
}

#endif
