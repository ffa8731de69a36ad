/* Every tolerance. None is absolute: each is relative to a facet's size, a radius or a noise.
 *
 * They stand in the first room that needs one, so that the rooms after it read the same ones. */
#ifndef MESH_TOLERANCE_H
#define MESH_TOLERANCE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* A polygon that is off its plane by more than this part of its longest diagonal is not planar.
 * Below it, what a modeler's rounding or a lazy export leaves, it is its fan of triangles. */
#define PLANAR_LIMIT 1e-3

/* A facet that is no higher than this many units in the last place of its largest coordinate has no
 * area: collinear points that were rotated are off their line by that much. A sliver of 1e-5
 * degrees is 1e9 times higher. */
#define ZERO_HEIGHT_ULPS 2.0

/* Rounding turns a straight corner into a reflex one: the corner and its neighbors are each off by
 * more than a noise, since noise is counted along one axis and rotating rounds several times. */
#define REFLEX_NOISES 6.0

/* A corner no more than this many noises above its neighbors' chord is flat: leaving it out moves
 * the border by less than weights may be off. Likewise for the plane, which bent polygons leave. */
#define FLAT_NOISES 2.0

/* The total turning of a convex polygon is 2 pi; of anything else it is off by 2 pi at least. */
#define TURNING_LIMIT 1.0

/* Hierarchy (docs/method.md, section 3): how far in front of a tangent plane noise can put a point,
 * in noises along the normal, and how far it tilts the plane. */
#define FRONT_NOISES 10.0
#define TILT_FROM_NORMAL_NOISE 2.0
#define TILT_FROM_NOISE 4.0

/* Measuring noise (noise.c). A deviation of this many noises along the normal is no more than
 * digits explain: of each corner half a unit, and what turning a mesh in doubles adds. */
#define EXPLAINED_NOISES 4.0

/* Triangles are nearly coplanar where their corners would be with errors of this part of their
 * height: where they turn by less than 0.2 degrees. Rounding to float32 does not turn facets of a
 * tenth of a radius by more up to 1000 radii from the origin, and no modeler makes edges so flat
 * but of curved surfaces. */
#define NEARLY_FLAT 1e-3

/* What float32, or six digits, leave of a coordinate, in parts of it: where nothing else tells
 * noise from shape, less is noise. CAD meshes have shape from 1e-5 on. */
#define SINGLE_ROUNDING 1e-6

/* A mesh is of no use that rounding turns by more than this part of its facets. */
#define ROUNDED_FLAT 1e-2

/* What rounding may make of the volume of four points in one plane, in parts of the product of
 * their distances: 18 roundings. */
#define VOLUME_ROUNDING 0x1p-49

/* A deviation is the mean error of four corners, so the largest may be four times as large, and the
 * others none. */
#define NOISES_OF_DEVIATION 4.0

/* Facets that are farther from the origin than so many reaches are not cut for bins: where they are
 * cut is rounded by more than bins allow for. */
#define CUT_REACHES 0x1p30

/* Planes (planes.h). Facets whose normals, and whose heights in parts of the farthest coordinate,
 * are the same in so many steps may be in one: coarser than noise, and finer than what is curved.
 * The offset is such that steps do not change where numbers are round. */
#define NORMAL_STEPS 1e4
#define HEIGHT_STEPS 1e5
#define STEP_OFFSET 0.38196601125010515

/* How far off a plane a corner of its facets may be, in noises and in parts of the farthest
 * coordinate. */
#define OFF_NOISES 4.0
#define OFF_ROUNDING 0x1p-49

/* A pose that is farther from rigid turns contact vectors by more than what planes spare. */
#define SKEW_LIMIT 1e-10

/* What a height may be off by, in parts of what was added up: 4 roundings of the corner's, as many
 * of the plane's. */
#define HEIGHT_ROUNDING 0x1p-50

/* What rounding adds to how far a facet is off its plane, in parts of its size and the spheres',
 * and the least noise of a contact, in parts of a reach that is no more than REACH_LIMIT
 * radii: one unit in the last place of the radius. */
#define PLANE_ROUNDING 0x1p-49
#define REACH_LIMIT 4.0
#define LEAST_NOISE (0x1p-53 / REACH_LIMIT)

/* What rules a facet out before the exact distance may err by rounding alone, and errs outwards:
 * this part of the numbers that were added. The exact distance decides. */
#define CULL_SLACK 1e-12

/* What rounding may make of a chord between two unit vectors, at most. */
#define CHORD_ROUNDING 1e-15

/* Numbers that differ by no more than this part have, perhaps, the same root: some units in the
 * last place. */
#define SAME_ROOT 1e-15

/* A half space whose normal has no larger part along an axis is along that axis, as far as rounding
 * of its pose can tell; over a period it is off by so small a part of it. */
#define ALONG_PLANE 1e-9

/* Sharing (docs/method.md, section 5). A contact is satisfied when it lacks no more than this part
 * of the largest force: a hundred times what rounding leaves, so that pivots mean something, and no
 * force that anyone measures. */
#define SATISFIED_WITHIN 1e-13

/* A set of contacts whose G has a pivot below this is no longer positive definite for sure: some
 * units in the last place of 1. Loads that move along such a direction, by 1 at most, change no
 * force by more, which is less than what counts as satisfied. */
#define FLAT_CURVATURE 1e-14

/* Normals whose cosine is no more than this, a few units in the last place of 1, are perpendicular:
 * each of the walls of a rotated corner carries its full force. */
#define PERPENDICULAR_COSINE 1e-15

