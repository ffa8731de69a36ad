/* Spheres far from all facets are skipped; no sphere that would find a bucket is skipped. */
#include "abut.h"
#include "walls/contact_finder.h"
#include "walls/kernels.h"
#include "walls/scene.h"

#include "check.h"
#include "contact_columns.h"
#include "periods.h"
#include "random.h"
#include "simd_levels.h"
#include "triangle_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE = 16,
    PATCH_TRIANGLES = 2 * SIDE * SIDE,
    PATCHES = 3,
    BIG_TRIANGLES = 2,
    TRIANGLES = PATCHES * PATCH_TRIANGLES + BIG_TRIANGLES,
    SPHERES = 5300 /* not a multiple of chunks or blocks */
};

/* The lowest corner of the mesh; cells are counted from the origin. */
#define CORNER (-7.3)

typedef struct setup {
    double vertices[9 * TRIANGLES];
    double centers[3 * SPHERES], radii[SPHERES];
} setup;

static void put_triangle(setup *s, int f, vec3 a, vec3 b, vec3 c)
{
    vec3_store(s->vertices + 9 * f, a);
    vec3_store(s->vertices + 9 * f + 3, b);
    vec3_store(s->vertices + 9 * f + 6, c);
}

/* Returns the height of a patch; the last patch is `apart` times as high. */
static double patch_height(int patch, double apart)
{
    return CORNER + SIDE * (patch < PATCHES - 1 ? patch : patch * apart);
}

/* Writes two triangles over a square of a flat or wavy patch, from the corner `from` on. */
static void put_square(setup *s, int f, vec3 from, double size, double wave)
{
    vec3 corners[4];
    for (int i = 0; i < 4; i++) {
        const double x = from.x + (i == 1 || i == 2 ? size : 0.0);
        const double y = from.y + (i > 1 ? size : 0.0);
        corners[i] = (vec3){CORNER + x, CORNER + y, from.z + wave * fmod(x, 3.0)};
    }
    put_triangle(s, f, corners[0], corners[1], corners[2]);
    put_triangle(s, f + 1, corners[0], corners[2], corners[3]);
}

/* Builds the patches and two far larger facets, so that there are several levels. */
static abut_mesh *make_mesh(setup *s, double apart)
{
    for (int k = 0; k < PATCHES * SIDE * SIDE; k++) {
        const int patch = k / (SIDE * SIDE);
        const vec3 from = {k % SIDE, k / SIDE % SIDE, patch_height(patch, apart)};
        put_square(s, 2 * k, from, 1.0, patch == 1 ? 0.0 : 0.3);
    }
    put_square(s, TRIANGLES - BIG_TRIANGLES, (vec3){0.0, 0.0, CORNER - 1.0}, SIDE, 0.3);
    return build_triangles(TRIANGLES, s->vertices);
}

/* Places spheres far from all facets, except some single spheres and some long rows. */
static void put_spheres(setup *s, double apart)
{
    state = 7;
    for (int i = 0; i < SPHERES; i++) {
        const bool is_near = i / 400 % 4 == 3 || i % 71 == 0;
        const double x = 1.2 * draw_number() - 0.1, y = 1.2 * draw_number() - 0.1;
        const double z = is_near ? 0.04 * draw_number() - 0.02 : 0.2 + 0.6 * draw_number();
        const int patch = (int)(PATCHES * draw_number());
        vec3_store(s->centers + 3 * i, (vec3){CORNER + SIDE * x, CORNER + SIDE * y,
                                              patch_height(patch, apart) + SIDE * z});
        s->radii[i] = 0.01 * pow(60.0, draw_number());
    }
}

static abut_query ask_for(const setup *s)
{
    abut_query query = abut_query_default();
    query.centers = s->centers;
    query.radii = s->radii;
    query.sphere_count = SPHERES;
    return query;
}

static abut_finder *build_finder(abut_mesh *const *meshes, abut_index count)
{
    abut_finder *finder = NULL;
    const abut_mesh *const *those = (const abut_mesh *const *)meshes;
    CHECK_INT(abut_finder_build(those, count, &finder, NULL), ABUT_OK);
    return finder;
}

/* ---- skipped spheres ---- */

/* Looks up the buckets of the first spheres of a query, all in one batch. */
static void look_with_all(batch *b, const sphere_rows *rows, abut_index count)
{
    b->count = (int32_t)count;
    for (abut_index i = 0; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            b->center[axis][i] = rows->centers[3 * i + axis];
        }
        b->radius[i] = rows->radii[i];
        b->reach[i] = rows->radii[i] + rows->gap;
    }
    batch_pad(b);
    batch_see(b);
    memset(b->seen, 0, sizeof b->seen);
    for (abut_index k = 0; k < b->view_count; k++) {
        kernels_take()->look_buckets(b, &b->views[k]);
    }
}

