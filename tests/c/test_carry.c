/* What contacts carry along, called as a loop in C does: the step before the first, meshes that
 * turn, columns that are left out, and what is refused. */
#include "abut.h"
#include "base/memory.h"
#include "base/tilt.h"

#include "check.h"

#include <math.h>
#include <string.h>

enum { ROWS = 9000 };

static double normals[3 * ROWS], turned_normals[3 * ROWS], points[3 * ROWS], tilts[ROWS];
static double tangents[3 * ROWS], carried[3 * ROWS], again[3 * ROWS];
static abut_index match[ROWS], meshes[ROWS], offsets[ROWS + 1], nodes[ROWS], node_offsets[ROWS + 1];

/* A quarter about z, and a shift. */
static const double quarter[] = {0.0, -1.0, 0.0, 5.0, 1.0, 0.0, 0.0, 6.0,
                                 0.0, 0.0,  1.0, 7.0, 0.0, 0.0, 0.0, 1.0};

static void fill_columns(void)
{
    for (abut_index i = 0; i < ROWS; i++) {
        const double angle = 0.001 * (double)i;
        const vec3 normal = {cos(angle), 0.0, sin(angle)}, turned = {0.0, cos(angle), sin(angle)};
        vec3_store(normals + 3 * i, normal), vec3_store(turned_normals + 3 * i, turned);
        vec3_store(tangents + 3 * i, (vec3){-2.0 * sin(angle), 3.0, 2.0 * cos(angle)});
        vec3_store(points + 3 * i, (vec3){(double)i, 0.0, 0.0});
        match[i] = i;
        offsets[i + 1] = node_offsets[i + 1] = i + 1;
    }
}

/* One contact a sphere; what carry does not need is left out by `reduced`. */
static abut_step step_with(const double *step_normals)
{
    return (abut_step){.sphere_count = ROWS,
                       .contact_count = ROWS,
                       .node_count = ROWS,
                       .offsets = offsets,
                       .point = points,
                       .normal = step_normals,
                       .tilt = tilts,
                       .node = nodes,
                       .node_offsets = node_offsets};
}

static abut_step reduced(const double *step_normals)
{
    return (abut_step){.contact_count = ROWS, .normal = step_normals};
}

static void test_nothing_moves(void)
{
    const abut_step step = reduced(normals);
    CHECK_INT(abut_contacts_carry(&step, &step, match, tangents, 1, carried, NULL), ABUT_OK);
    CHECK(memcmp(carried, tangents, sizeof carried) == 0);
}

static void test_a_mesh_turns(void)
{
    abut_step now = reduced(turned_normals), before = reduced(normals);
    now.mesh_count = 1, now.poses = quarter;
    match[7] = -1;
    for (int workers = 1; workers <= 3; workers++) {
        CHECK_INT(abut_contacts_carry(&now, &before, match, tangents, workers, again, NULL),
                  ABUT_OK);
        CHECK(workers == 1 || memcmp(carried, again, sizeof carried) == 0);
        memcpy(carried, again, sizeof carried);
    }
    for (abut_index i = 0; i < ROWS; i++) {
        const double *tangent = tangents + 3 * i, part = i == 7 ? 0.0 : 1.0;
        CHECK_NEAR(carried[3 * i], -part * tangent[1], 0.0);
        CHECK_NEAR(carried[3 * i + 1], part * tangent[0], 0.0);
        CHECK_NEAR(carried[3 * i + 2], part * tangent[2], 0.0);
    }
    match[7] = 7;
}

/* Points that the poses have carried along are where they are found now. */
static void test_match_with_poses(void)
{
    static double moved_points[3 * ROWS];
    abut_step now = step_with(turned_normals), before = step_with(normals);
    abut_index found[ROWS];
    for (abut_index i = 0; i < ROWS; i++) {
        vec3_store(moved_points + 3 * i, (vec3){5.0, 6.0 + (double)i, 7.0});
    }
    now.point = moved_points, now.mesh_count = 1, now.poses = quarter;
    /* all contacts are one sphere's, so that the nearest points tell */
    const abut_index one[] = {0, 500};
    now.sphere_count = before.sphere_count = 1;
    now.offsets = before.offsets = one;
    now.contact_count = before.contact_count = now.node_count = before.node_count = 500;
    CHECK_INT(abut_contacts_match(&now, &before, NULL, 1, found, NULL), ABUT_OK);
    for (abut_index i = 0; i < 500; i++) {
        CHECK_INT(found[i], i);
    }
}

