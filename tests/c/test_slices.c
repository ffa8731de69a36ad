/* Slices of long narrow facets: their boxes contain every point of the facet, no box exceeds its
 * limit, and slices exist where they save work. */
#include "base/memory.h"
#include "bins/bins.h"
#include "bins/slices.h"

#include "check.h"
#include "failing.h"
#include "random.h"
#include "triangle_mesh.h"

#include <math.h>

/* ---- scenes: slivers at random places in random directions ---- */

enum { SLIVERS = 600, POINTS = 40 };

static const double REACH = 1e-3;

static vec3 draw_point(double size)
{
    const double x = draw_number() - 0.5, y = draw_number() - 0.5, z = draw_number() - 0.5;
    return (vec3){size * x, size * y, size * z};
}

/* Builds slivers, some of them along an axis; the longest edge is not always the first. */
static abut_mesh *make_slivers(double width, double shift)
{
    static double vertices[9 * SLIVERS];
    state = 3;
    for (int k = 0; k < SLIVERS; k++) {
        const vec3 middle = draw_point(1.0), far = {shift, shift, shift};
        const vec3 along = k % 10 == 0 ? (vec3){1.0, 0.0, 0.0} : draw_point(2.0);
        const vec3 begin = vec3_add(far, vec3_sub(middle, vec3_scale(along, 0.5)));
        const vec3 side = vec3_add(draw_point(width), vec3_scale(along, draw_number()));
        const vec3 corner[3] = {begin, vec3_add(begin, along), vec3_add(begin, side)};
        for (int i = 0; i < 3; i++) {
            vec3_store(vertices + 9 * k + 3 * i, corner[(i + k) % 3]);
        }
    }
    return build_triangles(SLIVERS, vertices);
}

/* ---- boxes ---- */

static bool is_within(const box *bounds, vec3 point, double slack)
{
    double at[3];
    vec3_store(at, point);
    for (int axis = 0; axis < 3; axis++) {
        if (at[axis] < bounds->low[axis] - slack || at[axis] > bounds->high[axis] + slack) {
            return false;
        }
    }
    return true;
}

static vec3 draw_on(const triangle *t)
{
    const double a = draw_number(), b = (1.0 - a) * draw_number();
    const vec3 first = vec3_scale(triangle_edge(t, 0), a);
    const vec3 second = vec3_scale(vec3_sub(t->corner[2], t->corner[0]), b);
    return vec3_add(t->corner[0], vec3_add(first, second));
}

static bool is_in_a_slice(const box *slices, int32_t count, vec3 point, double slack)
{
    for (int32_t k = 0; k < count; k++) {
        if (is_within(&slices[k], point, slack)) {
            return true;
        }
    }
    return false;
}

static void check_facet(const abut_mesh *mesh, abut_index facet, const slicing *how, double slack)
{
    enum { ROOM = 64 };
    box slices[ROOM], all = box_empty();
    const box own = mesh_box(mesh, facet);
    const double extent = box_extent(&own);
    const int32_t count = slices_count(how, mesh, facet, extent);
    const double longest = slices_extent(mesh, facet, extent, count);
    CHECK(count >= 1 && count <= how->most && count <= ROOM);
    for (int32_t k = 0; k < count; k++) {
        slices[k] = slices_box(mesh, facet, count, k);
        CHECK(box_extent(&slices[k]) <= longest + slack);
        box_include(&all, &slices[k]);
    }
    for (int axis = 0; axis < 3; axis++) {
        CHECK(all.low[axis] == own.low[axis] && all.high[axis] == own.high[axis]);
    }
    for (int i = 0; i < POINTS; i++) {
        const vec3 point = draw_on(&mesh->triangles[facet]);
        CHECK(is_in_a_slice(slices, count, point, slack));
    }
}

static int32_t most_slices(const abut_mesh *mesh, const slicing *how)
{
    int32_t most = 0;
    for (abut_index f = 0; f < mesh->view.facet_count; f++) {
        const box own = mesh_box(mesh, f);
        const int32_t count = slices_count(how, mesh, f, box_extent(&own));
        most = count > most ? count : most;
    }
    return most;
}

static void check_boxes(double shift)
{
    abut_mesh *mesh = make_slivers(1e-3, shift);
    const slicing how = slices_choose(mesh, REACH);
    CHECK(how.most > 1);
    CHECK_INT(most_slices(mesh, &how), how.most);
    for (abut_index f = 0; f < mesh->view.facet_count; f++) {
        check_facet(mesh, f, &how, 0x1p-48 * (1.0 + fabs(shift)));
    }
    abut_mesh_free(mesh);
}

/* ---- facets that are not cut ---- */

static void check_none(double width, double shift, double reach)
{
    abut_mesh *mesh = make_slivers(width, shift);
    const slicing how = slices_choose(mesh, reach);
    CHECK_INT(how.most, 0);
    CHECK_INT(most_slices(mesh, &how), 1);
    abut_mesh_free(mesh);
}

/* ---- bins ---- */

/* A sphere at a facet has few other facets as candidates, and no facet twice. */
static void check_bins(void)
{
    abut_mesh *mesh = make_slivers(1e-3, 0.0);
    const vicinity all = vicinity_of_all();
    bins *set = bins_build(mesh, REACH, &all);
    CHECK(set && set->entry_count <= 27 * SLIVERS);
    int64_t most = 0;
    for (int64_t bucket = 0; set && bucket < set->bucket_count; bucket++) {
        const uint32_t begin = set->begins[bucket], end = set->begins[bucket + 1];
        most = end - begin > most ? end - begin : most;
        for (uint32_t e = begin + 1; e < end; e++) {
            CHECK(set->facet[e] > set->facet[e - 1]);
        }
    }
    CHECK(most < SLIVERS / 4);
    bins_free(set);
    abut_mesh_free(mesh);
}

static void fail_every_allocation(void)
{
    abut_mesh *mesh = make_slivers(1e-3, 0.0);
    const vicinity all = vicinity_of_all();
    failures f = {0};
    while (fail_next(&f)) {
        bins *set = bins_build(mesh, REACH, &all);
        f.status = set ? ABUT_OK : ABUT_NO_MEMORY;
        bins_free(set);
    }
    CHECK(f.count > 10);
    abut_mesh_free(mesh);
}

void test_slices(void)
{
    check_boxes(0.0);
    check_boxes(1e3);
    check_none(1.0, 0.0, REACH);  /* broad facets */
    check_none(1e-3, 0.0, 1.0);   /* facets no longer than spheres */
    check_none(1e-3, 1e9, REACH); /* cuts would have too large rounding errors */
    check_bins();
    fail_every_allocation();
}
