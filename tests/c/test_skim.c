/* Where most spheres are far from all facets, those near them are found before they are copied: as
 * when few spheres are asked for at a time, to the bit. */
#include "abut.h"

#include "check.h"
#include "contact_columns.h"
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
    TRIANGLES = PATCHES * PATCH_TRIANGLES,
    SPHERES = 5300, /* neither whole chunks nor whole blocks */
    FEW = 40        /* less than a block */
};

typedef struct scene {
    double vertices[9 * TRIANGLES];
    abut_index indices[3 * TRIANGLES], offsets[TRIANGLES + 1];
    double centers[3 * SPHERES], radii[SPHERES];
} scene;

static void put_triangle(scene *s, int f, vec3 a, vec3 b, vec3 c)
{
    vec3_store(s->vertices + 9 * f, a);
    vec3_store(s->vertices + 9 * f + 3, b);
    vec3_store(s->vertices + 9 * f + 6, c);
}

/* Patches are one above the other, the last `apart` times as far. */
static double patch_height(int patch, double apart)
{
    return SIDE * (patch < PATCHES - 1 ? patch : patch * apart);
}

/* Wavy ones. */
static void put_patches(scene *s, double apart)
{
    for (int f = 0; f < TRIANGLES / 2; f++) {
        const int patch = f / (SIDE * SIDE), x = f % SIDE, y = f / SIDE % SIDE;
        const double z = patch_height(patch, apart);
        const vec3 corners[4] = {{x, y, z + 0.3 * (x % 3)},
                                 {x + 1, y, z + 0.3 * ((x + 1) % 3)},
                                 {x + 1, y + 1, z + 0.3 * ((x + 1) % 3)},
                                 {x, y + 1, z + 0.3 * (x % 3)}};
        put_triangle(s, 2 * f, corners[0], corners[1], corners[2]);
        put_triangle(s, 2 * f + 1, corners[0], corners[2], corners[3]);
    }
    for (int k = 0; k < 3 * TRIANGLES; k++) {
        s->indices[k] = k;
    }
    for (int f = 0; f <= TRIANGLES; f++) {
        s->offsets[f] = 3 * f;
    }
}

/* Far from all facets but for some in a row now and then, and single ones. */
static void put_spheres(scene *s, double apart)
{
    state = 7;
    for (int i = 0; i < SPHERES; i++) {
        const bool is_near = i / 150 % 5 == 3 || i % 71 == 0;
        const double x = 1.2 * draw_number() - 0.1, y = 1.2 * draw_number() - 0.1;
        const double z = is_near ? 0.04 * draw_number() - 0.02 : 0.2 + 0.6 * draw_number();
        const int patch = (int)(PATCHES * draw_number());
        vec3_store(s->centers + 3 * i,
                   (vec3){SIDE * x, SIDE * y, SIDE * z + patch_height(patch, apart)});
        s->radii[i] = 0.01 * pow(60.0, draw_number());
    }
}

static abut_mesh *make_mesh(scene *s, double apart)
{
    put_patches(s, apart);
    return build_triangles(TRIANGLES, s->vertices, s->indices, s->offsets);
}

static abut_query ask_for(const scene *s)
{
    abut_query query = abut_query_default();
    query.centers = s->centers;
    query.radii = s->radii;
    query.sphere_count = SPHERES;
    return query;
}

/* ---- all at once and few at a time ---- */

/* Check that a part's rows are the whole's from row `row` and node `node` on. */
static void check_part(const found *whole, const found *part, abut_index first, abut_index row,
                       abut_index node)
{
    const abut_columns *a = &whole->columns, *b = &part->columns;
    const size_t m = (size_t)part->rows, k = (size_t)part->nodes, index = sizeof(abut_index);
    for (abut_index i = 0; i < part->rows; i++) {
        CHECK_INT(a->sphere[row + i], first + b->sphere[i]);
        CHECK_INT(a->node_offsets[row + i + 1], node + b->node_offsets[i + 1]);
    }
    for (abut_index i = 0; i <= part->spheres; i++) {
        CHECK_INT(a->offsets[first + i], row + b->offsets[i]);
    }
    CHECK(memcmp(a->mesh + row, b->mesh, m * index) == 0);
    CHECK(memcmp(a->facet + row, b->facet, m * index) == 0);
    CHECK(memcmp(a->point + 3 * row, b->point, 3 * m * sizeof(double)) == 0);
    CHECK(memcmp(a->normal + 3 * row, b->normal, 3 * m * sizeof(double)) == 0);
    CHECK(memcmp(a->overlap + row, b->overlap, m * sizeof(double)) == 0);
    CHECK(memcmp(a->tilt + row, b->tilt, m * sizeof(double)) == 0);
    CHECK(memcmp(a->node + node, b->node, k * index) == 0);
    CHECK(memcmp(a->weight + node, b->weight, k * sizeof(double)) == 0);
}

/* Returns how many contacts there are. */
static abut_index compare(const abut_finder *finder, const abut_query *query)
{
    found whole = find_columns(finder, query);
    abut_index row = 0, node = 0;
    for (abut_index first = 0; first < query->sphere_count; first += FEW) {
        const abut_index rest = query->sphere_count - first;
        abut_query few = *query;
        few.centers += 3 * first;
        few.radii += first;
        few.sphere_count = rest < FEW ? rest : FEW;
        found part = find_columns(finder, &few);
        if (CHECK(row + part.rows <= whole.rows && node + part.nodes <= whole.nodes)) {
            check_part(&whole, &part, first, row, node);
        }
        row += part.rows, node += part.nodes;
        free_columns(&part.columns);
    }
    CHECK_INT(row, whole.rows);
    CHECK_INT(node, whole.nodes);
    free_columns(&whole.columns);
    return row;
}

