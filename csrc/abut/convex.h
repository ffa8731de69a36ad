/* Contacts of convex bodies with each other and with meshes. */
#ifndef ABUT_CONVEX_H
#define ABUT_CONVEX_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- convex bodies ----
 *
 * Convex polygons and polyhedra, which may be rounded. Body A of a pair is i, body B is j. Normals
 * point from j to i, so the force on i acts along +normal. Overlap is positive where the bodies
 * touch. docs/convex.md describes the methods.
 *
 * Methods: E. G. Nezami, Y. M. A. Hashash, D. Zhao, J. Ghaboussi, "Shortest link method for contact
 * detection in discrete element method", International Journal for Numerical and Analytical Methods
 * in Geomechanics 30 (2006), doi:10.1002/nag.500; the same, "A fast contact detection algorithm for
 * 3-D discrete element method", Computers and Geotechnics 31 (2004); P. A. Cundall, "Formulation of
 * a three-dimensional distinct element model", International Journal of Rock Mechanics and Mining
 * Sciences 25 (1988); "A fast direct search algorithm for contact detection of convex polygonal or
 * polyhedral particles", Computers and Geotechnics 87 (2017). */

/* The input of a shape. The corners of facet f are indices[offsets[f]] to indices[offsets[f + 1] -
 * 1], counter-clockwise as seen from outside. The facets of a polygon are its sides, with two
 * corners each and the polygon on their left. Facets in one plane are merged. Vertices that are
 * then no corner of three facets (of two sides) are dropped. */
typedef struct abut_shape_input {
    int dimension; /* 2 or 3 */
    abut_index vertex_count, facet_count, index_count;
    const double *vertices;    /* vertex_count x dimension */
    const abut_index *indices; /* index_count */
    const abut_index *offsets; /* facet_count + 1 */
    double radius;             /* >= 0: the body includes all points within this distance of the
                                  polyhedron */
} abut_shape_input;

/* A convex polygon or polyhedron. Immutable; owns its memory. */
typedef struct abut_shape abut_shape;

/* The readable data of a shape. The pointers are valid as long as the shape. */
typedef struct abut_shape_view {
    int dimension;
    abut_index vertex_count, facet_count, index_count, edge_count; /* a polygon has no edges */
    const double *vertices;                                        /* vertex_count x dimension */
    const abut_index *indices;                                     /* index_count */
    const abut_index *offsets;                                     /* facet_count + 1 */
    const abut_index *edges;                                       /* edge_count x 2: the vertices
                                                                      of each edge */
    const abut_index *edge_facets; /* edge_count x 2: the facets left and right of each edge */
    const double *normals;         /* facet_count x dimension, outward */
    const abut_index *source;      /* vertex_count: the number of each vertex in the input */
    double radius;
    /* The next members are those of the rounded body with density 1. */
    double centroid[3], volume; /* volume: that of a polygon is its area */
    double inertia[9];          /* about the centroid; a polygon has only inertia[0] */
    double circumradius; /* radius of the smallest sphere about the centroid around the body */
    double inradius;     /* radius of the largest sphere about the centroid inside the body; 0 for a
                            plate */
} abut_shape_view;

abut_status abut_shape_build(const abut_shape_input *input, abut_shape **shape, abut_error *error);
void abut_shape_free(abut_shape *shape);
abut_shape_view abut_shape_inspect(const abut_shape *shape);

/* Builds a sphere or disk about the origin, as a rounded point. */
abut_status abut_shape_build_point(int dimension, double radius, abut_shape **shape,
                                   abut_error *error);

/* The method that finds the contact of two bodies. */
typedef enum abut_convex_method {
    ABUT_SHORTEST_LINK = 0,
    ABUT_FAST_COMMON_PLANE,
    ABUT_COMMON_PLANE,
    ABUT_DIRECT_SEARCH
} abut_convex_method;

/* The choice of the normal of overlapping bodies, among all directions that can separate them. */
typedef enum abut_minimum {
    ABUT_TRACKED = 0, /* a local minimum of the distance by which they must be separated; the
                         minimum of the last step is kept while it exists */
    ABUT_GLOBAL
} abut_minimum;

