/* Bodies against walls: failing allocations, bad input, and polygons with unequal weights of their
 * corners. tests/test_convex_walls.py and test_convex_grooves.py test other contacts. */
#include "abut.h"
#include "base/memory.h"
#include "mesh/mesh_data.h"

#include "bodies.h"
#include "check.h"
#include "failing.h"
#include "periods.h"
#include "triangle_mesh.h"

#include <string.h>

/* A table of triangles: its top is z = 0, x < 0, its side is x = 0, z < 0. */
static const double TABLE[] = {-5, -4, 0, 0, -4, 0,  0, 4, 0,  -5, -4, 0, 0, 4, 0,  -5, 4, 0,
                               0,  -4, 0, 0, -4, -3, 0, 4, -3, 0,  -4, 0, 0, 4, -3, 0,  4, 0};
/* A beam that ends under the first body; the body's corners are beside the beam. */
static const double BEAM[] = {-0.4, 0, 0, 5, 0, 0, 5, 0.2, 0, -0.4, 0, 0, 5, 0.2, 0, -0.4, 0.2, 0};
static const double NO_NOISE[] = {0, 0, 0, 0};
static const double PLANE[6] = {0.0, 0.6, 0.0, 0.0, -1.0, 0.0};

static const double POSITIONS[6] = {-0.2, 0.1, 0.49, 0.35, -1.5, 0.4};
static const double TURNED[8] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.4, 0.0, 1.0};

static abut_convex_query query_of_two(void)
{
    abut_convex_query query = abut_convex_query_default();
    query.positions = POSITIONS, query.orientations = TURNED, query.gap = 0.1;
    return query;
}

/* Two bodies of a shape. */
static abut_convex_finder *build_two(const abut_shape *shape)
{
    const abut_shape *const shapes[] = {shape};
    const abut_convex_input input = {.shapes = shapes,
                                     .shape_count = 1,
                                     .body_count = 2,
                                     .options = abut_convex_options_default()};
    abut_convex_finder *finder = NULL;
    CHECK_INT(abut_convex_finder_build(&input, &finder, NULL), ABUT_OK);
    return finder;
}

static abut_finder *build_finder(const abut_mesh *mesh)
{
    abut_finder *finder = NULL;
    CHECK_INT(abut_finder_build(&mesh, 1, &finder, NULL), ABUT_OK);
    return finder;
}

/* A mesh of one polygon without noise. */
static abut_mesh *build_polygon(abut_index count, const double *vertices)
{
    const abut_index indices[] = {0, 1, 2, 3, 4}, offsets[] = {0, count};
    const abut_mesh_input input = {.vertex_count = count,
                                   .facet_count = 1,
                                   .index_count = count,
                                   .vertices = vertices,
                                   .indices = indices,
                                   .offsets = offsets,
                                   .noise = NO_NOISE};
    abut_mesh *mesh = NULL;
    CHECK_INT(abut_mesh_build(&input, &mesh, NULL), ABUT_OK);
    return mesh;
}

/* ---- allocations ---- */

/* Each query has a new finder, without memory of earlier queries. */
static void check_failures(const abut_shape *shape, const abut_mesh *mesh,
                           const abut_convex_walls *others)
{
    const abut_convex_query query = query_of_two();
    failures f = {0};
    while (fail_next(&f)) {
        memory_fail_at(0);
        abut_finder *finder = build_finder(mesh);
        abut_convex_finder *bodies = build_two(shape);
        abut_convex_walls walls = *others;
        abut_convex_contacts *contacts = NULL;
        walls.finder = finder;
        memory_fail_at(f.count);
        f.status = abut_convex_find_walls(bodies, &query, &walls, &contacts, NULL);
        CHECK((f.status == ABUT_OK) == (contacts != NULL));
        abut_convex_contacts_free(contacts);
        abut_convex_finder_free(bodies), abut_finder_free(finder);
    }
    CHECK(f.count > 20);
}

/* ---- bad input ---- */

static void check_refused(const abut_convex_finder *bodies, const abut_convex_query *query,
                          const abut_convex_walls *walls, abut_status status, abut_index index)
{
    abut_convex_contacts *contacts = NULL;
    abut_error error;
    CHECK_INT(abut_convex_find_walls(bodies, query, walls, &contacts, &error), status);
    CHECK(contacts == NULL && error.status == status && error.index == index);
}

static void check_bad_input(const abut_shape *shape, const abut_mesh *mesh)
{
    static const double gaps[] = {-1.0, 2.0 * ABUT_COORDINATE_LIMIT, (double)NAN};
    abut_finder *finder = build_finder(mesh);
    abut_shape *disk = NULL;
    CHECK_INT(abut_shape_build_point(2, 1.0, &disk, NULL), ABUT_OK);
    abut_convex_finder *bodies = build_two(shape), *disks = build_two(disk);
    const abut_convex_walls walls = {.finder = finder};
    abut_convex_query query = query_of_two();
    check_refused(disks, &query, &walls, ABUT_BAD_DIMENSION, 2);
    for (int k = 0; k < 3; k++) {
        query.gap = gaps[k];
        check_refused(bodies, &query, &walls, ABUT_BAD_GAP, 0);
    }
    const double short_period[] = {0.0, 1e-20, 0.0};
    query = query_of_two(), query.period = vectors_along(short_period, 3);
    check_refused(bodies, &query, &walls, ABUT_BODY_MANY_IMAGES, 0);
    abut_convex_finder_free(bodies), abut_convex_finder_free(disks);
    abut_shape_free(disk), abut_finder_free(finder);
}