static void test_no_step_before(void)
{
    const abut_step now = step_with(normals), before = {0};
    abut_index found[ROWS];
    CHECK_INT(abut_contacts_match(&now, &before, NULL, 2, found, NULL), ABUT_OK);
    for (abut_index i = 0; i < ROWS; i++) {
        CHECK_INT(found[i], -1);
    }
    CHECK_INT(abut_contacts_carry(&now, &before, found, NULL, 2, carried, NULL), ABUT_OK);
    CHECK_NEAR(carried[3 * ROWS - 1], 0.0, 0.0);
    CHECK_INT(abut_contacts_match(&before, &now, NULL, 1, NULL, NULL), ABUT_OK);
    CHECK_INT(abut_contacts_carry(&before, &now, NULL, tangents, 1, NULL, NULL), ABUT_OK);
}

static void check_refused(const abut_step *now, const abut_step *before, abut_status status,
                          abut_index index, abut_index detail)
{
    abut_error error = {0};
    CHECK_INT(abut_contacts_carry(now, before, match, tangents, 1, carried, &error), status);
    CHECK_INT(error.status, status);
    CHECK_INT(error.index, index);
    CHECK_INT(error.detail, detail);
}

static void test_what_is_refused(void)
{
    abut_step now = reduced(normals), before = reduced(normals);
    match[3] = ROWS;
    check_refused(&now, &before, ABUT_BAD_MATCH, 3, ROWS);
    match[3] = -2;
    check_refused(&now, &before, ABUT_BAD_MATCH, 3, -2);
    match[3] = 3;
    /* numbers of meshes are looked at where one has moved */
    before.mesh = meshes, meshes[5] = 1;
    CHECK_INT(abut_contacts_carry(&now, &before, match, tangents, 1, carried, NULL), ABUT_OK);
    now.mesh_count = 1, now.poses = quarter;
    check_refused(&now, &before, ABUT_BAD_MESH_NUMBER, 5, 1);
    meshes[5] = 0;
    const double period[] = {0.0, 2.0, 0.0}, other[] = {0.0, 3.0, 0.0}, bad[] = {0.0, NAN, 0.0};
    now.period = before.period = period;
    check_refused(&now, &before, ABUT_OK, 0, 0);
    before.period = other;
    check_refused(&now, &before, ABUT_PERIOD_CHANGED, 1, 0);
    before.period = NULL;
    check_refused(&now, &before, ABUT_PERIOD_CHANGED, 1, 0);
    now.period = before.period = bad;
    check_refused(&now, &before, ABUT_BAD_PERIOD, 1, 0);
}

/* A finder that knows fewer poses in one step: the others are in no mesh that there is. */
static void test_fewer_poses(void)
{
    static double two[32];
    memcpy(two, quarter, sizeof quarter), memcpy(two + 16, quarter, sizeof quarter);
    abut_step now = reduced(normals), before = reduced(normals);
    before.mesh = meshes, meshes[5] = 1;
    now.poses = two, now.mesh_count = 2;
    check_refused(&now, &before, ABUT_OK, 0, 0);
    before.poses = two + 16, before.mesh_count = 1, two[0] = 0.5;
    check_refused(&now, &before, ABUT_BAD_MESH_NUMBER, 5, 1);
    meshes[5] = 0;
}

static void test_allocation_failure(void)
{
    abut_step now = reduced(normals), before = reduced(normals);
    now.mesh_count = 1, now.poses = quarter;
    const long live = memory_live_count();
    memory_fail_at(1);
    check_refused(&now, &before, ABUT_NO_MEMORY, 0, 0);
    CHECK(memory_has_failed());
    memory_fail_at(0);
    check_refused(&now, &before, ABUT_OK, 0, 0);
    CHECK_INT(memory_live_count(), live);
}

/* Opposite directions have no smallest rotation: one that keeps lengths is as good as any. */
static void test_opposite_directions(void)
{
    const vec3 up[] = {{0.0, 0.0, 1.0}, {0.6, 0.0, -0.8}, {0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}};
    for (size_t i = 0; i < sizeof up / sizeof *up; i++) {
        const vec3 down = vec3_scale(up[i], -1.0), along = vec3_cross(up[i], (vec3){1.0, 2.0, 3.0});
        const vec3 turned = tilt(along, up[i], down), end = tilt(up[i], up[i], down);
        CHECK_NEAR(vec3_dot(turned, down), 0.0, 1e-15);
        CHECK_NEAR(vec3_norm_sq(turned), vec3_norm_sq(along), 1e-14);
        CHECK_NEAR(vec3_length(vec3_sub(end, down)), 0.0, 1e-15);
    }
}

void test_carry(void)
{
    fill_columns();
    test_nothing_moves();
    test_a_mesh_turns();
    test_match_with_poses();
    test_no_step_before();
    test_what_is_refused();
    test_fewer_poses();
    test_allocation_failure();
    test_opposite_directions();
}
