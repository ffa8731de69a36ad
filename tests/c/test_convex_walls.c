/* Bodies against walls: on a plane that is meshed in any way they stand as on the half space, and
 * at convex and concave edges of a wall they meet each wall once. */
#include "abut.h"
#include "base/memory.h"

#include "bodies.h"
#include "check.h"

static const vec3 UP = {0.0, 0.0, 1.0};

/* ---- meshes ---- */

enum { MOST_VERTICES = 2048, MOST_FACETS = 4096, MOST_SPOTS = 256 };

/* Polygons of a wall that is not placed yet. */
typedef struct wall_mesh {
    double vertices[3 * MOST_VERTICES];
    abut_index indices[4 * MOST_FACETS], offsets[MOST_FACETS + 1];
    abut_index vertex_count, facet_count;
} wall_mesh;

static abut_index add_vertex(wall_mesh *m, double x, double y, double z)
{
    vec3_store(m->vertices + 3 * m->vertex_count, (vec3){x, y, z});
    return m->vertex_count++;
}

static void add_facet(wall_mesh *m, const abut_index *corners, int count)
{
    const abut_index begin = m->offsets[m->facet_count];
    memcpy(m->indices + begin, corners, (size_t)count * sizeof *corners);
    m->offsets[++m->facet_count] = begin + count;
}

static void add_triangle(wall_mesh *m, abut_index a, abut_index b, abut_index c)
{
    add_facet(m, (abut_index[]){a, b, c}, 3);
}

/* A rectangle of z = 0 as columns and rows of quads, or of triangles. */
static void add_grid(wall_mesh *m, const double *x, int columns, const double *y, int rows,
                     int corners)
{
    const abut_index first = m->vertex_count;
    for (int row = 0; row <= rows; row++) {
        for (int column = 0; column <= columns; column++) {
            add_vertex(m, x[column], y[row], 0.0);
        }
    }
    for (int k = 0; k < columns * rows; k++) {
        const abut_index a = first + k / columns * (columns + 1) + k % columns;
        const abut_index quad[4] = {a, a + 1, a + columns + 2, a + columns + 1};
        if (corners == 4) {
            add_facet(m, quad, 4);
        } else {
            add_triangle(m, quad[0], quad[1], quad[2]), add_triangle(m, quad[0], quad[2], quad[3]);
        }
    }
}

static void draw_steps(double *x, int count, double low, double high)
{
    double sum = 0.0;
    for (int k = 0; k < count; k++) {
        sum += x[k + 1] = 0.2 + draw_number();
    }
    x[0] = low;
    for (int k = 0; k < count; k++) {
        x[k + 1] = k + 1 == count ? high : x[k] + x[k + 1] / sum * (high - low);
    }
}

/* Squares of z = 0 from -4 to 4, each in a way of its own. */
static void make_triangles(wall_mesh *m)
{
    double x[16], y[16];
    draw_steps(x, 7, -4.0, 4.0), draw_steps(y, 9, -4.0, 4.0);
    add_grid(m, x, 7, y, 9, 3);
}

static void make_quads(wall_mesh *m)
{
    double x[16], y[16];
    draw_steps(x, 11, -4.0, 4.0), draw_steps(y, 5, -4.0, 4.0);
    add_grid(m, x, 11, y, 5, 4);
}

/* All triangles meet in one point under the body. */
static void make_fan(wall_mesh *m)
{
    enum { PARTS = 40 };
    const abut_index middle = add_vertex(m, draw_number() - 0.5, draw_number() - 0.5, 0.0);
    const abut_index first = m->vertex_count;
    for (int k = 0; k < PARTS; k++) {
        const double t = 8.0 * (k % (PARTS / 4)) / (PARTS / 4) - 4.0;
        const double corner[4][2] = {{t, -4.0}, {4.0, t}, {-t, 4.0}, {-4.0, -t}};
        add_vertex(m, corner[k / (PARTS / 4)][0], corner[k / (PARTS / 4)][1], 0.0);
    }
    for (int k = 0; k < PARTS; k++) {
        add_triangle(m, middle, first + k, first + (k + 1) % PARTS);
    }
}

