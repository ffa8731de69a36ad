/* All tolerances of the library. Each is relative to a size, a radius or a noise; none is absolute.
 *
 * Noise is the uncertainty of coordinates (docs/method.md, section 3). A facet has two noises: eps,
 * in any direction, and eps_n, along its normal.
 *
 * The tolerances of later folders are here, too, so that all folders use the same values. */
#ifndef MESH_TOLERANCE_H
#define MESH_TOLERANCE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* A polygon is not planar if one of its corners is farther from its mean plane than this part of
 * its longest diagonal. Building the mesh then fails, or splits the polygon. Smaller deviations,
 * from the rounding of modelers, are accepted. */
#define PLANAR_LIMIT 1e-3

/* A facet has no area if its height is at most this many units in the last place of its largest
 * coordinate. Rotating collinear points moves them off their line by that much. A sliver of 1e-5
 * degrees is 1e9 times higher. */
#define ZERO_HEIGHT_ULPS 2.0

/* A corner counts as straight, not reflex, if it lies inside the chord of its neighbors by at most
 * this many eps. The corner and both neighbors may each be off by more than one eps: eps is the
 * noise along one axis, and a rotation rounds several times. */
#define REFLEX_NOISES 6.0

/* A corner is flat if it is outside the chord of its neighbors by at most this many eps. No force
 * acts on it: without it, the border moves by less than the uncertainty of weights. A polygon with
 * a corner farther than this from its plane is bent, and acts as its fan of triangles. */
#define FLAT_NOISES 2.0

/* Largest difference, in radians, between the sum of a convex polygon's exterior angles and 2 pi.
 * An outline that does not wind exactly once differs by at least 2 pi. */
#define TURNING_LIMIT 1.0

/* Hierarchy (docs/method.md, section 3). Noise may put a point in front of a tangent plane by
 * FRONT_NOISES eps_n. It tilts the plane by the larger of TILT_FROM_NORMAL_NOISE sqrt(eps_n / d)
 * and TILT_FROM_NOISE eps / d. The length d is the distance of the contact point from the sphere's
 * center. */
#define FRONT_NOISES 10.0
#define TILT_FROM_NORMAL_NOISE 2.0
#define TILT_FROM_NOISE 4.0

/* Measured noise (noise.c). The rounding of digits explains deviations of up to this many eps_n:
 * half a unit for each of four corners, plus what moving a mesh in float64 adds. */
#define EXPLAINED_NOISES 4.0

/* Two neighbor triangles are nearly coplanar if their deviation is at most this part of their
 * height: the angle between them is at most about 0.2 degrees. Rounding to float32 turns facets by
 * less, if they are larger than a tenth of a sphere's radius and up to 1000 radii from the origin.
 * Modelers make edges so flat only in curved surfaces. */
#define NEARLY_FLAT 1e-3

/* Rounding to float32, or to six decimal digits, changes a coordinate by about this part of it.
 * Where nothing else separates noise from shape, smaller deviations count as noise. In CAD meshes,
 * deviations that are shape are 1e-5 or larger. */
#define SINGLE_ROUNDING 1e-6

/* A deviation larger than this part of the facets' size never counts as rounding: a mesh with
 * facets that rounding tilts so far is of no use. */
#define ROUNDED_FLAT 1e-2

/* The vectors from one point of a plane to three others have a triple product of 0. Rounding makes
 * it at most this part of the product of their lengths: 16 roundings by 2^-53 each. */
#define VOLUME_ROUNDING 0x1p-49

/* The noise that follows from a deviation, as a multiple of it. The deviation is the mean error of
 * four corners. The error of one corner may be four times as large, if the others have none. */
#define NOISES_OF_DEVIATION 4.0

/* Facets farther from the origin than this many reaches are not cut for bins: rounding would move
 * the cuts by more than bins allow for. */
#define CUT_REACHES 0x1p30

/* Planes (planes.h). Facets may lie in one plane if their normals and heights are equal after
 * rounding to a grid of steps. These are coarser than noise and finer than curvature.
 * - NORMAL_STEPS: steps in a component of a normal from 0 to 1.
 * - HEIGHT_STEPS: steps in a height from 0 to the mesh's largest coordinate.
 * - STEP_OFFSET keeps round numbers away from the borders between steps. */
#define NORMAL_STEPS 1e4
#define HEIGHT_STEPS 1e5
#define STEP_OFFSET 0.38196601125010515

