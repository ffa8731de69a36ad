/* How precisely the coordinates of a mesh were written: as float32 or float64 numbers, or with some
 * number of decimal digits (docs/method.md, section 3). */
#ifndef MESH_PRECISION_H
#define MESH_PRECISION_H

#include "facet.h"

/* The digits that the coordinates along an axis were rounded to. */
typedef struct digits {
    bool are_rounded;
    int significant; /* the largest number of digits, from the first that is not 0 */
    int decimals; /* the largest number of digits behind the point; negative if even digits before
                     the point are 0 */
} digits;

/* Evidence that coordinates along an axis were not rounded to float32, though all may be
 * float32. */
typedef struct float_doubts {
    bool are_grid;        /* low bits are 0 in all of them, as on a grid */
    bool others_disagree; /* another axis has numbers that are not float32 */
} float_doubts;

typedef struct precision {
    const double *given; /* vertex_count x 3: one unit of each coordinate's last digit, as a length,
                            if the caller gave them; or NULL */
    digits axes[3];
    float_doubts doubts[3];
} precision;

/* Finds the digits of the coordinates of all corners. `vertices` is the mesh's checked copy. The
 * input's indices are unchecked, and other threads may change them at any time. */
precision precision_find(const abut_mesh_input *input, const double *vertices);

/* One unit in the last place of a facet's largest coordinate, along each axis. */
typedef struct unit_sizes {
    vec3 units;
    abut_noise_origin origin;
} unit_sizes;

unit_sizes precision_units(const precision *found, const polygon *p);

#endif
