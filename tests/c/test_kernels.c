/* Vector code gives the same bits as its scalar twins, at every available instruction level. */
#include "abut.h"
#include "base/memory.h"
#include "walls/kernels.h"

#include "check.h"
#include "random.h"
#include "simd_levels.h"

#include <string.h>

/* Triangles of a mesh, with one point each; not a multiple of any number of SIMD lanes. */
enum { TRIANGLES = 2045, ROOM = TRIANGLES + 8, MESHES = 50 };

/* ---- more random numbers ---- */

/* Returns a random number from -1 to 1. */
static double draw_signed(void)
{
    return 2.0 * draw_number() - 1.0;
}

static bool draw_bool(void)
{
    return draw() & 1;
}

static vec3 draw_vec3(void)
{
    double x = draw_signed(), y = draw_signed();
    return (vec3){x, y, draw_signed()};
}

/* ---- triangles ---- */

typedef struct scene {
    double vertices[9 * TRIANGLES];
    abut_index indices[3 * TRIANGLES], offsets[TRIANGLES + 1];
} scene;

/* Coordinates on a coarse grid, with zeros of both signs: ties of all kinds. */
static vec3 draw_coarse(void)
{
    vec3 a = draw_vec3();
    return (vec3){rint(2.0 * a.x), rint(2.0 * a.y), draw_bool() ? rint(2.0 * a.z) : -0.0};
}

static void draw_triangle(vec3 corner[3])
{
    bool coarse = draw() % 4 == 0, sliver = draw() % 4 == 0, far_off = draw() % 4 == 0;
    for (int i = 0; i < 3; i++) {
        corner[i] = coarse ? draw_coarse() : draw_vec3();
    }
    if (sliver && !coarse) {
        double along = draw_signed(), height = ldexp(1.0, -(int)(draw() % 30));
        vec3 edge = vec3_sub(corner[1], corner[0]);
        vec3 foot = vec3_add(corner[0], vec3_scale(edge, along));
        corner[2] = vec3_add(foot, vec3_scale(corner[2], height));
    }
    vec3 shift = vec3_scale(draw_vec3(), 1e6);
    for (int i = 0; far_off && i < 3; i++) {
        corner[i] = vec3_add(corner[i], shift);
    }
}

static abut_mesh *draw_mesh(void)
{
    static scene s;
    for (abut_index f = 0; f < TRIANGLES; f++) {
        vec3 corner[3];
        draw_triangle(corner);
        for (int i = 0; i < 3; i++) {
            vec3_store(s.vertices + 9 * f + 3 * i, corner[i]);
            s.indices[3 * f + i] = 3 * f + i;
        }
        s.offsets[f + 1] = 3 * (f + 1);
    }
    abut_mesh_input input = {.vertex_count = 3 * TRIANGLES,
                             .facet_count = TRIANGLES,
                             .index_count = 3 * TRIANGLES,
                             .vertices = s.vertices,
                             .indices = s.indices,
                             .offsets = s.offsets,
                             .drop_zero_area = 1};
    abut_mesh *mesh = NULL;
    CHECK_INT(abut_mesh_build(&input, &mesh, NULL), ABUT_OK);
    CHECK(mesh->view.facet_count > TRIANGLES / 2);
    return mesh;
}

/* ---- points ---- */

typedef struct point_arrays {
    const abut_mesh *mesh;
    const triangle *of[ROOM];
    double center[ROOM][4], offset[ROOM][4], point[ROOM][3], weight[ROOM][3];
} point_arrays;

/* Draws barycentric coordinates: inside, outside, or on or close to an edge or a corner. */
static void draw_parts(double parts[3])
{
    for (int i = 0; i < 3; i++) {
        const double choices[] = {0.0, 0.5, 0.5, ldexp(draw_signed(), -50)};
        uint64_t choice = draw() % 8;
        parts[i] = choice < 4 ? choices[choice] : fabs(draw_signed());
    }
}

/* Draws a center above, below or on a triangle. */
static vec3 draw_center(const triangle *t)
{
    double parts[3];
    draw_parts(parts);
    double sum = parts[0] + parts[1] + parts[2];
    vec3 center = t->corner[draw() % 3];
    if (sum > 0.1) {
        center = vec3_scale(t->corner[0], parts[0] / sum);
        center = vec3_add(center, vec3_scale(t->corner[1], parts[1] / sum));
        center = vec3_add(center, vec3_scale(t->corner[2], parts[2] / sum));
    }
    double height = draw_bool() ? draw_signed() : rint(draw_signed());
    center = vec3_add(center, vec3_scale(t->normal, height));
    center.x = center.x == 0.0 ? -0.0 : center.x;
    return center;
}

