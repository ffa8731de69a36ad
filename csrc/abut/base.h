/* Declarations that all parts of the library use: indices, errors, columns of results, and the
 * build. */
#ifndef ABUT_BASE_H
#define ABUT_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An index or a count in the caller's arrays: NumPy's intp. */
typedef intptr_t abut_index;

/* The largest coordinate. Squares and products of four coordinates must stay finite. */
#define ABUT_COORDINATE_LIMIT 1e75

/* ---- errors ---- */

/* The status that functions return. Each status has a message with placeholders: # is the error's
 * index, @ its detail, % its value. $ is the name of a column; its number in ABUT_RIGID_COLUMNS,
 * ABUT_BOND_COLUMNS and so on is the detail. Some numbers are in no message:
 *
 * - ABUT_FACET_NOT_CONVEX: the detail is -1 if the facet winds around more than once.
 * - ABUT_SHAPE_FLAT and ABUT_SHAPE_INWARD: the index, or the detail, is the dimension.
 * - ABUT_SHAPE_NOT_CLOSED: the detail is -1 for a polygon.
 * - ABUT_LAW_NOT_FINITE and ABUT_LAW_RADIUS: the value is the abut_interaction;
 *   abut_simulation_law_case has more. */
#define ABUT_STATUSES(X)                                                                           \
    X(ABUT_OK, "no error")                                                                         \
    X(ABUT_NO_MEMORY, "not enough memory")                                                         \
    X(ABUT_INTERRUPTED, "interrupted")                                                             \
    X(ABUT_TOO_MANY_FACETS, "# facets are too many: facets, or the triangles that they split "     \
                            "into, must be fewer than 2^31")                                       \
    X(ABUT_BAD_OFFSETS, "the offsets of facet # do not ascend from 0 to the number of indices")    \
    X(ABUT_BAD_LAST_OFFSET, "the offsets end at @, but there are % indices")                       \
    X(ABUT_VERTEX_NOT_FINITE, "vertices[#, @] is %; coordinates must be finite")                   \
    X(ABUT_VERTEX_TOO_FAR, "vertices[#, @] is %; coordinates must lie within 1e75 of 0")           \
    X(ABUT_FACET_TOO_FEW_CORNERS, "facet # has @ corners, but needs at least 3")                   \
    X(ABUT_FACET_BAD_VERTEX, "facet # names vertex @, but the mesh has % vertices")                \
    X(ABUT_FACET_REPEATS_VERTEX, "facet # names vertex @ twice")                                   \
    X(ABUT_FACET_ZERO_AREA, "facet # has no area; on_degenerate=\"drop\" leaves such facets out")  \
    X(ABUT_FACET_NOT_CONVEX, "facet # is not convex at its corner @; split=True triangulates it")  \
    X(ABUT_FACET_NOT_PLANAR, "facet # is not planar: its corner @ is off its plane by % of its "   \
                             "longest diagonal; split=True triangulates it")                       \
    X(ABUT_FACET_NOT_TRIANGLE, "facet # has @ corners, but only triangles deform; "                \
                               "split=\"all\" makes triangles of all facets")                      \
    X(ABUT_FACET_COLLAPSES, "facet # has no area with the new vertices")                           \
    X(ABUT_FACET_TURNS_OVER, "facet # turns by a right angle or more at once; use poses to "       \
                             "rotate a whole mesh")                                                \
    X(ABUT_BAD_NOISE, "noise[#] is %; noise must be at least 0 and at most 1e75")                  \
    X(ABUT_CENTER_NOT_FINITE, "centers[#, @] is %; coordinates must be finite")                    \
    X(ABUT_CENTER_TOO_FAR, "centers[#, @] is %; coordinates must lie within 1e75 of 0")            \
    X(ABUT_BAD_RADIUS, "radii[#] is %; radii must be positive and at most 1e75")                   \
    X(ABUT_BAD_GAP, "gap is %; it must be at least 0 and at most 1e75")                            \
    X(ABUT_BAD_FLAT_ANGLE, "flat_angle is %; it must be at least 0 and less than pi/2 (radians)")  \
    X(ABUT_BAD_WEIGHTS, "facet # of mesh % has @ corners, but weights=\"zhong\" is for 3 or 4; "   \
                        "weights=\"wachspress\" takes any number")                                 \
    X(ABUT_BAD_PERIOD, "period[#, @] is %; it must be finite and at most 1e75")                    \
    X(ABUT_FLAT_PERIOD, "the vectors of the period lie in one plane or on one line; each must "    \
                        "lead out of the plane of the others")                                     \
    X(ABUT_TILTED_PERIOD, "vector # of the period does not lead along its own axis, but a mesh "   \
                          "repeats only along the axes; with meshes, give period as lengths")      \
    X(ABUT_BAD_HALF_SPACE, "half space # has the number % in its column @; coordinates must "      \
                           "lie within 1e75 of 0")                                                 \
    X(ABUT_HALF_SPACE_REPEATS, "half space # is not parallel to vector @ of the period: its "      \
                               "normal has the component % along it, but must have 0")             \
    X(ABUT_BAD_EXPONENT, "exponent is %; it must be positive and at most 10")                      \
    X(ABUT_TOO_MANY_IMAGES, "sphere # reaches over more than a million periodic images; its "      \
                            "radius and the period must be in one unit")                           \
    X(ABUT_RADIUS_TOO_SMALL, "radii[#] is %; radii of pairs must be at least 1e-75")               \
    X(ABUT_PERIOD_TOO_SHORT, "the cell is only % wide along period[#], so spheres reach over "     \
                             "too many periodic images; radii and the period must be in one unit") \
    X(ABUT_BAD_SPHERE_GAP, "gap[#] is %; it must be at least 0 and at most 1e75")                  \
    X(ABUT_BAD_SIZE, "levels[#] is %; sizes of levels must be positive, ascending and at most "    \
                     "1e76")                                                                       \
    X(ABUT_SIZE_TOO_SMALL, "sphere # has the diameter %, with its gap, which is more than "        \
                           "levels[@], the last size")                                             \
    X(ABUT_BAD_DIMENSION, "dimension is #, but must be 2 or 3")                                    \
    X(ABUT_TOO_MANY_LEVELS, "# levels are too many; there may be at most 64")                      \
    X(ABUT_TOO_MANY_SPHERES, "# spheres are too many; a search for pairs takes fewer than "        \
                             "2^31")                                                               \
    X(ABUT_TOO_MANY_PERIODS, "centers[#, @] is %, more than 2^31 periods away; centers must "      \
                             "be nearer to the periodic box")                                      \
    X(ABUT_BAD_ROWS, "the offsets of sphere # do not ascend from 0 to the number of contacts, @")  \
    X(ABUT_BAD_NODES, "the node_offsets of contact # do not ascend from 0 to the number of "       \
                      "nodes, @")                                                                  \
    X(ABUT_BAD_EARLIER, "sphere # has number @ in the step before, which has % spheres")           \
    X(ABUT_BAD_MESH_NUMBER, "previous: mesh[#] is @, but must be 0 to %")                          \
    X(ABUT_BAD_MATCH, "match[#] is @, but must be the row of one of % previous contacts, or "      \
                      "-1 for none")                                                               \
    X(ABUT_PERIOD_CHANGED, "the period differs from that of the step before")                      \
    X(ABUT_BAD_PAIR_ROWS, "offsets do not ascend from 0 to the number of pairs, @")                \
    X(ABUT_BAD_I, "i[#] is @, but must be 0 to %")                                                 \
    X(ABUT_BAD_J, "j[#] is @, but must be 0 to %")                                                 \
    X(ABUT_BAD_PAIR_MATCH, "match[#] is @, but must be the row of one of % previous pairs, or "    \
                           "-1 for none")                                                          \
    X(ABUT_BAD_PAIR_SPHERES, "match[#] is a pair of other spheres; give the same ids and "         \
                             "previous_ids as to match")                                           \
    X(ABUT_BAD_REACH, "reach is %; it must be positive and at most 2e75")                          \
    X(ABUT_BAD_TIME_STEP, "step is %; it must be positive and finite")                             \
    X(ABUT_BAD_GRAVITY, "gravity[#] is %; it must be finite")                                      \
    X(ABUT_BAD_LAW, "the law of materials # and @ has the number %, which is out of its range")    \
    X(ABUT_BAD_MASS, "masses[#] is %; masses must be positive and finite")                         \
    X(ABUT_BAD_MATERIAL, "material[#] is @, but there are % materials")                            \
    X(ABUT_BAD_VELOCITY, "the velocity of sphere # is % along axis @; it must be finite")          \
    X(ABUT_BAD_FORCE, "the force or torque on sphere # is % along axis @; it must be finite")      \
    X(ABUT_LAW_MISSING, "sphere # of material @ touches material %, but the two have no law")      \
    X(ABUT_SPHERE_LOST, "sphere # is lost in step @: its center is not finite, or too far")        \
    X(ABUT_LIST_INCOMPLETE, "neighbor lists are incomplete in step %: # rows by them, @ "          \
                            "without them, or others")                                             \
    X(ABUT_NO_SHAPES, "a finder of convex bodies needs at least one shape")                        \
    X(ABUT_MIXED_SHAPES, "shape # has @ dimensions, but shape 0 has %")                            \
    X(ABUT_TOO_MANY_BODIES, "# bodies are too many; they must be fewer than 2^31")                 \
    X(ABUT_BAD_SHAPE_NUMBER, "shape[#] is @, but must be 0 to %")                                  \
    X(ABUT_BAD_SCALE, "scales[#] is %; scales must be positive and at most 1e75")                  \
    X(ABUT_BODY_TOO_SMALL, "body # has the circumscribed radius %, but needs at least 1e-75")      \
    X(ABUT_BODY_TOO_LARGE, "body # has the circumscribed radius %, but may have at most 1e75")     \
    X(ABUT_BAD_METHOD, "there is no method #")                                                     \
    X(ABUT_BAD_MINIMUM, "there is no minimum #")                                                   \
    X(ABUT_BAD_PATCH_ANGLE, "patch_angle is %; it must be positive and less than pi/4 (radians)")  \
    X(ABUT_BAD_CP_ANGLE, "cp_angles[#] is %; they must be positive and less than pi/2 "            \
                         "(radians), and not ascend")                                              \
    X(ABUT_BAD_ITERATIONS, "iterations is #, but must be 1 to 2147483647")                         \
    X(ABUT_POSITION_NOT_FINITE, "positions[#, @] is %; coordinates must be finite")                \
    X(ABUT_POSITION_TOO_FAR, "positions[#, @] is %; coordinates must lie within 1e75 of 0")        \
    X(ABUT_POSITION_FAR_PERIODS, "positions[#, @] is %, more than 2^31 periods away; "             \
                                 "positions must be nearer to the periodic box")                   \
    X(ABUT_BAD_QUATERNION, "orientations[#] has the length %, but must be a quaternion x, y, "     \
                           "z, w of positive, finite length")                                      \
    X(ABUT_BAD_ANGLE, "orientations[#] is %; angles must be finite")                               \
    X(ABUT_SAME_BODY, "pair # has body @ twice")                                                   \
    X(ABUT_BAD_SPOT_ROWS, "spot_offsets do not ascend from 0 to the number of spots, @")           \
    X(ABUT_BAD_SPOT_MATCH, "match[#] is @, but must be one of % previous rows, or -1 for none")    \
    X(ABUT_BAD_ENTRANCE_ROWS, "previous: offsets do not ascend from 0 over the pairs, @")          \
    X(ABUT_BAD_BODY, "body # has the number % in its column $, which is out of its range")         \
    X(ABUT_BAD_BOUNDS, "bounds begin at % along axis #, but do not end above it")                  \
    X(ABUT_OUT_OF_BOUNDS, "a particle is outside the bounds of the simulation")                    \
    X(ABUT_LAW_NOT_FINITE, "a user's law returned a value that is not finite for # and @")         \
    X(ABUT_LAW_RADIUS, "# and @ have too much liquid between them for their radii")                \
    X(ABUT_BODY_LAW, "body # of material @ touches material %, and the two need a law without "    \
                     "rolling of type A")                                                          \
    X(ABUT_BODY_CURVATURE, "body # of material @ touches material %: their law needs a radius "    \
                           "of curvature, but neither the body's shape nor the law has one")       \
    X(ABUT_BAD_BOND, "bond # has the number % in its column $, which is out of its range")         \
    X(ABUT_BOND_ITSELF, "bond # bonds sphere @ to itself")                                         \
    X(ABUT_BOND_TWICE, "bond # is of spheres @ and %, which are bonded already")                   \
    X(ABUT_BOND_IN_CLUSTER, "bond # is of spheres @ and %, which are members of one cluster")      \
    X(ABUT_TOO_MANY_BONDS, "# bonds are too many; they must be fewer than 2^30")                   \
    X(ABUT_BOND_TOO_SHORT, "bond # is of spheres @ and %, one of which contains the other's "      \
                           "center")                                                               \
    X(ABUT_BOND_STIFFNESS, "bond # is of spheres @ and %: its stiffness is 0 or infinite")         \
    X(ABUT_BAD_BREAKAGE, "breakage # has the number % in its column $, which is out of its "       \
                         "range")                                                                  \
    X(ABUT_BAD_REST, "rest # has the number % in its column $, which is out of its range")         \
    X(ABUT_BAD_SPHERE, "sphere # has the number % in its column $, which is out of its range")     \
    X(ABUT_BODY_LOST, "body # is lost in step @: its position is not finite, or too far")          \
    X(ABUT_WALL_LOST, "wall # is lost in step @: its position is not finite, or too far")          \
    X(ABUT_CELL_SMALL, "in step @ the volume of the cell, %, is less than that of its grains")     \
    X(ABUT_CELL_LARGE, "in step @ the volume of the cell is %, more than 8 times the first one, "  \
                       "and no grains touch")                                                      \
    X(ABUT_BODY_IMAGES, "body # touches sphere @ at more than one periodic image: the period "     \
                        "must be longer")                                                          \
    X(ABUT_BODY_MANY_IMAGES, "body # may touch more than a million periodic images of walls; "     \
                             "its size, the walls and the period must be in one unit")             \
    X(ABUT_BODY_SHORT_PERIOD, "the cell is only % wide along period[#], so bodies reach over too " \
                              "many periodic images; sizes and the period must be in one unit")    \
    X(ABUT_INPUT_CHANGED, "an array was changed while it was read: do not change arguments "       \
                          "during a call")                                                         \
    X(ABUT_BAD_SIMD, "the instruction levels are baseline, v3 and v4")                             \
    X(ABUT_NO_SIMD, "this processor, or this build, has no such instruction level")                \
    X(ABUT_SHAPE_BAD_RADIUS, "radius is %; it must be at least 0 and at most 1e75")                \
    X(ABUT_SHAPE_TOO_FEW_VERTICES, "a shape in % dimensions needs at least @ vertices, but "       \
                                   "has #")                                                        \
    X(ABUT_SHAPE_TOO_FEW_FACETS, "a shape in % dimensions needs at least @ facets, but has #")     \
    X(ABUT_SHAPE_BAD_VERTEX, "facet # names vertex @, but the shape has % vertices")               \
    X(ABUT_SHAPE_BAD_SIDE, "facet # of a polygon has @ corners, but must be a side of 2")          \
    X(ABUT_SHAPE_FLAT, "the shape is flat: all vertices lie in one plane")                         \
    X(ABUT_SHAPE_INWARD, "facet # looks inward; corners must be counter-clockwise as seen from "   \
                         "outside")                                                                \
    X(ABUT_SHAPE_NOT_CLOSED, "the facets are not closed: the edge between vertices # and @ has "   \
                             "not one facet on each side, but % in all")                           \
    X(ABUT_SHAPE_NOT_PLANAR, "facet # is not planar: vertex @ is off its plane by % of the "       \
                             "shape's size")                                                       \
    X(ABUT_SHAPE_NOT_CONVEX, "the shape is not convex: vertex @ is in front of facet # by % of "   \
                             "the shape's size")                                                   \
    X(ABUT_BOX_TILTED, "LAMMPS' box is triclinic, but walls need an orthogonal one")               \
    X(ABUT_ATOM_DATA, "LAMMPS lacks per-atom data that walls need: x, v, omega, torque, "          \
                      "radius, rmass, mask and the walls' fix property/atom")                      \
    X(ABUT_ATOM_POSITION, "atom #: coordinate @ is %; it must be finite")                          \
    X(ABUT_ATOM_RADIUS, "atom #: the radius is %; it must be positive and at most 1e75")           \
    X(ABUT_ATOM_MASS, "atom #: the mass is %; it must be positive and at most 1e75")               \
    X(ABUT_ATOM_FORCE, "atom #: the walls' force on it is not finite")                             \
    X(ABUT_ATOM_LIQUID, "atom # has more liquid at a wall than 0.1 (2 R)^3, which is %")           \
    X(ABUT_ATOM_IMAGES, "atom # reaches over more than a million periodic images; its radius "     \
                        "and the box must be in one unit")                                         \
    X(ABUT_TOO_FEW_SLOTS, "atom # has @ contacts with walls, but there are % slots: pass "         \
                          "slots=@ or more")                                                       \
    X(ABUT_OTHER_SLOTS, "atom # has contacts that were written with slots=@, but slots is %: "     \
                        "pass slots=@")                                                            \
    X(ABUT_BAD_SLOT, "atom # has contacts with facets that the walls do not have; pass the "       \
                     "meshes with which the restart file was written")

