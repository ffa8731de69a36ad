/* Which facets a mesh takes, what it says of the others, and what it derives. */
#include "abut.h"
#include "base/memory.h"
#include "mesh/mesh.h"

#include "check.h"

#include <math.h>

#define COUNT(array) ((abut_index)(sizeof(array) / sizeof *(array)))

/* A mesh of one facet. */
static abut_status build_one(const double *vertices, abut_index vertex_count,
                             const abut_index *indices, abut_index corner_count, abut_mesh **mesh,
                             abut_error *error)
{
    abut_index offsets[2] = {0, corner_count};
    abut_mesh_input input = {.vertex_count = vertex_count,
                             .facet_count = 1,
                             .index_count = corner_count,
                             .vertices = vertices,
                             .indices = indices,
                             .offsets = offsets};
    return abut_mesh_build(&input, mesh, error);
}

static void check_refused(const double *vertices, abut_index vertex_count,
                          const abut_index *indices, abut_index corner_count, abut_status expected,
                          abut_index detail)
{
    abut_mesh *mesh = NULL;
    abut_error error;
    CHECK_INT(build_one(vertices, vertex_count, indices, corner_count, &mesh, &error), expected);
    CHECK(mesh == NULL);
    CHECK_INT(error.status, expected);
    CHECK_INT(error.detail, detail);
    CHECK_INT(memory_live_count(), 0);
}