/* Strips a thousandth as wide as they are long, and narrower than any overlap. */
static void make_slivers(wall_mesh *m)
{
    enum { STRIPS = 200 };
    double x[STRIPS + 3], y[2] = {-4.0, 4.0};
    x[0] = -4.0, x[STRIPS + 2] = 4.0;
    for (int k = 0; k <= STRIPS; k++) {
        x[k + 1] = -1.0 + 0.008 * k + 0.002 * draw_number();
    }
    add_grid(m, x, STRIPS + 2, y, 1, 3);
}

/* Halves with different steps: corners of one are on sides of the other. */
static void make_junctions(wall_mesh *m)
{
    double x[8], y[16];
    draw_steps(x, 3, -4.0, 0.1), draw_steps(y, 13, -4.0, 4.0);
    add_grid(m, x, 3, y, 13, 3);
    draw_steps(x, 4, 0.1, 4.0), draw_steps(y, 6, -4.0, 4.0);
    add_grid(m, x, 4, y, 6, 4);
}

/* Where the wall is in the world. */
typedef struct wall_place {
    vec3 rows[3], shift;
    bool is_single; /* coordinates are rounded to float32 */
} wall_place;

static vec3 place_point(const wall_place *place, vec3 at)
{
    const vec3 turned = {vec3_dot(place->rows[0], at), vec3_dot(place->rows[1], at),
                         vec3_dot(place->rows[2], at)};
    return vec3_add(turned, place->shift);
}

static abut_mesh *build_mesh(const wall_mesh *m, const wall_place *place)
{
    static double vertices[3 * MOST_VERTICES];
    for (abut_index k = 0; k < m->vertex_count; k++) {
        vec3_store(vertices + 3 * k, place_point(place, vec3_load(m->vertices + 3 * k)));
    }
    for (abut_index k = 0; place->is_single && k < 3 * m->vertex_count; k++) {
        vertices[k] = (double)(float)vertices[k];
    }
    const abut_mesh_input input = {.vertex_count = m->vertex_count,
                                   .facet_count = m->facet_count,
                                   .index_count = m->offsets[m->facet_count],
                                   .vertices = vertices,
                                   .indices = m->indices,
                                   .offsets = m->offsets,
                                   .drop_zero_area = 1};
    abut_mesh *mesh = NULL;
    CHECK_INT(abut_mesh_build(&input, &mesh, NULL), ABUT_OK);
    return mesh;
}

/* ---- queries ---- */

typedef struct found {
    abut_index rows, spots;
    abut_index mesh[MOST_SPOTS], facet[MOST_SPOTS], spot_offsets[MOST_SPOTS + 1];
    double normal[3 * MOST_SPOTS], overlap[MOST_SPOTS], spot[3 * MOST_SPOTS];
    double spot_overlap[MOST_SPOTS];
    uint8_t spot_type[2 * MOST_SPOTS];
    vec3 force, torque; /* of springs of stiffness 1, about the body's position */
} found;

static void sum_forces(found *f, vec3 position)
{
    f->force = f->torque = (vec3){0.0, 0.0, 0.0};
    for (abut_index row = 0; row < f->rows; row++) {
        for (abut_index k = f->spot_offsets[row]; k < f->spot_offsets[row + 1]; k++) {
            const vec3 normal = vec3_load(f->normal + 3 * row);
            const vec3 force = vec3_scale(normal, fmax(f->spot_overlap[k], 0.0));
            const vec3 arm = vec3_sub(vec3_load(f->spot + 3 * k), position);
            f->force = vec3_add(f->force, force);
            f->torque = vec3_add(f->torque, vec3_cross(arm, force));
        }
    }
}

/* The body on walls. */
typedef struct wall_scene {
    abut_shape *shape;
    double position[3], orientation[4];
    double gap;
} wall_scene;