static void draw_points(const abut_mesh *mesh, point_arrays *a)
{
    a->mesh = mesh;
    for (abut_index i = 0; i < mesh->view.facet_count; i++) {
        const triangle *t = mesh->triangles + i;
        vec3 center = draw_center(t);
        double height = vec3_dot(t->normal, vec3_sub(center, t->corner[0]));
        a->of[i] = t;
        vec3_store(a->center[i], center);
        vec3_store(a->offset[i], vec3_one_zero(vec3_scale(t->normal, height)));
    }
}

/* ---- the twins ---- */

static void fill_by_twins(abut_index count, point_arrays *a)
{
    for (abut_index i = 0; i < count; i++) {
        vec3 center = vec3_load(a->center[i]);
        closest c = {.offset = vec3_load(a->offset[i]), .type = ABUT_FACET, .local = -1};
        force_point at = {.point = triangle_point(a->of[i], &c, center),
                          .facet = a->of[i]->facet,
                          .triangle = a->of[i]->facet,
                          .type = ABUT_FACET};
        abut_index nodes[3];
        weights_fill(a->mesh, &at, ABUT_WACHSPRESS, nodes, a->weight[i]);
        vec3_store(a->point[i], at.point);
    }
}

static void fill_by_kernel(abut_index count, point_arrays *a)
{
    const double *center[ROOM], *offset[ROOM];
    for (abut_index i = 0; i < count; i++) {
        center[i] = a->center[i];
        offset[i] = a->offset[i];
    }
    const triangle_points points = {a->mesh, a->of, center, offset, a->point[0], a->weight[0]};
    kernels_take()->weights_triangles(count, &points);
}

static void check_same(abut_index count, const point_arrays *a, const point_arrays *expected)
{
    size_t size = 3 * (size_t)count * sizeof(double);
    CHECK(memcmp(a->point, expected->point, size) == 0);
    CHECK(memcmp(a->weight, expected->weight, size) == 0);
}

static void check_level(const char *level, abut_index count, const point_arrays *drawn)
{
    static point_arrays expected, found;
    if (abut_simd_choose(level) != ABUT_OK) {
        return;
    }
    expected = *drawn;
    fill_by_twins(count, &expected);
    found = *drawn;
    fill_by_kernel(count, &found);
    check_same(count, &found, &expected);
    for (abut_index few = 1; few < 20; few++) {
        found = *drawn;
        fill_by_kernel(few, &found);
        check_same(few, &found, &expected);
    }
}

static void check_weights(void)
{
    static point_arrays drawn;
    for (state = 0; state < MESHES;) {
        uint64_t seed = state;
        abut_mesh *mesh = draw_mesh();
        draw_points(mesh, &drawn);
        for (size_t k = 0; k < SIMD_LEVEL_COUNT; k++) {
            check_level(SIMD_LEVELS[k], mesh->view.facet_count, &drawn);
        }
        abut_mesh_free(mesh);
        state = seed + 1;
    }
}

/* ---- the level ---- */

static void check_choice(void)
{
    CHECK_INT(abut_simd_choose("v5"), ABUT_BAD_SIMD);
    CHECK_INT(abut_simd_choose(""), ABUT_BAD_SIMD);
    CHECK_INT(abut_simd_choose("baseline"), ABUT_OK);
    CHECK_TEXT(abut_simd(), "baseline");
    for (size_t k = 0; k < SIMD_LEVEL_COUNT; k++) {
        bool there_is = strstr(abut_simd_levels(), SIMD_LEVELS[k]) != NULL;
        CHECK_INT(abut_simd_choose(SIMD_LEVELS[k]), there_is ? ABUT_OK : ABUT_NO_SIMD);
        CHECK_INT(strcmp(abut_simd(), SIMD_LEVELS[k]) == 0, there_is);
    }
}

void test_kernels(void)
{
    check_choice();
    check_weights();
    CHECK_INT(abut_simd_choose(NULL), ABUT_OK);
    CHECK(strstr(abut_simd_levels(), abut_simd()) != NULL);
    CHECK_INT(memory_live_count(), 0);
}
