/* How precisely the coordinates of a mesh were written down (docs/method.md, section 3): as float32
 * or float64 numbers, or with so many decimal digits. */
#ifndef MESH_PRECISION_H
#define MESH_PRECISION_H

#include "facet.h"

/* The digits that the numbers of an axis were rounded to. */
typedef struct digits {
    bool are_rounded;
    int significant; /* from the first that is not 0, at most */
    int decimals;    /* after the point, at most; negative where not even the last before it is */
} digits;

/* Evidence that the coordinates along an axis were not rounded to float32, though all of a facet's
 * may be float32 numbers. */
typedef struct float_doubts {
    bool are_grid;        /* they leave low bits unused */
    bool others_disagree; /* numbers of another axis are not float32's */
} float_doubts;

typedef struct precision {
    const double *said; /* vertex_count x 3: units that the caller knows; may be NULL */
    digits axes[3];
    float_doubts doubts[3];
} precision;

/* The digits of the coordinates of all facets' corners. `vertices`: the mesh's copy, which is
 * checked; the input's indices are not, and may be changed by others at any time. */
precision precision_find(const abut_mesh_input *input, const double *vertices);

/* One unit in the last place of a facet's largest coordinate, along each axis. */
typedef struct unit_sizes {
    vec3 units;
    abut_noise_origin origin;
} unit_sizes;

unit_sizes precision_units(const precision *found, const polygon *p);

#endif
