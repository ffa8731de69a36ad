/* Meshes of convex facets. */
#ifndef ABUT_MESH_H
#define ABUT_MESH_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- meshes ---- */

/* Which facets become triangles: those that are not convex or not planar, which are errors
 * otherwise; or all. */
typedef enum abut_split { ABUT_SPLIT_NONE = 0, ABUT_SPLIT_BENT = 1, ABUT_SPLIT_ALL = 2 } abut_split;

/* What a mesh is built from. Facet f has the corners from indices[offsets[f]] up to
 * indices[offsets[f + 1] - 1], counter-clockwise as seen from its front. Zero-initialize,
 * then set what is known. */
typedef struct abut_mesh_input {
    abut_index vertex_count;
    abut_index facet_count;
    abut_index index_count;
    const double *vertices;    /* vertex_count x 3 */
    const abut_index *indices; /* index_count */
    const abut_index *offsets; /* facet_count + 1 */

    /* Coordinate noise. Where `noise` is not given: one unit in the last digit of the coordinates,
     * in the precision that they were written with (`units`, or what their values tell), or more
     * where facets that are almost coplanar are off by more. */
    const double *units; /* vertex_count x 3: the last digit that was written of each coordinate */
    const double *noise; /* facet_count: how far a corner may be off, in any direction */
    const double *normal_noise; /* facet_count, with noise: how far it may be off along the facet's
                                   normal; NULL: as far as in any direction */

    int drop_zero_area; /* leave out facets without area; else they are an error */
    int split;          /* abut_split */

    abut_interrupted interrupted; /* may be NULL */
    void *interrupted_data;
} abut_mesh_input;

/* What the noise of a facet follows from. */
typedef enum abut_noise_origin {
    ABUT_NOISE_DOUBLE = 0, /* float64's digits */
    ABUT_NOISE_FLOAT32,    /* float32's */
    ABUT_NOISE_DECIMALS,   /* the decimal digits that were written */
    ABUT_NOISE_MEASURED,   /* how far it is off the plane of its almost coplanar neighbors */
    ABUT_NOISE_GIVEN
} abut_noise_origin;

/* Neighbors that are almost coplanar, by far more than digits explain, where nothing tells whether
 * that is noise or shape. */
typedef struct abut_noise_doubt {
    abut_index neighbor_count; /* pairs of triangles that share an edge */
    abut_index count;          /* those in doubt */
    abut_index facet;          /* the first of their facets; -1: none */
    double noise;              /* that would explain all of them */
} abut_noise_doubt;

/* Validated facets and what is derived from them; immutable, owns its memory. */
typedef struct abut_mesh abut_mesh;

/* What can be read of a mesh; the pointers live as long as the mesh. */
typedef struct abut_mesh_view {
    abut_index vertex_count;
    abut_index facet_count;
    abut_index index_count;
    const double *vertices;      /* vertex_count x 3, as given */
    const abut_index *indices;   /* index_count */
    const abut_index *offsets;   /* facet_count + 1 */
    const abut_index *source;    /* facet_count: each facet's number in the input */
    const double *normals;       /* facet_count x 3, unit, by the right-hand rule */
    const double *areas;         /* facet_count */
    const double *noise;         /* facet_count */
    const double *normal_noise;  /* facet_count */
    const uint8_t *noise_origin; /* facet_count: abut_noise_origin */
    abut_noise_doubt doubt;
    abut_index byte_count; /* memory of the mesh */
} abut_mesh_view;

abut_status abut_mesh_build(const abut_mesh_input *input, abut_mesh **mesh, abut_error *error);
void abut_mesh_free(abut_mesh *mesh);
abut_mesh_view abut_mesh_inspect(const abut_mesh *mesh);

/* A new mesh of the same facets, which are triangles, with other vertices: vertex_count x 3. Noises
 * stay what they were. All that is found with it is what is found with a mesh that is built of
 * these vertices and noises, to the bit, for a fifth of the time or less. ABUT_OK, ABUT_NO_MEMORY,
 * as abut_mesh_build of vertices, or ABUT_FACET_NOT_TRIANGLE, _COLLAPSES or _TURNS_OVER, each of
 * the first facet. */
abut_status abut_mesh_move(const abut_mesh *mesh, const double *vertices, int workers,
                           abut_mesh **moved, abut_error *error);

/* How far neighbors are off one plane: of pairs of triangles that share an edge, the least error of
 * their corners that would explain it, in parts of their largest coordinate. counts[k]: how many
 * are in 10^-(k + 1) ... 10^-k; the last: all that are less, the first: all that are more. */
#define ABUT_DEVIATION_COUNT 18
abut_status abut_mesh_deviations(const abut_mesh *mesh, abut_index counts[ABUT_DEVIATION_COUNT]);

#ifdef __cplusplus
}
#endif

#endif