#define ABUT_STATUS_MEMBER(name, message) name,

typedef enum abut_status { ABUT_STATUSES(ABUT_STATUS_MEMBER) ABUT_STATUS_COUNT } abut_status;

typedef struct abut_error {
    abut_status status;
    abut_index index;
    abut_index detail;
    double value;
    int of_others; /* 1: the sphere is one of the query's other spheres; 0: it is not */
    int of_before; /* 1: the pair is one of the last step; 0: it is not */
} abut_error;

/* Writes a one-line message for `error` into text[size]. The text always ends with 0; a message
 * that does not fit is cut. */
void abut_error_text(const abut_error *error, char *text, size_t size);

/* A callback. Functions that may take long call it from time to time, on the caller's thread. A
 * value other than 0 ends the function with ABUT_INTERRUPTED. */
typedef int (*abut_interrupted)(void *data);

/* ---- columns ----
 *
 * Results are columns: arrays of the caller with an entry for each row, which a function fills. The
 * state of a simulation is read and set by columns, too. One list describes the columns of each
 * kind of result, and of each population of a simulation,
 *
 *     X(name, type, width, per, when, flags, unit, meaning)
 *
 * The struct of columns here, the tables and files of the Python package, and the manual follow
 * from this list. Functions leave out a column whose pointer is NULL. */

