/* The rows of a query are the same to the bit with any number of threads, at every instruction
 * level, and in both orders of search. The same is true with rows written during the search, and
 * after any other query of the finder. Rows of half spaces follow from heights. */
#include "abut.h"
#include "base/memory.h"
#include "base/pose.h"
#include "walls/search_order.h"

#include "check.h"
#include "contact_columns.h"
#include "failing.h"
#include "periods.h"
#include "random.h"
#include "simd_levels.h"
#include "triangle_mesh.h"

enum {
    SIDE = 12,
    VERTICES = (SIDE + 1) * (SIDE + 1),
    QUADS = SIDE * SIDE,
    TRIANGLES = 300,
    PLANES = 3,
    SPHERES = 3000 /* in three chunks */
};

/* A floor of quads with steps, random triangles in a unit box, and half spaces: a floor, a turned
 * slope, and a vertical plane. */
typedef struct setting {
    abut_mesh *meshes[2];
    double centers[3 * SPHERES], radii[SPHERES];
    double planes[6 * PLANES], poses[16 * (2 + PLANES)];
} setting;

static abut_mesh *make_floor(void)
{
    double vertices[3 * VERTICES];
    abut_index indices[4 * QUADS], offsets[QUADS + 1] = {0};
    for (int k = 0; k < VERTICES; k++) {
        const int x = k % (SIDE + 1), y = k / (SIDE + 1);
        vec3_store(vertices + 3 * k,
                   (vec3){(double)x / SIDE, (double)y / SIDE, y % 3 == 0 ? 0.02 : 0.0});
    }
    for (int f = 0; f < QUADS; f++) {
        const abut_index corner = f % SIDE + f / SIDE * (SIDE + 1);
        const abut_index corners[4] = {corner, corner + 1, corner + SIDE + 2, corner + SIDE + 1};
        memcpy(indices + 4 * f, corners, sizeof corners);
        offsets[f + 1] = 4 * (f + 1);
    }
    const abut_mesh_input input = {.vertex_count = VERTICES,
                                   .facet_count = QUADS,
                                   .index_count = 4 * QUADS,
                                   .vertices = vertices,
                                   .indices = indices,
                                   .offsets = offsets};
    abut_mesh *mesh = NULL;
    CHECK_INT(abut_mesh_build(&input, &mesh, NULL), ABUT_OK);
    return mesh;
}

/* Sets a pose that turns about z and shifts. */
static void place(double *matrix, double angle, double shift)
{
    const double c = cos(angle), s = sin(angle);
    const double rows[16] = {c, -s, 0, shift, s, c, 0, 0, 0, 0, 1, shift, 0, 0, 0, 1};
    memcpy(matrix, rows, sizeof rows);
}

/* Spheres are unsorted: some are close together, some touch many facets, some touch none. */
static setting *make_setting(void)
{
    static setting s;
    static double vertices[9 * TRIANGLES];
    const double planes[6 * PLANES] = {0,   0, 0.1, 0, 0, 1, 0.5, 0, 0,
                                       0.6, 0, 0.8, 1, 0, 0, -1,  0, 0};
    state = 7;
    for (int f = 0; f < TRIANGLES; f++) {
        const double at[3] = {draw_number(), draw_number(), draw_number()};
        for (int i = 0; i < 9; i++) {
            vertices[9 * f + i] = at[i % 3] + 0.3 * draw_number();
        }
    }
    for (int i = 0; i < SPHERES; i++) {
        s.radii[i] = i % 50 == 0 ? 0.3 : i % 3 == 0 ? 0.01 : 0.05;
        for (int axis = 0; axis < 3; axis++) {
            const double x = 1.6 * draw_number() - 0.3;
            s.centers[3 * i + axis] = i % 2000 < 500 ? 0.5 + 0.1 * x : x;
        }
    }
    memcpy(s.planes, planes, sizeof planes);
    for (int k = 0; k < 2 + PLANES; k++) {
        place(s.poses + 16 * k, k == 1 || k == 3 ? 0.3 : 0.0, k == 1 || k == 4 ? -0.1 : 0.0);
    }
    s.meshes[0] = make_floor(), s.meshes[1] = build_triangles(TRIANGLES, vertices);
    return &s;
}

