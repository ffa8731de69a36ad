/* Long narrow facets in slices, for bins: the strips of a cylinder, the slivers of a fan.
 *
 * The box of a strip that is not along the axes holds the boxes of hundreds of its neighbors. Cut
 * across its longest axis, it is a row of small boxes, and in few cells. */
#ifndef BINS_SLICES_H
#define BINS_SLICES_H

#include "../mesh/mesh_data.h"

/* How facets are sliced; zero: they are not. */
typedef struct slicing {
    int32_t most;    /* slices of one facet */
    double shortest; /* length of a slice */
} slicing;

/* How to slice the facets of a mesh for spheres of that reach: not at all where those at its long
 * facets have few of them as candidates. */
slicing slices_choose(const abut_mesh *mesh, double reach);

/* How many slices a facet is, at least 1. */
int32_t slices_count(const slicing *how, const abut_mesh *mesh, abut_index facet, double extent);

/* An upper bound of the extent of each slice's box, of so many slices. */
double slices_extent(const abut_mesh *mesh, abut_index facet, double extent, int32_t count);

/* The box of slice `number` of so many. */
box slices_box(const abut_mesh *mesh, abut_index facet, int32_t count, int32_t number);

#endif
