/* Every tolerance of the library. None is absolute: each is relative to a size, a radius or a
 * noise.
 *
 * Noise is what coordinates may be off (docs/method.md, section 3). A facet has two: eps, in any
 * direction, and eps_n, along its normal.
 *
 * All stand in the first room that needs one, so that later rooms use the same ones. */
#ifndef MESH_TOLERANCE_H
#define MESH_TOLERANCE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* A polygon with a corner farther from its mean plane than this part of its longest diagonal is not
 * planar: building the mesh fails, or splits it. Smaller deviations, as modelers round, are
 * accepted. */
#define PLANAR_LIMIT 1e-3

/* A facet has no area if its height is at most this many units in the last place of its largest
 * coordinate. Rotating collinear points moves them off their line by that much. A sliver of 1e-5
 * degrees is 1e9 times higher. */
#define ZERO_HEIGHT_ULPS 2.0

/* A corner that lies inside its neighbors' chord by at most this many eps is straight, not reflex.
 * The corner and both neighbors are each off by more than one eps: noise is counted along one axis,
 * and rotating rounds several times. */
#define REFLEX_NOISES 6.0

/* A corner that stands out of its neighbors' chord by at most this many eps is flat and carries no
 * force: leaving it out moves the border by less than weights may be off. A polygon with a corner
 * farther from its plane is bent, and acts as its fan of triangles. */
#define FLAT_NOISES 2.0

/* Largest difference, in radians, of a convex polygon's total turning from 2 pi. Any other outline
 * is off by 2 pi at least. */
#define TURNING_LIMIT 1.0

/* Hierarchy (docs/method.md, section 3). Noise may put a point in front of a tangent plane by
 * FRONT_NOISES eps_n. It tilts the plane by TILT_FROM_NORMAL_NOISE sqrt(eps_n / d) or by
 * TILT_FROM_NOISE eps / d, whichever is larger, with the distance d of the sphere's center. */
#define FRONT_NOISES 10.0
#define TILT_FROM_NORMAL_NOISE 2.0
#define TILT_FROM_NOISE 4.0

/* Measured noise (noise.c). Digits explain deviations of up to this many eps_n: half a unit for
 * each of four corners, and what moving a mesh in doubles adds. */
#define EXPLAINED_NOISES 4.0

/* Two neighbor triangles are nearly coplanar if their deviation is at most this part of their
 * height: they turn by less than 0.2 degrees. Up to 1000 radii from the origin, rounding to float32
 * turns facets of a tenth of a radius by less. Modelers make edges so flat only in curved
 * surfaces. */
#define NEARLY_FLAT 1e-3

/* What float32, or six decimal digits, may take from a coordinate, as a part of it. Where nothing
 * else separates noise from shape, less is noise. Shape in CAD meshes begins at 1e-5. */
#define SINGLE_ROUNDING 1e-6

/* A deviation larger than this part of the facets' size is never taken for rounding: a mesh that
 * rounding turns by so much is of no use. */
#define ROUNDED_FLAT 1e-2

/* What rounding may make of the volume of four points in one plane, as a part of the product of
 * their distances: 18 roundings. */
#define VOLUME_ROUNDING 0x1p-49

/* The noise that a measured deviation shows, as a multiple of it. A deviation is the mean error of
 * four corners, so one error may be four times as large, with none at the others. */
#define NOISES_OF_DEVIATION 4.0

/* Facets farther from the origin than this many reaches are not cut for bins: rounding moves the
 * cuts by more than bins allow for. */
#define CUT_REACHES 0x1p30

/* Planes (planes.h). Facets may lie in one plane if their normals and heights, rounded to steps,
 * are equal. A unit has NORMAL_STEPS steps of normals, the farthest coordinate HEIGHT_STEPS steps
 * of heights: coarser than noise, finer than curvature. STEP_OFFSET keeps round numbers away from
 * the borders between steps. */
#define NORMAL_STEPS 1e4
#define HEIGHT_STEPS 1e5
#define STEP_OFFSET 0.38196601125010515

/* A facet lies in a plane if its corners are off it by at most OFF_NOISES eps_n plus OFF_ROUNDING
 * times the farthest coordinate of the mesh. */
