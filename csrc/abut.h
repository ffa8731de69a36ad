/* abut: contacts of spheres with meshes of convex facets, and with each other.
 *
 * The only public header: every type, function and contract of the C library. It knows nothing of
 * Python.
 *
 *     abut_mesh *mesh = NULL;
 *     abut_finder *finder = NULL;
 *     abut_contacts *contacts = NULL;
 *     abut_query query = abut_query_default();
 *     query.sphere_count = n, query.centers = centers, query.radii = radii;
 *     abut_status status = abut_mesh_build(&input, &mesh, &error);
 *     const abut_mesh *meshes[] = {mesh};
 *     if (!status && !abut_finder_build(meshes, 1, &finder, &error) &&
 *         !abut_contacts_find(finder, &query, &contacts, &error)) {
 *         ... allocate columns for abut_contacts_count(contacts) rows and
 *             abut_contacts_node_count(contacts) nodes ...
 *         abut_contacts_write(contacts, &columns);
 *     }
 *     abut_contacts_free(contacts), abut_finder_free(finder), abut_mesh_free(mesh);
 *
 * Pairs of spheres come likewise from abut_pair_finder_build, abut_pairs_find and abut_pairs_write.
 *
 * Contracts that hold for every function:
 *   - Inputs are borrowed for the call (or for longer where it says so), contiguous, row-major, and
 * never written.
 *   - Geometry cannot fail; memory and bad input return a status other than ABUT_OK (0), nothing is
 * built then and the output pointer is NULL. `error` may be NULL; where it is not, it names the
 * first offender.
 *   - An input array that somebody changes during a call makes for wrong numbers or an error, never
 * for more.
 *   - Every free function accepts NULL.
 *   - Building is for one thread; a mesh or a finder that is built may be queried by many threads
 * at once.
 *
 * Method: M. Santasusana, J. Irazabal, E. Onate, J. M. Carbonell, "The Double Hierarchy Method",
 * Computational Particle Mechanics 3 (2016), doi:10.1007/s40571-016-0109-4. Table and equation
 * numbers in the comments of the library are that paper's. docs/method.md says what is computed.
 */
#ifndef ABUT_H
#define ABUT_H

#include <stddef.h>
#include <stdint.h>

#include "abut_law.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An index or a count in an array that a caller sees: NumPy's intp. */
typedef intptr_t abut_index;

/* ---- errors ---- */

typedef enum abut_status {
    ABUT_OK = 0,
    ABUT_NO_MEMORY,
    ABUT_INTERRUPTED,     /* the callback asked for it */
    ABUT_TOO_MANY_FACETS, /* index: how many; the core numbers facets and triangles with 31 bits */
    ABUT_BAD_OFFSETS, /* index: the facet whose offsets do not ascend from 0 to the indices' end */
    ABUT_BAD_LAST_OFFSET,       /* detail: the last offset, value: the indices that there are */
    ABUT_VERTEX_NOT_FINITE,     /* index: the vertex, detail: the axis, value: the coordinate */
    ABUT_VERTEX_TOO_FAR,        /* likewise; beyond ABUT_COORDINATE_LIMIT */
    ABUT_FACET_TOO_FEW_CORNERS, /* index: the facet, detail: its corners */
    ABUT_FACET_BAD_VERTEX, /* index: the facet, detail: the vertex, value: the vertices that there
                              are */
    ABUT_FACET_REPEATS_VERTEX, /* index: the facet, detail: the vertex */
    ABUT_FACET_ZERO_AREA,      /* index: the facet */
    ABUT_FACET_NOT_CONVEX, /* index: the facet, detail: the corner (-1: it winds more than once) */
    ABUT_FACET_NOT_PLANAR, /* index: the facet, detail: the corner, value: its height / longest
                              diagonal */
    ABUT_FACET_NOT_TRIANGLE, /* index: the facet, detail: its corners; only triangles deform */
    ABUT_FACET_COLLAPSES,    /* index: the facet, which has no area where its vertices go */
    ABUT_FACET_TURNS_OVER,   /* index: the facet, which turns by a right angle or more */
    ABUT_BAD_NOISE,          /* index: the facet, value: its noise */
    ABUT_CENTER_NOT_FINITE,  /* index: the sphere, detail: the axis, value: the coordinate */
    ABUT_CENTER_TOO_FAR,     /* likewise; beyond ABUT_COORDINATE_LIMIT */
    ABUT_BAD_RADIUS,         /* index: the sphere, value: the radius */
    ABUT_BAD_GAP,            /* value: the gap */
    ABUT_BAD_FLAT_ANGLE,     /* value: the angle */
    ABUT_BAD_WEIGHTS, /* index: a facet without such weights, detail: its corners, value: its mesh
                       */
    ABUT_BAD_PERIOD,  /* index: the axis, value: the period */
    ABUT_BAD_HALF_SPACE, /* index: the half space, detail: which of its numbers, value: the number
                          */
    ABUT_HALF_SPACE_REPEATS, /* index: the half space, detail: the axis, value: its normal's part */
    ABUT_BAD_EXPONENT,       /* value: the exponent */
    ABUT_TOO_MANY_IMAGES,    /* index: the sphere, whose periodic images cannot be counted */
    ABUT_RADIUS_TOO_SMALL,   /* index: the sphere, value: its radius, less than ABUT_SMALLEST_RADIUS
                              */
    ABUT_PERIOD_TOO_SHORT,   /* index: the axis, value: the period, for which spheres reach over too
                                many periodic images */
    ABUT_BAD_SPHERE_GAP,     /* index: the sphere, value: its gap */
    ABUT_BAD_SIZE,        /* index: the level, value: its size, which is not positive, not finite or
                             no more than that of the level before */
    ABUT_SIZE_TOO_SMALL,  /* index: the sphere, value: its diameter and gap, for which the last
                             level, detail, is too small */
    ABUT_BAD_DIMENSION,   /* index: the dimension, which is neither 2 nor 3 */
    ABUT_TOO_MANY_LEVELS, /* index: how many */
    ABUT_TOO_MANY_SPHERES, /* index: how many; spheres of pairs are numbered with 31 bits */
    ABUT_TOO_MANY_PERIODS, /* as ABUT_CENTER_NOT_FINITE: more than 2^31 periods from the box */
    ABUT_BAD_ROWS,  /* of a step's contacts: index: the sphere whose offsets do not ascend from 0 to
                       the contacts' end, detail: the number of contacts */
    ABUT_BAD_NODES, /* index: the contact, detail: the number of nodes, likewise */
    ABUT_BAD_EARLIER,     /* index: the sphere, detail: its number in the step before */
    ABUT_BAD_MESH_NUMBER, /* of the step before: index: the contact, detail: the number of its mesh,
                             value: the largest that there is */
    ABUT_BAD_MATCH,       /* index: the contact, detail: the row that it is said to continue, value:
                             the contacts of the step before */
    ABUT_PERIOD_CHANGED,  /* index: the axis, value: the period now */
    ABUT_BAD_PAIR_ROWS,   /* of a step's pairs: the offsets do not ascend from 0 to the pairs' end;
                             detail: the number of pairs */
    ABUT_BAD_I,           /* index: the pair, detail: its i, value: the last sphere's number */
    ABUT_BAD_J,           /* likewise */
    ABUT_BAD_PAIR_MATCH,  /* index: the pair, detail: the row that it is to continue, value: the
                             rows that there are */
    ABUT_BAD_PAIR_SPHERES, /* index: the pair, which is to continue one of other spheres */
    ABUT_BAD_REACH,        /* value: the reach */
    ABUT_BAD_TIME_STEP,    /* value: the step of time */
    ABUT_BAD_GRAVITY,      /* index: the axis, value: the acceleration */
    ABUT_BAD_LAW,         /* index: the material, detail: the other, value: what is wrong with it */
    ABUT_BAD_MASS,        /* index: the sphere, value: its mass */
    ABUT_BAD_MATERIAL,    /* index: the sphere, detail: its material */
    ABUT_BAD_VELOCITY,    /* index: the sphere, detail: the axis, value: the velocity or spin */
    ABUT_BAD_FORCE,       /* index: the sphere, detail: the axis, value: the force or torque */
    ABUT_LAW_MISSING,     /* index: the sphere, detail: its material, value: that of what it
                             touches */
    ABUT_SPHERE_LOST,     /* index: the sphere, whose center is not finite or too far; detail: the
                             number of the step */
    ABUT_LIST_INCOMPLETE, /* of a build that checks neighbor lists; index: how many rows a step has
                             found by them, detail: how many there are, value: the step's number */
    ABUT_NO_SHAPES,       /* a finder of convex bodies needs one */
    ABUT_MIXED_SHAPES,    /* index: the shape, detail: its dimension, value: that of shape 0 */
    ABUT_TOO_MANY_BODIES, /* index: how many; bodies are numbered with 31 bits */
    ABUT_BAD_SHAPE_NUMBER,    /* index: the body, detail: its shape's number, value: the last one */
    ABUT_BAD_SCALE,           /* index: the body, value: its scale */
    ABUT_BODY_TOO_SMALL,      /* index: the body, value: its circumscribed radius */
    ABUT_BODY_TOO_LARGE,      /* likewise */
    ABUT_BAD_METHOD,          /* index: the method */
    ABUT_BAD_MINIMUM,         /* index: the minimum */
    ABUT_BAD_PATCH_ANGLE,     /* value: the angle */
    ABUT_BAD_CP_ANGLE,        /* index: 0, the first, or 1, the last; value: the angle */
    ABUT_BAD_ITERATIONS,      /* index: the iterations */
    ABUT_POSITION_NOT_FINITE, /* index: the body, detail: the axis, value: the coordinate */
    ABUT_POSITION_TOO_FAR,    /* likewise; beyond ABUT_COORDINATE_LIMIT */
    ABUT_POSITION_FAR_PERIODS, /* likewise; more than 2^31 periods from the box */
    ABUT_BAD_QUATERNION,       /* index: the body, value: the length of its quaternion */
    ABUT_BAD_ANGLE,            /* index: the body, value: its angle */
    ABUT_SAME_BODY,            /* index: the pair, detail: the body that is both */
    ABUT_BAD_SPOT_ROWS,     /* offsets of spots do not ascend from 0 to their end; detail: how many
                               there are */
    ABUT_BAD_SPOT_MATCH,    /* index: the row, detail: the row that it continues, value: the rows
                               that there are */
    ABUT_BAD_ENTRANCE_ROWS, /* of the step before: offsets that do not ascend from 0; detail: the
                               number of pairs */
    ABUT_BAD_BODY,          /* as ABUT_BAD_BOND, of ABUT_RIGID_COLUMNS */
    ABUT_BAD_BOUNDS,     /* index: the axis along which bounds do not end behind where they begin */
    ABUT_OUT_OF_BOUNDS,  /* somebody is beyond the bounds of a simulation */
    ABUT_LAW_NOT_FINITE, /* index: the sphere, or the body, detail: the number of what it touches,
                            value: the abut_interaction; abut_simulation_law_case has more */
    ABUT_LAW_RADIUS, /* likewise: R* is too small for the law's cohesion: a LIQUID_BRIDGE has more
                        liquid than 0.1 (2 R*)^3 */
    ABUT_BODY_LAW,   /* index: the body, detail: its material, value: that of what it touches:
                        the two have no law, or one of ROLLING_A */
    ABUT_BODY_CURVATURE, /* likewise: their law asks for a radius of curvature, and neither the
                            body's shape is rounded, nor has the law a curvature */
    ABUT_BAD_BOND,    /* index: the bond, value: a number of it out of its range; detail: in which
                         of ABUT_BOND_COLUMNS */
    ABUT_BOND_ITSELF, /* index: the bond, detail: the sphere that is both of its spheres */
    ABUT_BOND_TWICE,  /* index: the bond, detail: its first sphere, value: the other one: there
                         is a bond of these */
    ABUT_BOND_IN_CLUSTER, /* likewise: both are members of one cluster */
    ABUT_TOO_MANY_BONDS,  /* index: how many; they are numbered with 30 bits */
    ABUT_BOND_TOO_SHORT,  /* likewise: the center of one lies inside of the other */
    ABUT_BOND_STIFFNESS,  /* likewise: its stiffness is 0, or not finite */
    ABUT_BAD_BREAKAGE,    /* as ABUT_BAD_BOND, of ABUT_BREAKAGE_COLUMNS */
    ABUT_BAD_REST,        /* likewise, of ABUT_REST_COLUMNS */
    ABUT_BAD_SPHERE,      /* likewise, of ABUT_SPHERE_COLUMNS */
    ABUT_BODY_LOST,       /* index: the body, whose position is not finite or too far; detail: the
                             number of the step */
    ABUT_WALL_LOST,       /* index: the wall, likewise */
    ABUT_BODY_IMAGES, /* index: the body, which meets a sphere at more than one image; detail: the
                         sphere */
    ABUT_BODY_MANY_IMAGES,  /* index: the body, for which images of walls cannot be counted */
    ABUT_BODY_SHORT_PERIOD, /* as ABUT_PERIOD_TOO_SHORT, of bodies */
    ABUT_INPUT_CHANGED,    /* what was wrong with an array was so no more when it was to be named */
    ABUT_BAD_SIMD,         /* no instruction level has this name */
    ABUT_NO_SIMD,          /* this processor, or this build, has no such instruction level */
    ABUT_SHAPE_BAD_RADIUS, /* value: the radius of a shape's rounding */
    ABUT_SHAPE_TOO_FEW_VERTICES, /* index: how many, detail: the least, value: the dimension */
    ABUT_SHAPE_TOO_FEW_FACETS,   /* likewise */
    ABUT_SHAPE_BAD_VERTEX,       /* as ABUT_FACET_BAD_VERTEX */
    ABUT_SHAPE_BAD_SIDE,   /* index: the facet of a polygon, detail: its corners, which are not two
                            */
    ABUT_SHAPE_FLAT,       /* index: the dimension; all vertices lie in one plane, or on one line */
    ABUT_SHAPE_INWARD,     /* index: the facet, which looks inward, detail: the dimension */
    ABUT_SHAPE_NOT_CLOSED, /* index: a vertex, detail: the next one along an edge, or -1 of a
                              polygon; value: how many facets meet there: not one on each side */
    ABUT_SHAPE_NOT_PLANAR, /* index: the facet, detail: the vertex, value: its height / size */
    ABUT_SHAPE_NOT_CONVEX, /* index: the facet, detail: a vertex in front of it, value: likewise */
    ABUT_BOX_TILTED,       /* LAMMPS' box is triclinic */
    ABUT_ATOM_DATA,        /* LAMMPS has not all of the data that walls read */
    ABUT_ATOM_POSITION,    /* index: the atom, detail: the axis, value: the coordinate */
    ABUT_ATOM_RADIUS,      /* index: the atom, value: its radius */
    ABUT_ATOM_MASS,        /* index: the atom, value: its mass */
    ABUT_ATOM_FORCE,       /* index: the atom, on which the force is not finite */
    ABUT_ATOM_LIQUID,      /* index: the atom, value: the most liquid for its radius */
    ABUT_ATOM_IMAGES,      /* index: the atom, whose periodic images cannot be counted */
    ABUT_TOO_FEW_SLOTS,    /* index: the atom, detail: its contacts, value: the slots */
    ABUT_OTHER_SLOTS,      /* index: the atom, detail: with how many slots its data were written,
                              value: the slots */
    ABUT_BAD_SLOT,         /* index: the atom, whose contacts are on no mesh that there is */
    ABUT_STATUS_COUNT
} abut_status;

