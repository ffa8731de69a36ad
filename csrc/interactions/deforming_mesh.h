/* Walls that deform: earlier places and velocities of their vertices, and how contacts move with
 * facets. */
#ifndef INTERACTIONS_DEFORMING_MESH_H
#define INTERACTIONS_DEFORMING_MESH_H

#include "../abut/contacts.h"
#include "../abut/laws.h"
#include "../base/pose.h"

/* The state of a mesh that deforms. `before` is the beginning of the last step. */
typedef struct deforming_mesh {
    abut_index vertex_count;                /* 0: the mesh does not deform */
    double *before;                         /* vertices, x 3 */
    double *velocities, *velocities_before; /* of vertices, x 3 */
} deforming_mesh;

/* The vertices of a mesh, x 3. */
const double *deforming_vertices(const abut_mesh *mesh);

/* Allocates memory for vertices at rest. Returns false if there is no memory. */
bool deforming_make(deforming_mesh *s, abut_index vertex_count);
void deforming_free(deforming_mesh *s);

/* Interpolates values of vertices at a contact: the sum of weight times value over its nodes. */
vec3 deforming_at(const abut_columns *contacts, abut_index row, const double *values);

/* The spin of a facet halfway between two places of its vertices: of its normal, and of its edges,
 * on average, about the normal. */
vec3 deforming_spin(const abut_mesh *mesh, const double *from, const double *to,
                    const double *velocities, abut_index facet);

/* The rotation of a facet's normal and first edge since `before`. */
pose deforming_turn(const abut_mesh *mesh, const double *before, abut_index facet);

/* The largest displacement of a vertex since `before`. */
double deforming_displacement(const abut_mesh *mesh, const double *before);

#endif
