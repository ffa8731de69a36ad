/* Spheres that are searched by place give the bits of those that are searched in the caller's
 * order. */
#include "abut.h"
#include "base/memory.h"
#include "walls/order.h"

#include "check.h"
#include "contact_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE = 12,
    VERTEX_COUNT = (SIDE + 1) * (SIDE + 1),
    FACET_COUNT = SIDE * SIDE,
    SPHERE_COUNT = 2600 /* three chunks */
};

typedef struct setup {
    double vertices[3 * VERTEX_COUNT];
    abut_index indices[4 * FACET_COUNT], offsets[FACET_COUNT + 1];
    double centers[3 * SPHERE_COUNT], radii[SPHERE_COUNT];
} setup;

/* Quads, with steps. */
static void make_floor(setup *s)
{
    for (int k = 0; k < VERTEX_COUNT; k++) {
        int x = k % (SIDE + 1), y = k / (SIDE + 1);
        s->vertices[3 * k] = x;
        s->vertices[3 * k + 1] = y;
        s->vertices[3 * k + 2] = y % 3 == 0 ? 0.25 : 0.0;
    }
    for (int f = 0; f < FACET_COUNT; f++) {
        abut_index corner = f % SIDE + f / SIDE * (SIDE + 1);
        const abut_index corners[4] = {corner, corner + 1, corner + SIDE + 2, corner + SIDE + 1};
        memcpy(s->indices + 4 * f, corners, sizeof corners);
        s->offsets[f + 1] = 4 * (f + 1);
    }
}

/* In no order. Some are outside of all facets' reach, some touch many. */
static setup *make_scene(void)
{
    static setup s;
    make_floor(&s);
    for (int i = 0; i < SPHERE_COUNT; i++) {
        s.radii[i] = i % 50 == 0 ? 2.5 : 0.3 + 0.2 * fmod(0.37 * i, 1.0);
        s.centers[3 * i] = fmod(0.618034 * i, 1.2) * SIDE - 1.0;
        s.centers[3 * i + 1] = fmod(0.414214 * i, 1.2) * SIDE - 1.0;
        s.centers[3 * i + 2] = fmod(0.732051 * i, 1.0);
    }
    return &s;
}

/* The floor as it is, and as two triangles a quad. */
static void make_meshes(const setup *s, abut_mesh *meshes[2])
{
    abut_mesh_input in = {.vertices = s->vertices,
                          .vertex_count = VERTEX_COUNT,
                          .indices = s->indices,
                          .index_count = 4 * FACET_COUNT,
                          .offsets = s->offsets,
                          .facet_count = FACET_COUNT};
    CHECK_INT(abut_mesh_build(&in, &meshes[0], NULL), ABUT_OK);
    abut_index triangles[6 * FACET_COUNT], offsets[2 * FACET_COUNT + 1];
    for (int f = 0; f < FACET_COUNT; f++) {
        const abut_index *q = s->indices + 4 * f;
        const abut_index corners[6] = {q[0], q[1], q[2], q[2], q[3], q[0]};
        memcpy(triangles + 6 * f, corners, sizeof corners);
    }
    for (int f = 0; f <= 2 * FACET_COUNT; f++) {
        offsets[f] = 3 * f;
    }
    in.indices = triangles;
    in.index_count = 6 * FACET_COUNT;
    in.offsets = offsets;
    in.facet_count = 2 * FACET_COUNT;
    CHECK_INT(abut_mesh_build(&in, &meshes[1], NULL), ABUT_OK);
}

/* ---- by place, and in the caller's order ---- */

static found ask(const abut_finder *finder, const abut_query *query, bool by_place)
{
    order_force(by_place);
    const found f = find_columns(finder, query);
    order_force(false);
    return f;
}

/* Returns how many contacts there are. */
static abut_index compare(const abut_finder *finder, const abut_query *query)
{
    found expected = ask(finder, query, false), f = ask(finder, query, true);
    check_found(&f, &expected);
    free_columns(&expected.columns), free_columns(&f.columns);
    return expected.rows;
}