static void find_scene(const wall_scene *scene, const abut_convex_walls *walls, found *f)
{
    const abut_shape *const shapes[] = {scene->shape};
    const abut_convex_input input = {.shapes = shapes,
                                     .shape_count = 1,
                                     .body_count = 1,
                                     .options = abut_convex_options_default()};
    abut_convex_query query = abut_convex_query_default();
    query.positions = scene->position, query.orientations = scene->orientation;
    query.gap = scene->gap;
    abut_convex_finder *finder = NULL;
    abut_convex_contacts *contacts = NULL;
    CHECK_INT(abut_convex_finder_build(&input, &finder, NULL), ABUT_OK);
    CHECK_INT(abut_convex_find_walls(finder, &query, walls, &contacts, NULL), ABUT_OK);
    f->rows = abut_convex_contacts_count(contacts);
    f->spots = abut_convex_contacts_spot_count(contacts);
    if (CHECK(f->rows <= MOST_SPOTS && f->spots <= MOST_SPOTS)) {
        const abut_convex_columns columns = {.mesh = f->mesh,
                                             .facet = f->facet,
                                             .normal = f->normal,
                                             .overlap = f->overlap,
                                             .spot = f->spot,
                                             .spot_overlap = f->spot_overlap,
                                             .spot_type = f->spot_type,
                                             .spot_offsets = f->spot_offsets};
        abut_convex_contacts_write(contacts, &columns);
        sum_forces(f, vec3_load(scene->position));
    }
    abut_convex_contacts_free(contacts);
    abut_convex_finder_free(finder);
}

static void find_on_mesh(const wall_scene *scene, const abut_mesh *mesh, found *f)
{
    abut_finder *finder = NULL;
    const abut_mesh *const meshes[] = {mesh};
    CHECK_INT(abut_finder_build(meshes, 1, &finder, NULL), ABUT_OK);
    const abut_convex_walls walls = {.finder = finder};
    find_scene(scene, &walls, f);
    abut_finder_free(finder);
}

static void find_on_half_space(const wall_scene *scene, vec3 point, vec3 normal, found *f)
{
    double plane[6];
    vec3_store(plane, point), vec3_store(plane + 3, normal);
    const abut_convex_walls walls = {.half_space_count = 1, .half_spaces = plane};
    find_scene(scene, &walls, f);
}

/* ---- planes ---- */

static bool has_spot(const found *f, vec3 at, double overlap, double tolerance)
{
    for (abut_index k = 0; k < f->spots; k++) {
        const vec3 off = vec3_sub(vec3_load(f->spot + 3 * k), at);
        if (vec3_max_abs(off) <= tolerance && fabs(f->spot_overlap[k] - overlap) <= tolerance) {
            return true;
        }
    }
    return false;
}

/* Both have the same spots, force and torque. */
static void check_same(const found *f, const found *plane, double tolerance)
{
    CHECK_INT(f->spots, plane->spots);
    for (abut_index k = 0; k < plane->spots; k++) {
        CHECK(has_spot(f, vec3_load(plane->spot + 3 * k), plane->spot_overlap[k], tolerance));
    }
    CHECK(vec3_max_abs(vec3_sub(f->force, plane->force)) <= 8.0 * tolerance);
    CHECK(vec3_max_abs(vec3_sub(f->torque, plane->torque)) <= 32.0 * tolerance);
    for (abut_index row = 1; row < f->rows; row++) {
        CHECK(f->mesh[row - 1] < f->mesh[row] ||
              (f->mesh[row - 1] == f->mesh[row] && f->facet[row - 1] < f->facet[row]));
    }
}

static abut_shape *draw_solid(int kind)
{
    double corners[2 * MOST_SIDES];
    const int sides = 3 + (int)(draw() % 6);
    for (int k = 0; k < sides; k++) {
        corners[2 * k] = 0.7 * cos(2.0 * PI * k / sides);
        corners[2 * k + 1] = 0.7 * sin(2.0 * PI * k / sides);
    }
    return kind % 2 ? build_prism(sides, corners, 1.0) : box_shape(0.5, 0.6, 0.5);
}