#define OFF_NOISES 4.0
#define OFF_ROUNDING 0x1p-49

/* The test of planes (planes.h) is used only for poses that are this close to rigid. Others turn
 * contact vectors by more than it allows for. */
#define SKEW_LIMIT 1e-10

/* What rounding may add to the height of a corner over a plane, as a part of the absolute values
 * that are added up: 4 roundings for the corner, 4 for the plane. */
#define HEIGHT_ROUNDING 0x1p-50

/* PLANE_ROUNDING is what rounding adds to a facet's distance from its plane, as a part of the
 * facet's size plus the spheres' diameter. LEAST_NOISE is the least noise of a contact, as a part
 * of the reach: one unit in the last place of the radius, where the reach is at most REACH_LIMIT
 * radii. */
#define PLANE_ROUNDING 0x1p-49
#define REACH_LIMIT 4.0
#define LEAST_NOISE (0x1p-53 / REACH_LIMIT)

/* Coarse tests rule facets out before the exact distance decides. They err outwards, by this part
 * of the numbers added, which is more than rounding. */
#define CULL_SLACK 1e-12

/* What rounding may add to the chord between two unit vectors, at most. */
#define CHORD_ROUNDING 1e-15

/* Two numbers that differ by at most this part, some units in the last place, may have the same
 * square root. */
#define SAME_ROOT 1e-15

/* A period may lie along the plane of a half space if the normal's component along the period's
 * axis is at most this. Rounding of the pose allows no finer limit; over a period the plane rises
 * by this part of it. */
#define ALONG_PLANE 1e-9

/* Sharing (docs/method.md, section 5). A contact is satisfied if it lacks at most this part of the
 * largest force. That is a hundred times what rounding leaves, so that every pivot means something,
 * and less than anyone measures. */
#define SATISFIED_WITHIN 1e-13

/* A set of contacts is surely positive definite if all pivots of its matrix G are larger than this:
 * some units in the last place of 1. Loads may move along such a direction by 1 at most, which
 * changes no force by more than this: less than SATISFIED_WITHIN. */
#define FLAT_CURVATURE 1e-14

/* Two normals are perpendicular if their cosine is at most this, a few units in the last place
 * of 1. So each wall of a rotated right-angled corner carries its full force. */
#define PERPENDICULAR_COSINE 1e-15

/* Hulls of convex bodies. Facets are merged into one if their corners are off one plane by at most
 * COPLANAR times the body's size plus COPLANAR_ROUNDING times its largest coordinate. The first is
 * far more than turning a body in doubles leaves, and a tenth of TOLD_APART, so that no result
 * shows it. The second is some units in the last place, for bodies far from the origin. */
#define COPLANAR 1e-12
#define COPLANAR_ROUNDING 0x1p-50

/* If the merged facets fail the check for convexity, merging is repeated within a quarter of the
 * tolerance, and so on down to this part of it: a few units in the last place. */
#define LEAST_MERGE 1e-3

/* Entrances (docs/convex.md) depend on the signs of sines. Rounding leaves at most SINE_ROUNDING of
 * a sine that is 0. A sine of SINE_SURE or more has its true sign, with all that follows over a
 * whole body. */
#define SINE_ROUNDING 0x1p-49
#define SINE_SURE 1e-9

/* An entrance counts as better than another one only if its gap is larger by more than this part of
 * the pair's size: more than rounding, so that climbing ends. */
#define CLIMB_GAIN 1e-14

/* Rounding turns the common normal of two edges by a few units in the last place only where the
 * sine of their angle is larger than this. */
#define CLEAR_SINE 0.1

/* Rounding turns the common normal of two edges by more than 1e-9 where the sine of their angle is
 * less than this. The distance of their planes is then checked with the support points. */
#define NEARLY_PARALLEL 1e-7

/* The square of a normal that the library has written differs from 1 by at most this. Rounding
 * leaves far less; a normal that the caller has changed differs by more. */
#define NEARLY_UNIT 1e-9