/* One mesh as it is, and one that is moved and turned. */
static void compare_poses(const abut_finder *finder, abut_query query)
{
    const double poses[32] = {1, 0, 0, 0,   0, 1,   0,    0, 0, 0,   1,   0, 0, 0, 0, 1,
                              1, 0, 0, 0.5, 0, 0.6, -0.8, 0, 0, 0.8, 0.6, 1, 0, 0, 0, 1};
    const double shifted[32] = {1, 0, 0, 2, 0, 1, 0, 3, 0, 0, 1, SIDE, 0, 0, 0, 1,
                                1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0,    0, 0, 0, 1};
    CHECK(compare(finder, &query) > FEW);
    query.poses = poses;
    CHECK(compare(finder, &query) > FEW);
    query.poses = shifted;
    query.gap = 0.02;
    query.workers = 3;
    CHECK(compare(finder, &query) > FEW);
}

static void check_levels(scene *s, double apart)
{
    abut_mesh *meshes[2] = {make_mesh(s, apart), make_mesh(s, 1.0)};
    put_spheres(s, apart);
    abut_query query = ask_for(s);
    for (size_t k = 0; choose_next_level(&k);) {
        for (int count = 1; count <= 2; count++) {
            abut_finder *finder = NULL;
            CHECK_INT(abut_finder_build((const abut_mesh *const *)meshes, count, &finder, NULL),
                      ABUT_OK);
            compare_poses(finder, query);
            abut_finder_free(finder);
        }
    }
    abut_mesh_free(meshes[0]);
    abut_mesh_free(meshes[1]);
}

/* ---- what is no sphere ---- */

/* Of spheres that nothing sees, in a chunk that others of have been passed over. */
static void check_errors(scene *s)
{
    put_spheres(s, 1.0);
    const double bad[] = {NAN, INFINITY, -1e300};
    const abut_status expected[] = {ABUT_CENTER_NOT_FINITE, ABUT_CENTER_NOT_FINITE,
                                    ABUT_CENTER_TOO_FAR};
    abut_mesh *meshes[] = {make_mesh(s, 1.0)};
    abut_finder *finder = NULL;
    CHECK_INT(abut_finder_build((const abut_mesh *const *)meshes, 1, &finder, NULL), ABUT_OK);
    abut_query query = ask_for(s);
    for (size_t k = 0; choose_next_level(&k);) {
        for (int i = 0; i < 3; i++) {
            abut_contacts *contacts = NULL;
            abut_error error;
            const double kept = s->centers[3 * 4321 + 2];
            s->centers[3 * 4321 + 2] = bad[i];
            CHECK_INT(abut_contacts_find(finder, &query, &contacts, &error), expected[i]);
            CHECK_INT(error.index, 4321);
            CHECK_INT(error.detail, 2);
            s->centers[3 * 4321 + 2] = kept;
        }
    }
    abut_finder_free(finder);
    abut_mesh_free(meshes[0]);
}

/* Several centers of one block are as far as they may be. */
static void check_farthest(scene *s)
{
    abut_mesh *meshes[] = {make_mesh(s, 1.0)};
    abut_finder *finder = NULL;
    CHECK_INT(abut_finder_build((const abut_mesh *const *)meshes, 1, &finder, NULL), ABUT_OK);
    for (int i = 4300; i < 4310; i++) {
        s->centers[3 * i + 1] = i % 2 ? ABUT_COORDINATE_LIMIT : -ABUT_COORDINATE_LIMIT;
    }
    const abut_query query = ask_for(s);
    for (size_t k = 0; choose_next_level(&k);) {
        CHECK(compare(finder, &query) > FEW);
    }
    put_spheres(s, 1.0);
    abut_finder_free(finder);
    abut_mesh_free(meshes[0]);
}

/* Where there is nothing to see, spheres are checked, too. */
static void check_empty(scene *s, abut_index mesh_count)
{
    const abut_index offsets[] = {0};
    abut_mesh *meshes[] = {build_triangles(0, s->vertices, s->indices, offsets)};
    abut_finder *finder = NULL;
    CHECK_INT(abut_finder_build((const abut_mesh *const *)meshes, mesh_count, &finder, NULL),
              ABUT_OK);
    abut_query query = ask_for(s);
    abut_contacts *contacts = NULL;
    CHECK_INT(abut_contacts_find(finder, &query, &contacts, NULL), ABUT_OK);
    CHECK_INT(abut_contacts_count(contacts), 0);
    abut_contacts_free(contacts);
    const double kept = s->centers[3 * 4321];
    s->centers[3 * 4321] = NAN;
    CHECK_INT(abut_contacts_find(finder, &query, &contacts, NULL), ABUT_CENTER_NOT_FINITE);
    s->centers[3 * 4321] = kept;
    abut_finder_free(finder);
    abut_mesh_free(meshes[0]);
}

void test_skim(void)
{
    scene *s = calloc(1, sizeof *s);
    check_levels(s, 1.0);
    check_levels(s, 1e5); /* cells share buckets */
    check_errors(s);
    check_farthest(s);
    check_empty(s, 0);
    check_empty(s, 1);
    free(s);
}
