/* How far the triangles at each edge of a mesh are off one plane. */
#ifndef MESH_DEVIATIONS_H
#define MESH_DEVIATIONS_H

#include "mesh_data.h"
#include "neighbors.h"

/* What is true of an edge: several may be. */
enum {
    EDGE_EXPLAINED = 1, /* digits explain its deviation */
    EDGE_FLAT = 2,      /* its triangles are nearly coplanar */
    EDGE_TINY = 4,      /* its deviation is what coordinates are rounded by in single precision */
    EDGE_THIN = 8,      /* its triangles would be nearly coplanar if they were less thin */
    EDGE_INSIDE = 16,   /* of a polygon, which may be bent */
    EDGE_NOISY = 32,    /* its deviation is noise */
    EDGE_COPLANAR = EDGE_EXPLAINED | EDGE_FLAT | EDGE_TINY
};

/* Steepness is the power of two of a deviation in parts of its triangles' size. */
enum { STEEPNESS_COUNT = 64 };

/* Two triangles at an edge have four corners. The least error of corners that puts the four in one
 * plane is their deviation. */
typedef struct edge_measure {
    double deviation;
    double assumed; /* the larger noise along the normal of its triangles, by their digits */
    double spread;  /* the larger deviation of its triangles that is noise */
    uint8_t is;
    uint8_t steepness; /* STEEPNESS_COUNT - 1: as large as the triangles */
} edge_measure;

/* An edge at which there are not just two triangles has no deviation, and nothing is true of it. */
typedef struct deviations {
    const abut_mesh *mesh;
    neighbors near;
    edge_measure *edges;
} deviations;

/* ABUT_OK, ABUT_TOO_MANY_FACETS or ABUT_NO_MEMORY. Free in any case. */
abut_status deviations_find(const abut_mesh *mesh, deviations *d);
void deviations_free(deviations *d);

/* The deviation of four points, which are sorted: nothing depends on how facets are written down.
 */
double deviations_of_four(vec3 p[4]);

static inline const triangle *deviations_triangle(const deviations *d, abut_index number)
{
    return &d->mesh->triangles[number];
}

/* Edge `side % 3` of triangle `side / 3`; NULL from a point to itself. */
static inline edge_measure *deviations_edge(const deviations *d, abut_index side)
{
    const int32_t number = d->near.edges[side];
    return number >= 0 ? &d->edges[number] : NULL;
}

/* Whether the edge has a facet on either side. */
static inline bool deviations_joins_facets(const deviations *d, abut_index number)
{
    return d->near.items[number].across_count == 2 && !(d->edges[number].is & EDGE_INSIDE);
}

/* Whether digits, or a polygon's bend, explain the deviation of an edge. */
static inline bool edge_is_explained(const edge_measure *edge)
{
    return edge->is & (EDGE_EXPLAINED | EDGE_INSIDE);
}

/* Whether the edge is nearly flat, or no more off than rounding may make it, and nothing explains
 * that it is not flat. */
static inline bool edge_is_in_question(const edge_measure *edge)
{
    return edge && (edge->is & EDGE_COPLANAR) && !edge_is_explained(edge);
}

#endif