/* Convex bodies (docs/convex.md). Lengths are parts of a pair's size: the sum of both bodies'
 * reaches.
 *
 * Lengths that differ by at most this, tens of thousands of roundings, count as equal. */
#define TOLD_APART 1e-11

/* A pair's size is at least this part of the distance between the bodies' origins. Across a gap far
 * larger than the bodies, rounding follows the distance. */
#define ROUNDED_PART 0x1p-13

/* Two edges are parallel if the sine of their angle is at most this: rounding over the sine moves
 * the point where they cross, here by a thousandth of their length. */
#define PARALLEL_SINE 1e-12

/* Contact points (spots) of two convex bodies that are closer than this part of the smaller body's
 * size count as one. It is far more than rounding of positions in a simulation, so that aligned
 * bodies keep their spots and the spots' names. It is far less than what matters of a contact. */
#define SPOT_TOGETHER 1e-8

/* Two edges of overlapping bodies define a normal if the sine of their angle is larger than this:
 * rounding over the sine turns it by less than 1e-8. */
#define CROSSING_SINE 1e-7

/* If a link is this short, is not yet the shortest, and no plane is known that separates the
 * bodies, they may overlap: P and Q then tend to where both surfaces meet. The search changes its
 * method there, which finds bodies that are apart all the same. */
#define MEETING_LENGTH 1e-6

/* Overlapping bodies are moved apart by their depth plus the larger of DEPTH_SEPARATION times the
 * depth and LEAST_SEPARATION. The error of the link's direction is then far below TOLD_APART. */
#define DEPTH_SEPARATION 0.25
#define LEAST_SEPARATION 1e-3

/* An overlap larger than this, about a fifth of the bodies' radii, is deep: a global search comes
 * first. */
#define DEEP 0.1

/* Two support gaps along the same normal may differ by this: some units in the last place. */
#define GAP_ROUNDING 0x1p-50

/* Walls under convex bodies. Two poses turn and move a corner, which rounds it so many times. */
#define FLAT_ROUNDINGS 8.0

/* Facets lie in one plane if none of their corners is off it by more than FRONT_NOISES eps_n. In
 * that plane, borders within CLOSED_NOISES eps of each other leave no gap: either end of either
 * border may be off by one eps. */
#define CLOSED_NOISES 4.0

/* Cracks between facets of one plane are closed if they are narrower than this part of the width of
 * the foot that a body stands on: the body cannot sink into them. */
#define CRACK_PART 0.02

/* Two borders of a patch that meet at an angle with a larger cosine have no corner there. */
#define STRAIGHT_COSINE 0.9999

/* A facet's own plane gives heights over a patch if the cosine of its angle to the patch's plane is
 * larger than this. Slivers are inclined by noise. */
#define UPRIGHT_COSINE 0.5

/* Walls that meet at a concave edge (concave.c). A strip of one wall begins in front of the line
 * where both meet, by STRIP_MARGIN times what rounding and noise may explain, over the sine of the
 * angle between the walls. If that is more than STRIP_CLEAR reaches of the body, as between facets
 * that noise alone tilts, there is no strip. It is STRIP_REACHES reaches wide, as wide as any body.
 * Lines farther from the body than LINE_REACHES reaches have none. */
#define STRIP_MARGIN 2.0
#define STRIP_CLEAR 0.125
#define STRIP_REACHES 4.0
#define LINE_REACHES 2.0

/* Sine of 10 degrees. Walls that bend by less at a concave edge are not searched for what a deep
 * body may touch behind the edge. */
#define GENTLEST_SINE 0.17

/* One unit in a number's last place is DOUBLE_EPS times its power of two, which EXPONENT_BITS
 * hold. */
#define EXPONENT_BITS (UINT64_C(0x7ff) << 52)
#define DOUBLE_EPS 0x1p-52

/* One unit in the last place of x; 0 for 0 and for subnormal numbers. */
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

/* LAMMPS adds up its time at the end of each run, with rounding. If that sum differs from the
 * number of steps times their length by less than this part of a step, all steps have had one
 * length. Then the product is used, which does not depend on how many runs there were. */
#define ROUNDED_STEPS 1e-4

#endif