typedef struct abut_error {
    abut_status status;
    abut_index index;
    abut_index detail;
    double value;
    int of_others; /* 1: the sphere is one of the query's other spheres; else 0 */
    int of_before; /* 1: the pair is one of the step before; else 0 */
} abut_error;

/* Write a one-line message for `error` into text[size], always terminated, cut
 * where it does not fit. */
void abut_error_text(const abut_error *error, char *text, size_t size);

/* Called now and then by what may take long, on the thread that called that; a value other than 0
 * ends it. */
typedef int (*abut_interrupted)(void *data);

/* ---- meshes ---- */

/* Squares and products of four coordinates must stay finite. */
#define ABUT_COORDINATE_LIMIT 1e75

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

/* ---- columns ----
 *
 * Results are columns: arrays of the caller with an entry for each row, which a function fills; and
 * so is the state of a simulation, which functions take, too. The columns of each kind of result,
 * and of each population of a simulation, stand in one list
 *
 *     X(name, type, width, per, when, flags, unit, meaning)
 *
 * from which its struct here, the tables and files of the Python package, and the manual follow.
 * A column that is NULL is left out. */

typedef enum abut_column_type {
    ABUT_COLUMN_INDEX, /* abut_index */
    ABUT_COLUMN_BYTE,  /* uint8_t */
    ABUT_COLUMN_REAL   /* double */
} abut_column_type;

/* How many entries a column has. */
typedef enum abut_column_per {
    ABUT_COLUMN_ROWS,          /* one for each row */
    ABUT_COLUMN_ENTRIES,       /* one for each node, or spot, of all rows */
    ABUT_COLUMN_ENTRY_OFFSETS, /* rows + 1 */
    ABUT_COLUMN_OFFSETS        /* one for each sphere, body or pair of the search, and 1 more */
} abut_column_per;

/* When Python's tables have it; else its entries would all be the same, or there are none. */
typedef enum abut_column_when {
    ABUT_COLUMN_ALWAYS,
    ABUT_COLUMN_WITH_MESHES, /* several */
    ABUT_COLUMN_WITH_SHARING,
    ABUT_COLUMN_WITH_PERIOD,
    ABUT_COLUMN_WITH_BODIES, /* two a row */
    ABUT_COLUMN_WITH_WALLS,
    ABUT_COLUMN_WITH_SPOTS,
    ABUT_COLUMN_WITH_ORDER,   /* rows are sorted by i */
    ABUT_COLUMN_WITH_BEFORE,  /* the search was given a step before, or what was saved goes on */
    ABUT_COLUMN_WITH_MEMBERS, /* of clusters */
    ABUT_COLUMN_WITH_SHAPES   /* of convex bodies */
} abut_column_when;

/* Numbers a row beside 0, which is one number that needs no axis, 2 and 3: as many as there are
 * dimensions d; 2 x d. */
enum { ABUT_DIMENSION = -1, ABUT_TWO_VECTORS = -2 };

/* Zeros on entry, since functions leave zeros out; not for users; not to be changed by them. */
enum { ABUT_ZEROS = 1, ABUT_INTERNAL = 2, ABUT_LOCKED = 4 };

typedef struct abut_column {
    const char *name;
    size_t place; /* offset of its pointer in the struct */
    int type;     /* abut_column_type */
    int width;
    int per;  /* abut_column_per */
    int when; /* abut_column_when */
    int flags;
    const char *unit; /* a dimension, as length; empty: a pure number */
    const char *meaning;
} abut_column;

typedef enum abut_table {
    ABUT_CONTACT_TABLE,
    ABUT_PAIR_TABLE,
    ABUT_CONVEX_TABLE,
    ABUT_ENTRANCE_TABLE,
    ABUT_BOND_TABLE,
    ABUT_BREAKAGE_TABLE,
    ABUT_REST_TABLE,
    ABUT_SPHERE_TABLE,
    ABUT_RIGID_TABLE
} abut_table;

/* The columns of a kind of result, in their order; *count: how many. */
const abut_column *abut_table_columns(abut_table table, abut_index *count);

#define ABUT_COLUMN_OF_INDEX abut_index
#define ABUT_COLUMN_OF_BYTE uint8_t
#define ABUT_COLUMN_OF_REAL double
#define ABUT_COLUMN_MEMBER(name, type, width, per, when, flags, unit, meaning)                     \
    ABUT_COLUMN_OF_##type *name;

/* ---- the search ---- */

/* What a contact lies on, in the order of the contact type hierarchy (table 3). */
typedef enum abut_type { ABUT_FACET = 0, ABUT_EDGE = 1, ABUT_VERTEX = 2 } abut_type;

/* How a sphere's touching facets become its contacts. */
typedef enum abut_resolution {
    ABUT_HIERARCHY = 0, /* the double hierarchy method, in canonical order: see walls/hierarchy.c */
    ABUT_ALL = 1,       /* every touching facet's contact, nothing eliminated */
    ABUT_SHARING = 2    /* every touching facet's contact with its share: see walls/sharing.c */
} abut_resolution;

/* Nodal weights of FACET contacts. */
typedef enum abut_weights {
    ABUT_WACHSPRESS = 0, /* any polygon; keeps force and moment (eq. 32 in its area form) */
    ABUT_ZHONG = 1       /* eq. 28 on quads, barycentric (26) on triangles; keeps the moment on
                            parallelograms only */
} abut_weights;

/* Meshes with their bins; borrows the meshes, which must outlive it. */
typedef struct abut_finder abut_finder;

abut_status abut_finder_build(const abut_mesh *const *meshes, abut_index mesh_count,
                              abut_finder **finder, abut_error *error);
void abut_finder_free(abut_finder *finder);

/* The meshes that it was built from. */
abut_index abut_finder_mesh_count(const abut_finder *finder);
const abut_mesh *abut_finder_mesh(const abut_finder *finder, abut_index mesh);

/* Build the finest bins for spheres of this reach, radius plus gap, at once. A finder builds coarse
 * bins first, and finer ones once 10^5 spheres or more have asked, which one query then waits for:
 * who knows that many queries come, as a stepping loop does, spares them both. Of spheres of
 * several sizes the reach of the largest counts; where sizes differ by far, queries use several
 * sets of bins, each of which may be prepared. Results are the same to the bit. Any number of
 * threads may call this, and query meanwhile. ABUT_OK, ABUT_BAD_REACH or ABUT_NO_MEMORY. */
abut_status abut_finder_prepare(const abut_finder *finder, double reach, abut_error *error);

/* Exchange mesh `number` for what abut_mesh_move has made of it, or of a mesh that did: the finder
 * borrows it from now on in place of the one before. Bins are filled with facets grown by a slack,
 * and stay as they are until a vertex has gone farther. No query may run meanwhile. ABUT_OK or
 * ABUT_NO_MEMORY; then all is as before. */
abut_status abut_finder_update(abut_finder *finder, abut_index number, const abut_mesh *mesh,
                               abut_error *error);

/* A search of spheres.
 *
 * Half spaces are surfaces beside the finder's meshes, which need no bins: each fills all of space
 * behind a plane. Numbers of meshes in results go on with them. A contact has facet 0, feature 0
 * and type FACET, and one node, 0, of weight 1; the normal is the half space's, also where the
 * center is behind the plane and the overlap larger than the radius. They are repeated along no
 * axis: one whose normal, in the world, is not perpendicular to the axes of the period is an error.
 */
typedef struct abut_query {
    abut_index sphere_count;
    const double *centers; /* sphere_count x 3 */
    const double *radii;   /* sphere_count, > 0 */
    double gap;            /* >= 0: also report distances up to radius + gap */
    double flat_angle; /* radians, 0 <= flat_angle < pi/2: walls that differ from flat by less are
                          one */
    abut_resolution resolution;
    double exponent; /* SHARING: of the contact law, force ~ overlap^exponent, > 0 */
    int keep_zero;   /* SHARING: keep shares of 0, across a gap of those that HIERARCHY keeps */
    abut_weights weights;
    abut_index half_space_count;
    const double *half_spaces; /* x 6, in their own frames: a point of the plane, and the unit
                                  normal, out of the wall */
    const double *poses;  /* mesh_count + half_space_count x 4 x 4 rigid transforms from the frame
                             of each to the world, not checked; NULL: all are the identity */
    const double *period; /* 3: the meshes are repeated along the axes at these distances; 0: not
                             along this one; NULL: along none */
    int workers; /* threads at most, >= 1; results are the same to the bit for any number */
    abut_interrupted interrupted; /* may be NULL */
    void *interrupted_data;
} abut_query;

/* No spheres, gap 0, flat_angle 0, hierarchy, exponent 3/2, Wachspress, no half spaces, no poses,
 * no period, one worker, no callback. */
abut_query abut_query_default(void);

/* The contacts of a query, sorted by sphere, then nearest first. Borrow the finder, and the query's
 * centers and radii, until they are freed; then the finder's next query uses their memory. */
typedef struct abut_contacts abut_contacts;

abut_status abut_contacts_find(const abut_finder *finder, const abut_query *query,
                               abut_contacts **contacts, abut_error *error);
void abut_contacts_free(abut_contacts *contacts);
abut_index abut_contacts_count(const abut_contacts *contacts);
abut_index abut_contacts_node_count(const abut_contacts *contacts);

/* Arrays of the caller that abut_contacts_write fills; m = abut_contacts_count, k =
 * abut_contacts_node_count. Those that are NULL are left out; node and weight only both. */
