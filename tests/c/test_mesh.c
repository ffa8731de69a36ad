/* The memory that a mesh takes, and what it marks of a flat corner. */
#include "abut.h"
#include "base/memory.h"
#include "mesh/mesh.h"

#include "check.h"

#include <math.h>

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
    CHECK_INT(build_one(vertices, 5, indices, 5, &mesh, NULL), ABUT_OK);
    CHECK_INT(mesh->kept[0], 4);
    CHECK_INT(mesh->flat[1], 1);
    CHECK_INT(mesh->triangles[0].marks & MARK_INSIDE, 0);
    CHECK_INT(triangle_edge_number(&mesh->triangles[1], 0), EDGE_IGNORED);
    CHECK_INT(triangle_edge_number(&mesh->triangles[2], 0), EDGE_DIAGONAL);
    CHECK_NEAR(mesh->view.areas[0], 1.0, 0.0);
    abut_mesh_free(mesh);
}

void test_mesh(void)
{
    check_bytes();
    check_flat_corner();
    CHECK_INT(memory_live_count(), 0);
}