static void multiply(const double *a, const double *b, double *product)
{
    product[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    product[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    product[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    product[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

static void turn_by(const double *q, vec3 rows[3])
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    rows[0] = (vec3){1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)};
    rows[1] = (vec3){2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)};
    rows[2] = (vec3){2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)};
}

/* A body over the wall, at a place of the wall's own frame, turned about its normal, and tilted. */
static void place_body(wall_scene *scene, const double *wall_turn, const wall_place *place, vec3 at,
                       double turn, double tilt)
{
    const double about[4] = {0.0, 0.0, sin(0.5 * turn), cos(0.5 * turn)};
    const double lean[4] = {0.6 * sin(0.5 * tilt), 0.8 * sin(0.5 * tilt), 0.0, cos(0.5 * tilt)};
    double own[4];
    multiply(lean, about, own);
    multiply(wall_turn, own, scene->orientation);
    vec3_store(scene->position, place_point(place, at));
}

static void draw_place(int kind, double *quaternion, wall_place *place)
{
    const vec3 axis = draw_unit();
    const double half = kind % 3 ? draw_number() : 0.0;
    vec3_store(quaternion, vec3_scale(axis, sin(half)));
    quaternion[3] = cos(half);
    turn_by(quaternion, place->rows);
    place->shift = kind % 3 == 2 ? draw_vector(30.0) : (vec3){0.0, 0.0, 0.0};
    place->is_single = kind % 2;
}

static void check_planes(void (*make)(wall_mesh *), int count)
{
    static wall_mesh m;
    static found on_mesh, on_plane;
    for (int k = 0; k < count; k++) {
        m = (wall_mesh){.offsets = {0}};
        make(&m);
        wall_place place;
        double turn[4];
        draw_place(k, turn, &place);
        abut_mesh *mesh = build_mesh(&m, &place);
        wall_scene scene = {.shape = draw_solid(k / 2), .gap = 0.05};
        const double depth = k % 5 ? 0.002 + 0.05 * draw_number() : -0.01;
        const vec3 at = {2.0 * draw_number() - 1.0, 2.0 * draw_number() - 1.0, 0.5 - depth};
        const double tilts[4] = {0.0, 1e-3, 0.05, 0.4};
        place_body(&scene, turn, &place, at, 2.0 * PI * draw_number(), tilts[k % 4]);
        find_on_mesh(&scene, mesh, &on_mesh);
        const vec3 normal = {place.rows[0].z, place.rows[1].z, place.rows[2].z};
        find_on_half_space(&scene, place.shift, normal, &on_plane);
        check_same(&on_mesh, &on_plane, place.is_single ? 2e-5 : 2e-7);
        abut_mesh_free(mesh), abut_shape_free(scene.shape);
    }
}

/* Slid over the wall by little steps, spots go with the body, and none appears. */
static void check_sliding(void (*make)(wall_mesh *), bool is_single)
{
    static wall_mesh m;
    static found on_mesh, on_plane;
    m = (wall_mesh){.offsets = {0}};
    make(&m);
    double turn[4];
    wall_place place;
    draw_place(0, turn, &place);
    place.is_single = is_single;
    abut_mesh *mesh = build_mesh(&m, &place);
    wall_scene scene = {.shape = box_shape(0.5, 0.5, 0.5)};
    for (int k = 0; k < 200; k++) {
        const vec3 at = {-1.0 + 0.01 * k, -0.7 + 0.006 * k, 0.49};
        place_body(&scene, turn, &place, at, 0.3, 0.0);
        find_on_mesh(&scene, mesh, &on_mesh);
        find_on_half_space(&scene, place.shift, UP, &on_plane);
        CHECK_INT(on_mesh.spots, 4);
        check_same(&on_mesh, &on_plane, is_single ? 1e-6 : 1e-7);
    }
    abut_mesh_free(mesh), abut_shape_free(scene.shape);
}

/* ---- edges of walls ---- */

/* A table whose top is z = 0, x < 0, and whose side is x = 0, z < 0; or a floor x < 0 with a wall
 * that rises from it. */
static abut_mesh *build_corner(double rises)
{
    static wall_mesh m;
    static const wall_place stays = {.rows = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    m = (wall_mesh){.offsets = {0}};
    double x[16], y[16];
    draw_steps(x, 5, -5.0, 0.0), draw_steps(y, 7, -4.0, 4.0);
    add_grid(&m, x, 5, y, 7, 3);
    abut_index low[8], high[8];
    for (int k = 0; k <= 7; k++) {
        low[k] = add_vertex(&m, 0.0, y[k], 0.0), high[k] = add_vertex(&m, 0.0, y[k], rises);
    }
    for (int k = 0; k < 7; k++) {
        add_triangle(&m, low[k], high[k], high[k + 1]);
        add_triangle(&m, low[k], high[k + 1], low[k + 1]);
    }
    return build_mesh(&m, &stays);
}

static const double NOT_TURNED[4] = {0.0, 0.0, 0.0, 1.0};

static const wall_place HERE = {.rows = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};

/* Over the edge of a table: what is over the table carries, and nothing pushes sideways. */
static void check_convex_edge(void)
{
    static found f;
    abut_mesh *mesh = build_corner(-3.0);
    wall_scene scene = {.shape = box_shape(0.5, 0.5, 0.5)};
    for (int k = 0; k <= 60; k++) {
        const double x = -1.0 + 0.025 * k;
        place_body(&scene, NOT_TURNED, &HERE, (vec3){x, 0.3, 0.49}, 0.0, 0.0);
        find_on_mesh(&scene, mesh, &f);
        if (x > -0.49 && x < 0.475) {
            CHECK_INT(f.spots, 4);
            CHECK_NEAR(f.force.z, 0.04, 1e-6);
        }
        CHECK(fabs(f.force.x) <= 1e-9 && fabs(f.force.y) <= 1e-9);
        CHECK(f.force.z <= 0.04 + 1e-6);
    }
    abut_mesh_free(mesh), abut_shape_free(scene.shape);
}

/* Turned by half a right angle, with the table's edge in its side: pushed along the side's normal,
 * which is none of a wall's. */
static void check_tilted_on_edge(void)
{
    static found f;
    abut_mesh *mesh = build_corner(-3.0);
    wall_scene scene = {.shape = box_shape(0.5, 0.5, 0.5)};
    const double half = sqrt(0.5), angle = 0.25 * PI;
    const double turned[4] = {0.0, sin(0.5 * angle), 0.0, cos(0.5 * angle)};
    memcpy(scene.orientation, turned, sizeof turned);
    vec3_store(scene.position, (vec3){0.49 * half, 0.2, 0.49 * half});
    find_on_mesh(&scene, mesh, &f);
    CHECK(f.rows >= 1);
    for (abut_index row = 0; row < f.rows; row++) {
        CHECK_NEAR(f.normal[3 * row], half, 1e-9);
        CHECK_NEAR(f.normal[3 * row + 2], half, 1e-9);
        CHECK_NEAR(f.overlap[row], 0.01, 1e-9);
    }
    CHECK(f.force.x > 0.0 && f.force.x < 0.1);
    abut_mesh_free(mesh), abut_shape_free(scene.shape);
}

/* Into the corner of a floor and a wall: both push, each as a half space. */
static void check_concave_edge(void)
{
    static found f;
    abut_mesh *mesh = build_corner(3.0);
    wall_scene scene = {.shape = box_shape(0.5, 0.5, 0.5)};
    for (int k = 0; k <= 40; k++) {
        const double x = -0.6 + 0.003 * k, into = x + 0.5 > 0.0 ? x + 0.5 : 0.0;
        place_body(&scene, NOT_TURNED, &HERE, (vec3){x, 0.3, 0.49}, 0.0, 0.0);
        find_on_mesh(&scene, mesh, &f);
        CHECK_NEAR(f.force.z, 0.04, 1e-6);
        CHECK_NEAR(f.force.x, -4.0 * into, 1e-6);
        CHECK_NEAR(f.force.y, 0.0, 1e-9);
    }
    abut_mesh_free(mesh), abut_shape_free(scene.shape);
}

/* ---- memory ---- */

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
static void check_failures(void)
{
    abut_shape *shape = box_shape(0.5, 0.5, 0.5);
    const abut_shape *const shapes[] = {shape};
    const abut_convex_input input = {.shapes = shapes,
                                     .shape_count = 1,
                                     .body_count = 2,
                                     .options = abut_convex_options_default()};
    abut_mesh *mesh = build_corner(-3.0);
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

void test_convex_walls(void)
{
    state = 3;
    check_planes(make_triangles, 60);
    check_planes(make_quads, 60);
    check_planes(make_fan, 60);
    check_planes(make_slivers, 24);
    check_planes(make_junctions, 60);
    check_sliding(make_triangles, false);
    check_sliding(make_fan, true);
    check_sliding(make_slivers, false);
    check_sliding(make_junctions, true);
    check_convex_edge();
    check_tilted_on_edge();
    check_concave_edge();
    check_failures();
}
