/* What all of the library has: indices, errors, columns of results, and how it was built. */
#ifndef ABUT_BASE_H
#define ABUT_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An index or a count in an array that a caller sees: NumPy's intp. */
typedef intptr_t abut_index;

/* Squares and products of four coordinates must stay finite. */
#define ABUT_COORDINATE_LIMIT 1e75

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