typedef enum abut_column_type {
    ABUT_COLUMN_INDEX, /* abut_index */
    ABUT_COLUMN_BYTE,  /* uint8_t */
    ABUT_COLUMN_REAL   /* double */
} abut_column_type;

/* The objects that have one entry each in a column. */
typedef enum abut_column_per {
    ABUT_COLUMN_ROWS,          /* each row */
    ABUT_COLUMN_ENTRIES,       /* each node or spot of all rows */
    ABUT_COLUMN_ENTRY_OFFSETS, /* each row, and 1 more */
    ABUT_COLUMN_OFFSETS        /* each sphere, body or pair of the search, and 1 more */
} abut_column_per;

/* The condition under which a table of the Python package has the column. Otherwise all entries
 * would be equal, or there would be none. */
typedef enum abut_column_when {
    ABUT_COLUMN_ALWAYS,
    ABUT_COLUMN_WITH_MESHES, /* there are several meshes */
    ABUT_COLUMN_WITH_SHARING,
    ABUT_COLUMN_WITH_PERIOD,
    ABUT_COLUMN_WITH_BODIES, /* each row has two bodies */
    ABUT_COLUMN_WITH_WALLS,
    ABUT_COLUMN_WITH_SPOTS,
    ABUT_COLUMN_WITH_ORDER,   /* rows are sorted by i */
    ABUT_COLUMN_WITH_BEFORE,  /* the query had a step before, or a saved simulation is loaded */
    ABUT_COLUMN_WITH_MEMBERS, /* bodies are clusters */
    ABUT_COLUMN_WITH_SHAPES   /* bodies are convex bodies */
} abut_column_when;

