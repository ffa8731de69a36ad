/* Half spaces in a query: their rows are what heights over planes say, to the bit, in whatever
 * order spheres are searched, on any number of threads, at every instruction level, and after any
 * query of the same finder. */
#include "abut.h"
#include "base/memory.h"
#include "base/pose.h"
#include "walls/order.h"

#include "check.h"
#include "contact_columns.h"
#include "failing.h"
#include "random.h"
#include "simd_levels.h"
#include "triangle_mesh.h"

enum { SPHERES = 3000, TRIANGLES = 40, PLANES = 3 };

typedef struct setting {
    double vertices[9 * TRIANGLES];
    double centers[3 * SPHERES], radii[SPHERES];
    double planes[6 * PLANES], poses[16 * (1 + PLANES)];
} setting;

/* A pose that turns about z by an angle, and shifts. */
static void place(double *matrix, double angle, double shift)
{
    const double c = cos(angle), s = sin(angle);
    const double rows[16] = {c, -s, 0, shift, s, c, 0, 0, 0, 0, 1, shift, 0, 0, 0, 1};
    memcpy(matrix, rows, sizeof rows);
}

/* Triangles in a unit box, spheres of three sizes in and about it, and planes: a floor, a slope
 * that is turned, and one that stands upright. */
static setting *make_scene(void)
{
    static setting s;
    const double planes[6 * PLANES] = {0,   0, 0.1, 0, 0, 1, 0.5, 0, 0,
                                       0.6, 0, 0.8, 1, 0, 0, -1,  0, 0};
    state = 7;
    for (int i = 0; i < 9 * TRIANGLES; i++) {
        s.vertices[i] = draw_number();
    }
    for (int i = 0; i < SPHERES; i++) {
        s.radii[i] = i % 50 == 0 ? 0.4 : i % 3 == 0 ? 0.01 : 0.05;
        for (int axis = 0; axis < 3; axis++) {
            s.centers[3 * i + axis] = 1.6 * draw_number() - 0.3;
        }
    }
    memcpy(s.planes, planes, sizeof planes);
    for (int k = 0; k < 1 + PLANES; k++) {
        place(s.poses + 16 * k, k == 2 ? 0.3 : 0.0, k == 3 ? -0.1 : 0.0);
    }
    return &s;
}

static double overlap_of(const setting *s, int sphere, int wall)
{
    const pose at = pose_load(s->poses + 16 * (1 + wall));
    const vec3 point = pose_to_world(&at, vec3_load(s->planes + 6 * wall));
    const vec3 normal = pose_turn(&at, vec3_load(s->planes + 6 * wall + 3));
    return s->radii[sphere] - vec3_dot(normal, vec3_sub(vec3_load(s->centers + 3 * sphere), point));
}

/* With ABUT_ALL each half space that touches has its row. */
static void check_rows(const setting *s, const found *f, int mesh_count)
{
    int expected = 0, on_planes = 0;
    for (int i = 0; i < SPHERES; i++) {
        for (int k = 0; k < PLANES; k++) {
            expected += overlap_of(s, i, k) >= 0.0;
        }
    }
    for (abut_index row = 0; row < f->rows; row++) {
        const abut_columns *c = &f->columns;
        const abut_index wall = c->mesh[row] - mesh_count, node = c->node_offsets[row];
        on_planes += wall >= 0;
        if (wall >= 0) {
            const double overlap = overlap_of(s, (int)c->sphere[row], (int)wall);
            const vec3 center = vec3_load(s->centers + 3 * c->sphere[row]);
            const vec3 point = vec3_load(c->point + 3 * row),
                       normal = vec3_load(c->normal + 3 * row);
            const vec3 down = vec3_scale(normal, s->radii[c->sphere[row]] - overlap);
            CHECK(c->overlap[row] == overlap && overlap >= 0.0);
            CHECK(vec3_compare(point, vec3_sub(center, down)) == 0);
            CHECK(c->facet[row] == 0 && c->feature[row] == 0 && c->type[row] == ABUT_FACET);
            CHECK(c->share[row] == 1.0 && c->tilt[row] == 0.0);
            CHECK(c->node_offsets[row + 1] == node + 1);
            CHECK(c->node[node] == 0 && c->weight[node] == 1.0);
        }
    }
    CHECK_INT(on_planes, expected);
    CHECK(on_planes > SPHERES / 2);
}