static abut_query make_query(const setting *s, int mesh_count)
{
    abut_query query = abut_query_default();
    query.sphere_count = SPHERES;
    query.centers = s->centers, query.radii = s->radii;
    query.half_space_count = PLANES, query.half_spaces = s->planes;
    query.poses = s->poses + 16 * (2 - mesh_count);
    return query;
}

static abut_finder *build_finder(const setting *s, int mesh_count)
{
    const abut_mesh *const meshes[] = {s->meshes[0], s->meshes[1]};
    abut_finder *finder = NULL;
    CHECK_INT(abut_finder_build(meshes, mesh_count, &finder, NULL), ABUT_OK);
    return finder;
}

/* ---- rows of half spaces ---- */

static double overlap_of(const setting *s, int sphere, int wall)
{
    const pose at = pose_load(s->poses + 16 * (2 + wall));
    const vec3 point = pose_to_world(&at, vec3_load(s->planes + 6 * wall));
    const vec3 normal = pose_turn(&at, vec3_load(s->planes + 6 * wall + 3));
    return s->radii[sphere] - vec3_dot(normal, vec3_sub(vec3_load(s->centers + 3 * sphere), point));
}

/* With ABUT_ALL each half space that touches has its row. */
static void check_rows(const setting *s, const found *f, int mesh_count)
{
    int expected = 0, on_planes = 0;
    for (int i = 0; i < SPHERES * PLANES; i++) {
        expected += overlap_of(s, i / PLANES, i % PLANES) >= 0.0;
    }
    for (abut_index row = 0; row < f->rows; row++) {
        const abut_columns *c = &f->columns;
        const abut_index wall = c->mesh[row] - mesh_count, node = c->node_offsets[row];
        on_planes += wall >= 0;
        if (wall >= 0) {
            const double overlap = overlap_of(s, (int)c->sphere[row], (int)wall);
            const vec3 center = vec3_load(s->centers + 3 * c->sphere[row]);
            const vec3 down =
                vec3_scale(vec3_load(c->normal + 3 * row), s->radii[c->sphere[row]] - overlap);
            CHECK(c->overlap[row] == overlap && overlap >= 0.0);
            CHECK(vec3_compare(vec3_load(c->point + 3 * row), vec3_sub(center, down)) == 0);
            CHECK(c->facet[row] == 0 && c->feature[row] == 0 && c->type[row] == ABUT_FACET);
            CHECK(c->share[row] == 1.0 && c->tilt[row] == 0.0);
            CHECK(c->node_offsets[row + 1] == node + 1);
            CHECK(c->node[node] == 0 && c->weight[node] == 1.0);
        }
    }
    CHECK_INT(on_planes, expected);
    CHECK(on_planes > SPHERES / 4);
}

/* ---- kinds of search ---- */

static void check_same(const abut_finder *finder, const abut_query *query, const found *expected)
{
    found f = find_columns(finder, query);
    check_found(&f, expected);
    free_columns(&f.columns);
}

/* Rows are written during the search. If the caller's columns are long enough, they are the
 * result; other columns can be written at any time. */
static void check_room(const abut_finder *finder, const abut_query *query, const found *e,
                       abut_index rows, abut_index nodes)
{
    abut_room room = {allocate_columns(SPHERES, rows, nodes), rows, nodes};
    abut_columns others = allocate_columns(SPHERES, e->rows, e->nodes);
    abut_contacts *contacts = NULL;
    CHECK_INT(abut_contacts_find_into(finder, query, &room, &contacts, NULL), ABUT_OK);
    CHECK_INT(abut_contacts_count(contacts), e->rows);
    CHECK_INT(abut_contacts_node_count(contacts), e->nodes);
    abut_contacts_write(contacts, &others);
    check_columns(SPHERES, e->rows, e->nodes, &others, &e->columns);
    if (rows >= e->rows && nodes >= e->nodes) {
        check_columns(SPHERES, e->rows, e->nodes, &room.columns, &e->columns);
        abut_contacts_write(contacts, &room.columns);
        check_columns(SPHERES, e->rows, e->nodes, &room.columns, &e->columns);
    }
    abut_contacts_free(contacts);
    free_columns(&room.columns), free_columns(&others);
}

