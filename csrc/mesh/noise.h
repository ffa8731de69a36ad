/* How far the facets of a mesh are off the planes that they are meant to lie in, measured where
 * neighbors are almost coplanar (docs/method.md, section 3). */
#ifndef MESH_NOISE_H
#define MESH_NOISE_H

#include "mesh_data.h"

/* Measure the noise of each facet beyond what its coordinates' digits explain, and what cannot be
 * told from shape. `measured`: facet_count, 0 where digits explain all. The mesh's triangles and
 * noises are there. ABUT_OK or ABUT_NO_MEMORY. */
abut_status noise_measure(const abut_mesh *mesh, double *measured, abut_noise_doubt *doubt);

#endif