/* Widths of columns: numbers per row. 0: one number without an axis. ABUT_DIMENSION: the number of
 * dimensions d. ABUT_TWO_VECTORS: 2 x d. */
enum { ABUT_DIMENSION = -1, ABUT_TWO_VECTORS = -2 };

/* Flags of columns. ABUT_ZEROS: the caller must fill the column with 0, since functions write only
 * other values. ABUT_INTERNAL: not for users. ABUT_LOCKED: users must not change it. */
enum { ABUT_ZEROS = 1, ABUT_INTERNAL = 2, ABUT_LOCKED = 4 };

typedef struct abut_column {
    const char *name;
    size_t place; /* offset of the column's pointer in the struct */
    int type;     /* abut_column_type */
    int width;
    int per;  /* abut_column_per */
    int when; /* abut_column_when */
    int flags;
    const char *unit; /* a physical dimension such as length; empty: a pure number */
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
    ABUT_RIGID_TABLE,
    ABUT_DRIVE_TABLE
} abut_table;

/* Returns the columns of a kind of result, in order. *count is set to their number. */
const abut_column *abut_table_columns(abut_table table, abut_index *count);

#define ABUT_COLUMN_OF_INDEX abut_index
#define ABUT_COLUMN_OF_BYTE uint8_t
#define ABUT_COLUMN_OF_REAL double
#define ABUT_COLUMN_WIDE_0
#define ABUT_COLUMN_WIDE_3 [3]
#define ABUT_COLUMN_WIDE_4 [4]
#define ABUT_COLUMN_WIDE_6 [6]
#define ABUT_COLUMN_WIDE_12 [12]
#define ABUT_COLUMN_NUMBERS(name, type, width, per, when, flags, unit, meaning)                    \
    ABUT_COLUMN_OF_##type name ABUT_COLUMN_WIDE_##width;
#define ABUT_COLUMN_MEMBER(name, type, width, per, when, flags, unit, meaning)                     \
    ABUT_COLUMN_OF_##type *name;

/* ---- the build ---- */

/* Whether the library was built with OpenMP. Without it all functions use one thread, whatever
 * `workers` is. */
int abut_has_openmp(void);

/* The instruction level in use: "baseline", "v3" (AVX2) or "v4" (AVX-512). Results have the same
 * bits at every level. */
const char *abut_simd(void);

/* The instruction levels that this processor and this build have, as one text: "baseline, v3". */
const char *abut_simd_levels(void);

/* Sets the instruction level of all later queries, of all finders and threads. NULL: the best
 * level, which is also the default. Returns ABUT_OK; or ABUT_BAD_SIMD or ABUT_NO_SIMD with nothing
 * changed. */
abut_status abut_simd_choose(const char *name);

#ifdef __cplusplus
}
#endif

#endif