typedef enum abut_convex_status {
    ABUT_SEPARATED = 0,
    ABUT_TOUCHING, /* |overlap| is at most 1e-11 of the sum of both sizes */
    ABUT_OVERLAPPING,
    ABUT_UNCONVERGED /* overlap and error are still valid bounds */
} abut_convex_status;

typedef struct abut_convex_options {
    abut_convex_method method;
    double patch_angle; /* features within this angle of the normal belong to the contact; 0 < angle
                           < pi / 4 */
    double cp_first, cp_last; /* COMMON_PLANE: first and last angle by which the plane is tilted */
    int iterations;           /* largest number of iterations, >= 1 */
} abut_convex_options;

/* The default options: shortest link, patch_angle of 5 degrees, cp angles of 5 and 0.01 degrees,
 * 100 iterations. */
abut_convex_options abut_convex_options_default(void);

/* Bodies with constant shapes and sizes. Each query gives their positions. */
typedef struct abut_convex_input {
    const abut_shape *const *shapes; /* shape_count, all of the same dimension; borrowed */
    abut_index shape_count;
    abut_index body_count;
    const abut_index *shape; /* body_count: the number of each body's shape; NULL: all are 0 */
    const double *scales;    /* body_count; > 0; NULL: all are 1 */
    abut_convex_options options;
} abut_convex_input;

typedef struct abut_convex_finder abut_convex_finder;

/* Builds a finder. It borrows the shapes and copies all other input. */
abut_status abut_convex_finder_build(const abut_convex_input *input, abut_convex_finder **finder,
                                     abut_error *error);
void abut_convex_finder_free(abut_convex_finder *finder);

/* The length of a row's `state`: doubles that let the next query of the pair begin where this one
 * ended. Their meaning may change. */
#define ABUT_CONVEX_STATE 12

/* Rows of an earlier query, as columns of the caller. A struct of zeros means that there is no step
 * before. */
typedef struct abut_convex_before {
    abut_index row_count;
    const abut_index *i, *j; /* row_count; for walls j is NULL, and mesh and facet are given */
    const abut_index *mesh, *facet;
    const abut_index *image; /* row_count x dimension; NULL: there is no period */
    const double *state;     /* row_count x ABUT_CONVEX_STATE */
    const abut_index *match; /* if the query has pairs: the row that each pair continues, or -1;
                                NULL: the row with the same i, j and image */
} abut_convex_before;

typedef struct abut_convex_query {
    const double *positions;    /* body_count x dimension */
    const double *orientations; /* body_count x 4: quaternions x, y, z, w, of any length but 0; for
                                   polygons body_count angles; NULL: no body is rotated */
    /* The pairs to compute. With `all_rows` each pair has one row, in the same order. NULL: all
     * pairs of bodies with circumscribed spheres that touch within the gap, by i, then j, then
     * image. */
    const abut_index *i, *j;
    abut_index pair_count;
    int all_rows; /* 1, only with pairs: every pair is reported; 0: only those with overlap >= -gap
                   */
    double gap;   /* >= 0 */
    abut_convex_before before;
    abut_minimum minimum;
    int spots;            /* 1: contact points are computed */
    const double *period; /* dimension x dimension: bodies repeat along each row; a row of zeros:
                             not along this vector; NULL: along none. Given pairs use the image with
                             the nearest circumscribed sphere */
    int workers;
    abut_interrupted interrupted; /* may be NULL */
    void *interrupted_data;
} abut_convex_query;

/* The default query: gap 0, no pairs, no step before, TRACKED, spots, no period, one worker. */
abut_convex_query abut_convex_query_default(void);

/* The rows of a query. They borrow only the finder. */
typedef struct abut_convex_contacts abut_convex_contacts;

abut_status abut_convex_find(const abut_convex_finder *finder, const abut_convex_query *query,
                             abut_convex_contacts **contacts, abut_error *error);
void abut_convex_contacts_free(abut_convex_contacts *contacts);
abut_index abut_convex_contacts_count(const abut_convex_contacts *contacts);
abut_index abut_convex_contacts_spot_count(const abut_convex_contacts *contacts);