/* A facet lies in a plane if its corners are off it by at most OFF_NOISES eps_n plus OFF_ROUNDING
 * times the mesh's largest coordinate. */
#define OFF_NOISES 4.0
#define OFF_ROUNDING 0x1p-49

/* The test of planes (planes.h) is used only for poses with a matrix that differs from a rotation
 * by at most this. Other poses turn contact vectors by more than the test allows for. */
#define SKEW_LIMIT 1e-10

/* A corner's height over a plane is a sum of terms. Rounding changes it by at most this part of the
 * terms' absolute values, added up: 4 roundings for the corner, 4 for the plane. */
#define HEIGHT_ROUNDING 0x1p-50

/* Bounds of a test of planes:
 * - PLANE_ROUNDING: the rounding of a facet's distance from its plane, as a part of the facet's
 *   size plus the sphere's diameter.
 * - LEAST_NOISE: the smallest noise of a contact, as a part of the reach. It is one unit in the
 *   last place of the radius, if the reach is at most REACH_LIMIT radii. */
#define PLANE_ROUNDING 0x1p-49
#define REACH_LIMIT 4.0
#define LEAST_NOISE (0x1p-53 / REACH_LIMIT)

/* Coarse tests rule facets out before exact distances are computed. Their bounds are enlarged by
 * this part of the numbers that are added, which is more than rounding. */
#define CULL_SLACK 1e-12

/* The largest rounding error of the chord between two unit vectors. */
#define CHORD_ROUNDING 1e-15

/* Two numbers that differ by at most this part of them, a few units in the last place, may have the
 * same square root. */
#define SAME_ROOT 1e-15

/* A period counts as parallel to the plane of a half space if the normal's component along the
 * period's axis is at most this. The rounding of a pose allows no finer limit. Over one period the
 * plane rises by at most this part of the period. */
#define ALONG_PLANE 1e-9

/* Sharing (docs/method.md, section 5). A contact is satisfied if the force that it still lacks is
 * at most this part of the largest force. The limit is a hundred times the rounding errors, so that
 * no pivot step is caused by rounding. It is far below what can be measured. */
#define SATISFIED_WITHIN 1e-13

/* The matrix G of a set of contacts (docs/method.md, section 5) is surely positive definite if all
 * its pivots are larger than this: tens of units in the last place of 1. Along a direction with a
 * smaller pivot, loads move by at most 1. No force then changes by more than FLAT_CURVATURE, which
 * is less than SATISFIED_WITHIN. */
#define FLAT_CURVATURE 1e-14

/* Two normals are perpendicular if their cosine is at most this, a few units in the last place of
 * 1. In a rotated right-angled corner, each wall then still has its full force. */
#define PERPENDICULAR_COSINE 1e-15

/* Hulls of convex bodies. Facets are merged into one if their corners are off one plane by at most
 * COPLANAR times the body's size plus COPLANAR_ROUNDING times its largest coordinate.
 * - COPLANAR is far more than the rounding of a rotation. It is a tenth of TOLD_APART, so that
 *   merging changes no result.
 * - COPLANAR_ROUNDING is a few units in the last place, for bodies far from the origin. */
#define COPLANAR 1e-12
#define COPLANAR_ROUNDING 0x1p-50

/* If the merged facets fail the check for convexity, merging is repeated with a quarter of the
 * tolerance, as long as it is more than this part of the first tolerance: a few units in the last
 * place. */
#define LEAST_MERGE 1e-3

/* Entrances (docs/convex.md) depend on the signs of sines. A sine that should be 0 is at most
 * SINE_ROUNDING after rounding. A sine above SINE_SURE surely has the true sign, even after the
 * roundings of a search over a whole body. */
#define SINE_ROUNDING 0x1p-49
#define SINE_SURE 1e-9

/* An entrance counts as better than another one only if its gap is larger by more than this part of
 * the pair's size. This is more than rounding, so that the search ends. */
#define CLIMB_GAIN 1e-14

/* If the sine of the angle between two edges is larger than this, rounding turns their common
 * normal by only a few units in the last place. */
#define CLEAR_SINE 0.1

/* If the sine of the angle between two edges is less than this, rounding turns their common normal
 * by more than 1e-9. The distance of their planes is then checked with the support points. */
#define NEARLY_PARALLEL 1e-7

