/* Contact history (carry) in a C loop: no previous step, omitted columns, failing allocations. */
#include "abut.h"
#include "base/vec3.h"

#include "check.h"
#include "failing.h"

#include <math.h>

enum { ROWS = 9000 };

/* One contact per sphere, with normals around an axis. */
static double normals[3 * ROWS], points[3 * ROWS], tilts[ROWS], tangents[3 * ROWS];
static double carried[3 * ROWS];
static abut_index match[ROWS], offsets[ROWS + 1], nodes[ROWS];

static void fill_columns(void)
{
    for (abut_index i = 0; i < ROWS; i++) {
        const double angle = 0.001 * (double)i;
        vec3_store(normals + 3 * i, (vec3){cos(angle), 0.0, sin(angle)});
        vec3_store(tangents + 3 * i, (vec3){-2.0 * sin(angle), 3.0, 2.0 * cos(angle)});
        match[i] = i;
        offsets[i + 1] = i + 1;
    }
}

static void check_no_step_before(void)
{
    const abut_step before = {0}, now = {.sphere_count = ROWS,
                                         .contact_count = ROWS,
                                         .node_count = ROWS,
                                         .offsets = offsets,
                                         .point = points,
                                         .normal = normals,
                                         .tilt = tilts,
                                         .node = nodes,
                                         .node_offsets = offsets};
    abut_index found[ROWS];
    CHECK_INT(abut_contacts_match(&now, &before, NULL, 2, found, NULL), ABUT_OK);
    for (abut_index i = 0; i < ROWS; i++) {
        CHECK_INT(found[i], -1);
    }
    carried[3 * ROWS - 1] = 1.0;
    CHECK_INT(abut_contacts_carry(&now, &before, found, NULL, 2, carried, NULL), ABUT_OK);
    CHECK_NEAR(carried[3 * ROWS - 1], 0.0, 0.0);
    CHECK_INT(abut_contacts_match(&before, &now, NULL, 1, NULL, NULL), ABUT_OK);
    CHECK_INT(abut_contacts_carry(&before, &now, NULL, tangents, 1, NULL, NULL), ABUT_OK);
}

/* Memory is needed only for moving meshes; columns that carry does not use are NULL. */
static void check_failures(void)
{
    const double quarter[] = {0.0, -1.0, 0.0, 5.0, 1.0, 0.0, 0.0, 6.0,
                              0.0, 0.0,  1.0, 7.0, 0.0, 0.0, 0.0, 1.0};
    const abut_step before = {.contact_count = ROWS, .normal = normals};
    abut_step now = before;
    now.mesh_count = 1, now.poses = quarter;
    failures f = {0};
    while (fail_next(&f)) {
        f.status = abut_contacts_carry(&now, &before, match, tangents, 1, carried, NULL);
    }
    CHECK_INT(f.count, 2);
}

/* Both steps have a period, which may differ here but not in Python. */
static void check_periods(void)
{
    const double period[9] = {[4] = 2.0}, other[9] = {[4] = 3.0}, bad[9] = {[4] = NAN};
    const double *const before_it[] = {period, other, NULL, bad};
    const abut_status expected[] = {ABUT_OK, ABUT_PERIOD_CHANGED, ABUT_PERIOD_CHANGED,
                                    ABUT_BAD_PERIOD};
    abut_step now = {.contact_count = ROWS, .normal = normals}, before = now;
    for (int k = 0; k < 4; k++) {
        abut_error error;
        now.period = k == 3 ? bad : period, before.period = before_it[k];
        CHECK_INT(abut_contacts_carry(&now, &before, match, tangents, 1, carried, &error),
                  expected[k]);
        CHECK_INT(error.status, expected[k]);
        CHECK_INT(error.index, k == 3);
    }
}

void test_carry(void)
{
    fill_columns();
    check_no_step_before();
    check_periods();
    check_failures();
}
