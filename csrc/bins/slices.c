/* Slices long narrow facets. */
#include "slices.h"

#include "../mesh/tolerance.h"

/* A facet is long if its extent is more than about this many widths. */
#define LONG_ASPECT 8.0

/* A slice is at least SLICE_REACHES reaches and SLICE_WIDTHS widths long. Boxes of shorter slices
 * would be no smaller once they are grown. */
#define SLICE_REACHES 4.0
#define SLICE_WIDTHS 2.0

/* Slicing saves time if a sphere at the long facets has more candidates among them than this. */
#define PAYING_CANDIDATES 512.0

/* The largest number of slices of one facet. With so many, a facet has no more entries than any
 * other. In a mesh of many facets the number is SLICES_AT_LEAST plus SLICES_BESIDE divided by the
 * number of facets, to limit the memory for building bins. */
enum { SLICES_OF_FACET = 8, SLICES_AT_LEAST = 3, SLICES_BESIDE = 200000 };

/* The width of a facet: twice a triangle's area is its length times its width. */
static double width_of(const abut_mesh *mesh, abut_index facet, double extent)
{
    return 2.0 * mesh->view.areas[facet] / extent;
}

static bool is_long(const abut_mesh *mesh, abut_index facet, double extent)
{
    return extent > LONG_ASPECT * width_of(mesh, facet, extent);
}

/* Whether slicing saves time: a sphere at the long facets has many of them as candidates.
 * Candidates are facets with grown boxes in a cell of the same size, as in bin_levels.c. */
static bool do_slices_pay(const abut_mesh *mesh, double reach)
{
    double count = 0.0, sides = 0.0, area = 0.0, farthest = 0.0;
    for (abut_index f = 0; f < mesh->view.facet_count; f++) {
        const box whole = mesh_box(mesh, f);
        const double extent = box_extent(&whole);
        farthest = larger(farthest, box_farthest(&whole));
        if (is_long(mesh, f, extent) && extent > SLICE_REACHES * reach) {
            count += 1.0;
            sides += extent * extent;
            area += mesh->view.areas[f];
        }
    }
    return count > PAYING_CANDIDATES && 4.0 * sides > PAYING_CANDIDATES * area &&
           farthest < CUT_REACHES * reach;
}

slicing slices_choose(const abut_mesh *mesh, double reach)
{
    const abut_index facets = mesh->view.facet_count;
    if (facets == 0 || !do_slices_pay(mesh, reach)) {
        return (slicing){0};
    }
    const abut_index most = SLICES_AT_LEAST + SLICES_BESIDE / facets;
    return (slicing){most < SLICES_OF_FACET ? (int32_t)most : SLICES_OF_FACET,
                     SLICE_REACHES * reach};
}

int32_t slices_count(const slicing *how, const abut_mesh *mesh, abut_index facet, double extent)
{
    if (how->most == 0 || !is_long(mesh, facet, extent)) {
        return 1;
    }
    const double by_width = SLICE_WIDTHS * width_of(mesh, facet, extent);
    const double count = extent / (by_width > how->shortest ? by_width : how->shortest);
    return count < 2.0 ? 1 : count < how->most ? (int32_t)count : how->most;
}

/* An upper bound: extent / count plus the width, or plus twice the width if the facet is no
 * triangle. Consider the line from the facet's lowest to its highest corner along its longest axis.
 * The line's part in a slice is at most extent / count long along each axis. A cross-section is no
 * longer than the width. All cross-sections of a triangle are on one side of the line; those of
 * other facets may be on both. */
double slices_extent(const abut_mesh *mesh, abut_index facet, double extent, int32_t count)
{
    if (count == 1) {
        return extent;
    }
    const double sides = mesh->fans[facet + 1] - mesh->fans[facet] > 1 ? 2.0 : 1.0;
    return extent / count + sides * width_of(mesh, facet, extent);
}

static double along(vec3 point, int axis)
{
    return axis == 0 ? point.x : axis == 1 ? point.y : point.z;
}

/* Adds the point where the edge from a to b crosses a plane across the axis, if it does. */
static void include_cut(box *bounds, vec3 a, vec3 b, int axis, double at)
{
    const double below = at - along(a, axis), above = along(b, axis) - at;
    if ((below > 0.0 && above > 0.0) || (below < 0.0 && above < 0.0)) {
        const double part = below / (below + above);
        vec3 point = vec3_add(a, vec3_scale(vec3_sub(b, a), part));
        box_include_point(bounds, point);
    }
}

/* Adds to the box the part of a triangle between two planes across the axis. */
static void include_slice(box *bounds, const triangle *t, int axis, double low, double high)
{
    for (int k = 0; k < 3; k++) {
        const vec3 a = t->corner[k], b = t->corner[(k + 1) % 3];
        if (along(a, axis) >= low && along(a, axis) <= high) {
            box_include_point(bounds, a);
        }
        include_cut(bounds, a, b, axis, low);
        include_cut(bounds, a, b, axis, high);
    }
}

static int longest_axis(const box *whole)
{
    int longest = 0;
    for (int axis = 1; axis < 3; axis++) {
        if (whole->high[axis] - whole->low[axis] > whole->high[longest] - whole->low[longest]) {
            longest = axis;
        }
    }
    return longest;
}

box slices_box(const abut_mesh *mesh, abut_index facet, int32_t count, int32_t number)
{
    const box whole = mesh_box(mesh, facet);
    if (count == 1) {
        return whole;
    }
    const int axis = longest_axis(&whole);
    const double step = (whole.high[axis] - whole.low[axis]) / count;
    const double low = whole.low[axis] + number * step;
    const double high =
        number + 1 < count ? whole.low[axis] + (number + 1) * step : whole.high[axis];
    box bounds = box_empty();
    for (int32_t k = mesh->fans[facet]; k < mesh->fans[facet + 1]; k++) {
        include_slice(&bounds, &mesh->triangles[k], axis, low, high);
    }
    return bounds;
}
