/* Walls that deform: earlier positions and velocities of their vertices, and how contacts move with
 * facets. */
#ifndef INTERACTIONS_DEFORMING_MESH_H
#define INTERACTIONS_DEFORMING_MESH_H

#include "../abut/contacts.h"
#include "../abut/laws.h"
#include "../base/pose.h"

/* The state of a mesh that deforms. */
typedef struct deforming_mesh {
    abut_index vertex_count;                /* 0: the mesh does not deform */
    double *before;                         /* vertices at the beginning of the last step, x 3 */
    double *velocities, *velocities_before; /* of vertices, x 3: now and in the last step */
} deforming_mesh;

/* The vertices of a mesh, x 3. */
const double *deforming_vertices(const abut_mesh *mesh);

/* Allocates memory for vertices at rest. Returns false if there is no memory. */
bool deforming_make(deforming_mesh *s, abut_index vertex_count);
void deforming_free(deforming_mesh *s);

/* Interpolates values of vertices at a contact: the sum of weight * value over its nodes. */
vec3 deforming_at(const abut_columns *contacts, abut_index row, const double *values);

/* The spin of a facet halfway between two positions of its vertices, `from` and `to`: the spin of
 * its normal, plus the mean spin of its edges about the normal. */
vec3 deforming_spin(const abut_mesh *mesh, const double *from, const double *to,
                    const double *velocities, abut_index facet);

/* The rotation of a facet's normal and first edge since `before`. */
pose deforming_turn(const abut_mesh *mesh, const double *before, abut_index facet);

/* The largest distance by which a vertex has moved since `before`. */
double deforming_displacement(const abut_mesh *mesh, const double *before);

#endif