/* Returns whether sphere i of the batch has the data of the row that it names. */
static int is_row(const batch *b, const sphere_rows *rows, int32_t i)
{
    const double *center = rows->centers + 3 * b->number[i], radius = rows->radii[b->number[i]];
    return b->center[0][i] == center[0] && b->center[1][i] == center[1] &&
           b->center[2][i] == center[2] && b->radius[i] == radius &&
           b->reach[i] == radius + rows->gap;
}

/* Loads spheres from number `first` on and checks that no skipped sphere finds a bucket. Returns
 * how many spheres were processed; `*loaded` of them were not skipped. */
static abut_index check_load(const scene *s, const abut_query *query, abut_index first,
                             batch batches[2], abut_index *loaded)
{
    const sphere_rows rows = {query->centers + 3 * first, query->radii + first, query->gap};
    abut_index count = query->sphere_count - first, rest = count;
    bool are_good;
    rest = count = count < BATCH_SPHERES ? count : BATCH_SPHERES;
    batches[0].is_sparse = true;
    CHECK_INT(scene_view(s, &rows, &count, &batches[0]), ABUT_OK);
    CHECK_INT(scene_view(s, &rows, &rest, &batches[1]), ABUT_OK);
    count = batch_load(&batches[0], &rows, count, &are_good);
    look_with_all(&batches[1], &rows, count);
    CHECK(are_good);
    abut_index next = 0;
    for (int32_t i = 0; i < batches[0].count; i++, next++) {
        for (; next < batches[0].number[i]; next++) {
            CHECK((batches[1].seen[next / 64] >> (next % 64) & 1) == 0);
        }
        CHECK(is_row(&batches[0], &rows, i));
    }
    *loaded = batches[0].count;
    return count;
}

static void check_loads(const abut_finder *finder, const abut_query *query)
{
    reach_profile profile;
    scene_room room = {0};
    scene s;
    batch batches[2] = {{0}, {0}};
    abut_index passed = 0, loaded = 0;
    CHECK(query_profile(query, &profile));
    CHECK_INT(scene_build(&s, &room, finder, query, &profile), ABUT_OK);
    CHECK(batch_prepare(&batches[0]) == ABUT_OK && batch_prepare(&batches[1]) == ABUT_OK);
    while (passed < query->sphere_count) {
        abut_index some;
        passed += check_load(&s, query, passed, batches, &some);
        loaded += some;
    }
    CHECK(loaded > 0 && loaded < query->sphere_count / 2);
    batch_free(&batches[0]);
    batch_free(&batches[1]);
    memory_free(room.mesh_block.data), memory_free(room.half_space_block.data);
}

/* ---- what is found ---- */

/* Spheres have the same contacts in other blocks. */
static void compare_parts(const abut_finder *finder, const abut_query *query, const found *all)
{
    enum { PART = 217 };
    abut_index row = 0;
    for (abut_index first = 0; first < query->sphere_count; first += PART) {
        const abut_index rest = query->sphere_count - first;
        abut_query part = *query;
        part.centers += 3 * first;
        part.radii += first;
        part.sphere_count = rest < PART ? rest : PART;
        found f = find_columns(finder, &part);
        const size_t size = (size_t)f.rows * sizeof(double);
        if (CHECK(row + f.rows <= all->rows)) {
            CHECK(memcmp(f.columns.facet, all->columns.facet + row, size) == 0);
            CHECK(memcmp(f.columns.overlap, all->columns.overlap + row, size) == 0);
        }
        row += f.rows;
        free_columns(&f.columns);
    }
    CHECK_INT(row, all->rows);
}

/* Compares queries; returns the number of contacts. */
static abut_index compare(abut_mesh *const *meshes, abut_index count, const abut_query *query)
{
    abut_finder *finder = build_finder(meshes, count);
    found f = find_columns(finder, query);
    compare_parts(finder, query, &f);
    if (f.rows > 0) {
        check_loads(finder, query);
    }
    abut_finder_free(finder);
    free_columns(&f.columns);
    return f.rows;
}

static void compare_resolutions(abut_mesh *const *meshes, abut_index count, abut_query query)
{
    const abut_resolution resolutions[] = {ABUT_SHARING, ABUT_HIERARCHY, ABUT_ALL};
    for (int k = 0; k < 3; k++) {
        query.resolution = resolutions[k];
        CHECK(compare(meshes, count, &query) > SPHERES / 100);
    }
}