static abut_query make_query(const setting *s, int mesh_count)
{
    abut_query query = abut_query_default();
    query.sphere_count = SPHERES;
    query.centers = s->centers, query.radii = s->radii;
    query.half_space_count = PLANES, query.half_spaces = s->planes;
    query.poses = s->poses + 16 * (1 - mesh_count);
    return query;
}

static void check_same(const abut_finder *finder, const abut_query *query, const found *expected)
{
    found f = find_columns(finder, query);
    check_found(&f, expected);
    free_columns(&f.columns);
}

/* Written while others are searched. */
static void check_room(const abut_finder *finder, const abut_query *query, const found *expected)
{
    abut_room room = {allocate_columns(SPHERES, expected->rows, expected->nodes), expected->rows,
                      expected->nodes};
    abut_contacts *contacts = NULL;
    CHECK_INT(abut_contacts_find_into(finder, query, &room, &contacts, NULL), ABUT_OK);
    check_columns(SPHERES, expected->rows, expected->nodes, &room.columns, &expected->columns);
    abut_contacts_free(contacts);
    free_columns(&room.columns);
}

/* After a query that left the finder's memory as one for spheres that are mostly passed over. */
static void check_after_sparse(const abut_finder *finder, const abut_query *query,
                               const found *expected)
{
    abut_query sparse = *query;
    double radii[SPHERES];
    for (int i = 0; i < SPHERES; i++) {
        radii[i] = 1e-6;
    }
    sparse.half_space_count = 0, sparse.radii = radii;
    found none = find_columns(finder, &sparse);
    check_same(finder, query, expected);
    free_columns(&none.columns);
}

static void check_ways(const abut_finder *finder, abut_query query, const found *expected)
{
    for (query.workers = 1; query.workers <= 3; query.workers += 2) {
        check_same(finder, &query, expected);
        check_room(finder, &query, expected);
    }
    query.workers = 1;
    check_after_sparse(finder, &query, expected);
    for (size_t k = 0; choose_next_level(&k);) {
        check_same(finder, &query, expected);
    }
    order_force(true);
    check_same(finder, &query, expected);
    order_force(false);
}

/* With meshes and without. */
static void check_query(const setting *s, const abut_mesh *mesh, int mesh_count)
{
    abut_finder *finder = NULL;
    CHECK_INT(abut_finder_build(&mesh, mesh_count, &finder, NULL), ABUT_OK);
    abut_query query = make_query(s, mesh_count);
    query.resolution = ABUT_ALL;
    found all = find_columns(finder, &query);
    check_rows(s, &all, mesh_count);
    check_ways(finder, query, &all);
    free_columns(&all.columns);
    for (int k = 0; k < 2; k++) {
        query.resolution = k == 0 ? ABUT_HIERARCHY : ABUT_SHARING;
        query.gap = 0.02 * k, query.keep_zero = k;
        found f = find_columns(finder, &query);
        CHECK(k == 1 || f.rows < all.rows);
        check_ways(finder, query, &f);
        free_columns(&f.columns);
    }
    abut_finder_free(finder);
}

/* ---- very many ---- */

enum { MANY = 1500 };

/* About the whole sphere, evenly: a golden spiral. */
static void place_many(double *planes)
{
    for (int k = 0; k < MANY; k++) {
        const double z = 1.0 - (2.0 * k + 1.0) / MANY, r = sqrt(1.0 - z * z), turn = 2.399963 * k;
        const vec3 normal = {r * cos(turn), r * sin(turn), z};
        vec3_store(planes + 6 * k, vec3_scale(normal, -0.5));
        vec3_store(planes + 6 * k + 3, normal);
    }
}

/* All of them touch one sphere, and each allocation fails once. */
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

void test_half_spaces(void)
{
    const setting *s = make_scene();
    abut_mesh *mesh = build_triangles(TRIANGLES, s->vertices);
    check_query(s, mesh, 1);
    check_query(s, mesh, 0);
    check_many();
    abut_mesh_free(mesh);
    CHECK_INT(memory_live_count(), 0);
}