/* The square of a normal that the library has written differs from 1 by at most this. Rounding
 * leaves far less; a normal that the caller has changed differs by more. */
#define NEARLY_UNIT 1e-9

/* Convex bodies (docs/convex.md). Lengths are parts of a pair's size: the sum of both bodies'
 * reaches.
 *
 * Two lengths count as equal if they differ by at most this, tens of thousands of roundings. */
#define TOLD_APART 1e-11

/* A pair's size is at least this part of the distance between the bodies' origins. If the gap is
 * far larger than the bodies, rounding errors are a part of the distance. */
#define ROUNDED_PART 0x1p-13

/* Two edges count as parallel if the sine of their angle is at most this. The error of the point
 * where they cross is about the rounding error divided by the sine. At this limit it is a
 * thousandth of their length. */
#define PARALLEL_SINE 1e-12

/* Contact points (spots) of two convex bodies that are closer than this part of the smaller body's
 * size count as one. This is far more than the rounding of positions in a simulation, so that
 * aligned bodies keep their spots and the spots' names. It is far smaller than any detail of a
 * contact that matters. */
#define SPOT_TOGETHER 1e-8

/* Two edges of overlapping bodies define a normal if the sine of their angle is larger than this.
 * The error of the normal, about the rounding error divided by the sine, is then below 1e-8. */
#define CROSSING_SINE 1e-7

/* The search for the shortest link changes its method if a link is this short, and no plane is
 * known that separates the bodies. They may then overlap, and the link's ends P and Q tend to a
 * point where both surfaces meet. If the bodies are apart, the second method finds that, too. */
#define MEETING_LENGTH 1e-6

/* Overlapping bodies are moved apart by their depth plus the larger of DEPTH_SEPARATION times the
 * depth and LEAST_SEPARATION. The error of the link's direction is then far below TOLD_APART. */
#define DEPTH_SEPARATION 0.25
#define LEAST_SEPARATION 1e-3

/* For overlaps larger than this, about a fifth of the bodies' radii, a global search comes
 * first. */
#define DEEP 0.1

/* Rounding may make two support gaps along the same normal differ by this: a few units in the last
 * place. */
#define GAP_ROUNDING 0x1p-50

/* Walls under convex bodies. A corner is rounded this many times while two poses move it. */
#define FLAT_ROUNDINGS 8.0

/* Facets lie in one plane if none of their corners is off it by more than FRONT_NOISES eps_n. In
 * that plane, borders within CLOSED_NOISES eps of each other leave no gap: each end of each border
 * may be off by one eps. */
#define CLOSED_NOISES 4.0

/* A crack between facets of one plane is closed if it is narrower than this part of the width of
 * the foot: the area on which a body stands. The body cannot sink into it. */
#define CRACK_PART 0.02

/* Two borders of a patch that meet have no corner there if the cosine of the angle between their
 * directions is larger than this. */
#define STRAIGHT_COSINE 0.9999

/* Heights over a patch are computed from a facet's own plane if the cosine of the angle between
 * this plane and the patch is larger than this. Noise may incline slivers by larger angles. */
#define UPRIGHT_COSINE 0.5

/* Walls that meet at a concave edge (concave.c). A strip of one wall begins in front of the line
 * where both meet.
 * - STRIP_MARGIN: the strip begins at this multiple of what rounding and noise may explain, divided
 *   by the sine of the angle between the walls.
 * - STRIP_CLEAR: if a strip would begin farther from the line than this many reaches of the body,
 *   there is no strip, as between facets that noise alone tilts.
 * - STRIP_REACHES: the width of a strip in reaches. A body is at most 2 reaches wide.
 * - LINE_REACHES: lines farther from the body than this many reaches have no strip. */
#define STRIP_MARGIN 2.0
#define STRIP_CLEAR 0.125
#define STRIP_REACHES 4.0
#define LINE_REACHES 2.0

/* Sine of 10 degrees. If walls bend by less at a concave edge, contacts behind it are not
 * searched. */
#define GENTLEST_SINE 0.17

/* EXPONENT_BITS are the bits of a float64 number that hold its power of two. One unit in its last
 * place is DOUBLE_EPS times this power. */
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
 * number of steps times their length by less than this part of a step, all steps have had the same
 * length. Then the product is used, which does not depend on the number of runs. */
#define ROUNDED_STEPS 1e-4

#endif
