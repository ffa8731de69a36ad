#include "error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What each status says; # stands for the error's index, @ for its detail, % for its value, and $
 * for the column that its detail is the number of. */
static const char *const messages[ABUT_STATUS_COUNT] = {
    [ABUT_OK] = "no error",
    [ABUT_NO_MEMORY] = "not enough memory",
    [ABUT_INTERRUPTED] = "interrupted",
    [ABUT_TOO_MANY_FACETS] = "# facets are too many; facets and the triangles that they split into "
                             "are numbered with 31 bits",
    [ABUT_BAD_OFFSETS] = "the offsets of facet # do not ascend from 0 to the number of indices",
    [ABUT_BAD_LAST_OFFSET] = "the offsets end at @, but there are % indices",
    [ABUT_VERTEX_NOT_FINITE] = "vertices[#, @] is %",
    [ABUT_VERTEX_TOO_FAR] = "vertices[#, @] is %; coordinates must lie within 1e75 of 0",
    [ABUT_FACET_TOO_FEW_CORNERS] = "facet # needs at least 3 corners, but names @",
    [ABUT_FACET_BAD_VERTEX] = "facet # names vertex @, but the mesh has % vertices",
    [ABUT_FACET_REPEATS_VERTEX] = "facet # names vertex @ twice",
    [ABUT_FACET_ZERO_AREA] = "facet # has no area; on_degenerate=\"drop\" leaves such facets out",
    [ABUT_FACET_NOT_CONVEX] = "facet # is not convex at its corner @; split=True triangulates it",
    [ABUT_FACET_NOT_PLANAR] = "facet # is not planar: its corner @ is off its plane by % of its "
                              "longest diagonal; split=True triangulates it",
    [ABUT_FACET_NOT_TRIANGLE] = "facet # has @ corners, but only triangles deform; split=\"all\" "
                                "makes triangles of all facets",
    [ABUT_FACET_COLLAPSES] = "facet # collapses: it has no area where its vertices go",
    [ABUT_FACET_TURNS_OVER] = "facet # turns over: by a right angle or more at once; poses turn "
                              "meshes as a whole",
    [ABUT_BAD_NOISE] = "noise[#] is %; noise must be at least 0 and at most 1e75",
    [ABUT_CENTER_NOT_FINITE] = "centers[#, @] is %",
    [ABUT_CENTER_TOO_FAR] = "centers[#, @] is %; coordinates must lie within 1e75 of 0",
    [ABUT_BAD_RADIUS] = "radii[#] is %; radii must be positive and at most 1e75",
    [ABUT_BAD_GAP] = "gap is %; it must be at least 0 and at most 1e75",
    [ABUT_BAD_FLAT_ANGLE] = "flat_angle is %; it must be at least 0 and less than pi/2 (radians)",
    [ABUT_BAD_WEIGHTS] = "facet # of mesh % has @ corners, but weights=\"zhong\" is for 3 or 4; "
                         "weights=\"wachspress\" takes any number",
    [ABUT_BAD_PERIOD] = "period[#] is %; it must be positive and at most 1e75",
    [ABUT_BAD_HALF_SPACE] = "half space # has the number % in its column @; coordinates must lie "
                            "within 1e75 of 0",
    [ABUT_HALF_SPACE_REPEATS] =
        "half space # has a normal with the part % along axis @, along which "
        "the world repeats, but ends behind its plane",
    [ABUT_BAD_EXPONENT] = "exponent is %; it must be positive and at most 10",
    [ABUT_TOO_MANY_IMAGES] =
        "sphere # reaches over more than a million periodic images; its radius "
        "and the period must be in one unit",
    [ABUT_PERIOD_TOO_SHORT] = "period[#] is %, so short that spheres reach over too many periodic "
                              "images; radii and the period must be in one unit",
    [ABUT_RADIUS_TOO_SMALL] = "radii[#] is %; radii of pairs must be at least 1e-75",
    [ABUT_BAD_SPHERE_GAP] = "gap[#] is %; it must be at least 0 and at most 1e75",
    [ABUT_BAD_SIZE] =
        "levels[#] is %; sizes of levels must be positive and ascend, to at most 1e76",
    [ABUT_SIZE_TOO_SMALL] = "sphere # has the diameter, with its gap, of %, which is more than "
                            "levels[@], the last size",
    [ABUT_BAD_DIMENSION] = "dimension is #, but must be 2 or 3",
    [ABUT_TOO_MANY_LEVELS] = "# levels are too many; there may be 64",
    [ABUT_TOO_MANY_SPHERES] = "# spheres are too many; those of pairs are numbered with 31 bits",
    [ABUT_TOO_MANY_PERIODS] = "centers[#, @] is %, more than 2^31 periods away",
    [ABUT_BAD_ROWS] = "the offsets of sphere # do not ascend from 0 to the number of contacts, @",
    [ABUT_BAD_NODES] = "the node_offsets of contact # do not ascend from 0 to the number of nodes, "
                       "@",
    [ABUT_BAD_EARLIER] = "sphere # was number @ in the step before, which has % spheres",
    [ABUT_BAD_MESH_NUMBER] = "previous: mesh[#] is @, but must be 0 to %",
    [ABUT_BAD_MATCH] = "match[#] is @, but the previous contacts are %, from 0 on; -1 is none",
    [ABUT_PERIOD_CHANGED] = "period[#] is %, but was another in the step before",
    [ABUT_BAD_REACH] = "reach is %; it must be positive and at most 2e75",
    [ABUT_BAD_PAIR_ROWS] = "offsets do not ascend from 0 to the number of pairs, @",
    [ABUT_BAD_I] = "i[#] is @, but must be 0 to %",
    [ABUT_BAD_J] = "j[#] is @, but must be 0 to %",
    [ABUT_BAD_PAIR_MATCH] = "match[#] is @, but the previous pairs are %, from 0 on; -1 is none",
    [ABUT_BAD_PAIR_SPHERES] =
        "match[#] is a pair of other spheres: give ids and previous_ids as to match",
    [ABUT_BAD_TIME_STEP] = "step is %; it must be positive and finite",
    [ABUT_BAD_GRAVITY] = "gravity[#] is %",
    [ABUT_BAD_LAW] = "the law of materials # and @ has a number out of its range, %",
    [ABUT_BAD_MASS] = "masses[#] is %; masses must be positive and finite",
    [ABUT_BAD_MATERIAL] = "material[#] is @, but there are % materials",
    [ABUT_BAD_VELOCITY] = "the velocity of sphere # is % along axis @",
    [ABUT_BAD_FORCE] = "the force or torque on sphere # is % along axis @",
    [ABUT_LAW_MISSING] = "sphere # of material @ touches material %, and the two have no law",
    [ABUT_SPHERE_LOST] = "sphere # is lost in step @: its center is not finite, or too far",
    [ABUT_LIST_INCOMPLETE] = "neighbor lists are incomplete in step %: # rows by them, @ without "
                             "them, or others",
    [ABUT_BAD_BODY] = "body # has the number % in its column $, out of its range",
    [ABUT_BAD_BOUNDS] = "bounds begin at % along axis #, and do not end behind that",
    [ABUT_OUT_OF_BOUNDS] = "somebody is beyond the bounds of the simulation",
    [ABUT_LAW_NOT_FINITE] = "what a law of the caller's says of # and @ is not finite",
    [ABUT_LAW_RADIUS] = "# and @ have too much liquid between them for their radii",
    [ABUT_BODY_LAW] = "body # of material @ touches material %: the two need a law, whose rolling "
                      "is not of type A",
    [ABUT_BODY_CURVATURE] = "body # of material @ touches material %: their law asks for a radius "
                            "of curvature, which neither the body's shape nor the law has",
    [ABUT_BAD_BOND] = "bond # has the number % in its column $, out of its range",
    [ABUT_BAD_BREAKAGE] = "breakage # has the number % in its column $, out of its range",
    [ABUT_BAD_SPHERE] = "sphere # has the number % in its column $, out of its range",
    [ABUT_BAD_REST] = "rest # has the number % in its column $, out of its range",
    [ABUT_BOND_STIFFNESS] = "bond # is of spheres @ and %: its stiffness is 0 or infinite",
    [ABUT_BOND_ITSELF] = "bond # has sphere @ twice",
    [ABUT_BOND_TWICE] = "bond # is of spheres @ and %, which have one",
    [ABUT_BOND_IN_CLUSTER] = "bond # is of spheres @ and %, members of one cluster",
    [ABUT_TOO_MANY_BONDS] = "# bonds are too many; they are numbered with 30 bits",
    [ABUT_BOND_TOO_SHORT] =
        "bond # is of spheres @ and %: the center of one lies inside of the other",
    [ABUT_BODY_LOST] = "body # is lost in step @: its position is not finite, or too far",
    [ABUT_WALL_LOST] = "wall # is lost in step @: its position is not finite, or too far",
    [ABUT_BODY_IMAGES] = "body # meets sphere @ at more than one image: the period is too short",
    [ABUT_BODY_MANY_IMAGES] = "body # may touch more than a million periodic images of walls; its "
                              "size, the walls and the period must be in one unit",
    [ABUT_BODY_SHORT_PERIOD] = "period[#] is %, so short that bodies reach over too many periodic "
                               "images; their sizes and the period must be in one unit",
    [ABUT_NO_SHAPES] = "a finder of convex bodies needs at least one shape",
    [ABUT_MIXED_SHAPES] = "shape # has @ dimensions, but shape 0 has %",
    [ABUT_TOO_MANY_BODIES] = "# bodies are too many; they are numbered with 31 bits",
    [ABUT_BAD_SHAPE_NUMBER] = "shape[#] is @, but must be 0 to %",
    [ABUT_BAD_SCALE] = "scales[#] is %; scales must be positive and at most 1e75",
    [ABUT_BODY_TOO_SMALL] = "body # has the circumscribed radius %, but needs at least 1e-75",
    [ABUT_BODY_TOO_LARGE] = "body # has the circumscribed radius %, but at most 1e75 will do",
    [ABUT_BAD_METHOD] = "there is no method #",
    [ABUT_BAD_MINIMUM] = "there is no minimum #",
    [ABUT_BAD_PATCH_ANGLE] = "patch_angle is %; it must be positive and less than pi/4 (radians)",
    [ABUT_BAD_CP_ANGLE] = "cp_angles[#] is %; they must be positive and less than pi/2 (radians), "
                          "and not ascend",
    [ABUT_BAD_ITERATIONS] = "iterations is #, but must be 1 to 2147483647",
    [ABUT_POSITION_NOT_FINITE] = "positions[#, @] is %",
    [ABUT_POSITION_TOO_FAR] = "positions[#, @] is %; coordinates must lie within 1e75 of 0",
    [ABUT_POSITION_FAR_PERIODS] = "positions[#, @] is %, more than 2^31 periods away",
    [ABUT_BAD_QUATERNION] = "orientations[#] has the length %, but must be a quaternion x, y, z, w "
                            "of positive, finite length",
    [ABUT_BAD_ANGLE] = "orientations[#] is %; angles must be finite",
    [ABUT_SAME_BODY] = "pair # is body @ and itself",
    [ABUT_BAD_SPOT_ROWS] = "spot_offsets do not ascend from 0 to the number of spots, @",
    [ABUT_BAD_SPOT_MATCH] = "match[#] is @, but the previous rows are %, from 0 on; -1 is none",
    [ABUT_BAD_ENTRANCE_ROWS] = "previous: offsets do not ascend from 0 over the pairs, @",
    [ABUT_INPUT_CHANGED] = "an array was changed while it was read: what was wrong in it is so no "
                           "more",
    [ABUT_BAD_SIMD] = "the instruction levels are baseline, v3 and v4",
    [ABUT_NO_SIMD] = "this processor, or this build, has no such instruction level",
    [ABUT_SHAPE_BAD_RADIUS] = "radius is %; it must be at least 0 and at most 1e75",
    [ABUT_SHAPE_TOO_FEW_VERTICES] = "a shape in % dimensions needs at least @ vertices, but has #",
    [ABUT_SHAPE_TOO_FEW_FACETS] = "a shape in % dimensions needs at least @ facets, but has #",
    [ABUT_SHAPE_BAD_VERTEX] = "facet # names vertex @, but the shape has % vertices",
    [ABUT_SHAPE_BAD_SIDE] = "facet # of a polygon is a side of 2 corners, but names @",
    [ABUT_SHAPE_FLAT] = "the shape is flat: all vertices lie in one plane",
    [ABUT_SHAPE_INWARD] = "facet # looks inward; corners must be counter-clockwise as seen from "
                          "outside",
    [ABUT_SHAPE_NOT_CLOSED] = "the facets are not closed: the edge between vertices # and @ has "
                              "not one facet on each side, but % in all",
    [ABUT_SHAPE_NOT_PLANAR] =
        "facet # is not planar: vertex @ is off its plane by % of the shape's size",
    [ABUT_SHAPE_NOT_CONVEX] =
        "the shape is not convex: vertex @ is in front of facet # by % of the shape's size",
    [ABUT_BOX_TILTED] = "LAMMPS' box is triclinic, but walls need an orthogonal one",
    [ABUT_ATOM_DATA] = "LAMMPS has not all of the per-atom data that the walls read: x, v, omega, "
                       "torque, radius, rmass, mask, and those of the walls' fix property/atom",
    [ABUT_ATOM_POSITION] = "atom #: coordinate @ is %",
    [ABUT_ATOM_RADIUS] = "atom #: the radius is %; it must be positive and at most 1e75",
    [ABUT_ATOM_MASS] = "atom #: the mass is %; it must be positive and at most 1e75",
    [ABUT_ATOM_FORCE] = "atom #: the walls' force on it is not finite",
    [ABUT_ATOM_LIQUID] = "atom # has more liquid at a wall than 0.1 (2 R)^3, which is %",
    [ABUT_ATOM_IMAGES] = "atom # reaches over more than a million periodic images; its radius and "
                         "the box must be in one unit",
    [ABUT_TOO_FEW_SLOTS] = "atom # has @ contacts with walls, but there is room for %: pass more "
                           "slots",
    [ABUT_OTHER_SLOTS] =
        "atom # carries contacts that were written with slots=@, but slots is %: a "
        "restart file goes on with as many",
    [ABUT_BAD_SLOT] = "atom # carries contacts with facets that the walls do not have; a restart "
                      "file goes on with the meshes that it was written with",
};

