/* Walls that deform: where their vertices were and how fast they are, and how what is on them goes
 * along. */
#ifndef INTERACTIONS_DEFORMING_MESH_H
#define INTERACTIONS_DEFORMING_MESH_H

#include "../abut/contacts.h"
#include "../abut/laws.h"
#include "../base/pose.h"

/* Of a mesh whose vertices move. What is called `before` was so at the beginning of the last step.
 */
typedef struct deforming_mesh {
    abut_index vertex_count;                /* 0: it does not deform */
    double *before;                         /* vertices, x 3 */
    double *velocities, *velocities_before; /* of vertices, x 3 */
} deforming_mesh;

/* Where the vertices of a mesh are, x 3. */
const double *deforming_vertices(const abut_mesh *mesh);

/* Room for so many vertices, which stand still. False: there is no memory. */
bool deforming_make(deforming_mesh *s, abut_index vertex_count);
void deforming_free(deforming_mesh *s);

/* What vertices have, at the contact of a row: the sum over its nodes of weight times value. */
vec3 deforming_at(const abut_columns *contacts, abut_index row, const double *values);

/* How fast a facet turns with its vertices in the middle between two places: its normal, and about
 * that its edges on average. */
vec3 deforming_spin(const abut_mesh *mesh, const double *from, const double *to,
                    const double *velocities, abut_index facet);

/* The rotation that takes a facet's normal and first edge from where its vertices were to where
 * they are. */
pose deforming_turn(const abut_mesh *mesh, const double *before, abut_index facet);

/* The farthest way of a vertex from where it was. */
double deforming_way(const abut_mesh *mesh, const double *before);

#endif
