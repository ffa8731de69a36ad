/* A mesh with its bins. Sets of bins are built when a query needs them, published at once and kept;
 * no result depends on which sets there are. */
#ifndef WALLS_FINDER_H
#define WALLS_FINDER_H

#include <stdatomic.h>

#include "bins.h"

/* Set k serves reaches below 2^(first_octave + k + 1). Reaches below the first octave, far smaller
 * than the facets, use the first; to reaches as large as the mesh every facet is a candidate: the
 * last set has but one cell. */
struct abut_finder {
    const abut_mesh *mesh;
    int first_octave;
    int octave_count;
    double whole_reach;    /* from here on the last set serves */
    _Atomic(bins *) *sets; /* octave_count + 1, NULL until a query needs it, then never changes */
};

/* The bins for spheres whose radius plus gap is `reach`: ABUT_OK or ABUT_NO_MEMORY. Any number of
 * threads may ask at once; of two that build the same set one throws its own away. */
abut_status finder_take_set(const abut_finder *finder, double reach, const bins **set);

#endif
