/* Meshes with moving vertices: a failure changes nothing, and queries still work.
 * tests/test_moved.py compares contacts with those of newly built meshes. */
#include "mesh/mesh_data.h"

#include "check.h"
#include "contact_columns.h"
#include "failing.h"
#include "triangle_mesh.h"

static const double START[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

static abut_mesh *make_moved(const abut_mesh *mesh, double height)
{
    double vertices[9];
    for (int i = 0; i < 9; i++) {
        vertices[i] = START[i] + (i % 3 == 2 ? height : 0.0);
    }
    abut_mesh *moved = NULL;
    CHECK_INT(abut_mesh_move(mesh, vertices, 1, &moved, NULL), ABUT_OK);
    return moved;
}

/* Returns how many facets a sphere of radius 0.1 touches at this height. */
static abut_index count_touched(const abut_finder *finder, double height)
{
    const double center[3] = {0.25, 0.25, height}, radius = 0.1;
    abut_query query = abut_query_default();
    query.sphere_count = 1;
    query.centers = center, query.radii = &radius;
    abut_contacts *contacts = NULL;
    CHECK_INT(abut_contacts_find(finder, &query, &contacts, NULL), ABUT_OK);
    const abut_index count = contacts ? abut_contacts_count(contacts) : -1;
    abut_contacts_free(contacts);
    return count;
}

static void check_failing_moves(const abut_mesh *mesh)
{
    failures f = {0};
    while (fail_next(&f)) {
        abut_mesh *moved = NULL;
        f.status = abut_mesh_move(mesh, START, 1, &moved, NULL);
        CHECK_INT(moved == NULL, f.status != ABUT_OK);
        abut_mesh_free(moved);
    }
    CHECK(f.count > 10);
}

/* A finder keeps its mesh if an update fails. */
static void check_failing_updates(abut_finder *finder, const abut_mesh *mesh,
                                  const abut_mesh *moved)
{
    abut_status status = ABUT_NO_MEMORY;
    for (long call = 1; status; call++) {
        CHECK(abut_finder_mesh(finder, 0) == mesh);
        CHECK_INT(count_touched(finder, 0.05), 1);
        CHECK_INT(count_touched(finder, 5.05), 0);
        memory_fail_at(call);
        status = abut_finder_update(finder, 0, moved, NULL);
        CHECK_INT(status, memory_has_failed() ? ABUT_NO_MEMORY : ABUT_OK);
        memory_fail_at(0);
    }
    CHECK(abut_finder_mesh(finder, 0) == moved);
    CHECK_INT(count_touched(finder, 0.05), 0);
    CHECK_INT(count_touched(finder, 5.05), 1);
}

/* Far away, rounding leaves no slack for moving vertices, and bins are rebuilt. */
static void check_far(double way)
{
    double vertices[9];
    for (int i = 0; i < 9; i++) {
        vertices[i] = START[i] + (i % 3 == 0 ? 1e12 : 0.0);
    }
    abut_mesh *mesh = build_triangles(1, vertices), *moved[3] = {NULL};
    abut_finder *finder = NULL;
    CHECK_INT(abut_finder_build((const abut_mesh *const[]){mesh}, 1, &finder, NULL), ABUT_OK);
    for (int k = 0; k < 3; k++) {
        vertices[2] += way, vertices[5] += way, vertices[8] += way;
        CHECK_INT(abut_mesh_move(mesh, vertices, 1, &moved[k], NULL), ABUT_OK);
        CHECK_INT(abut_finder_update(finder, 0, moved[k], NULL), ABUT_OK);
        const double center[3] = {1e12 + 0.25, 0.25, vertices[2] + 0.05}, radius = 0.1;
        abut_query query = abut_query_default();
        query.sphere_count = 1, query.centers = center, query.radii = &radius;
        found f = find_columns(finder, &query);
        CHECK_INT(f.rows, 1);
        CHECK_NEAR(f.columns.overlap[0], 0.05, 1e-3);
        free_columns(&f.columns);
    }
    abut_finder_free(finder), abut_mesh_free(mesh);
    for (int k = 0; k < 3; k++) {
        abut_mesh_free(moved[k]);
    }
}

static void check_errors(const abut_mesh *mesh)
{
    const double line[] = {0, 0, 0, 1, 0, 0, 2, 0, 0}, turned[] = {0, 0, 0, 0, 1, 0, 1, 0, 0};
    abut_mesh *moved = NULL;
    abut_error error;
    CHECK_INT(abut_mesh_move(mesh, line, 1, &moved, &error), ABUT_FACET_COLLAPSES);
    CHECK_INT(error.index, 0);
    CHECK_INT(abut_mesh_move(mesh, turned, 1, &moved, &error), ABUT_FACET_TURNS_OVER);
    CHECK(moved == NULL);
}

void test_refit(void)
{
    abut_mesh *mesh = build_triangles(1, START);
    abut_mesh *moved = make_moved(mesh, 5.0);
    abut_finder *finder = NULL;
    CHECK_INT(abut_finder_build((const abut_mesh *const[]){mesh}, 1, &finder, NULL), ABUT_OK);
    CHECK_INT(abut_mesh_inspect(moved).byte_count,
              abut_mesh_inspect(mesh).byte_count - (abut_index)sizeof(int32_t));
    check_failing_moves(mesh);
    check_failing_updates(finder, mesh, moved);
    check_errors(mesh);
    check_far(1e-3), check_far(1e-9);
    abut_finder_free(finder);
    abut_mesh_free(moved);
    abut_mesh_free(mesh);
    CHECK_INT(memory_live_count(), 0);
}