/* Compares meshes without poses, turned, and shifted, and in a periodic box. */
static void compare_poses(abut_mesh *const *meshes, abut_index count, abut_query query)
{
    const double turned[32] = {1, 0, 0, 0,   0, 1,   0,    0, 0, 0,   1,   0, 0, 0, 0, 1,
                               1, 0, 0, 0.5, 0, 0.6, -0.8, 0, 0, 0.8, 0.6, 1, 0, 0, 0, 1};
    const double shifted[32] = {1, 0, 0, 2, 0, 1, 0, 3, 0, 0, 1, SIDE, 0, 0, 0, 1,
                                1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0,    0, 0, 0, 1};
    const double period[3] = {SIDE + 1.0, 0.0, 0.0};
    compare_resolutions(meshes, count, query);
    query.poses = turned;
    compare_resolutions(meshes, count, query);
    query.poses = shifted;
    query.gap = 0.02;
    query.workers = 3;
    compare_resolutions(meshes, count, query);
    query.period = vectors_along(period, 3);
    CHECK(compare(meshes, count, &query) > SPHERES / 100);
}

static void check_levels(setup *s, double apart)
{
    abut_mesh *meshes[2] = {make_mesh(s, apart), make_mesh(s, 1.0)};
    put_spheres(s, apart);
    for (size_t k = 0; choose_next_level(&k);) {
        compare_poses(meshes, 1, ask_for(s));
        compare_poses(meshes, 2, ask_for(s));
    }
    abut_mesh_free(meshes[0]);
    abut_mesh_free(meshes[1]);
}

/* Several centers of one block are at the limit of coordinates. */
static void check_farthest(setup *s)
{
    abut_mesh *mesh = make_mesh(s, 1.0);
    put_spheres(s, 1.0);
    for (int i = 4300; i < 4310; i++) {
        s->centers[3 * i + 1] = i % 2 ? ABUT_COORDINATE_LIMIT : -ABUT_COORDINATE_LIMIT;
    }
    const abut_query query = ask_for(s);
    for (size_t k = 0; choose_next_level(&k);) {
        CHECK(compare(&mesh, 1, &query) > SPHERES / 100);
    }
    abut_mesh_free(mesh);
}

/* ---- invalid spheres ---- */

/* The error names an invalid center, even if a center at the limit follows it. */
static void check_error(setup *s, abut_mesh *const *meshes, abut_index count, double bad,
                        abut_status expected)
{
    enum { COUNT = 3 };
    const int places[COUNT] = {3 * 4321 + 2, 3 * 4400, 3 * 4400 + 1};
    abut_finder *finder = build_finder(meshes, count);
    const abut_query query = ask_for(s);
    abut_contacts *contacts = NULL;
    abut_error error;
    const double numbers[COUNT] = {bad, ABUT_COORDINATE_LIMIT, ABUT_COORDINATE_LIMIT};
    double before[COUNT];
    for (int i = 0; i < COUNT; i++) {
        before[i] = s->centers[places[i]];
        s->centers[places[i]] = numbers[i];
    }
    CHECK_INT(abut_contacts_find(finder, &query, &contacts, &error), expected);
    CHECK_INT(error.index, 4321);
    CHECK_INT(error.detail, 2);
    for (int i = 0; i < COUNT; i++) {
        s->centers[places[i]] = before[i];
    }
    abut_finder_free(finder);
}

/* Checks errors without a mesh, with an empty mesh, and with an empty and another mesh. */
static void check_errors(setup *s)
{
    abut_mesh *meshes[] = {build_triangles(0, s->vertices), make_mesh(s, 1.0)};
    put_spheres(s, 1.0);
    for (size_t k = 0; choose_next_level(&k);) {
        for (abut_index count = 0; count <= 2; count++) {
            check_error(s, meshes, count, NAN, ABUT_CENTER_NOT_FINITE);
            check_error(s, meshes, count, INFINITY, ABUT_CENTER_NOT_FINITE);
            check_error(s, meshes, count, -1e300, ABUT_CENTER_TOO_FAR);
        }
        const abut_query query = ask_for(s);
        CHECK_INT(compare(meshes, 0, &query), 0);
        CHECK_INT(compare(meshes, 1, &query), 0);
        CHECK(compare(meshes, 2, &query) > SPHERES / 100);
    }
    abut_mesh_free(meshes[0]);
    abut_mesh_free(meshes[1]);
}

void test_load(void)
{
    setup *s = calloc(1, sizeof *s);
    check_levels(s, 1.0);
    check_levels(s, 1e5); /* cells share buckets */
    check_farthest(s);
    check_errors(s);
    free(s);
}
