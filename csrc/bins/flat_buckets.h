/* Buckets with all facets in one plane. */
#ifndef BINS_FLAT_BUCKETS_H
#define BINS_FLAT_BUCKETS_H

#include "bins.h"

/* Finds the planes of buckets for spheres up to this reach. Returns false if there is no memory. */
bool bins_find_planes(bins *set, const abut_mesh *mesh, double reach);

#endif
