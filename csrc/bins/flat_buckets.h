/* Buckets of bins whose facets lie in one plane. */
#ifndef BINS_FLAT_BUCKETS_H
#define BINS_FLAT_BUCKETS_H

#include "bins.h"

/* Set what a set for spheres of at most that reach tells of planes. False: there is no memory. */
bool bins_find_planes(bins *set, const abut_mesh *mesh, double reach);

#endif
