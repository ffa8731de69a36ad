/* The memory of a mesh, flat corners, errors, and measured noise. */
#include "abut.h"
#include "base/memory.h"
#include "mesh/deviations.h"
#include "mesh/mesh_data.h"

#include "check.h"
#include "failing.h"
#include "random.h"
#include "triangle_mesh.h"

#include <math.h>
#include <string.h>

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

/* ---- what fails ---- */

/* Five triangles with two pairs in a common plane each. */
static const double ROOF[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 1, 2, 1, 1, 3, 0, 0};
static const abut_index ROOF_CORNERS[] = {0, 1, 2, 0, 2, 3, 1, 4, 5, 1, 5, 2, 4, 6, 5};
static const abut_index BY_THREE[] = {0, 3, 6, 9, 12, 15};

static abut_mesh_input roof_input(void)
{
    return (abut_mesh_input){.vertex_count = 7,
                             .facet_count = 5,
                             .index_count = 15,
                             .vertices = ROOF,
                             .indices = ROOF_CORNERS,
                             .offsets = BY_THREE};
}

/* Builds a mesh with planes and counts its edges by their deviation. */
static abut_status build_and_inspect(abut_index counts[ABUT_DEVIATION_COUNT])
{
    const abut_mesh_input input = roof_input();
    abut_mesh *mesh = NULL;
    abut_error error;
    abut_status status = abut_mesh_build(&input, &mesh, &error);
    CHECK_INT(error.status, status);
    CHECK((mesh == NULL) == (status != ABUT_OK));
    if (!status) {
        CHECK_INT(mesh->planes.count, 2);
        status = abut_mesh_deviations(mesh, counts);
    }
    abut_mesh_free(mesh);
    return status;
}

static void check_failures(void)
{
    abut_index counts[ABUT_DEVIATION_COUNT], all = 0;
    failures f = {0};
    while (fail_next(&f)) {
        f.status = build_and_inspect(counts);
    }
    for (int k = 0; k < ABUT_DEVIATION_COUNT; k++) {
        all += counts[k];
    }
    CHECK(f.count > 20);
    CHECK_INT(all, 4); /* number of inner edges */
}

/* The error names the first invalid noise, of facets or of their normals. */
static void check_noise_refused(void)
{
    static const double wrong[] = {-1.0, 2.0 * ABUT_COORDINATE_LIMIT, (double)NAN};
    double noises[2][5] = {{0}, {0}};
    abut_mesh_input input = roof_input();
    input.noise = noises[0], input.normal_noise = noises[1];
    for (int k = 0; k < 6; k++) {
        abut_mesh *mesh = NULL;
        abut_error error;
        noises[k % 2][3] = wrong[k / 2];
        CHECK_INT(abut_mesh_build(&input, &mesh, &error), ABUT_BAD_NOISE);
        CHECK(mesh == NULL && error.index == 3);
        CHECK(error.value == wrong[k / 2] || (isnan(error.value) && k / 2 == 2));
        noises[k % 2][3] = 0.0;
    }
}

/* ---- noise with coincident corners ---- */

enum { SHEET = 12, SHEET_POINTS = (SHEET + 1) * (SHEET + 1) };

/* Builds a sheet of rough, turned squares with all digits. With `has_double` one square has a fifth
 * corner, which coincides with another corner. */
static abut_mesh *build_sheet(double rough, bool has_double)
{
    double vertices[3 * (SHEET_POINTS + 1)];
    abut_index indices[4 * SHEET * SHEET + 1], offsets[SHEET * SHEET + 1] = {0}, count = 0;
    for (int k = 0; k < SHEET_POINTS; k++) {
        const vec3 p = {k % (SHEET + 1), (double)(k / (SHEET + 1)), rough * draw_number()};
        vec3_store(vertices + 3 * k, turn_point(p, 0.7));
    }
    memcpy(vertices + 3 * (abut_index)SHEET_POINTS, vertices + 3 * (abut_index)(SHEET + 2),
           3 * sizeof *vertices);
    for (int f = 0; f < SHEET * SHEET; f++) {
        const abut_index corner = f % SHEET + f / SHEET * (SHEET + 1);
        const abut_index square[4] = {corner, corner + 1, corner + SHEET + 2, corner + SHEET + 1};
        for (int k = 0; k < 4; k++) {
            indices[count++] = square[k];
            if (f == 0 && k == 2 && has_double) {
                indices[count++] = SHEET_POINTS;
            }
        }
        offsets[f + 1] = count;
    }
    const abut_mesh_input input = {.vertex_count = SHEET_POINTS + 1,
                                   .facet_count = SHEET * SHEET,
                                   .index_count = count,
                                   .vertices = vertices,
                                   .indices = indices,
                                   .offsets = offsets};
    abut_mesh *mesh = NULL;
    CHECK_INT(abut_mesh_build(&input, &mesh, NULL), ABUT_OK);
    return mesh;
}

/* A repeated corner hardly changes the measured noise. */
static void check_double_corner(double rough)
{
    state = 5;
    abut_mesh *one = build_sheet(rough, false);
    state = 5;
    abut_mesh *two = build_sheet(rough, true);
    int measured = 0;
    for (abut_index f = 0; f < SHEET * SHEET; f++) {
        CHECK(two->noise[f] <= 4.0 * one->noise[f] && one->noise[f] <= 4.0 * two->noise[f]);
        measured += two->noise_origin[f] == ABUT_NOISE_MEASURED;
    }
    CHECK_INT(measured, SHEET * SHEET);
    abut_mesh_free(one), abut_mesh_free(two);
}

/* A slight fold of two triangles may be noise or not. The error names a facet of the fold, not the
 * facet before it with a repeated corner. */
static void check_doubt(void)
{
    const double flat[] = {5, 0, 0, 6, 0, 0, 6, 1, 0, 6, 1, 0,    5, 1, 0,
                           0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 1e-5, 0, 0, 0};
    const abut_index indices[] = {0, 1, 2, 3, 4, 5, 6, 7, 5, 7, 8}, offsets[] = {0, 5, 8, 11};
    double vertices[30];
    for (int k = 0; k < 10; k++) {
        vec3_store(vertices + 3 * k, turn_point(vec3_load(flat + 3 * k), 0.7));
    }
    const abut_mesh_input input = {.vertex_count = 10,
                                   .facet_count = 3,
                                   .index_count = 11,
                                   .vertices = vertices,
                                   .indices = indices,
                                   .offsets = offsets};
    abut_mesh *mesh = NULL;
    CHECK_INT(abut_mesh_build(&input, &mesh, NULL), ABUT_OK);
    CHECK_INT(mesh->view.doubt.count, 1);
    CHECK_INT(mesh->view.doubt.facet, 1);
    abut_mesh_free(mesh);
}

/* ---- numbers at limits ---- */

/* If squares underflow, all deviations from planes are 0, and an edge's nearest point is its start.
 */
static void check_smallest(void)
{
    vec3 p[4] = {{0.0, 0.0, 0.0}, {1e-90, 0.0, 0.0}, {0.0, 1e-90, 0.0}, {0.0, 0.0, 1e-90}};
    CHECK(deviations_of_four(p) == 0.0);
    const triangle dot = {.corner = {{1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}}};
    CHECK(triangle_along(&dot, 0, (vec3){4.0, 5.0, 6.0}) == 0.0);
}

void test_mesh(void)
{
    check_bytes();
    check_flat_corner();
    check_failures();
    check_noise_refused();
    check_smallest();
    check_double_corner(1e-8);
    check_doubt();
    CHECK_INT(memory_live_count(), 0);
}