static void check_bad_facets(void)
{
    const double square[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    const double dart[] = {0, 0, 0, 1, 0, 0, 0.25, 0.25, 0, 0, 1, 0};
    const double tent[] = {0, 0, 0, 1, 0, 0.1, 1, 1, 0, 0, 1, 0.1};
    const double line[] = {0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.3, 0.3, 0.3};
    const double astray[] = {0, 0, 0, 1, NAN, 0, 0, 1, 0};
    const double far_off[] = {0, 0, 0, 1, 0, 1e76, 0, 1, 0};
    const abut_index in_order[] = {0, 1, 2, 3}, beyond[] = {0, 1, 4}, before[] = {0, -1, 2};
    const abut_index again[] = {0, 1, 2, 1};
    check_refused(square, 4, in_order, 2, ABUT_FACET_TOO_FEW_CORNERS, 2);
    check_refused(square, 4, beyond, 3, ABUT_FACET_BAD_VERTEX, 4);
    check_refused(square, 4, before, 3, ABUT_FACET_BAD_VERTEX, -1);
    check_refused(square, 4, again, 4, ABUT_FACET_REPEATS_VERTEX, 1);
    check_refused(dart, 4, in_order, 4, ABUT_FACET_NOT_CONVEX, 2);
    check_refused(tent, 4, in_order, 4, ABUT_FACET_NOT_PLANAR, 0);
    check_refused(line, 3, in_order, 3, ABUT_FACET_ZERO_AREA, 0);
    check_refused(astray, 3, in_order, 3, ABUT_VERTEX_NOT_FINITE, 1);
    check_refused(far_off, 3, in_order, 3, ABUT_VERTEX_TOO_FAR, 2);
}

/* No corner of a pentagram is reflex, but its outline turns twice. */
static void check_pentagram(void)
{
    double star[15] = {0};
    const abut_index corners[] = {0, 2, 4, 1, 3};
    for (int i = 0; i < 5; i++) {
        star[3 * i] = cos(0.4 * acos(-1.0) * i);
        star[3 * i + 1] = sin(0.4 * acos(-1.0) * i);
    }
    check_refused(star, 5, corners, 5, ABUT_FACET_NOT_CONVEX, -1);
}

static void check_split(void)
{
    const double dart[] = {0, 0, 0, 1, 0, 0, 0.25, 0.25, 0, 0, 1, 0};
    const abut_index indices[] = {0, 1, 2, 3}, offsets[] = {0, 4};
    abut_mesh_input input = {.vertex_count = 4,
                             .facet_count = 1,
                             .index_count = 4,
                             .vertices = dart,
                             .indices = indices,
                             .offsets = offsets,
                             .split = 1};
    abut_mesh *mesh = NULL;
    CHECK_INT(abut_mesh_build(&input, &mesh, NULL), ABUT_OK);
    abut_mesh_view view = abut_mesh_inspect(mesh);
    CHECK_INT(view.facet_count, 2);
    CHECK_INT(view.source[1], 0);
    CHECK_NEAR(view.areas[0] + view.areas[1], 0.25, 1e-15);
    abut_mesh_free(mesh);
}

static abut_index bytes_of(abut_index facet_count)
{
    const double vertices[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const abut_index indices[] = {0, 1, 2, 0, 1, 2}, offsets[] = {0, 3, 6};
    abut_mesh_input input = {.vertex_count = 3,
                             .facet_count = facet_count,
                             .index_count = 3 * facet_count,
                             .vertices = vertices,
                             .indices = indices,
                             .offsets = offsets};
    abut_mesh *mesh = NULL;
    CHECK_INT(abut_mesh_build(&input, &mesh, NULL), ABUT_OK);
    abut_index bytes = abut_mesh_inspect(mesh).byte_count;
    abut_mesh_free(mesh);
    return bytes;
}

/* A triangle's own record, its corners, its row of each array, and its place among planes. */
static void check_bytes(void)
{
    const abut_index corners = 3 * (sizeof(abut_index) + 1);
    const abut_index rows = 2 * sizeof(abut_index) + 6 * sizeof(double) + 2 * sizeof(int32_t) + 2;
    const abut_index triangle_bytes = (abut_index)sizeof(triangle) + corners + rows;
    const abut_index one = bytes_of(1), two = bytes_of(2);
    CHECK_INT(bytes_of(0) >= (abut_index)sizeof(abut_mesh), 1);
    CHECK_INT(one - bytes_of(0), triangle_bytes + (abut_index)sizeof(int32_t));
    CHECK_INT(two - one, triangle_bytes + (abut_index)(sizeof(int32_t) + sizeof(plane)));
}

/* A square with a flat corner on its first edge: the corner is marked, the fan has a triangle
 * without an inside. */
static void check_flat_corner(void)
{
    const double vertices[] = {0, 0, 0, 0.5, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    const abut_index indices[] = {0, 1, 2, 3, 4};
    abut_mesh *mesh = NULL;
    CHECK_INT(build_one(vertices, 5, indices, COUNT(indices), &mesh, NULL), ABUT_OK);
    CHECK_INT(mesh->kept[0], 4);
    CHECK_INT(mesh->flat[1], 1);
    CHECK_INT(mesh->triangles[0].marks & MARK_INSIDE, 0);
    CHECK_INT(triangle_edge_number(&mesh->triangles[1], 0), EDGE_IGNORED);
    CHECK_INT(triangle_edge_number(&mesh->triangles[2], 0), EDGE_DIAGONAL);
    CHECK_NEAR(mesh->view.areas[0], 1.0, 0.0);
    abut_mesh_free(mesh);
}

/* docs/method.md, section 3: a floor at z = 0 has noise sideways and none along its normal. */
static void check_noise(void)
{
    const double floor[] = {0, 0, 0, 3, 0, 0, 0, 1, 0};
    const double fine[] = {0, 0, 1, 0.1, 0, 1, 0, 0.1, 1};
    const abut_index indices[] = {0, 1, 2};
    abut_mesh *mesh = NULL;
    CHECK_INT(build_one(floor, 3, indices, 3, &mesh, NULL), ABUT_OK);
    CHECK_NEAR(mesh->view.noise[0], ldexp(1.0, -22), 0.0);
    CHECK_NEAR(mesh->view.normal_noise[0], 0.0, 0.0);
    abut_mesh_free(mesh);
    CHECK_INT(build_one(fine, 3, indices, 3, &mesh, NULL), ABUT_OK);
    CHECK_NEAR(mesh->view.noise[0], ldexp(1.0, -52), 0.0);
    CHECK_NEAR(mesh->view.normal_noise[0], ldexp(1.0, -52), 1e-30);
    abut_mesh_free(mesh);
}

void test_mesh(void)
{
    check_bad_facets();
    check_pentagram();
    check_split();
    check_bytes();
    check_flat_corner();
    check_noise();
    CHECK_INT(memory_live_count(), 0);
}
