/* Bodies against walls: every allocation of a query fails once. What they find there is tested in
 * tests/test_convex_walls.py and test_convex_grooves.py. */
#include "abut.h"
#include "base/memory.h"

#include "bodies.h"
#include "check.h"
#include "triangle_mesh.h"

/* A table of triangles: its top is z = 0, x < 0, its side is x = 0, z < 0. */
static const double TABLE[] = {-5, -4, 0, 0, -4, 0,  0, 4, 0,  -5, -4, 0, 0, 4, 0,  -5, 4, 0,
                               0,  -4, 0, 0, -4, -3, 0, 4, -3, 0,  -4, 0, 0, 4, -3, 0,  4, 0};

static abut_status find_failing(const abut_convex_finder *finder, const abut_convex_walls *walls,
                                long call)
{
    static const double positions[6] = {-0.2, 0.1, 0.49, 0.35, -1.5, 0.4};
    static const double turned[8] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.4, 0.0, 1.0};
    abut_convex_query query = abut_convex_query_default();
    query.positions = positions, query.orientations = turned, query.gap = 0.1;
    abut_convex_contacts *contacts = NULL;
    memory_fail_at(call);
    const abut_status status = abut_convex_find_walls(finder, &query, walls, &contacts, NULL);
    memory_fail_at(0);
    CHECK((status == ABUT_OK) == (contacts != NULL));
    abut_convex_contacts_free(contacts);
    return status;
}

/* Every allocation of a query fails once; finders are new each time, so that none has memory left
 * from a query before. */
void test_convex_walls(void)
{
    abut_shape *shape = box_shape(0.5, 0.5, 0.5);
    const abut_shape *const shapes[] = {shape};
    const abut_convex_input input = {.shapes = shapes,
                                     .shape_count = 1,
                                     .body_count = 2,
                                     .options = abut_convex_options_default()};
    abut_mesh *mesh = build_triangles(4, TABLE);
    const abut_mesh *const meshes[] = {mesh};
    const double plane[6] = {0.0, 0.6, 0.0, 0.0, -1.0, 0.0};
    const long before = memory_live_count();
    abut_status status = ABUT_NO_MEMORY;
    long call = 0;
    while (status == ABUT_NO_MEMORY && call < 1000) {
        abut_finder *finder = NULL;
        abut_convex_finder *bodies = NULL;
        CHECK_INT(abut_finder_build(meshes, 1, &finder, NULL), ABUT_OK);
        CHECK_INT(abut_convex_finder_build(&input, &bodies, NULL), ABUT_OK);
        const abut_convex_walls walls = {
            .finder = finder, .half_space_count = 1, .half_spaces = plane};
        status = find_failing(bodies, &walls, ++call);
        abut_convex_finder_free(bodies), abut_finder_free(finder);
        CHECK_INT(memory_live_count(), before);
    }
    CHECK_INT(status, ABUT_OK);
    CHECK(call > 20);
    abut_mesh_free(mesh), abut_shape_free(shape);
    CHECK_INT(memory_live_count(), 0);
}
