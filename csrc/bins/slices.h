/* Slices long narrow facets for bins: the strips of a cylinder, the slivers of a fan.
 *
 * If a strip is not along the axes, its box contains the boxes of hundreds of neighbors. Slicing
 * across its longest axis gives a row of small boxes in few cells. */
#ifndef BINS_SLICES_H
#define BINS_SLICES_H

#include "../mesh/mesh_data.h"

/* How facets are sliced. If they are not, both members are 0. */
typedef struct slicing {
    int32_t most;    /* the largest number of slices of a facet */
    double shortest; /* the smallest length of a slice */
} slicing;

/* Chooses how to slice the facets of a mesh for spheres of that reach. They are not sliced if few
 * of the long facets are candidates of a sphere. */
slicing slices_choose(const abut_mesh *mesh, double reach);

/* The number of slices of a facet, at least 1. */
int32_t slices_count(const slicing *how, const abut_mesh *mesh, abut_index facet, double extent);

/* An upper bound of the extent of each slice's box, for `count` slices. */
double slices_extent(const abut_mesh *mesh, abut_index facet, double extent, int32_t count);

/* The box of slice `number` of `count`. */
box slices_box(const abut_mesh *mesh, abut_index facet, int32_t count, int32_t number);

#endif