#define ABUT_CONTACT_COLUMNS(X)                                                                    \
    X(sphere, INDEX, 0, ROWS, ALWAYS, 0, "", "number of the sphere")                               \
    X(facet, INDEX, 0, ROWS, ALWAYS, 0, "", "number of the facet in its mesh; 0 of a half space")  \
    X(type, BYTE, 0, ROWS, ALWAYS, 0, "", "FACET, EDGE or VERTEX: what the contact lies on")       \
    X(feature, INDEX, 0, ROWS, ALWAYS, 0, "",                                                      \
      "edge i runs from the facet's corner i to i + 1, vertex i is corner i; 0 for FACET")         \
    X(point, REAL, 3, ROWS, ALWAYS, 0, "length", "where it is, on the mesh")                       \
    X(normal, REAL, 3, ROWS, ALWAYS, 0, "", "unit, from the mesh to the sphere's center")          \
    X(overlap, REAL, 0, ROWS, ALWAYS, 0, "length", "radius - distance, >= -gap")                   \
    X(share, REAL, 0, ROWS, WITH_SHARING, 0, "",                                                   \
      "part of the contact law's force, 0 ... 1; 1 but for SHARING")                               \
    X(mesh, INDEX, 0, ROWS, WITH_MESHES, ABUT_ZEROS, "",                                           \
      "number of the mesh; half spaces are numbered after the meshes")                             \
    X(image, INDEX, 3, ROWS, WITH_PERIOD, ABUT_ZEROS, "",                                          \
      "the mesh shifted by image * period is what the sphere touches")                             \
    X(tilt, REAL, 0, ROWS, ALWAYS, ABUT_INTERNAL, "rad",                                           \
      "by how much noise, or flat_angle, may tilt the normal")                                     \
    X(node, INDEX, 0, ENTRIES, ALWAYS, 0, "", "the vertices that carry the force")                 \
    X(weight, REAL, 0, ENTRIES, ALWAYS, 0, "", "the part that each carries")                       \
    X(offsets, INDEX, 0, OFFSETS, ALWAYS, ABUT_LOCKED, "",                                         \
      "the contacts of sphere i are rows offsets[i] ... offsets[i + 1] - 1")                       \
    X(node_offsets, INDEX, 0, ENTRY_OFFSETS, ALWAYS, ABUT_LOCKED, "",                              \
      "where each contact's nodes begin")