/* The name of the column that has a number out of its range. */
static const char *column_of(const abut_error *error)
{
    static const abut_table TABLES[] = {
        [ABUT_BAD_BODY] = ABUT_RIGID_TABLE,        [ABUT_BAD_BOND] = ABUT_BOND_TABLE,
        [ABUT_BAD_BREAKAGE] = ABUT_BREAKAGE_TABLE, [ABUT_BAD_REST] = ABUT_REST_TABLE,
        [ABUT_BAD_SPHERE] = ABUT_SPHERE_TABLE,
    };
    abut_index count;
    return abut_table_columns(TABLES[error->status], &count)[error->detail].name;
}

static const char winds_twice[] = "facet # crosses itself or winds around more than once";

/* The gaps of other spheres are an argument of their own, which is called gaps. */
static const char bad_other_gap[] = "gaps[#] is %; it must be at least 0 and at most 1e75";

/* What is said of polygons in other words. */
static const char flat_polygon[] = "the shape is flat: all vertices lie on one line";
static const char open_polygon[] = "the sides are not closed: at vertex # not one side begins and "
                                   "one ends, but % do in all";
static const char inward_side[] =
    "facet # looks inward; a polygon's sides run counter-clockwise, with the polygon on their left";

/* What is said in other words of polygons; NULL: nothing. */
static const char *message_of_polygon(const abut_error *error)
{
    if (error->status == ABUT_SHAPE_FLAT && error->index == 2) {
        return flat_polygon;
    }
    if (error->status == ABUT_SHAPE_INWARD && error->detail == 2) {
        return inward_side;
    }
    return error->status == ABUT_SHAPE_NOT_CLOSED && error->detail < 0 ? open_polygon : NULL;
}