static void compare_resolutions(const abut_finder *finder, abut_query query)
{
    const abut_resolution resolutions[] = {ABUT_SHARING, ABUT_HIERARCHY, ABUT_ALL};
    for (int k = 0; k < 3; k++) {
        for (int workers = 1; workers <= 3; workers += 2) {
            query.resolution = resolutions[k];
            query.workers = workers;
            CHECK(compare(finder, &query) > SPHERE_COUNT / 4);
        }
    }
}

static void compare_poses(const abut_finder *finder, const abut_query *query)
{
    const double poses[32] = {1, 0, 0, 0,   0, 1,   0,    0, 0, 0,   1,   0, 0, 0, 0, 1,
                              1, 0, 0, 0.5, 0, 0.6, -0.8, 0, 0, 0.8, 0.6, 1, 0, 0, 0, 1};
    const double period[3] = {SIDE + 0.5, 0.0, 3.0};
    compare_resolutions(finder, *query);
    abut_query posed = *query;
    posed.poses = poses;
    compare_resolutions(finder, posed);
    posed.period = period;
    posed.gap = 0.05;
    compare_resolutions(finder, posed);
    posed.sphere_count = 1;
    compare(finder, &posed);
}

/* ---- what goes wrong ---- */

static void check_errors(const abut_finder *finder, setup *s, abut_query query)
{
    abut_contacts *contacts;
    abut_error error;
    double kept = s->centers[3 * 1777 + 1];
    order_force(true);
    s->centers[3 * 1777 + 1] = NAN;
    CHECK_INT(abut_contacts_find(finder, &query, &contacts, &error), ABUT_CENTER_NOT_FINITE);
    CHECK_INT(error.index, 1777);
    CHECK_INT(error.detail, 1);
    s->centers[3 * 1777 + 1] = kept;
    const double period[3] = {1e-4, 1e-4, 0.0};
    query.period = period;
    query.sphere_count = 2;
    s->radii[0] = 1e-6;
    s->centers[2] = 50.0;
    CHECK_INT(abut_contacts_find(finder, &query, &contacts, &error), ABUT_TOO_MANY_IMAGES);
    CHECK(error.index == 0 || error.index == 1);
    order_force(false);
    const double wide[3] = {100.0, 0.0, 0.0};
    query.period = wide, query.sphere_count = 1;
    for (int k = 0; k < 2; k++) { /* in an image whose number is beyond those that there are */
        s->centers[0] = k == 0 ? 1e12 : -1e12;
        CHECK_INT(abut_contacts_find(finder, &query, &contacts, &error), ABUT_TOO_MANY_IMAGES);
        CHECK_INT(error.index, 0);
    }
}

/* Each allocation of a first query fails once. */
static void check_memory(const abut_mesh *const *meshes, const abut_query *query)
{
    bool fails = true;
    order_force(true);
    for (long call = 1; fails; call++) {
        abut_finder *finder;
        abut_contacts *contacts;
        CHECK_INT(abut_finder_build(meshes, 2, &finder, NULL), ABUT_OK);
        memory_fail_at(call);
        abut_status status = abut_contacts_find(finder, query, &contacts, NULL);
        fails = memory_has_failed();
        memory_fail_at(0);
        CHECK_INT(status, fails ? ABUT_NO_MEMORY : ABUT_OK);
        abut_contacts_free(contacts);
        abut_finder_free(finder);
    }
    order_force(false);
}

void test_order(void)
{
    setup *s = make_scene();
    abut_mesh *meshes[2];
    make_meshes(s, meshes);
    const abut_mesh *const both[2] = {meshes[0], meshes[1]};
    abut_finder *finder;
    CHECK_INT(abut_finder_build(both, 2, &finder, NULL), ABUT_OK);
    abut_query query = abut_query_default();
    query.centers = s->centers;
    query.radii = s->radii;
    query.sphere_count = SPHERE_COUNT;
    compare_poses(finder, &query);
    check_memory(both, &query);
    check_errors(finder, s, query);
    abut_finder_free(finder);
    abut_mesh_free(meshes[0]);
    abut_mesh_free(meshes[1]);
    CHECK_INT(memory_live_count(), 0);
}
