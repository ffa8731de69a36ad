/* Nearest images in vector code, with the bits of lattice_nearest. */
#ifndef BASE_LATTICE_KERNEL_H
#define BASE_LATTICE_KERNEL_H

#include "lanes_kernel.h"
#include "lattice.h"

LANES_INLINE lanes lattice_dot(vec3 a, const lanes d[3])
{
    return lanes_set(a.x) * d[0] + lanes_set(a.y) * d[1] + lanes_set(a.z) * d[2];
}

/* Subtracts from each vector d the shift of its nearest image. */
LANES_INLINE void lattice_take_nearest(const lattice *l, lanes d[3])
{
    lanes images[3];
    if (l->is_along_axes) {
        const double inverses[3] = {l->inverse[0].x, l->inverse[1].y, l->inverse[2].z};
        for (int axis = 0; axis < 3; axis++) {
            images[axis] = lanes_round(d[axis] * lanes_set(inverses[axis]));
            d[axis] = d[axis] - images[axis] * lanes_set(l->widths[axis]);
        }
        return;
    }
    for (int k = 0; k < 3; k++) {
        images[k] = lanes_round(lattice_dot(l->inverse[k], d));
    }
    const vec3 *v = l->vectors;
    d[0] = d[0] - lattice_dot((vec3){v[0].x, v[1].x, v[2].x}, images);
    d[1] = d[1] - lattice_dot((vec3){v[0].y, v[1].y, v[2].y}, images);
    d[2] = d[2] - lattice_dot((vec3){v[0].z, v[1].z, v[2].z}, images);
}

#endif