static void check_rooms(const abut_finder *finder, const abut_query *query, const found *e)
{
    const abut_index rooms[][2] = {{e->rows, e->nodes},         {2 * e->rows, 2 * e->nodes},
                                   {e->rows - 1, e->nodes},     {e->rows, e->nodes - 1},
                                   {e->rows / 2, e->nodes / 2}, {0, 0}};
    for (int k = 0; k < 6; k++) {
        check_room(finder, query, e, rooms[k][0], rooms[k][1]);
    }
}

/* Repeats a query after another query with mostly skipped spheres. */
static void check_after_sparse(const abut_finder *finder, const abut_query *query, const found *e)
{
    abut_query sparse = *query;
    double radii[SPHERES];
    for (int i = 0; i < SPHERES; i++) {
        radii[i] = 1e-6;
    }
    sparse.half_space_count = 0, sparse.radii = radii;
    found none = find_columns(finder, &sparse);
    check_same(finder, query, e);
    free_columns(&none.columns);
}

static void check_ways(const abut_finder *finder, abut_query query, const found *expected)
{
    for (query.workers = 1; query.workers <= 3; query.workers += 2) {
        check_same(finder, &query, expected);
        check_rooms(finder, &query, expected);
        order_force(true);
        check_same(finder, &query, expected);
        order_force(false);
    }
    query.workers = 1;
    check_after_sparse(finder, &query, expected);
    for (size_t k = 0; choose_next_level(&k);) {
        check_same(finder, &query, expected);
    }
}

/* Checks each resolution; with ABUT_ALL, rows of half spaces follow from heights. */
static void check_resolutions(const setting *s, abut_query query, int mesh_count)
{
    const abut_resolution resolutions[] = {ABUT_ALL, ABUT_HIERARCHY, ABUT_SHARING};
    abut_finder *finder = build_finder(s, mesh_count);
    for (int k = 0; k < 3; k++) {
        query.resolution = resolutions[k];
        query.gap = k == 2 ? 0.02 : 0.0, query.keep_zero = k == 2;
        found f = find_columns(finder, &query);
        CHECK(f.rows > SPHERES / 4);
        if (k == 0 && query.half_space_count) {
            check_rows(s, &f, mesh_count);
        }
        check_ways(finder, query, &f);
        free_columns(&f.columns);
    }
    abut_finder_free(finder);
}

/* ---- what is wrong ---- */

/* A NaN center that is searched late, by place, with the caller's columns: the finder still works
 * afterwards. */
static void check_failure(const abut_finder *finder, abut_query query)
{
    double centers[3 * SPHERES];
    found e = find_columns(finder, &query);
    abut_room room = {allocate_columns(SPHERES, e.rows, e.nodes), e.rows, e.nodes};
    abut_contacts *contacts = NULL;
    abut_error error;
    memcpy(centers, query.centers, sizeof centers);
    centers[3 * (SPHERES - 5) + 1] = NAN;
    abut_query wrong = query;
    wrong.centers = centers;
    for (int by_place = 0; by_place < 2; by_place++) {
        order_force(by_place);
        CHECK_INT(abut_contacts_find_into(finder, &wrong, &room, &contacts, &error),
                  ABUT_CENTER_NOT_FINITE);
        CHECK(contacts == NULL && error.index == SPHERES - 5 && error.detail == 1);
        check_room(finder, &query, &e, e.rows, e.nodes);
    }
    order_force(false);
    free_columns(&room.columns), free_columns(&e.columns);
}

