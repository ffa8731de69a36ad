/* Meshes with their bins. Sets of bins are built when a query needs them, published at once and
 * kept; no result depends on which sets there are. */
#ifndef WALLS_FINDER_H
#define WALLS_FINDER_H

#include <stdatomic.h>

#include "bins.h"

/* Set k serves reaches below 2^(first_octave + k + 1). Reaches below the first octave, far smaller
 * than the facets, use the first; to reaches as large as the mesh every facet is a candidate: the
 * last set has but one cell. */
typedef struct binned_mesh {
    const abut_mesh *mesh;
    box bounds; /* of its facets, in its own frame */
    int first_octave;
    int octave_count;
    double whole_reach;    /* from here on the last set serves */
    _Atomic(bins *) *sets; /* octave_count + 1, NULL until a query needs it, then never changes */
} binned_mesh;

struct abut_finder {
    binned_mesh *meshes;
    abut_index mesh_count;
};

/* The bins for spheres whose radius plus gap is `reach`: ABUT_OK or ABUT_NO_MEMORY. Any number of
 * threads may ask at once; of two that build the same set one throws its own away. */
abut_status finder_take_set(const binned_mesh *mesh, double reach, const bins **set);

#endif