/* ---- rows ---- */

enum { MOST_ROWS = 16 };

typedef struct wall_rows {
    abut_index rows, spots;
    abut_index image[3 * MOST_ROWS];
    double overlap[MOST_ROWS], sum; /* the sum over all rows */
} wall_rows;

static wall_rows find_walls(const abut_shape *shape, const abut_mesh *mesh, abut_convex_walls walls,
                            const abut_convex_query *query)
{
    abut_finder *finder = build_finder(mesh);
    abut_convex_finder *bodies = build_two(shape);
    abut_convex_contacts *contacts = NULL;
    walls.finder = finder;
    CHECK_INT(abut_convex_find_walls(bodies, query, &walls, &contacts, NULL), ABUT_OK);
    wall_rows found = {.rows = abut_convex_contacts_count(contacts),
                       .spots = abut_convex_contacts_spot_count(contacts)};
    if (CHECK(found.rows > 0 && found.rows <= MOST_ROWS)) {
        const abut_convex_columns columns = {.overlap = found.overlap, .image = found.image};
        abut_convex_contacts_write(contacts, &columns);
    }
    for (abut_index k = 0; k < found.rows; k++) {
        found.sum += found.overlap[k];
    }
    abut_convex_contacts_free(contacts);
    abut_convex_finder_free(bodies), abut_finder_free(finder);
    return found;
}

static wall_rows find_rows(const abut_shape *shape, const abut_mesh *mesh, int spots)
{
    abut_convex_query query = query_of_two();
    query.spots = spots;
    return find_walls(shape, mesh, (abut_convex_walls){.half_space_count = 1, .half_spaces = PLANE},
                      &query);
}

/* A body on its edge touches the edge of a table and a floor. Both have rows while the floor is
 * below the edge; an edge behind the floor has no row. */
static void check_edge_over_floor(const abut_shape *shape, const abut_mesh *table)
{
    static const abut_index second[] = {1};
    const abut_convex_query query = query_of_two();
    for (int k = 0; k < 3; k++) {
        const double floor[6] = {0.0, 0.0, k == 1 ? -0.3 : 0.2, 0.0, 0.0, 1.0};
        const abut_convex_walls walls = {
            .half_space_count = k > 0, .half_spaces = floor, .bodies = second, .body_count = 1};
        const wall_rows found = find_walls(shape, table, walls, &query);
        CHECK_INT(found.rows, k == 1 ? 2 : 1);
        CHECK(k != 0 || (found.sum < 0.0 && found.sum > -0.1)); /* the edge, within the gap */
    }
    check_failures(shape, table, &(abut_convex_walls){.bodies = second, .body_count = 1});
}

/* A body across the border of a periodic box touches one facet at two images. */
static void check_images(const abut_shape *shape)
{
    static const double flat[] = {-5, -4, 0, 5, -4, 0, 5, 4, 0, -5, 4, 0};
    static const double period[] = {10.0, 0.0, 0.0}, positions[6] = {4.9, 0.0, 0.49, 0.0, 0.0, 3.0};
    abut_mesh *mesh = build_polygon(4, flat);
    abut_convex_query query = abut_convex_query_default();
    query.positions = positions, query.period = vectors_along(period, 3);
    const wall_rows found = find_walls(shape, mesh, (abut_convex_walls){0}, &query);
    CHECK_INT(found.rows, 2);
    CHECK_INT(found.image[0] + found.image[3], 1);
    CHECK(found.image[0] * found.image[3] == 0 && found.spots >= 4);
    CHECK_NEAR(found.overlap[0], 0.01, 1e-15), CHECK_NEAR(found.overlap[1], 0.01, 1e-15);
    abut_mesh_free(mesh);
}

/* A floor, a wall, and another wall behind it with a smaller overlap. That wall has a row and does
 * not change other rows. */
static void check_wall_behind(const abut_shape *shape)
{
    static const double walls[] = {-5,   -4, 0, 5,    -4, 0, 5,    4,  0, -5,   -4, 0, 5,    4,  0,
                                   -5,   4,  0, 0.28, -4, 0, 0.28, 4,  3, 0.28, -4, 3, 0.28, -4, 0,
                                   0.28, 4,  0, 0.28, 4,  3, 0.29, -4, 0, 0.29, 4,  3, 0.29, -4, 3,
                                   0.29, -4, 0, 0.29, 4,  0, 0.29, 4,  3};
    static const double positions[6] = {-0.2, 0.1, 0.49, -3.0, 0.0, 2.0};
    abut_mesh *one = build_triangles(4, walls), *two = build_triangles(6, walls);
    abut_convex_query query = abut_convex_query_default();
    query.positions = positions;
    const wall_rows alone = find_walls(shape, one, (abut_convex_walls){0}, &query);
    const wall_rows both = find_walls(shape, two, (abut_convex_walls){0}, &query);
    CHECK_INT(both.rows, alone.rows + 1);
    CHECK_NEAR(both.sum, alone.sum + 0.01, 1e-14);
    abut_mesh_free(one), abut_mesh_free(two);
}