/* Image numbers overflow: in a short period, or far away in a long one. */
static void check_images(const abut_finder *finder)
{
    const double periods[2][3] = {{1e-4, 1e-4, 0.0}, {100.0, 0.0, 0.0}}, radii[2] = {1e-6, 0.3};
    double centers[6] = {0.5, 0.5, 50.0, 0.5, 0.5, 0.5};
    abut_query query = abut_query_default();
    abut_contacts *contacts = NULL;
    abut_error error;
    query.centers = centers, query.radii = radii;
    for (int k = 0; k < 3; k++) {
        query.period = vectors_along(periods[k > 0], 3), query.sphere_count = k > 0 ? 1 : 2;
        centers[0] = k == 0 ? 0.5 : k == 1 ? 1e12 : -1e12;
        order_force(k == 0);
        CHECK_INT(abut_contacts_find(finder, &query, &contacts, &error), ABUT_TOO_MANY_IMAGES);
        CHECK(error.index == 0 || (k == 0 && error.index == 1));
    }
    order_force(false);
}

/* ---- memory ---- */

/* Each allocation of a first query by place fails once. */
static void check_memory(const setting *s, const abut_query *query)
{
    failures f = {0};
    order_force(true);
    while (fail_next(&f)) {
        memory_fail_at(0);
        abut_finder *finder = build_finder(s, 2);
        abut_contacts *contacts = NULL;
        memory_fail_at(f.count);
        f.status = abut_contacts_find(finder, query, &contacts, NULL);
        abut_contacts_free(contacts);
        abut_finder_free(finder);
    }
    order_force(false);
    CHECK(f.count > 10);
}

enum { MANY = 1500 };

/* Places half spaces evenly around a sphere, along a golden spiral. */
static void place_many(double *planes)
{
    for (int k = 0; k < MANY; k++) {
        const double z = 1.0 - (2.0 * k + 1.0) / MANY, r = sqrt(1.0 - z * z), turn = 2.399963 * k;
        const vec3 normal = {r * cos(turn), r * sin(turn), z};
        vec3_store(planes + 6 * k, vec3_scale(normal, -0.5));
        vec3_store(planes + 6 * k + 3, normal);
    }
}

/* All half spaces touch one sphere, and each allocation fails once. */
static void check_many(void)
{
    static const double center[3] = {0.01, 0.02, 0.03}, radius = 0.6;
    static double planes[6 * MANY];
    abut_query query = abut_query_default();
    query.sphere_count = 1, query.centers = center, query.radii = &radius;
    query.half_space_count = MANY, query.half_spaces = planes;
    query.resolution = ABUT_ALL;
    place_many(planes);
    failures f = {0};
    while (fail_next(&f)) {
        abut_finder *finder = NULL;
        abut_contacts *contacts = NULL;
        f.status = abut_finder_build(NULL, 0, &finder, NULL);
        if (!f.status) {
            f.status = abut_contacts_find(finder, &query, &contacts, NULL);
        }
        CHECK(f.status || abut_contacts_count(contacts) == MANY);
        abut_contacts_free(contacts);
        abut_finder_free(finder);
    }
    CHECK(f.count > 5);
}

void test_order(void)
{
    static const double period[3] = {1.25, 0.0, 1.5};
    setting *s = make_setting();
    check_resolutions(s, make_query(s, 2), 2);
    check_resolutions(s, make_query(s, 0), 0);
    abut_query query = make_query(s, 2);
    query.half_space_count = 0, query.period = vectors_along(period, 3);
    check_resolutions(s, query, 2);
    abut_finder *finder = build_finder(s, 2);
    check_failure(finder, query);
    check_images(finder);
    abut_finder_free(finder);
    check_memory(s, &query);
    query = make_query(s, 2);
    check_memory(s, &query);
    check_many();
    abut_mesh_free(s->meshes[0]), abut_mesh_free(s->meshes[1]);
    CHECK_INT(memory_live_count(), 0);
}