/* Columns of results, with m = abut_convex_contacts_count, k = abut_convex_contacts_spot_count and
 * d = dimension. Columns that are NULL are not written. */
#define ABUT_CONVEX_COLUMNS(X)                                                                     \
    X(i, INDEX, 0, ROWS, ALWAYS, 0, "", "the first body")                                          \
    X(j, INDEX, 0, ROWS, WITH_BODIES, 0, "", "the second")                                         \
    X(mesh, INDEX, 0, ROWS, WITH_WALLS, 0, "",                                                     \
      "number of the wall; half spaces are numbered after the meshes")                             \
    X(facet, INDEX, 0, ROWS, WITH_WALLS, 0, "",                                                    \
      "number of the facet in its mesh; 0 of a half space")                                        \
    X(status, BYTE, 0, ROWS, ALWAYS, 0, "", "SEPARATED, TOUCHING, OVERLAPPING or UNCONVERGED")     \
    X(type, BYTE, 2, ROWS, ALWAYS, 0, "",                                                          \
      "FACET, EDGE or VERTEX: the features of i and j that the link's ends lie on; a polygon's "   \
      "sides are FACET")                                                                           \
    X(feature, INDEX, 2, ROWS, ALWAYS, 0, "", "number of that feature in its shape")               \
    X(normal, REAL, ABUT_DIMENSION, ROWS, ALWAYS, 0, "", "unit, from j to i")                      \
    X(overlap, REAL, 0, ROWS, ALWAYS, 0, "length",                                                 \
      "overlap of the bodies along the normal; negative: their distance")                          \
    X(error, REAL, 0, ROWS, ALWAYS, 0, "length",                                                   \
      "the true overlap is in overlap - error ... overlap; NaN: not known")                        \
    X(link, REAL, ABUT_TWO_VECTORS, ROWS, ALWAYS, 0, "length",                                     \
      "ends of the shortest link on i and on j, at the place of i")                                \
    X(point, REAL, ABUT_DIMENSION, ROWS, ALWAYS, 0, "length",                                      \
      "middle of the link, on the common plane")                                                   \
    X(iterations, INDEX, 0, ROWS, ALWAYS, 0, "", "iterations of the method")                       \
    X(state, REAL, ABUT_CONVEX_STATE, ROWS, ALWAYS, 0, "", "start values of the next search")      \
    X(image, INDEX, ABUT_DIMENSION, ROWS, WITH_PERIOD, ABUT_ZEROS, "",                             \
      "j shifted by image @ period is what i meets")                                               \
    X(before, INDEX, 0, ROWS, WITH_BEFORE, ABUT_INTERNAL, "",                                      \
      "the row of the step before that the search began with, or -1; the row continues it, "       \
      "unless normals show that it continues another image")                                       \
    X(spot, REAL, ABUT_DIMENSION, ENTRIES, WITH_SPOTS, 0, "length",                                \
      "a contact point, on the common plane")                                                      \
    X(spot_overlap, REAL, 0, ENTRIES, WITH_SPOTS, 0, "length",                                     \
      "overlap of the bodies there, along the normal")                                             \
    X(spot_type, BYTE, 2, ENTRIES, WITH_SPOTS, 0, "",                                              \
      "FACET, EDGE or VERTEX: the features of i and j that cross at the spot")                     \
    X(spot_feature, INDEX, 2, ENTRIES, WITH_SPOTS, 0, "",                                          \
      "numbers of these features; with the types they name a spot uniquely in its row")            \
    X(offsets, INDEX, 0, OFFSETS, WITH_ORDER, ABUT_LOCKED, "",                                     \
      "the rows of body i are offsets[i] ... offsets[i + 1] - 1; not where pairs were given")      \
    X(spot_offsets, INDEX, 0, ENTRY_OFFSETS, WITH_SPOTS, ABUT_LOCKED, "",                          \
      "where each row's spots begin")