/* A floor of four plates with cracks supports a body like one plate. */
static void check_cracks(const abut_shape *shape)
{
    static const double ends[2][2] = {{-5.0, -0.2001}, {-0.2, 5.0}};
    static const abut_index first[] = {0};
    double plates[8 * 9];
    for (int k = 0; k < 4; k++) {
        const double *x = ends[k % 2], *y = ends[k / 2];
        const double corners[18] = {x[0], y[0], 0.0, x[1], y[0], 0.0, x[1], y[1], 0.0,
                                    x[0], y[0], 0.0, x[1], y[1], 0.0, x[0], y[1], 0.0};
        memcpy(plates + 18 * k, corners, sizeof corners);
    }
    abut_mesh *mesh = build_triangles(8, plates);
    const abut_convex_query query = query_of_two();
    const abut_convex_walls walls = {.bodies = first, .body_count = 1};
    const wall_rows found = find_walls(shape, mesh, walls, &query);
    CHECK_INT(found.spots, 4);
    CHECK_NEAR(found.sum, 0.01 * (double)found.rows, 1e-14);
    check_failures(shape, mesh, &walls);
    abut_mesh_free(mesh);
}

/* Without spots, rows are the same. */
static void check_rows_alone(const abut_shape *shape, const abut_mesh *mesh)
{
    const wall_rows all = find_rows(shape, mesh, 1), alone = find_rows(shape, mesh, 0);
    CHECK(all.spots >= all.rows && alone.spots == 0);
    CHECK_INT(alone.rows, all.rows);
    CHECK(memcmp(alone.overlap, all.overlap, sizeof all.overlap) == 0);
}

static void check_same_rows(const abut_shape *shape, const abut_mesh *mesh, const abut_mesh *other)
{
    const wall_rows a = find_rows(shape, mesh, 1), b = find_rows(shape, other, 1);
    CHECK_INT(a.rows, b.rows), CHECK_INT(a.spots, b.spots);
    CHECK_NEAR(a.sum, b.sum, 1e-14);
}

/* A bent polygon supports a body like its triangles, with or without a repeated corner. An extra
 * corner on a side changes nothing. */
static void check_polygons(const abut_shape *shape)
{
    const double bent[] = {-5, -4, 0, 5, -4, 0, 5, 4, 1e-3, -5, 4, 0};
    const double twice[] = {-5, -4, 0, 5, -4, 0, 5, 4, 1e-3, 5, 4, 1e-3, -5, 4, 0};
    const double five[] = {-5, -4, 0, 5, -4, 0, 5, 1, 0, 5, 4, 0, -5, 4, 0};
    const double four[] = {-5, -4, 0, 5, -4, 0, 5, 4, 0, -5, 4, 0};
    double corners[18];
    abut_mesh *quad = build_polygon(4, bent), *one = build_polygon(5, five);
    abut_mesh *without = build_polygon(4, four), *doubled = build_polygon(5, twice);
    CHECK(quad->bent[0] && one->flat[2]);
    for (int k = 0; k < 6; k++) {
        vec3_store(corners + 3 * k, quad->triangles[k / 3].corner[k % 3]);
    }
    abut_mesh *triangles = build_noisy_triangles(2, corners, NO_NOISE);
    check_same_rows(shape, quad, triangles);
    check_same_rows(shape, quad, doubled);
    check_same_rows(shape, one, without);
    check_failures(shape, quad, &(abut_convex_walls){0});
    abut_mesh_free(quad), abut_mesh_free(one), abut_mesh_free(without), abut_mesh_free(triangles);
    abut_mesh_free(doubled);
}

void test_convex_walls(void)
{
    abut_shape *shape = box_shape(0.5, 0.5, 0.5);
    abut_mesh *table = build_triangles(4, TABLE), *beam = build_triangles(2, BEAM);
    const abut_convex_walls beside = {.half_space_count = 1, .half_spaces = PLANE};
    check_failures(shape, table, &beside), check_failures(shape, beam, &beside);
    check_bad_input(shape, table);
    check_rows_alone(shape, table), check_rows_alone(shape, beam);
    check_polygons(shape);
    check_edge_over_floor(shape, table);
    check_images(shape);
    check_wall_behind(shape);
    check_cracks(shape);
    abut_mesh_free(table), abut_mesh_free(beam), abut_shape_free(shape);
    CHECK_INT(memory_live_count(), 0);
}