typedef struct abut_columns {
    ABUT_CONTACT_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_columns;

void abut_contacts_write(const abut_contacts *contacts, const abut_columns *columns);

/* Columns that there are before it is known how many rows they are for. */
typedef struct abut_room {
    abut_columns columns;
    abut_index rows, nodes; /* that they have room for */
} abut_room;

/* Find contacts, and write them into the room where that is enough, most while others are searched
 * for, which saves them a way through memory. Where it is not enough (abut_contacts_count says so),
 * abut_contacts_write writes all of them into other columns, which must leave out what the room's
 * leave out. The room's columns are borrowed until the contacts are freed; after an error they hold
 * anything. */
abut_status abut_contacts_find_into(const abut_finder *finder, const abut_query *query,
                                    const abut_room *room, abut_contacts **contacts,
                                    abut_error *error);

/* What the finder's last query did, and what its bins hold. Of queries that several threads made
 * at once, that which ended last. */
typedef struct abut_statistics {
    abut_index sphere_count;    /* of the last query; 0 before the first */
    abut_index candidate_count; /* entries of bins that its spheres were compared with */
    abut_index test_count;      /* exact closest points computed, one a triangle */
    abut_index touch_count;     /* facets found to touch; with ABUT_HIERARCHY those of one plane
                                   that cannot stay contacts are not tested */
    abut_index contact_count;
    abut_index set_count;                  /* sets of bins built so far */
    abut_index cell_count, occupied_count; /* buckets of all sets, and those that have entries */
    abut_index entry_count;                /* facets in buckets, of all sets */
    abut_index byte_count;                 /* memory of all sets */
} abut_statistics;

abut_statistics abut_finder_inspect(const abut_finder *finder);

/* ---- pairs of spheres ---- */

/* In a grid with a level for each range of sizes, a sphere meets those of its own level in the
 * cells around its own; and those of other levels in the cells that it reaches, of all levels below
 * its own, or of all above. D. Krijgsman, V. Ogarko, S. Luding, "Optimal parameters for a
 * hierarchical grid data structure", Computational Particle Mechanics 1 (2014),
 * doi:10.1007/s40571-014-0020-9. */
typedef enum abut_search { ABUT_TOP_DOWN = 0, ABUT_BOTTOM_UP = 1 } abut_search;

/* Most levels that a grid may have. */
#define ABUT_LEVEL_LIMIT 64

/* Of pairs: squares of smaller ones would vanish. */
#define ABUT_SMALLEST_RADIUS 0x1.cf2b1970e7258p-250 /* 1e-75 */

/* Spheres whose sizes stay, while their positions change. */
typedef struct abut_pair_finder abut_pair_finder;

/* What a finder of pairs is made of. */
typedef struct abut_pair_input {
    abut_index sphere_count;
    int dimension;       /* of the centers: 2 or 3 */
    const double *radii; /* sphere_count, >= ABUT_SMALLEST_RADIUS */
    double gap;          /* >= 0: also report pairs with overlap >= -gap */
    const double *gaps;  /* sphere_count, >= 0, instead of gap: overlap >= -(gaps[i] + gaps[j]) / 2;
                            NULL: gap for all */
    const double *sizes; /* level_count cell sizes, ascending, the last >= every 2 radius + gap: a
                            sphere is on the first level that is as large; NULL: chosen so that
                            cells of all levels hold as many spheres */
    abut_index level_count; /* 0 to ABUT_LEVEL_LIMIT; 0: as many as the work model finds best */
    abut_search search;
    const double *period; /* dimension: space repeats along the axes at these distances; 0: not
                             along this one; NULL: along none */
    int workers;          /* threads at most that build the finder */
    const abut_pair_finder *lender; /* lives longer, and lends its memory to this finder's queries:
                                       for spheres whose sizes change, of which each finder lives
                                       for one query; may lend to several at once. NULL: none */
} abut_pair_input;

/* No spheres, three dimensions, gap 0, levels chosen, top-down, no period, one worker, no lender.
 */
abut_pair_input abut_pair_input_default(void);

/* Copies what it needs of its input. */
abut_status abut_pair_finder_build(const abut_pair_input *input, abut_pair_finder **finder,
                                   abut_error *error);
void abut_pair_finder_free(abut_pair_finder *finder);

typedef struct abut_pair_query {
    const double *centers; /* sphere_count x dimension */

    /* Other spheres: pairs of a sphere and one of these instead of pairs of spheres. NULL: none. */
    const double *other_centers; /* other_count x dimension */
    const double *other_radii;   /* other_count */
    const double *other_gaps;    /* other_count; NULL: the finder's gap, 0 where it has several */
    abut_index other_count;

    int workers; /* threads at most, >= 1; results are the same to the bit for any number */
    abut_interrupted interrupted; /* may be NULL */
    void *interrupted_data;
} abut_pair_query;

/* One worker, no others, no callback. */
abut_pair_query abut_pair_query_default(void);

/* The pairs of a query, sorted by i, then j, then image. They borrow the finder and the query's
 * arrays until they are freed. */
typedef struct abut_pairs abut_pairs;

abut_status abut_pairs_find(const abut_pair_finder *finder, const abut_pair_query *query,
                            abut_pairs **pairs, abut_error *error);
void abut_pairs_free(abut_pairs *pairs);
abut_index abut_pairs_count(const abut_pairs *pairs);

/* Arrays of the caller that abut_pairs_write fills; m = abut_pairs_count, d = dimension. Any of
 * them may be NULL: then it is left out, and what only it needs is not computed. Who tells convex
 * bodies apart by spheres around them wants i and j only. */
#define ABUT_PAIR_COLUMNS(X)                                                                       \
    X(i, INDEX, 0, ROWS, ALWAYS, 0, "", "the first sphere")                                        \
    X(j, INDEX, 0, ROWS, ALWAYS, 0, "",                                                            \
      "the second; without others i < j, or i == j and the image's first number other than 0 is "  \
      "positive")                                                                                  \
    X(normal, REAL, ABUT_DIMENSION, ROWS, ALWAYS, 0, "",                                           \
      "unit, from j to i; +x where the centers are the same")                                      \
    X(overlap, REAL, 0, ROWS, ALWAYS, 0, "length", "sum of the radii - distance of the centers")   \
    X(point, REAL, ABUT_DIMENSION, ROWS, ALWAYS, 0, "length",                                      \
      "midway between the surfaces, on the line of the centers")                                   \
    X(image, INDEX, ABUT_DIMENSION, ROWS, WITH_PERIOD, 0, "",                                      \
      "sphere j shifted by image * period is what sphere i touches")                               \
    X(offsets, INDEX, 0, OFFSETS, ALWAYS, ABUT_LOCKED, "",                                         \
      "the pairs whose first sphere is i are rows offsets[i] ... offsets[i + 1] - 1")

typedef struct abut_pair_columns {
    ABUT_PAIR_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_pair_columns;

void abut_pairs_write(const abut_pairs *pairs, const abut_pair_columns *columns);

/* The pairs of a step, as columns of the caller; both steps are of one dimension, have others or
 * have none, and have images or have none. Zero-initialize: left as it is, it stands for no step
 * before the first. Those of convex bodies are matched as pairs of spheres, and bodies on walls as
 * pairs with others, the walls, where facets are told apart as images are. */
typedef struct abut_pair_step {
    int dimension;                       /* 2 or 3 */
    int has_others;                      /* whether j counts others; else the same spheres */
    abut_index sphere_count, pair_count; /* and so on: as abut_pair_columns has them */
    abut_index other_count;              /* where there are others */
    const abut_index *i, *j;
    const double *normal;    /* to match NULL in both: not known yet */
    const abut_index *image; /* NULL: there is no period, so that two spheres are one pair */
    const abut_index *offsets;
    int any_order; /* to match: rows are not sorted, i may be larger than j, offsets are not read */
    const abut_index *guess; /* of now, in any order: rows of before, or -1, that are looked at
                                first. NULL: none. The match is the same, unless the same image
                                of the same two is there twice */

    abut_interrupted interrupted; /* asked of the step now, while it is matched; may be NULL */
    void *interrupted_data;
} abut_pair_step;

/* For each pair of `now` the row of the pair of `before` that it continues, or -1: that of the same
 * two spheres. Of several images of the same two it continues the same image; where its normal has
 * turned there by more than 60 degrees, since a sphere left the box and came in on the other side,
 * the image whose normal is closest. No row is there twice. Where normals are not known, one of
 * several images continues the same image alone, and a row may be there twice. earlier[i] is the
 * number that sphere i of `now` had in `before`, or -1; no two have had the same. NULL: the spheres
 * are the same as before, in the same order. other_earlier tells it of the others. Offsets, i, j
 * and numbers are checked. */
abut_status abut_pairs_match(const abut_pair_step *now, const abut_pair_step *before,
                             const abut_index *earlier, const abut_index *other_earlier,
                             int workers, abut_index *match, abut_error *error);

/* Tangential vectors of the pairs of `before`, pair_count x dimension, taken along to those of
 * `now`: turned by the smallest rotation from the old normal to the new one, with the other sign
 * where the first sphere has become the second; 0 where match is -1. `match` is what
 * abut_pairs_match wrote, with the same earlier and other_earlier, or other rows of the same
 * spheres. */
abut_status abut_pairs_carry(const abut_pair_step *now, const abut_pair_step *before,
                             const abut_index *earlier, const abut_index *other_earlier,
                             const abut_index *match, const double *tangent, int workers,
                             double *carried, abut_error *error);

/* One level of a finder's grid, and what its last query found there. */
typedef struct abut_pair_level {
    double size;       /* of the level: spheres up to this diameter, gap included, are on it */
    double lengths[3]; /* of its cells: not less than size, and parts of a period */
    abut_index sphere_count;               /* on the level */
    abut_index cell_count, occupied_count; /* cells that there are, and those with spheres */
    abut_index test_count;   /* T_cd: spheres in the cells that this level's spheres look into */
    abut_index access_count; /* T_ca: those cells, the own and half of those around it included */
} abut_pair_level;

/* What a finder's last query did. Of queries that several threads made at once, one of them. */
typedef struct abut_pair_statistics {
    abut_index sphere_count; /* of the last query; 0 before the first */
    abut_index pair_count;
    abut_index distance_count; /* distances computed: fewer than the sum of test_count, mostly,
                                  since cells that a sphere cannot reach are left out */
    abut_index level_count;
    abut_index byte_count; /* memory kept for the next query, but for scratch of threads */
} abut_pair_statistics;

/* Counts the work of the last query anew, which takes about as long as that took. `levels` has room
 * for ABUT_LEVEL_LIMIT; statistics->level_count of them are filled: others than the finder's where
 * the last query was for other spheres, or where some are too large beside the period for cells,
 * which are a last level of one cell. With others, or where all images were searched for, a level
 * counts the work of those who look into it. A finder with a lender tells its levels alone. */
void abut_pair_finder_inspect(const abut_pair_finder *finder, abut_pair_statistics *statistics,
                              abut_pair_level *levels);

/* The finder's levels, and their sizes. */
abut_index abut_pair_level_count(const abut_pair_finder *finder);
const double *abut_pair_level_sizes(const abut_pair_finder *finder);

/* ---- shares ---- */

/* The shares of one sphere's contacts (docs/method.md, section 5), nearest first, with overlaps >
 * 0: find f >= 0 with G f >= F and f_i (G f - F)_i = 0, G_ij = max(0, n_i . n_j), F_i = (overlap_i
 * / overlap_0)^exponent; share_i = f_i / F_i. ABUT_OK or ABUT_NO_MEMORY. */
abut_status abut_share(abut_index count, const double *normals, const double *overlaps,
                       double exponent, double *shares);

/* ---- history ---- */

/* The contacts of a step, as columns of the caller's, which abut_contacts_write has filled, and
 * where the meshes stood, as the query had it. Zero-initialize, then set what is known: left as it
 * is, it stands for no step before the first. */
typedef struct abut_step {
    abut_index sphere_count, contact_count, node_count;
    const abut_index *offsets; /* sphere_count + 1 */
    const abut_index *mesh;    /* contact_count, and so on: as abut_columns has them; NULL: all 0 */
    const double *point;
    const double *normal;
    const double *tilt;
    const abut_index *image; /* NULL: all 0 */
    const abut_index *node;
    const abut_index *node_offsets;

    abut_index mesh_count; /* of the poses */
    const double *poses;   /* mesh_count x 4 x 4, as abut_query has them; NULL: the identity */
    const double *period;  /* 3, the same in both steps; NULL: all 0 */

    abut_interrupted interrupted; /* asked of the step now, while it is matched; may be NULL */
    void *interrupted_data;
} abut_step;

/* For each contact of `now` the row of the contact of `before` that it continues, or -1
 * (docs/method.md, section 6). earlier[i] is the number that sphere i of `now` had in `before`, or
 * -1, and no number comes twice; NULL: its own. Points and normals of `before` are as they were
 * found: the poses of both steps tell where they are now, and of a sphere that the caller has moved
 * by whole periods meanwhile, so do the contacts that are nearest. Results are the same for any
 * number of workers.
 *
 * Offsets are checked, and where a mesh has moved, so are the numbers of meshes of `before`; else
 * these are only compared, and so are numbers of nodes. */
abut_status abut_contacts_match(const abut_step *now, const abut_step *before,
                                const abut_index *earlier, int workers, abut_index *match,
                                abut_error *error);

/* Take a tangential vector of each contact of `before`, such as a spring, along to those contacts
 * of `now` that continue it: it turns with its mesh, and then by the smallest rotation from the old
 * normal to the new one, which leaves it as it is, to the bit, where nothing moves.
 *
 * Reads the normals of both steps, poses, and where a mesh has moved, `mesh` of `before`; other
 * columns may be NULL. match: contact_count of `now`, as abut_contacts_match has filled it;
 * tangent: contact_count x 3 of `before`; carried: contact_count x 3 of `now`, 0 where match is -1.
 * They do not overlap. */
abut_status abut_contacts_carry(const abut_step *now, const abut_step *before,
                                const abut_index *match, const double *tangent, int workers,
                                double *carried, abut_error *error);

/* ---- a loop of steps ----
 *
 * A step of a simulation in C: who touches, which contact goes on, and the springs that they carry
 * along. Two tables take turns, each with the columns of a step, its match and its springs;
 * make_room is the caller's. Pairs go likewise. From the second step on the search allocates
 * nothing, as what abut_contacts_free gives back serves the next one; abut_finder_prepare spares
 * the first ones the building of bins.
 *
 *     static abut_status step_on(const abut_finder *finder, const abut_query *query, table *now,
 *                                const table *before, abut_error *error)
 *     {
 *         const int workers = query->workers;
 *         const abut_step *old = &before->step;
 *         abut_contacts *contacts = NULL;
 *         abut_status status = abut_contacts_find(finder, query, &contacts, error);
 *         if (status) {
 *             return status;
 *         }
 *         const abut_index rows = abut_contacts_count(contacts);
 *         const abut_index nodes = abut_contacts_node_count(contacts);
 *         status = make_room(now, rows, nodes);
 *         if (!status) {
 *             abut_contacts_write(contacts, &now->columns);
 *             now->step = (abut_step){.sphere_count = query->sphere_count,
 *                                     .contact_count = rows,
 *                                     .node_count = nodes,
 *                                     .offsets = now->columns.offsets,
 *                                     .point = now->columns.point,
 *                                     .normal = now->columns.normal,
 *                                     .tilt = now->columns.tilt,
 *                                     .node = now->columns.node,
 *                                     .node_offsets = now->columns.node_offsets};
 *             status = abut_contacts_match(&now->step, old, NULL, workers, now->match, error);
 *         }
 *         if (!status) {
 *             status = abut_contacts_carry(&now->step, old, now->match, before->springs, workers,
 *                                          now->springs, error);
 *         }
 *         abut_contacts_free(contacts);
 *         return status;
 *     }
 */

/* ---- convex bodies ----
 *
 * Convex polygons and polyhedra, which may be rounded. Body A of a pair is i, body B is j; normals
 * point from j to i, so that the force on i acts along +normal, and overlap is positive where they
 * touch. docs/convex.md says what is computed.
 *
 * Methods: E. G. Nezami, Y. M. A. Hashash, D. Zhao, J. Ghaboussi, "Shortest link method for contact
 * detection in discrete element method", International Journal for Numerical and Analytical Methods
 * in Geomechanics 30 (2006), doi:10.1002/nag.500; the same, "A fast contact detection algorithm for
 * 3-D discrete element method", Computers and Geotechnics 31 (2004); P. A. Cundall, "Formulation of
 * a three-dimensional distinct element model", International Journal of Rock Mechanics and Mining
 * Sciences 25 (1988); "A fast direct search algorithm for contact detection of convex polygonal or
 * polyhedral particles", Computers and Geotechnics 87 (2017). */

/* What a shape is built from. Facet f has the corners from indices[offsets[f]] up to
 * indices[offsets[f + 1] - 1], counter-clockwise as seen from outside; a polygon's facets are its
 * sides of two corners each, which have the polygon on their left. Facets in one plane are merged,
 * and vertices that are then no corner of three facets (of two sides) are left out. */
typedef struct abut_shape_input {
    int dimension; /* 2 or 3 */
    abut_index vertex_count, facet_count, index_count;
    const double *vertices;    /* vertex_count x dimension */
    const abut_index *indices; /* index_count */
    const abut_index *offsets; /* facet_count + 1 */
    double radius;             /* >= 0: all within this distance of the polyhedron is the body */
} abut_shape_input;

/* A convex polygon or polyhedron; immutable, owns its memory. */
typedef struct abut_shape abut_shape;

/* What can be read of a shape; the pointers live as long as the shape. */
typedef struct abut_shape_view {
    int dimension;
    abut_index vertex_count, facet_count, index_count, edge_count; /* a polygon has no edges */
    const double *vertices;                                        /* vertex_count x dimension */
    const abut_index *indices;                                     /* index_count */
    const abut_index *offsets;                                     /* facet_count + 1 */
    const abut_index *edges;                                       /* edge_count x 2: vertices */
    const abut_index *edge_facets; /* edge_count x 2: left and right of the edge */
    const double *normals;         /* facet_count x dimension, outward */
    const abut_index *source;      /* vertex_count: each vertex's number in the input */
    double radius;
    /* Of the rounded body, of density 1. */
    double centroid[3], volume; /* a polygon's volume is its area */
    double inertia[9];          /* about the centroid; a polygon's is inertia[0] */
    double circumradius;        /* of the smallest sphere about the centroid with all of it */
    double inradius;            /* of the largest one within it; of a plate 0 */
} abut_shape_view;

abut_status abut_shape_build(const abut_shape_input *input, abut_shape **shape, abut_error *error);
void abut_shape_free(abut_shape *shape);
abut_shape_view abut_shape_inspect(const abut_shape *shape);

/* A sphere or a disk about the origin: a point that is rounded. */
abut_status abut_shape_build_point(int dimension, double radius, abut_shape **shape,
                                   abut_error *error);

/* How the contact of two bodies is found. */
typedef enum abut_convex_method {
    ABUT_SHORTEST_LINK = 0,
    ABUT_FAST_COMMON_PLANE,
    ABUT_COMMON_PLANE,
    ABUT_DIRECT_SEARCH
} abut_convex_method;

/* Which of the normals along which overlapping bodies can be parted counts. */
typedef enum abut_minimum {
    ABUT_TRACKED = 0, /* a local minimum of the way apart: the last step's while that is one */
    ABUT_GLOBAL
} abut_minimum;

typedef enum abut_convex_status {
    ABUT_SEPARATED = 0,
    ABUT_TOUCHING, /* by rounding: |overlap| <= 1e-11 of both sizes */
    ABUT_OVERLAPPING,
    ABUT_UNCONVERGED /* the bounds are true all the same */
} abut_convex_status;

typedef struct abut_convex_options {
    abut_convex_method method;
    double patch_angle; /* a feature within this angle of the normal bears; 0 < angle < pi / 4 */
    double cp_first, cp_last; /* COMMON_PLANE: by what angle the plane is tilted, from, down to */
    int iterations;           /* at most, >= 1 */
} abut_convex_options;

/* Shortest link, 5 degrees, 5 and 0.01 degrees, 100. */
abut_convex_options abut_convex_options_default(void);

/* Bodies whose positions change. */
typedef struct abut_convex_input {
    const abut_shape *const *shapes; /* shape_count, all of one dimension; borrowed */
    abut_index shape_count;
    abut_index body_count;
    const abut_index *shape; /* body_count: numbers of shapes; NULL: all 0 */
    const double *scales;    /* body_count, > 0; NULL: all 1 */
    abut_convex_options options;
} abut_convex_input;

typedef struct abut_convex_finder abut_convex_finder;

/* Borrows the shapes, copies the rest. */
abut_status abut_convex_finder_build(const abut_convex_input *input, abut_convex_finder **finder,
                                     abut_error *error);
void abut_convex_finder_free(abut_convex_finder *finder);

/* Doubles of what a pair's next query begins with; opaque. */
#define ABUT_CONVEX_STATE 12

/* Rows of an earlier query, as columns of the caller's. Zero-initialize: no step before. */
typedef struct abut_convex_before {
    abut_index row_count;
    const abut_index *i, *j; /* row_count; of walls j is NULL, and mesh and facet are there */
    const abut_index *mesh, *facet;
    const abut_index *image; /* row_count x dimension; NULL: there is no period */
    const double *state;     /* row_count x ABUT_CONVEX_STATE */
    const abut_index *match; /* of the query's pairs, where it has some, which row each goes on
                                from, or -1; NULL: those of the same i, j and image */
} abut_convex_before;

typedef struct abut_convex_query {
    const double *positions;    /* body_count x dimension */
    const double *orientations; /* body_count x 4: quaternions x, y, z, w, of any length but 0; of
                                   polygons body_count angles; NULL: none is turned */
    /* Pairs of the caller's: a row each in their order, where `all_rows`. NULL: those of bodies
     * whose circumscribed spheres touch within the gap, by i, then j, then image. */
    const abut_index *i, *j;
    abut_index pair_count;
    int all_rows; /* with pairs: report them whatever their overlap; else those >= -gap */
    double gap;   /* >= 0 */
    abut_convex_before before;
    abut_minimum minimum;
    int spots;            /* whether contact points are computed */
    const double *period; /* dimension; 0: not along this axis; NULL: along none. Of pairs that are
                             given the image counts whose circumscribed sphere is nearest */
    int workers;
    abut_interrupted interrupted; /* may be NULL */
    void *interrupted_data;
} abut_convex_query;

/* Gap 0, no pairs, no before, TRACKED, spots, no period, one worker. */
abut_convex_query abut_convex_query_default(void);

/* The rows of a query. They borrow nothing but the finder. */
typedef struct abut_convex_contacts abut_convex_contacts;

abut_status abut_convex_find(const abut_convex_finder *finder, const abut_convex_query *query,
                             abut_convex_contacts **contacts, abut_error *error);
void abut_convex_contacts_free(abut_convex_contacts *contacts);
abut_index abut_convex_contacts_count(const abut_convex_contacts *contacts);
abut_index abut_convex_contacts_spot_count(const abut_convex_contacts *contacts);

/* m = abut_convex_contacts_count, k = ..._spot_count, d = dimension; NULL: left out. */
#define ABUT_CONVEX_COLUMNS(X)                                                                     \
    X(i, INDEX, 0, ROWS, ALWAYS, 0, "", "the first body")                                          \
    X(j, INDEX, 0, ROWS, WITH_BODIES, 0, "", "the second")                                         \
    X(mesh, INDEX, 0, ROWS, WITH_WALLS, 0, "",                                                     \
      "number of the wall; half spaces are numbered after the meshes")                             \
    X(facet, INDEX, 0, ROWS, WITH_WALLS, 0, "",                                                    \
      "number of the facet in its mesh; 0 of a half space")                                        \
    X(status, BYTE, 0, ROWS, ALWAYS, 0, "", "SEPARATED, TOUCHING, OVERLAPPING or UNCONVERGED")     \
    X(type, BYTE, 2, ROWS, ALWAYS, 0, "",                                                          \
      "FACET, EDGE or VERTEX: what the link's ends lie on, on i and on j; a polygon's sides are "  \
      "FACET")                                                                                     \
    X(feature, INDEX, 2, ROWS, ALWAYS, 0, "", "number of that vertex, edge or facet in its shape") \
    X(normal, REAL, ABUT_DIMENSION, ROWS, ALWAYS, 0, "", "unit, from j to i")                      \
    X(overlap, REAL, 0, ROWS, ALWAYS, 0, "length",                                                 \
      "how far the bodies overlap along the normal; - distance")                                   \
    X(error, REAL, 0, ROWS, ALWAYS, 0, "length",                                                   \
      "the true overlap is in overlap - error ... overlap; NaN: unknown")                          \
    X(link, REAL, ABUT_TWO_VECTORS, ROWS, ALWAYS, 0, "length",                                     \
      "the ends of the shortest link, on i and on j, where i is")                                  \
    X(point, REAL, ABUT_DIMENSION, ROWS, ALWAYS, 0, "length", "midway on the common plane")        \
    X(iterations, INDEX, 0, ROWS, ALWAYS, 0, "", "of the method")                                  \
    X(state, REAL, ABUT_CONVEX_STATE, ROWS, ALWAYS, 0, "", "what the next search begins with")     \
    X(image, INDEX, ABUT_DIMENSION, ROWS, WITH_PERIOD, ABUT_ZEROS, "",                             \
      "j shifted by image * period is what i meets")                                               \
    X(before, INDEX, 0, ROWS, WITH_BEFORE, ABUT_INTERNAL, "",                                      \
      "the row of the step before that the search began with, or -1: it goes on, but where "       \
      "normals show that another image does")                                                      \
    X(spot, REAL, ABUT_DIMENSION, ENTRIES, WITH_SPOTS, 0, "length",                                \
      "a contact point, on the common plane")                                                      \
    X(spot_overlap, REAL, 0, ENTRIES, WITH_SPOTS, 0, "length",                                     \
      "how far the bodies overlap there along the normal")                                         \
    X(spot_type, BYTE, 2, ENTRIES, WITH_SPOTS, 0, "",                                              \
      "FACET, EDGE or VERTEX: the features whose crossing it is, on i and on j")                   \
    X(spot_feature, INDEX, 2, ENTRIES, WITH_SPOTS, 0, "",                                          \
      "their numbers: with the types a spot's name, unique in its row")                            \
    X(offsets, INDEX, 0, OFFSETS, WITH_ORDER, ABUT_LOCKED, "",                                     \
      "the rows of body i are offsets[i] ... offsets[i + 1] - 1; not where pairs were given")      \
    X(spot_offsets, INDEX, 0, ENTRY_OFFSETS, WITH_SPOTS, ABUT_LOCKED, "",                          \
      "where each row's spots begin")

typedef struct abut_convex_columns {
    ABUT_CONVEX_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_convex_columns;

void abut_convex_contacts_write(const abut_convex_contacts *contacts,
                                const abut_convex_columns *columns);

/* Which spot of `before` each spot of `now` continues, or -1: that of the same name in the row that
 * its row continues. */
typedef struct abut_spot_step {
    abut_index row_count, spot_count;
    const abut_index *spot_offsets; /* row_count + 1 */
    const uint8_t *spot_type;       /* spot_count x 2 */
    const abut_index *spot_feature; /* spot_count x 2 */
} abut_spot_step;

/* row_match: row_count of `now`, rows of `before` or -1; swapped: whether i and j of that row have
 * changed places, NULL: in none. Offsets and rows are checked. */
abut_status abut_spots_match(const abut_spot_step *now, const abut_spot_step *before,
                             const abut_index *row_match, const uint8_t *swapped, abut_index *match,
                             abut_error *error);

/* Valid entrances of pairs: feature pairs, vertex and facet, facet and vertex, or two edges that
 * cross, by which the bodies can meet without overlapping. */
typedef struct abut_entrances abut_entrances;

/* Entrances of the same pairs a step before; zero-initialize: none. */
typedef struct abut_entrances_before {
    abut_index pair_count, row_count;
    const abut_index *offsets; /* pair_count + 1 */
    const uint8_t *type;       /* row_count x 2 */
    const abut_index *feature; /* likewise */
} abut_entrances_before;

/* Reads positions, orientations, pairs, period, workers and interrupted of the query. */
abut_status abut_entrances_find(const abut_convex_finder *finder, const abut_convex_query *query,
                                const abut_entrances_before *before, abut_entrances **entrances,
                                abut_error *error);
void abut_entrances_free(abut_entrances *entrances);
abut_index abut_entrances_count(const abut_entrances *entrances);

#define ABUT_ENTRANCE_COLUMNS(X)                                                                   \
    X(pair, INDEX, 0, ROWS, ALWAYS, 0, "", "number of the pair")                                   \
    X(type, BYTE, 2, ROWS, ALWAYS, 0, "",                                                          \
      "FACET, EDGE or VERTEX: the features that meet, on i and on j")                              \
    X(feature, INDEX, 2, ROWS, ALWAYS, 0, "", "their numbers")                                     \
    X(normal, REAL, ABUT_DIMENSION, ROWS, ALWAYS, 0, "", "unit, from j to i")                      \
    X(overlap, REAL, 0, ROWS, ALWAYS, 0, "length", "by how much the planes overlap; - distance")   \
    X(offsets, INDEX, 0, OFFSETS, ALWAYS, ABUT_LOCKED, "",                                         \
      "the entrances of pair k are rows offsets[k] ... offsets[k + 1] - 1")

typedef struct abut_entrance_columns {
    ABUT_ENTRANCE_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_entrance_columns;

void abut_entrances_write(const abut_entrances *entrances, const abut_entrance_columns *columns);

/* Bodies against walls: of three dimensions. */
typedef struct abut_convex_walls {
    const abut_finder *finder; /* of meshes; NULL: none */
    const double *poses;       /* of its meshes, x 4 x 4; NULL: the identity */
    abut_index half_space_count;
    const double *half_spaces; /* x 6: a point, and the unit normal, which points to the bodies */
    const abut_index *bodies;  /* who is searched for, ascending; NULL: all. Not checked */
    abut_index body_count;
} abut_convex_walls;

/* Rows by i, then mesh, then facet: the facets, and half spaces, that a body stands on, each with
 * the spots that lie in it, and the overlap of the deepest of these. Facets in one plane are one
 * wall, whose rows are there where one of its spots has an overlap >= -gap: spots, forces and
 * torques of all of them are those of the half space. `i`, `j`, `pair_count`, `all_rows`, `before`
 * and `minimum` of the query are not read: nothing depends on the step before. */
abut_status abut_convex_find_walls(const abut_convex_finder *finder, const abut_convex_query *query,
                                   const abut_convex_walls *walls, abut_convex_contacts **contacts,
                                   abut_error *error);

/* ---- simulation ----
 *
 * Spheres that move in time, by the discrete element method: docs/dem.md has the formulas. All
 * units are the caller's, as long as they are consistent. Rows of spheres are numbers in the order
 * in which spheres came; the library stores them otherwise, which nothing shows.
 *
 *     abut_simulation *simulation = NULL;
 *     abut_simulation_input input = {.step = 1e-4, .workers = 1};
 *     input.gravity[2] = -9.81;
 *     abut_status status = abut_simulation_build(&input, &simulation, &error);
 *     ... abut_simulation_set_laws for each two materials,
 *         abut_simulation_set_walls for a finder of their meshes,
 *         abut_simulation_add for spheres ...
 *     abut_index done = 0;
 *     status = abut_simulation_run(simulation, 1000, NULL, NULL, &done, &error);
 *     ... abut_simulation_read, and what else there is of the last step ...
 *     abut_simulation_free(simulation);
 *
 * A simulation is for one thread at a time. After a step tables, forces and energies are those of
 * its beginning, centers those of its end, and velocities those of half a step before that. */

/* How the force of a contact follows from its overlap. */
typedef enum abut_law_kind {
    ABUT_NO_LAW = 0, /* where two such materials meet the step ends with ABUT_LAW_MISSING */
    ABUT_HERTZ,
    ABUT_LINEAR,
    ABUT_OWN_LAW /* a function of the caller's: `number` says which */
} abut_law_kind;

/* How contacts resist rolling. */
typedef enum abut_rolling {
    ABUT_NO_ROLLING = 0,
    ABUT_ROLLING_A, /* a torque against the sphere's spin, which it never reverses */
    ABUT_ROLLING_C  /* a spring and a damper between the two that roll */
} abut_rolling;

/* What pulls two together (docs/dem.md, section 2). */
typedef enum abut_cohesion {
    ABUT_NO_COHESION = 0,
    ABUT_JKR,          /* HERTZ alone: surfaces that stick, with a neck that snaps */
    ABUT_DMT,          /* a pull at touch, and over a short distance beyond it */
    ABUT_LIQUID_BRIDGE /* Willett's: it forms at touch, and ruptures at a gap */
} abut_cohesion;

/* The numbers of a law, as X(type, name): a struct, arrays and files follow from them. Those that
 * are not told are >= 0, and without unit.
 *
 * - stiffness: HERTZ: E*; LINEAR: k_n; > 0
 * - shear: HERTZ: G*; LINEAR: k_t; >= 0
 * - restitution: 0 < restitution <= 1
 * - rolling_damping: C: eta
 * - curvature: the radius with which a convex body that is not rounded counts in R*, for HERTZ and
 *   for C; 0: none, and such bodies are then an error. Spheres and rounded bodies have radii of
 *   their own
 * - adhesion: JKR, DMT: the work of adhesion, an energy an area; > 0
 * - distance: DMT: s_0, a length; 0: nothing pulls beyond touch
 * - volume: LIQUID_BRIDGE: of the liquid in one contact; > 0
 * - surface_tension: LIQUID_BRIDGE: a force a length; > 0
 * - contact_angle: LIQUID_BRIDGE: in radians
 * - number: OWN_LAW: into abut_own_laws; of the others only curvature is read */
#define ABUT_LAW_NUMBERS(X)                                                                        \
    X(abut_law_kind, kind)                                                                         \
    X(double, stiffness)                                                                           \
    X(double, shear)                                                                               \
    X(double, friction)                                                                            \
    X(double, restitution)                                                                         \
    X(abut_rolling, rolling)                                                                       \
    X(double, rolling_friction)                                                                    \
    X(double, rolling_damping)                                                                     \
    X(double, curvature)                                                                           \
    X(abut_cohesion, cohesion)                                                                     \
    X(double, adhesion)                                                                            \
    X(double, distance)                                                                            \
    X(double, volume)                                                                              \
    X(double, surface_tension)                                                                     \
    X(double, contact_angle)                                                                       \
    X(double, number)

#define ABUT_MEMBER(type, name) type name;

/* The law of two materials. */
typedef struct abut_law {
    ABUT_LAW_NUMBERS(ABUT_MEMBER)
} abut_law;

/* The damping ratio with which two that meet part with this part of their speed, under a force that
 * never attracts. */
double abut_damping_ratio(double restitution);

/* A law of one's own, with its parameters: see abut_law.h. */
typedef struct abut_own_law {
    abut_law_function function;
    const double *parameters;
    abut_index parameter_count;
    int vector_count, scalar_count; /* that a contact keeps */
    int identity;                   /* > 0: what is kept under another one is not this law's */
    double reach;                   /* how far beyond touch it acts; 0: not at all */
} abut_own_law;

/* Those of a simulation. */
typedef struct abut_own_laws {
    const abut_own_law *laws;
    abut_index count;
} abut_own_laws;

/* What such a law says of contacts outside of a simulation. Columns, each `count` long: those of
 * ABUT_LAW_INPUTS, of the history, vectors first, and of ABUT_LAW_OUTPUTS. */
void abut_own_law_apply(const abut_own_law *law, double step, abut_index count,
                        const double *inputs, const double *history_in, double *outputs,
                        double *history_out);

/* Likewise of a built-in law, whose history is the spring of sliding, that of rolling, and the
 * overlap of the step before. ABUT_OK or ABUT_BAD_LAW. */
abut_status abut_law_apply(const abut_law *law, double step, abut_index count, const double *inputs,
                           const double *history_in, double *outputs, double *history_out,
                           abut_error *error);

/* How far apart two under a built-in law still pull each other, of this R*; begins: the overlap at
 * which their contact begins, 0 at touch. The law is not checked. */
double abut_law_reach(const abut_law *law, double radius, double *begins);

/* How a wall moves. */
typedef enum abut_motion_kind {
    ABUT_ROTATING = 0,
    ABUT_TRANSLATING,
    ABUT_OSCILLATING,
    /* each of these stands alone */
    ABUT_GIVEN, /* as abut_simulation_place says */
    ABUT_SERVO, /* along a line, by a load and what the wall's contacts exert: see abut_drive */
    ABUT_FREE   /* as a rigid body, likewise */
} abut_motion_kind;

typedef struct abut_motion {
    abut_motion_kind kind;
    double vector[3]; /* ROTATING: the axis, of unit length; TRANSLATING: the velocity;
                         OSCILLATING: the amplitude */
    double origin[3]; /* ROTATING: a point of the axis */
    double rate;      /* ROTATING: angle a time; OSCILLATING: frequency, turns a time */
    double phase;     /* OSCILLATING: shift = amplitude (sin(2 pi rate t + phase) - sin phase) */
} abut_motion;

/* A mesh of the simulation's finder, with the same number; walls after these are half spaces, and
 * walls after those are off, whatever they are. */
typedef struct abut_wall {
    abut_index material;
    const abut_motion *motions; /* the first moves the mesh, each one after it all before it */
    abut_index motion_count;    /* 0: it stands still */
    double start;               /* time at which the motions begin */
    double pose[16];            /* where it stood then: 4 x 4, rigid */
    double point[3], normal[3]; /* of a half space, in its own frame: a point of its surface, and
                                   the unit normal, which points to spheres and bodies */
    int is_off;                 /* 1: it moves, but nothing touches it */
    abut_index vertex_count;    /* of a mesh that deforms, which has no motions; else 0 */
} abut_wall;

/* Where a wall is and how it moves at a time; one of SERVO or FREE moves as half a step ago. */
typedef struct abut_wall_state {
    double pose[16];
    double velocity[3]; /* of the origin */
    double spin[3];
    double origin[3]; /* about which its torque is: that of the first of its motions that rotates,
                         or 0, carried along by those after it; of a wall that stands still 0, of
                         one whose motion is given the origin of its frame, of SERVO 0, carried
                         along, and of FREE `position` */
} abut_wall_state;

/* What drives a wall of SERVO or FREE, in doubles alone (docs/dem.md, section 9). */
typedef struct abut_drive {
    double mass;      /* FREE: > 0; SERVO: of the wall, or 0, which has it settle by itself */
    double force[3];  /* SERVO: the load, along which it moves; FREE: beside that of contacts */
    double torque[3]; /* FREE: likewise, about `position` */
    double size; /* SERVO without mass: how far it goes while no contact bears its load; of a half
                    space steps say it: INFINITY until it has left all grains */
    double inertia[3]; /* FREE: > 0: principal moments, about `position` */
    double arm[3];     /* FREE: from `position` to the center of mass, along the principal axes */
    double locked[6];  /* FREE: 1: it does not move along x, y, z, nor turn about them; else 0 */
    double frame[12];  /* FREE: where the wall is in the frame of the principal axes: of a pose
                          three rows */

    /* what steps change */
    double travel; /* SERVO: how far it went */
    double speed;
    double alone;       /* SERVO: how far of that since a contact bore its load; 0 with mass */
    double position[3]; /* FREE */
    double velocity[3];
    double momentum[3]; /* the angular one, about `position` */
    double spin[3];
    double orientation[4]; /* a quaternion x, y, z, w: from the principal axes */
} abut_drive;
#define ABUT_DRIVE_NUMBERS 51

typedef struct abut_simulation abut_simulation;

typedef struct abut_simulation_input {
    double step; /* > 0 */
    double gravity[3];
    double period[3];           /* 0: not periodic along this axis */
    abut_resolution resolution; /* HIERARCHY or SHARING */
    int workers;
} abut_simulation_input;

abut_status abut_simulation_build(const abut_simulation_input *input, abut_simulation **simulation,
                                  abut_error *error);
void abut_simulation_free(abut_simulation *simulation);

/* laws: material_count x material_count, symmetric; copied. Materials are never taken away. */
abut_status abut_simulation_set_laws(abut_simulation *simulation, abut_index material_count,
                                     const abut_law *laws, abut_error *error);

/* Likewise where some laws are functions of the caller's, whose parameters are copied, too. */
abut_status abut_simulation_set_own_laws(abut_simulation *simulation, abut_index material_count,
                                         const abut_law *laws, const abut_own_laws *own,
                                         abut_error *error);

/* Exchange all walls. The finder, NULL without meshes, is borrowed until the next call. Walls are
 * copied. numbers: of each the number that it had, or -1: it is new; NULL: those that were there
 * keep their numbers. Contacts with walls that are gone, or off, are forgotten; what they held is
 * dissipated.
 *
 * A sphere's contact with a half space has facet 0 and type FACET, and the half space's point for
 * its only node: see abut_query. Half spaces whose normals are not perpendicular to the period's
 * axes end a step with ABUT_HALF_SPACE_REPEATS. */
abut_status abut_simulation_set_walls(abut_simulation *simulation, const abut_finder *finder,
                                      const abut_wall *walls, abut_index wall_count,
                                      const abut_index *numbers, abut_error *error);

/* Put a wall whose motion is given where it is at the beginning of the next step. Laws take its way
 * between the poses of both steps; forces have the power of the state's velocity. */
void abut_simulation_place(abut_simulation *simulation, abut_index wall,
                           const abut_wall_state *state);

/* Put it there as its motion begins: a wall that is new, or that stood in its first pose until now,
 * has not moved there, but stood there. */
void abut_simulation_begin(abut_simulation *simulation, abut_index wall,
                           const abut_wall_state *state);

/* Say how fast the vertices of a wall that deforms are: vertex_count x 3, in the world. To be
 * called after abut_finder_update has exchanged its mesh, which was so far that of the last step:
 * the next step begins with its vertices. Velocities are of half a step before, as those of
 * spheres; the power of the last step's contacts is counted anew with the mean of those before and
 * these. Spheres alone may touch such walls. */
void abut_simulation_deform(abut_simulation *simulation, abut_index wall, const double *velocities);

/* Whether a wall deforms, and has so many vertices. */
int abut_simulation_deforms(const abut_simulation *simulation, abut_index wall,
                            abut_index vertex_count);

/* What spheres exerted at each vertex of a wall at the beginning of the last step, by the nodal
 * weights of the contacts: forces has vertex_count x 3, as many as the mesh has; of a half space it
 * is one. */
void abut_simulation_nodal_forces(const abut_simulation *simulation, abut_index wall,
                                  abut_index vertex_count, double *forces);

/* Let a wall of SERVO or FREE go on as this says: it stands still until then. */
void abut_simulation_set_drive(abut_simulation *simulation, abut_index wall,
                               const abut_drive *drive);
abut_drive abut_simulation_drive(const abut_simulation *simulation, abut_index wall);

/* Where a wall is at the beginning of the last step, or now. */
abut_wall_state abut_simulation_wall(const abut_simulation *simulation, abut_index wall);
abut_wall_state abut_simulation_wall_now(const abut_simulation *simulation, abut_index wall);

/* Spheres as columns of the caller's, by row. Reading and assigning leave out columns that are
 * NULL, and do not look at `count`; clusters are read alone. To add spheres takes centers, radii,
 * masses and materials; the others are 0 where they are NULL, and `began` as centers are. */
#define ABUT_SPHERE_COLUMNS(X)                                                                     \
    X(centers, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "length", "where they are")                     \
    X(radii, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "length", "> 0")                                  \
    X(masses, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "mass",                                          \
      "> 0; of a member of a cluster its part")                                                    \
    X(velocities, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "velocity", "of half a step ago")            \
    X(spins, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "rad/time",                                       \
      "angular velocities in the world, likewise")                                                 \
    X(materials, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "number of the material")                \
    X(clusters, INDEX, 0, ROWS, WITH_BEFORE, ABUT_LOCKED, "", "number of its cluster, or -1")      \
    X(fixed, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "",                                              \
      "1: it does not move, and laws take an infinite mass, else 0; members of a cluster are as "  \
      "its first one")                                                                             \
    X(forces, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "force",                                    \
      "of contacts and those that were applied, of the last step")                                 \
    X(torques, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "moment", "likewise")                      \
    X(images, INDEX, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "",                                        \
      "by how many periods centers were moved down so far: centers + images * period is where "    \
      "spheres would be without")                                                                  \
    X(began, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "length",                                    \
      "centers at the beginning of the last step")                                                 \
    X(works, REAL, 4, ROWS, WITH_BEFORE, ABUT_LOCKED, "energy", "what energies are counted from")

typedef struct abut_spheres {
    abut_index count;
    ABUT_SPHERE_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_spheres;

abut_index abut_simulation_sphere_count(const abut_simulation *simulation);
abut_status abut_simulation_add(abut_simulation *simulation, const abut_spheres *spheres,
                                abut_error *error);

/* is_gone: of each row; those that stay move up. Clusters go with all of their members. */
abut_status abut_simulation_remove(abut_simulation *simulation, const uint8_t *is_gone,
                                   abut_error *error);
void abut_simulation_read(const abut_simulation *simulation, const abut_spheres *spheres);

/* Assign columns whole; centers of members of clusters are those of their cluster, whatever is
 * assigned. */
abut_status abut_simulation_assign(abut_simulation *simulation, const abut_spheres *spheres,
                                   abut_error *error);

/* Rigid bodies: clusters, which are of spheres, and convex bodies, which have shapes; those of each
 * kind have numbers from 0 on, in the order in which they came. */
typedef enum abut_rigid_kind { ABUT_CLUSTERS, ABUT_BODIES } abut_rigid_kind;

/* Rigid bodies of a kind as columns of the caller's. A cluster's frame has its origin in the center
 * of mass and goes along the principal axes; that of a convex body is its shape's. Reading leaves
 * out columns that are NULL. What steps make of bodies is NULL where these begin, or all of it is
 * given, as it was in a step that was saved: then positions and orientations follow from it. */
#define ABUT_RIGID_COLUMNS(X)                                                                      \
    X(positions, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "length", "of the frames' origins")           \
    X(orientations, REAL, 4, ROWS, ALWAYS, ABUT_LOCKED, "",                                        \
      "quaternions x, y, z, w from the frames to the world")                                       \
    X(velocities, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "velocity",                                  \
      "of the centers of mass, half a step ago")                                                   \
    X(angular_momenta, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "angular momentum",                     \
      "about the centers of mass, in the world")                                                   \
    X(masses, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "mass", "> 0")                                   \
    X(inertias, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "moment of inertia", "principal, > 0")         \
    X(fixed, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "as of spheres; NULL of new ones: 0")        \
    X(member_counts, INDEX, 0, ROWS, WITH_MEMBERS, ABUT_LOCKED, "",                                \
      "spheres of a cluster follow one another")                                                   \
    X(members, REAL, 3, ENTRIES, WITH_MEMBERS, ABUT_LOCKED, "length",                              \
      "of all members: their centers in the frame of the principal axes")                          \
    X(shapes, INDEX, 0, ROWS, WITH_SHAPES, ABUT_LOCKED, "", "number of the convex body's shape")   \
    X(scales, REAL, 0, ROWS, WITH_SHAPES, ABUT_LOCKED, "", "> 0")                                  \
    X(materials, INDEX, 0, ROWS, WITH_SHAPES, ABUT_LOCKED, "", "number of the material")           \
    X(axes, REAL, 4, ROWS, WITH_SHAPES, ABUT_LOCKED, "",                                           \
      "from the principal axes to the shape's frame")                                              \
    X(centers, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "length", "of mass")                       \
    X(turns, REAL, 4, ROWS, WITH_BEFORE, ABUT_LOCKED, "",                                          \
      "quaternions from the principal axes to the world")                                          \
    X(spins, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "rad/time", "of half a step ago")            \
    X(images, INDEX, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "", "as those of spheres")                 \
    X(began, REAL, 10, ROWS, WITH_BEFORE, ABUT_LOCKED, "",                                         \
      "center and turn at the beginning of the last step, and its torque")                         \
    X(works, REAL, 4, ROWS, WITH_BEFORE, ABUT_LOCKED, "energy", "as those of spheres")             \
    X(forces, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "force",                                    \
      "of contacts and those that were applied, in the last step")                                 \
    X(torques, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "moment",                                  \
      "about the centers of mass, likewise")

typedef struct abut_rigids {
    abut_index count;
    ABUT_RIGID_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_rigids;

abut_index abut_simulation_rigid_count(const abut_simulation *simulation, abut_rigid_kind kind);

/* Add rigid bodies. Of clusters `spheres` has all members, cluster by cluster; their centers,
 * velocities and spins follow from the clusters. Convex bodies touch each other, spheres and walls;
 * their laws act at each spot, and they have no `spheres`: NULL. */
abut_status abut_simulation_add_rigids(abut_simulation *simulation, abut_rigid_kind kind,
                                       const abut_rigids *rigids, const abut_spheres *spheres,
                                       abut_error *error);
void abut_simulation_read_rigids(const abut_simulation *simulation, abut_rigid_kind kind,
                                 const abut_rigids *rigids);

/* Assign positions, orientations, velocities and angular momenta; NULL: as they are. */
abut_status abut_simulation_assign_rigids(abut_simulation *simulation, abut_rigid_kind kind,
                                          const abut_rigids *rigids, abut_error *error);

/* Forces and torques of the next step beside those of contacts, count x 3 by row; NULL: none. They
 * are copied, and forgotten after that step. */
abut_status abut_simulation_apply(abut_simulation *simulation, const double *forces,
                                  const double *torques, abut_error *error);

/* Shapes of bodies, of three dimensions: borrowed as long as the simulation lives. Those that were
 * there keep their numbers; shapes are never taken away. */
abut_status abut_simulation_set_shapes(abut_simulation *simulation, const abut_shape *const *shapes,
                                       abut_index shape_count, abut_error *error);

/* Take convex bodies away; clusters go with their spheres. is_gone: of each body; those that stay
 * move up. */
abut_status abut_simulation_remove_bodies(abut_simulation *simulation, const uint8_t *is_gone,
                                          abut_error *error);

/* As abut_simulation_apply, of convex bodies: count x 3, torques about centers of mass. */
abut_status abut_simulation_apply_to_bodies(abut_simulation *simulation, const double *forces,
                                            const double *torques, abut_error *error);

/* Bonds of spheres as columns of the caller's: round beams from center to center, which hold two
 * spheres until they break (docs/dem.md, section 12). They are sorted by i, then j. Those of a step
 * that was saved go on with what steps have made of them, and i < j; of bonds that begin where
 * their spheres are these columns are NULL. */
#define ABUT_BOND_COLUMNS(X)                                                                       \
    X(i, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "row of a sphere; i < j where bonds are read")   \
    X(j, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "row of the other one")                          \
    X(ids, INDEX, 2, ROWS, ALWAYS, ABUT_LOCKED, "",                                                \
      "names of the caller's for both, which breakages tell")                                      \
    X(young, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "pressure", "1e-75 to 1e75")                      \
    X(poisson, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "> -1, < 1/2")                              \
    X(radius, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "length", "of the beam; 1e-75 to 1e75")          \
    X(damping, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "part of critical damping, 0 to 1e75")      \
    X(tensile_strength, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "pressure",                            \
      ">= 0; INFINITY: it does not break so")                                                      \
    X(shear_strength, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "pressure", "likewise")                  \
    X(contact, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "",                                            \
      "1: the law of the two acts beside the bond, else 0")                                        \
    X(length, REAL, 0, ROWS, WITH_BEFORE, ABUT_LOCKED, "length", "without force")                  \
    X(rest_overlap, REAL, 0, ROWS, WITH_BEFORE, ABUT_LOCKED, "length",                             \
      "of the spheres when they were bonded; 0 with contact")                                      \
    X(shift, INDEX, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "", "opaque, as the next")                  \
    X(turns, REAL, 8, ROWS, WITH_BEFORE, ABUT_LOCKED, "", "two quaternions")                       \
    X(force, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "force",                                     \
      "on i, at the beginning of the last step")                                                   \
    X(moments, REAL, 6, ROWS, WITH_BEFORE, ABUT_LOCKED, "moment",                                  \
      "on i and on j, about their centers")                                                        \
    X(energy, REAL, 0, ROWS, WITH_BEFORE, ABUT_LOCKED, "energy", "that is stored")                 \
    X(tension, REAL, 0, ROWS, WITH_BEFORE, ABUT_LOCKED, "", "stress as a part of the strength")    \
    X(shear, REAL, 0, ROWS, WITH_BEFORE, ABUT_LOCKED, "", "likewise")

typedef struct abut_bonds {
    abut_index count;
    ABUT_BOND_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_bonds;

abut_index abut_simulation_bond_count(const abut_simulation *simulation);

/* Bond spheres, from where they are at the nearest image; or, with all columns, go on from a step
 * that was saved. On a failure nothing is bonded. A removed sphere's bonds go along. */
abut_status abut_simulation_add_bonds(abut_simulation *simulation, const abut_bonds *bonds,
                                      abut_error *error);

/* Columns that are NULL are left out; `count` is not read. */
void abut_simulation_read_bonds(const abut_simulation *simulation, const abut_bonds *bonds);

/* Bonds that have broken, in their order; of one step by i, then j. */
#define ABUT_BREAKAGE_COLUMNS(X)                                                                   \
    X(step, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "how many steps were done before")            \
    X(ids, INDEX, 2, ROWS, ALWAYS, ABUT_LOCKED, "", "as of the bond")                              \
    X(point, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "length", "midway between both centers")          \
    X(of_shear, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "",                                           \
      "1: the shear stress was too large, else 0")                                                 \
    X(energy, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "energy", "that was stored")

typedef struct abut_breakages {
    abut_index count;
    ABUT_BREAKAGE_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_breakages;

abut_index abut_simulation_breakage_count(const abut_simulation *simulation);
void abut_simulation_read_breakages(const abut_simulation *simulation,
                                    const abut_breakages *breakages);

/* Spheres whose bond has broken, and that have not parted since: of their overlap the part that
 * they had when they were bonded does not count. They are sorted by i, then j, and i < j. */
#define ABUT_REST_COLUMNS(X)                                                                       \
    X(i, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "row of a sphere")                               \
    X(j, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "row of the other one")                          \
    X(shift, INDEX, 3, ROWS, ALWAYS, ABUT_LOCKED, "", "opaque")                                    \
    X(overlap, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "length",                                       \
      "that does not count; at most the smaller radius")

typedef struct abut_rests {
    abut_index count;
    ABUT_REST_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_rests;

abut_index abut_simulation_rest_count(const abut_simulation *simulation);
void abut_simulation_read_rests(const abut_simulation *simulation, const abut_rests *rests);

/* Go on with what had broken in a step that was saved. */
abut_status abut_simulation_restore_breakages(abut_simulation *simulation,
                                              const abut_breakages *breakages,
                                              const abut_rests *rests, abut_error *error);

/* What moves as one: spheres that are in no cluster, by rows, then clusters, then convex bodies; at
 * the beginning of the last step. Columns that are NULL are left out. */
typedef struct abut_grains {
    double *centers;       /* count x 3: of mass, before the step moved it */
    double *velocities;    /* count x 3: the mean of those half a step before and after */
    double *masses;        /* count */
    abut_index *of_sphere; /* spheres: the number of the grain that each is or belongs to */
} abut_grains;

abut_index abut_simulation_grain_count(const abut_simulation *simulation);
void abut_simulation_read_grains(const abut_simulation *simulation, const abut_grains *grains);

/* Have steps of another length from now on, or another gravity: NULL: as it is. Time, and what
 * contacts remember, go on from where they are, and velocities are taken to the middle of the first
 * new step by half of the last step and half of the new one. The gravitational energy goes on from
 * what it is. ABUT_BAD_TIME_STEP or ABUT_BAD_GRAVITY, with everything as it was. */
abut_status abut_simulation_set_step(abut_simulation *simulation, double step,
                                     const double gravity[3], abut_error *error);

/* Go on by so many steps. On another status than ABUT_OK the simulation is as it was after
 * *done steps, and may go on. ABUT_LAW_MISSING: index: the sphere, detail: its material, value:
 * that of what it touches; ABUT_SPHERE_LOST: index: the sphere, detail: the number of the step. */
abut_status abut_simulation_run(abut_simulation *simulation, abut_index steps,
                                abut_interrupted interrupted, void *interrupted_data,
                                abut_index *done, abut_error *error);
abut_index abut_simulation_step_count(const abut_simulation *simulation);

/* Look after each step who is beyond these bounds: spheres by their centers, clusters and bodies by
 * their centers of mass; low: NULL: nowhere. stops: 1: a run ends with ABUT_OUT_OF_BOUNDS after a
 * step in which somebody is; 0: those who leave are counted. ABUT_OK or ABUT_BAD_BOUNDS. */
abut_status abut_simulation_set_bounds(abut_simulation *simulation, const double low[3],
                                       const double high[3], int stops, abut_error *error);

/* How many have left them since they were set. */
abut_index abut_simulation_left_count(const abut_simulation *simulation);

/* 1: the sphere, or its cluster, of each row, or the body, is beyond them now, else 0. */
void abut_simulation_find_outside(const abut_simulation *simulation, uint8_t *spheres,
                                  uint8_t *bodies);

/* A contact under a law of the caller's: where a step ended with ABUT_LAW_NOT_FINITE. */
typedef struct abut_law_case {
    int number;                            /* of the law; -1: there was no such step */
    double inputs[ABUT_LAW_INPUT_COUNT];   /* in the order of ABUT_LAW_INPUTS */
    double outputs[ABUT_LAW_OUTPUT_COUNT]; /* and of ABUT_LAW_OUTPUTS */
    double history_in[ABUT_LAW_HISTORY], history_out[ABUT_LAW_HISTORY];
} abut_law_case;

abut_law_case abut_simulation_law_case(const abut_simulation *simulation);

/* Who interacts. Those of bodies come first. */
typedef enum abut_interaction {
    ABUT_BODY_WALL = 0,
    ABUT_BODY_BODY,
    ABUT_BODY_SPHERE, /* i: the body, j: the row of the sphere */
    ABUT_SPHERE_WALL,
    ABUT_SPHERE_SPHERE /* but for those of one cluster, and a sphere and its own image */
} abut_interaction;
enum { ABUT_BODY_INTERACTIONS = 3, ABUT_INTERACTION_COUNT = 5, ABUT_STEP_TERMS = 12 };

typedef union abut_interaction_columns {
    abut_convex_columns bodies; /* rows of abut_convex_contacts_write, without `offsets` */
    abut_columns contacts;      /* of spheres and walls: rows of abut_contacts_write */
    abut_pair_columns pairs;    /* of spheres: rows of abut_pairs_write */
} abut_interaction_columns;

/* The interactions of the last step, with what each exerts and carries to the next one: of bodies
 * each spot, else each row. Columns of the caller, any of which may be NULL where they are written.
 */
typedef struct abut_interactions {
    abut_index row_count, entry_count; /* entries: spots of bodies, nodes of contacts with walls */
    abut_interaction_columns columns;
    double *force;   /* x 3: on the sphere, or on i */
    double *spring;  /* x 3: T */
    double *moment;  /* x 3: of rolling, likewise; 0 without laws of type C */
    double *roll;    /* x 3: M; likewise */
    double *history; /* x abut_simulation_history_count: of laws of the caller's; NULL: none */
} abut_interactions;

/* How many numbers interactions keep for laws of the caller's: vectors and scalars, of the law that
 * has most of each, the law's identity, or 0, and the energy that is stored. 0: there is no such
 * law. */
abut_index abut_simulation_history_count(const abut_simulation *simulation);

/* Counts alone. */
abut_interactions abut_simulation_count_interactions(const abut_simulation *simulation,
                                                     abut_interaction who);
abut_status abut_simulation_write_interactions(const abut_simulation *simulation,
                                               abut_interaction who, const abut_interactions *to,
                                               abut_error *error);

/* What else a step leaves behind. */
typedef struct abut_step_state {
    abut_index step_count;
    double account[7];             /* what energies are counted from */
    double terms[ABUT_STEP_TERMS]; /* what steps go by; opaque */
    const abut_wall_state *walls;  /* wall_count: at the beginning of the last step */
} abut_step_state;

/* The step's number and account. */
abut_step_state abut_simulation_step_state(const abut_simulation *simulation);

/* Of a wall that deforms, whose vertices now its mesh has, each vertex_count x 3: its vertices and
 * their velocities at the beginning of the last step, and the velocities now. To be called after
 * abut_simulation_set_walls, and before interactions are restored. */
typedef struct abut_surface_state {
    const double *before, *velocities_before, *velocities;
} abut_surface_state;

void abut_simulation_restore_surface(abut_simulation *simulation, abut_index wall,
                                     const abut_surface_state *state);

/* Go on from a step that was saved, with laws, spheres, clusters, bodies and walls as they were
 * then, which have been set and added. */
void abut_simulation_restore(abut_simulation *simulation, const abut_step_state *state);

/* Where spheres are stored, which their sums depend on: rows[k] is the row of the sphere in place
 * k. Returns the step in which they are sorted by place next. */
abut_index abut_simulation_read_order(const abut_simulation *simulation, abut_index *rows);

/* Store them so, after all else has been restored: then steps have the bits that they would have
 * had. ABUT_OK; ABUT_NO_MEMORY; or ABUT_BAD_EARLIER, where a row is none or is in two places:
 * index: the place, detail: the row, value: how many there are. Nothing has changed then. */
abut_status abut_simulation_restore_order(abut_simulation *simulation, const abut_index *rows,
                                          abut_index next_step, abut_error *error);

/* Have these interactions in the last step, after abut_simulation_restore: with all columns, but
 * `image` without a period, a pair's `point`, and `moment` and `roll` where they are 0. Offsets and
 * numbers are checked as those of a search. */
abut_status abut_simulation_restore_interactions(abut_simulation *simulation, abut_interaction who,
                                                 const abut_interactions *from, abut_error *error);

/* What spheres and bodies exert on a wall at the beginning of the last step. */
typedef struct abut_wall_load {
    double force[3];
    double torque[3]; /* about the wall's origin, less the moments of rolling */
    double power;     /* of these, on the wall */
} abut_wall_load;

abut_wall_load abut_simulation_load(const abut_simulation *simulation, abut_index wall);

/* At the beginning of the last step; the sum is kept. */
typedef struct abut_energy {
    double kinetic, rotational, gravitational, elastic;
    double dissipated; /* by contacts */
    double wall_work;  /* done on walls */
} abut_energy;

abut_energy abut_simulation_energy(const abut_simulation *simulation);

/* The longest stable step, and who sets it. */
typedef struct abut_stable_step {
    double step;      /* INFINITY: nothing does */
    abut_index index; /* the row of the sphere, the number of the body or wall; the first of equals
                       */
    abut_index contact_count; /* that it has, with its bonds, of a body its spots; 0: it touches
                                 nothing */
} abut_stable_step;

/* The longest step that is stable where spheres touch as they did at the beginning of the last
 * step; INFINITY without spheres. A sphere that touches nothing counts as if it had four contacts
 * that are pressed in by 1 % of its radius, or as deep as its speed presses them. */
abut_status abut_simulation_stable_step(const abut_simulation *simulation,
                                        abut_stable_step *longest);

/* Likewise of bodies; one that touches nothing counts as if four spots bore it. */
abut_status abut_simulation_stable_step_of_bodies(const abut_simulation *simulation,
                                                  abut_stable_step *longest);

/* Likewise of walls that are driven and have a mass, by what touches them. */
abut_status abut_simulation_stable_step_of_walls(const abut_simulation *simulation,
                                                 abut_stable_step *longest);

/* Who touches, or moves. */
typedef enum abut_partner {
    ABUT_PARTNER_SPHERE = 0,
    ABUT_PARTNER_BODY,
    ABUT_PARTNER_WALL
} abut_partner;

/* The first time that something happened which spoils a simulation; of those of one step the first
 * by its numbers. */
typedef struct abut_notice {
    int is_there;
    abut_index step;       /* how many steps were done before it */
    abut_partner kinds[2]; /* who, and whom with */
    abut_index numbers[2]; /* rows of spheres, numbers of bodies and walls */
    double ratio;          /* to the radius: of a body its inradius, of two the smaller one */
} abut_notice;

typedef struct abut_notices {
    abut_notice fast; /* a sphere or body, which has moved by more than its radius in a step */
    abut_notice deep; /* two, whose overlap has grown beyond a tenth of a radius; one that was there
                         where they were put is none */
    /* two that overlap by more than a twentieth of a radius where spheres, bodies or walls were put
     * in place, got other radii, or are held no more: the deepest in the step after that */
    abut_notice placed;
    abut_index placed_count; /* how many overlap so in that step */
    double placed_speed;     /* at which the energy that the law stores will drive the two apart; 0:
                                not known */
} abut_notices;

/* What runs have noticed; forgotten where spheres or bodies are removed, which changes numbers. */
abut_notices abut_simulation_notices(const abut_simulation *simulation);

/* The parts of a step in their order, as X(number, name). */
#define ABUT_STEP_PARTS(X)                                                                         \
    X(ORDER, order)                                                                                \
    X(NEIGHBORS, neighbors)                                                                        \
    X(FIND_WALLS, find_walls)                                                                      \
    X(WALL_LAWS, wall_laws)                                                                        \
    X(BOND_LAWS, bond_laws)                                                                        \
    X(PAIR_LAWS, pair_laws)                                                                        \
    X(FIND_BODIES, find_bodies)                                                                    \
    X(BODY_LAWS, body_laws)                                                                        \
    X(SUMS, sums)                                                                                  \
    X(MOVE, move)

#define ABUT_PART_MEMBER(number, name) double name;

/* What steps did, and the time that their parts took, in seconds of all steps so far. */
typedef struct abut_simulation_statistics {
    ABUT_STEP_PARTS(ABUT_PART_MEMBER)
    abut_index step_count, sphere_count, contact_count, pair_count;
    abut_index body_count, body_contact_count;
    abut_index byte_count; /* of the simulation, but for finders */

    /* How often lists of who may come to touch whom were made: since spheres had used up their
     * allowance, since others came or changed; and for walls alone, since these had moved. */
    abut_index lists_moved, lists_changed, lists_of_walls;
    abut_index candidate_count; /* that were looked at, in all steps together */
    abut_index bond_count, breakage_count;
} abut_simulation_statistics;

abut_simulation_statistics abut_simulation_inspect(const abut_simulation *simulation);

/* ---- walls under LAMMPS ----
 *
 * Walls of a simulation that LAMMPS steps, on any number of ranks: what its `fix external` calls
 * adds forces and torques of contacts with walls to its atoms, which are spheres. The library is
 * not linked with LAMMPS: it is given the addresses of the functions that it calls. What a contact
 * carries to the next step lies in LAMMPS' per-atom data, so that it goes along when atoms change
 * ranks, are sorted, or are written to restart files. For an atom with k contacts these are
 *
 *     fix ... property/atom i_NAME_count i2_NAME_keys 6 d2_NAME_states 14 &
 *         i2_NAME_more_keys 6*(slots-1) d2_NAME_more_states 14*(slots-1) ghost no
 *
 * 0 without contacts, else k + 65536 slots, which tells data that were written with another number
 * of slots; and what the contacts are on and what they carry: of the first of them, and of those
 * after it where there are several slots.
 *
 * Time is LAMMPS' own, and no pose is ever added up. A call whose step does not follow that of the
 * call before, or the first one, is that of the setup of a run: forces are those of the atoms where
 * they are, and nothing that contacts carry changes.
 *
 * Who calls sees to it that atoms have radii, masses, spins and torques of their own, that the box
 * is not tilted, and that in LAMMPS' units force is mass times acceleration. */
typedef struct abut_lammps abut_lammps;

/* What a slot has: the numbers of mesh and facet, 4 feature + type, and the image; spring, roll,
 * point, normal, overlap and tilt. */
enum { ABUT_LAMMPS_KEYS = 6, ABUT_LAMMPS_STATES = 14 };

/* The most slots. */
enum { ABUT_LAMMPS_SLOTS = 32767 };

typedef struct abut_lammps_input {
    void *lammps; /* its handle */

    /* lammps_extract_atom, lammps_extract_global, lammps_force_timeout and
     * lammps_fix_external_set_vector */
    void *(*extract_atom)(void *lammps, const char *name);
    void *(*extract_global)(void *lammps, const char *name);
    void (*force_timeout)(void *lammps);
    void (*set_vector)(void *lammps, const char *fix, int number, double value);

    const char *name; /* NAME of the fix and of the per-atom data */
    int slots;        /* contacts that an atom has room for: 1 ... ABUT_LAMMPS_SLOTS */
    int group_bit;    /* atoms whose mask has none of its bits are left alone */
    int id_bytes;     /* 4 or 8: of an atom's number */
    abut_resolution resolution;

    /* Meshes are borrowed until the end, laws and walls copied. Atoms are of material 0. */
    const abut_mesh *const *meshes;
    abut_index mesh_count;
    const abut_wall *walls; /* as abut_simulation_set_walls has them */
    abut_index wall_count;
    const abut_index *order; /* wall_count: the place of each wall in abut_lammps_loads */
    const abut_law *laws;    /* material_count x material_count */
    abut_index material_count;

    /* Called before each step, where walls that are given may be placed; other than 0 ends the run.
     * May be NULL. */
    int (*before_step)(void *data, double time);
    /* Called when a call fails, before the run is ended; may be NULL. */
    void (*failed)(void *data, const abut_error *error);
    /* Adds up numbers over all processes, in each call; other than 0 ends the run. NULL: there is
     * one process. */
    int (*add_up)(void *data, double *values, abut_index count);
    void *data;
} abut_lammps_input;

abut_status abut_lammps_build(const abut_lammps_input *input, abut_lammps **walls,
                              abut_error *error);
void abut_lammps_free(abut_lammps *walls);

/* What `fix external ... pf/callback` is to call, with the abut_lammps as its pointer; 64-bit steps
 * alone. Where it fails, this and all later calls give no forces, and LAMMPS is told to end the
 * run, until abut_lammps_take_error. */
void abut_lammps_callback(void *walls, int64_t step, int count, void *ids, double **centers,
                          double **forces);

/* The error of the call that failed, once: ABUT_OK where none has. Atoms are called by LAMMPS'
 * numbers. */
abut_error abut_lammps_take_error(abut_lammps *walls);

/* Other motions of the walls, as many as there are. */
abut_status abut_lammps_set_walls(abut_lammps *walls, const abut_wall *with, abut_error *error);

/* What all spheres of all processes exert on each wall, in the last call. The vector of the fix has
 * the same numbers: 7 for each wall, force, torque and power. */
const abut_wall_load *abut_lammps_loads(const abut_lammps *walls);

/* LAMMPS' time now, which abut_simulation_wall_now is of from then on. */
double abut_lammps_now(abut_lammps *walls);

/* The longest step that is stable where spheres of this process touch walls as they did in the last
 * call, for the walls alone. INFINITY: none does. */
abut_status abut_lammps_stable_step(abut_lammps *walls, double *step);

/* Likewise of spheres that touch no wall, as if each had its first contact with one. What is not
 * finite is left out. */
double abut_lammps_free_step(const abut_lammps *walls, abut_index count, const double *radii,
                             const double *masses, const double *speeds);

/* Its walls and contacts: abut_simulation_wall, _wall_now, _place, _count_interactions and
 * _write_interactions are for the last call, and spheres are those of LAMMPS' local atoms that are
 * in the group. */
abut_simulation *abut_lammps_simulation(abut_lammps *walls);

/* The spheres of the last call, and their atoms' numbers: room for as many. */
abut_index abut_lammps_sphere_count(const abut_lammps *walls);
void abut_lammps_read_ids(const abut_lammps *walls, abut_index *ids);

/* The box of the last call, as of abut_simulation_input. */
void abut_lammps_read_period(const abut_lammps *walls, double period[3]);

/* What the calls took. */
typedef struct abut_lammps_statistics {
    abut_index call_count;
    double seconds;         /* of all calls */
    double find_walls;      /* of these, the search */
    double wall_laws;       /* and the laws */
    abut_index build_count; /* of finders of the facets that are near */
    abut_index read_count;  /* calls that read slots: atoms had come, gone or been sorted, or it was
                               the first step of a run */
    abut_index byte_count;  /* memory of its bins and tables */
} abut_lammps_statistics;

abut_lammps_statistics abut_lammps_inspect(const abut_lammps *walls);

/* ---- the build ---- */

/* Whether the library was built for threads, which is where the compiler knows OpenMP; else
 * `workers` is 1 whatever is asked. */
int abut_has_openmp(void);

/* The instruction level in use: "baseline", "v3" (AVX2) or "v4" (AVX-512). Results are the same to
 * the bit at every level. */
const char *abut_simd(void);

/* Those that this processor and this build have, in one text: "baseline, v3". */
const char *abut_simd_levels(void);

/* Use this level in queries that start from now on, of all finders and threads; NULL: the best
 * that there is, as without a choice. ABUT_OK, or ABUT_BAD_SIMD or ABUT_NO_SIMD, and nothing has
 * changed. */
abut_status abut_simd_choose(const char *name);

#ifdef __cplusplus
}
#endif

#endif