static const char *message_of(const abut_error *error)
{
    if ((int)error->status < 0 || error->status >= ABUT_STATUS_COUNT) {
        return "unknown error";
    }
    if (error->status == ABUT_FACET_NOT_CONVEX && error->detail < 0) {
        return winds_twice;
    }
    if (error->status == ABUT_BAD_SPHERE_GAP && error->of_others) {
        return bad_other_gap;
    }
    const char *of_polygon = message_of_polygon(error);
    return of_polygon ? of_polygon : messages[error->status];
}

/* Print a number with as few digits as give it back; counts print as integers. */
static void print_value(double value, char *text, size_t size)
{
    if (isnan(value)) {
        snprintf(text, size, "nan"); /* without the sign that NaNs carry */
        return;
    }
    int digits = 15;
    do {
        snprintf(text, size, "%.*g", digits, value);
    } while (strtod(text, NULL) != value && ++digits <= 17);
}

/* What a character of a message stands for: a number, or itself. */
static void print_placeholder(const abut_error *error, char placeholder, char *text, size_t size)
{
    switch (placeholder) {
    case '#':
        snprintf(text, size, "%td", (ptrdiff_t)error->index);
        break;
    case '@':
        snprintf(text, size, "%td", (ptrdiff_t)error->detail);
        break;
    case '%':
        print_value(error->value, text, size);
        break;
    case '$':
        snprintf(text, size, "%s", column_of(error));
        break;
    default:
        snprintf(text, size, "%c", placeholder);
    }
}

/* Append what fits into `size` bytes, with one left for the final 0. Returns the new length. */
static size_t append(const char *piece, char *text, size_t length, size_t size)
{
    for (; *piece != '\0' && length + 1 < size; piece++) {
        text[length++] = *piece;
    }
    return length;
}

abut_status error_set(abut_error *error, abut_status status, abut_index index, abut_index detail,
                      double value)
{
    if (error) {
        *error = (abut_error){.status = status, .index = index, .detail = detail, .value = value};
    }
    return status;
}

abut_status error_set_status(abut_error *error, abut_status status)
{
    return error_set(error, status, 0, 0, 0.0);
}

void abut_error_text(const abut_error *error, char *text, size_t size)
{
    size_t length = append(error->of_before ? "previous: " : "", text, 0, size);
    length = append(error->of_others ? "others: " : "", text, length, size);
    for (const char *next = message_of(error); *next != '\0'; next++) {
        char piece[32];
        print_placeholder(error, *next, piece, sizeof piece);
        length = append(piece, text, length, size);
    }
    if (size > 0) {
        text[length] = '\0';
    }
}