/* Facets of a convex body whose corners are off one plane by no more than this part of its size are
 * one: far more than turning a body in doubles leaves, and a tenth of what two bodies' distance may
 * be off, so that nobody sees it there. To it comes what coordinates far from the origin are
 * rounded by: some units in the last place. */
#define COPLANAR 1e-12
#define COPLANAR_ROUNDING 0x1p-50

/* Where facets that were merged by that are off their common plane by more, only those that a
 * smaller part of it holds for are merged, at least this: a few units in the last place. */
#define LEAST_MERGE 1e-3

/* Entrances (docs/convex.md). Signs that are decided by sines: rounding leaves no more than
 * SINE_ROUNDING of one that is 0; one of SINE_SURE or more is what it seems, with all that follows
 * from it over a whole body. */
#define SINE_ROUNDING 0x1p-49
#define SINE_SURE 1e-9

/* An entrance that is better by less than this part of the bodies' size is as good. */
#define CLIMB_GAIN 1e-14

/* Edges whose sine is larger than this have a common normal that rounding turns by a few units in
 * the last place. */
#define CLEAR_SINE 0.1

/* Edges whose directions differ by less than this angle have a common normal that rounding turns by
 * more than 1e-9: their planes' distance is checked by the supports. */
#define NEARLY_PARALLEL 1e-7

/* The square of a normal that the library has written is 1 to within this; rounding leaves far
 * less, and a number that was changed since is one more. */
#define NEARLY_UNIT 1e-9

/* Convex bodies (docs/convex.md). Lengths are in parts of the size of a pair, the reach of both.
 *
 * What is not told apart: 10,000 roundings. */
#define TOLD_APART 1e-11

/* The size of a pair is this part of the bodies' distance at least: far apart, as in a gap that is
 * larger than the bodies, the distance is what is rounded. */
#define ROUNDED_PART 0x1p-13

/* Edges whose sine is no more than this are parallel: the point where they cross is off by rounding
 * over the sine, a thousandth of their length here. */
#define PARALLEL_SINE 1e-12

/* Contact points of two convex bodies are told apart by this part of the smaller body's size: far
 * more than what rounding makes of positions in a simulation, so that bodies that are aligned keep
 * their spots and their spots' names, and less than anybody resolves of a contact. */
#define SPOT_TOGETHER 1e-8

/* Edges that overlap give a normal of their own if their sine is larger: it is turned by rounding
 * over the sine, so by less than 1e-8. */
#define CROSSING_SINE 1e-7

/* A link this short that is not the shortest, of bodies that no plane found parts: they overlap,
 * perhaps, and P and Q go towards where both surfaces meet. Who is apart is found to be so all the
 * same. */
#define MEETING_LENGTH 1e-6

/* Bodies that overlap are set apart by this part of their depth, and by at least this: what the
 * link's direction is off by is then far below what is told apart. */
#define DEPTH_SEPARATION 0.25
#define LEAST_SEPARATION 1e-3

/* Bodies that overlap by more are deep in each other: by a fifth of their radii. */
#define DEEP 0.1

/* What two support gaps along the same normal may differ by: some units in the last place. */
#define GAP_ROUNDING 0x1p-50

/* Facets as bodies see them: a corner is turned and moved twice, which rounds it so many times. */
#define FLAT_ROUNDINGS 8.0

/* Facets are on one plane where none of their corners is off it by more than FRONT_NOISES. On the
 * plane their borders are closed to within this many noises: of each of two corners one, twice. */
#define CLOSED_NOISES 4.0

/* Cracks between facets in one plane are closed where they are narrower than this part of the width
 * of the foot on which a body stands: the body cannot sink into them. */
#define CRACK_PART 0.02

/* Borders of a patch that go on within this angle, as a cosine, have no corner there. */
#define STRAIGHT_COSINE 0.9999

/* A facet's own plane tells heights where it is inclined to that of its patch by less than this, as
 * a cosine; slivers are inclined by noise. */
#define UPRIGHT_COSINE 0.5

/* Walls that meet at a concave edge (concave.c). A strip begins so many times in front of what is
 * not told apart and of what noise may explain, both over the sine of the angle between the walls;
 * where that is more than a part of the body's reach, as between facets that noise alone tilts,
 * there is none. It is as wide as any body, and the line where the walls meet is no farther off
 * than what a body touches. Both in reaches. */
#define STRIP_MARGIN 2.0
#define STRIP_CLEAR 0.125
#define STRIP_REACHES 4.0
#define LINE_REACHES 2.0

/* The sine of 10 degrees: what bodies that are deep in a wall may touch of another one, behind a
 * concave edge, is searched for where walls bend by more. */
#define GENTLEST_SINE 0.17

/* One unit in the last place of a number is its power of two times this. */
#define EXPONENT_BITS (UINT64_C(0x7ff) << 52)
#define DOUBLE_EPS 0x1p-52

/* One unit in the last place of x; 0 for 0, and for what is so small that it is no normal number.
 */
static inline double ulp_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= EXPONENT_BITS;
    memcpy(&x, &bits, sizeof x);
    return x * DOUBLE_EPS;
}

static inline double ulp_float(double x)
{
    return x == 0.0 ? 0.0 : ldexp(1.0, ilogb(x) - 23);
}

/* LAMMPS adds up its time at the end of each run, with rounding. Where that sum and the number of
 * steps times their length differ by less than this part of a step, all steps have had one length,
 * and the product is taken, which does not depend on how often a run was ended. */
#define ROUNDED_STEPS 1e-4

#endif
