/* A query from C, on one thread and on three. */
#include "abut.h"
#include "base/memory.h"

#include "check.h"
#include "contact_columns.h"
#include "triangle_mesh.h"

#include <string.h>

enum {
    SIDE = 12,
    VERTEX_COUNT = (SIDE + 1) * (SIDE + 1),
    FACET_COUNT = SIDE * SIDE,
    SPHERE_COUNT = 3000
};

/* A floor of quads, and spheres of three sizes over it. */
typedef struct scene {
    double vertices[3 * VERTEX_COUNT];
    abut_index indices[4 * FACET_COUNT], offsets[FACET_COUNT + 1];
    double centers[3 * SPHERE_COUNT], radii[SPHERE_COUNT];
} scene;

static abut_index vertex_at(int x, int y)
{
    return (SIDE + 1) * y + x;
}

static void make_floor(scene *s)
{
    for (int y = 0; y <= SIDE; y++) {
        for (int x = 0; x <= SIDE; x++) {
            double *vertex = s->vertices + 3 * vertex_at(x, y);
            vertex[0] = x, vertex[1] = y, vertex[2] = 0.0;
        }
    }
    for (int f = 0; f < FACET_COUNT; f++) {
        int x = f % SIDE, y = f / SIDE;
        const abut_index corners[4] = {vertex_at(x, y), vertex_at(x + 1, y),
                                       vertex_at(x + 1, y + 1), vertex_at(x, y + 1)};
        for (int k = 0; k < 4; k++) {
            s->indices[4 * f + k] = corners[k];
        }
        s->offsets[f + 1] = 4 * (f + 1);
    }
}

static scene *make_scene(void)
{
    static scene s;
    make_floor(&s);
    for (int i = 0; i < SPHERE_COUNT; i++) {
        s.radii[i] = i % 3 == 0 ? 0.01 : (i % 3 == 1 ? 0.3 : 40.0);
        s.centers[3 * i] = (i * 37 % 1000) * 0.011;
        s.centers[3 * i + 1] = (i * 91 % 1000) * 0.011;
        s.centers[3 * i + 2] = 0.5 * s.radii[i];
    }
    return &s;
}

/* On a plane every sphere has one contact, straight below it. */
static void check_rows(const abut_contacts *contacts)
{
    abut_index count = abut_contacts_count(contacts);
    abut_columns columns =
        allocate_columns(SPHERE_COUNT, count, abut_contacts_node_count(contacts));
    abut_contacts_write(contacts, &columns);
    CHECK_INT(count, SPHERE_COUNT);
    CHECK_INT(columns.offsets[SPHERE_COUNT], count);
    CHECK_INT(columns.node_offsets[count], abut_contacts_node_count(contacts));
    for (abut_index i = 0; i < count; i++) {
        CHECK_INT(columns.sphere[i], i);
        CHECK_INT(columns.offsets[i], i);
        CHECK_NEAR(columns.normal[3 * i + 2], 1.0, 1e-15);
        CHECK_NEAR(columns.point[3 * i + 2], 0.0, 1e-15);
    }
    free_columns(&columns);
}

static void check_query(const scene *s, int workers)
{
    abut_mesh_input input = {.vertex_count = VERTEX_COUNT,
                             .facet_count = FACET_COUNT,
                             .index_count = 4 * FACET_COUNT,
                             .vertices = s->vertices,
                             .indices = s->indices,
                             .offsets = s->offsets};
    abut_query query = abut_query_default();
    query.sphere_count = SPHERE_COUNT;
    query.centers = s->centers;
    query.radii = s->radii;
    query.workers = workers;
    abut_mesh *mesh = NULL;
    abut_finder *finder = NULL;
    abut_contacts *contacts = NULL;
    CHECK_INT(abut_mesh_build(&input, &mesh, NULL), ABUT_OK);
    CHECK_INT(abut_finder_build((const abut_mesh *const *)&mesh, 1, &finder, NULL), ABUT_OK);
    CHECK_INT(abut_contacts_find(finder, &query, &contacts, NULL), ABUT_OK);
    check_rows(contacts);
    abut_contacts_free(contacts);
    abut_finder_free(finder);
    abut_mesh_free(mesh);
    CHECK_INT(memory_live_count(), 0);
}

/* ---- meshes of very different sizes ---- */

enum { STRIP_FACETS = 5000 };

/* Triangles side by side along x, from `first` on. */
static abut_mesh *make_strip(abut_index first, abut_index count, double height)
{
    static double vertices[9 * STRIP_FACETS];
    for (abut_index f = 0; f < count; f++) {
        const double x = (double)(first + f),
                     corners[9] = {x, 0, height, x + 1, 0, height, x, 1, height};
        memcpy(vertices + 9 * f, corners, sizeof corners);
    }
    return build_triangles(count, vertices);
}

/* A sphere at the end of a long strip, over a mesh of one facet: what vector code reads behind the
 * last pair is of the same mesh as that pair. */
static void check_large_and_small(void)
{
    abut_mesh *large = make_strip(0, STRIP_FACETS, 0.0);
    abut_mesh *small = make_strip(STRIP_FACETS - 1, 1, 0.01);
    const abut_mesh *meshes[] = {large, small};
    const double center[3] = {STRIP_FACETS - 0.7, 0.3, 0.2}, radius = 0.25;
    abut_finder *finder = NULL;
    abut_contacts *contacts = NULL;
    abut_query query = abut_query_default();
    query.sphere_count = 1;
    query.centers = center;
    query.radii = &radius;
    query.resolution = ABUT_ALL;
    CHECK_INT(abut_finder_build(meshes, 2, &finder, NULL), ABUT_OK);
    CHECK_INT(abut_contacts_find(finder, &query, &contacts, NULL), ABUT_OK);
    CHECK_INT(abut_contacts_count(contacts), 2);
    abut_contacts_free(contacts);
    abut_finder_free(finder);
    abut_mesh_free(large);
    abut_mesh_free(small);
    CHECK_INT(memory_live_count(), 0);
}

void test_find(void)
{
    check_large_and_small();
    const scene *s = make_scene();
    check_query(s, 1);
    check_query(s, 3);
}
