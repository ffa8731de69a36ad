/* Meshes with convex facets. */
#ifndef ABUT_MESH_H
#define ABUT_MESH_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- meshes ---- */

/* Which facets are split into triangles: none, those that are not convex or not planar, or all.
 * Facets that are neither split, nor convex and planar, are errors. */
typedef enum abut_split { ABUT_SPLIT_NONE = 0, ABUT_SPLIT_BENT = 1, ABUT_SPLIT_ALL = 2 } abut_split;

/* The input of a mesh. Facet f has the corners indices[offsets[f]] to indices[offsets[f + 1] - 1],
 * counter-clockwise as seen from the front. Zero-initialize, then set what is known. */
typedef struct abut_mesh_input {
    abut_index vertex_count;
    abut_index facet_count;
    abut_index index_count;
    const double *vertices;    /* vertex_count x 3 */
    const abut_index *indices; /* index_count */
    const abut_index *offsets; /* facet_count + 1 */

    /* Noise of coordinates. Without `noise` it is one unit in the last digit of the coordinates. It
     * is larger where almost coplanar facets deviate more. The last digit is that of `units`, or
     * else that of the coordinates' values. */
    const double *units; /* vertex_count x 3: for each coordinate, the unit of the last digit that
                            was written */
    const double *noise; /* facet_count: the largest displacement of a corner in any direction */
    const double *normal_noise; /* facet_count, with noise: the largest displacement of a corner
                                   along the facet's normal; NULL: as in any direction */

    int drop_zero_area; /* 1: facets without area are dropped; 0: they are errors */
    int split;          /* abut_split */

    abut_interrupted interrupted; /* may be NULL */
    void *interrupted_data;
} abut_mesh_input;

/* What a facet's noise was taken from. */
typedef enum abut_noise_origin {
    ABUT_NOISE_DOUBLE = 0, /* the digits of float64 */
    ABUT_NOISE_FLOAT32,    /* the digits of float32 */
    ABUT_NOISE_DECIMALS,   /* the decimal digits that were written */
    ABUT_NOISE_MEASURED,   /* distances from the plane of its almost coplanar neighbors */
    ABUT_NOISE_GIVEN
} abut_noise_origin;

/* Neighboring facets that are almost coplanar, but deviate from one plane far more than rounding
 * explains. The data do not show whether this is noise or shape. */
typedef struct abut_noise_doubt {
    abut_index neighbor_count; /* pairs of triangles that share an edge */
    abut_index count;          /* pairs in doubt */
    abut_index facet;          /* the first facet of a pair in doubt; -1: none */
    double noise;              /* the noise that would explain all pairs in doubt */
} abut_noise_doubt;

/* Checked facets and derived data. Immutable; owns its memory. */
typedef struct abut_mesh abut_mesh;

/* The readable data of a mesh. The pointers are valid as long as the mesh. */
typedef struct abut_mesh_view {
    abut_index vertex_count;
    abut_index facet_count;
    abut_index index_count;
    const double *vertices;      /* vertex_count x 3, as given */
    const abut_index *indices;   /* index_count */
    const abut_index *offsets;   /* facet_count + 1 */
    const abut_index *source;    /* facet_count: the number of each facet in the input */
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

/* Makes a new mesh with the same facets, which must be triangles, and other vertices: vertex_count
 * x 3. Noises stay the same. Search results have the same bits as with a mesh built from these
 * vertices and noises; making it takes a fifth of the time or less. Returns ABUT_OK,
 * ABUT_NO_MEMORY, or an error of vertices as abut_mesh_build does. For the first bad facet it
 * returns ABUT_FACET_NOT_TRIANGLE, ABUT_FACET_COLLAPSES or ABUT_FACET_TURNS_OVER. */
abut_status abut_mesh_move(const abut_mesh *mesh, const double *vertices, int workers,
                           abut_mesh **moved, abut_error *error);

/* Counts pairs of triangles that share an edge by their deviation from one plane. The deviation is
 * the smallest displacement of each of the four corners that brings them into one plane. It is
 * divided by their largest coordinate. counts[k]: the pairs with deviations of 10^-(k + 1) ...
 * 10^-k. The first count includes all larger deviations, the last one all smaller ones. */
#define ABUT_DEVIATION_COUNT 18
abut_status abut_mesh_deviations(const abut_mesh *mesh, abut_index counts[ABUT_DEVIATION_COUNT]);

#ifdef __cplusplus
}
#endif

#endif
