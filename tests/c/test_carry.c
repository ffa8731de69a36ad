/* What contacts carry along, called as a loop in C does: the step before the first, and an
 * allocation that fails. */
#include "abut.h"
#include "base/memory.h"
#include "base/vec3.h"

#include "check.h"

#include <math.h>
#include <string.h>

enum { ROWS = 9000 };

static double normals[3 * ROWS], points[3 * ROWS], tilts[ROWS];
static double tangents[3 * ROWS], carried[3 * ROWS];
static abut_index match[ROWS], offsets[ROWS + 1], nodes[ROWS], node_offsets[ROWS + 1];

/* A quarter about z, and a shift. */
static const double quarter[] = {0.0, -1.0, 0.0, 5.0, 1.0, 0.0, 0.0, 6.0,
                                 0.0, 0.0,  1.0, 7.0, 0.0, 0.0, 0.0, 1.0};

static void fill_columns(void)
{
    for (abut_index i = 0; i < ROWS; i++) {
        const double angle = 0.001 * (double)i;
        const vec3 normal = {cos(angle), 0.0, sin(angle)};
        vec3_store(normals + 3 * i, normal);
        vec3_store(tangents + 3 * i, (vec3){-2.0 * sin(angle), 3.0, 2.0 * cos(angle)});
        vec3_store(points + 3 * i, (vec3){(double)i, 0.0, 0.0});
        match[i] = i;
        offsets[i + 1] = node_offsets[i + 1] = i + 1;
    }
}

/* One contact a sphere; what carry does not need is left out by `reduced`. */
static abut_step all_columns(void)
{
    return (abut_step){.sphere_count = ROWS,
                       .contact_count = ROWS,
                       .node_count = ROWS,
                       .offsets = offsets,
                       .point = points,
                       .normal = normals,
                       .tilt = tilts,
                       .node = nodes,
                       .node_offsets = node_offsets};
}

static abut_step reduced(void)
{
    return (abut_step){.contact_count = ROWS, .normal = normals};
}

static void test_no_step_before(void)
{
    const abut_step now = all_columns(), before = {0};
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

static void test_allocation_failure(void)
{
    abut_step now = reduced(), before = reduced();
    now.mesh_count = 1, now.poses = quarter;
    const long live = memory_live_count();
    memory_fail_at(1);
    check_refused(&now, &before, ABUT_NO_MEMORY, 0, 0);
    CHECK(memory_has_failed());
    memory_fail_at(0);
    check_refused(&now, &before, ABUT_OK, 0, 0);
    CHECK_INT(memory_live_count(), live);
}

void test_carry(void)
{
    fill_columns();
    test_no_step_before();
    test_allocation_failure();
}
