/* Noise measured from shape: how far facets are off the planes that they should lie in. It is
 * measured where neighbors are almost coplanar (docs/method.md, section 3). */
#ifndef MESH_NOISE_H
#define MESH_NOISE_H

#include "mesh_data.h"

/* Measures each facet's noise, and counts the edges with a deviation that may be noise or shape.
 * `measured` has facet_count entries: 0 if the rounding of digits explains all deviations. Before
 * the call, the mesh must have its triangles and noises. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status noise_measure(const abut_mesh *mesh, double *measured, abut_noise_doubt *doubt);

#endif