typedef struct abut_convex_columns {
    ABUT_CONVEX_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_convex_columns;

void abut_convex_contacts_write(const abut_convex_contacts *contacts,
                                const abut_convex_columns *columns);

/* The spots of a step, for abut_spots_match. This function finds the spot of `before` that each
 * spot of `now` continues, or -1. Both have the same name, which is their types and features, and
 * the row of one continues the row of the other. */
typedef struct abut_spot_step {
    abut_index row_count, spot_count;
    const abut_index *spot_offsets; /* row_count + 1 */
    const uint8_t *spot_type;       /* spot_count x 2 */
    const abut_index *spot_feature; /* spot_count x 2 */
} abut_spot_step;

/* row_match: for each row of `now` the row of `before`, or -1. swapped: by row of `now`: 1 if i and
 * j were exchanged since `before`; NULL: none were. Offsets and rows are checked. */
abut_status abut_spots_match(const abut_spot_step *now, const abut_spot_step *before,
                             const abut_index *row_match, const uint8_t *swapped, abut_index *match,
                             abut_error *error);

/* Valid entrances of pairs. An entrance is a pair of features at which two bodies can meet without
 * overlap: vertex and facet, facet and vertex, or two crossing edges. */
typedef struct abut_entrances abut_entrances;

/* Entrances of the same pairs in the last step. A struct of zeros means that there are none. */
typedef struct abut_entrances_before {
    abut_index pair_count, row_count;
    const abut_index *offsets; /* pair_count + 1 */
    const uint8_t *type;       /* row_count x 2 */
    const abut_index *feature; /* row_count x 2 */
} abut_entrances_before;

/* Finds entrances. Of the query it reads positions, orientations, pairs, period, workers and
 * interrupted. */
abut_status abut_entrances_find(const abut_convex_finder *finder, const abut_convex_query *query,
                                const abut_entrances_before *before, abut_entrances **entrances,
                                abut_error *error);
void abut_entrances_free(abut_entrances *entrances);
abut_index abut_entrances_count(const abut_entrances *entrances);

#define ABUT_ENTRANCE_COLUMNS(X)                                                                   \
    X(pair, INDEX, 0, ROWS, ALWAYS, 0, "", "number of the pair")                                   \
    X(type, BYTE, 2, ROWS, ALWAYS, 0, "",                                                          \
      "FACET, EDGE or VERTEX: the features of i and j that meet")                                  \
    X(feature, INDEX, 2, ROWS, ALWAYS, 0, "", "numbers of these features")                         \
    X(normal, REAL, ABUT_DIMENSION, ROWS, ALWAYS, 0, "", "unit, from j to i")                      \
    X(overlap, REAL, 0, ROWS, ALWAYS, 0, "length",                                                 \
      "overlap of the planes; negative: their distance")                                           \
    X(offsets, INDEX, 0, OFFSETS, ALWAYS, ABUT_LOCKED, "",                                         \
      "the entrances of pair k are rows offsets[k] ... offsets[k + 1] - 1")

typedef struct abut_entrance_columns {
    ABUT_ENTRANCE_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_entrance_columns;

void abut_entrances_write(const abut_entrances *entrances, const abut_entrance_columns *columns);

/* Walls for three-dimensional bodies. */
typedef struct abut_convex_walls {
    const struct abut_finder *finder; /* the meshes; NULL: there are none */
    const double *poses;              /* of these meshes, x 4 x 4; NULL: all are the identity */
    abut_index half_space_count;
    const double *half_spaces; /* x 6: a point of the plane, and the unit normal, which points to
                                  the bodies */
    const abut_index *bodies;  /* ascending numbers of the bodies that are searched, not checked;
                                  NULL: all bodies */
    abut_index body_count;
} abut_convex_walls;

/* Finds the facets and half spaces that each body touches, sorted by i, then mesh, then facet. A
 * row has the spots that lie in its facet, and the largest of their overlaps. Facets in one plane
 * count as one wall. If a spot of this wall has an overlap >= -gap, all its rows are reported. The
 * spots, forces and torques of such a wall, taken together, are equal to those of a half space.
 * Members of the query that are not read: `i`, `j`, `pair_count`, `all_rows`, `before` and
 * `minimum`. So results do not depend on the last step. */
abut_status abut_convex_find_walls(const abut_convex_finder *finder, const abut_convex_query *query,
                                   const abut_convex_walls *walls, abut_convex_contacts **contacts,
                                   abut_error *error);

#ifdef __cplusplus
}
#endif

#endif
