/* Every allocation of a build and a query fails once: a clean status each time, nothing leaks. */
#include "abut.h"
#include "base/memory.h"

#include "check.h"
#include "failing.h"

#include <math.h>
#include <stdbool.h>

enum { SIDE = 8, VERTEX_COUNT = (SIDE + 1) * (SIDE + 1), SPHERE_COUNT = 3000, PAIR_SPHERES = 400 };

/* A rough sheet of quads, of which one is split, since it is an arrow, and one dropped: it has no
 * area. */
typedef struct scene {
    double vertices[3 * VERTEX_COUNT];
    abut_index indices[4 * SIDE * SIDE];
    abut_index offsets[SIDE * SIDE + 1];
    double centers[3 * SPHERE_COUNT];
    double radii[SPHERE_COUNT];
} scene;

static void place_vertices(scene *s)
{
    for (int i = 0; i < VERTEX_COUNT; i++) {
        double x = i % (SIDE + 1), y = (double)(i / (SIDE + 1));
        s->vertices[3 * i] = x;
        s->vertices[3 * i + 1] = y;
        s->vertices[3 * i + 2] = 0.25 * x; /* a ramp: plane, and away from the axes */
    }
}

static void place_facets(scene *s)
{
    for (int f = 0; f < SIDE * SIDE; f++) {
        abut_index corner = f % SIDE + f / SIDE * (SIDE + 1);
        abut_index corners[4] = {corner, corner + 1, corner + SIDE + 2, corner + SIDE + 1};
        for (int k = 0; k < 4; k++) {
            s->indices[4 * f + k] = corners[k];
        }
        s->offsets[f + 1] = 4 * (f + 1);
    }
    /* 0, 1, 2 and 3 lie on one line; the other goes out and back in */
    for (int k = 0; k < 4; k++) {
        s->indices[k] = k;
    }
    s->indices[4 * 20 + 2] = 0;
}

static void place_spheres(scene *s)
{
    for (int i = 0; i < SPHERE_COUNT; i++) {
        double x = fmod(0.618 * i, SIDE), y = fmod(0.414 * i, SIDE);
        s->centers[3 * i] = x;
        s->centers[3 * i + 1] = y;
        s->centers[3 * i + 2] = 0.25 * x + 0.1;
        s->radii[i] =
            i % 100 == 0 ? 6.0 : 0.5; /* a few touch more facets than a first buffer holds */
    }
}

static abut_status write_columns(const abut_contacts *contacts)
{
    abut_index rows = abut_contacts_count(contacts), nodes = abut_contacts_node_count(contacts);
    abut_index *numbers = memory_alloc_zeroed(8 * rows + SPHERE_COUNT + nodes + 2, sizeof *numbers);
    double *values = memory_alloc(9 * rows + nodes, sizeof *values);
    uint8_t *types = memory_alloc(rows, sizeof *types);
    abut_status status = numbers && values && types ? ABUT_OK : ABUT_NO_MEMORY;
    if (!status) {
        abut_columns columns = {
            .sphere = numbers,
            .facet = numbers + rows,
            .type = types,
            .feature = numbers + 2 * rows,
            .node_offsets = numbers + 3 * rows,
            .mesh = numbers + 4 * rows + 1,
            .image = numbers + 5 * rows + 1,
            .offsets = numbers + 8 * rows + 1,
            .node = numbers + 8 * rows + SPHERE_COUNT + 2,
            .point = values,
            .normal = values + 3 * rows,
            .overlap = values + 6 * rows,
            .share = values + 7 * rows,
            .tilt = values + 8 * rows,
            .weight = values + 9 * rows,
        };
        abut_contacts_write(contacts, &columns);
        CHECK_INT(columns.offsets[SPHERE_COUNT], rows);
        CHECK_INT(columns.node_offsets[rows], nodes);
    }
    memory_free(numbers), memory_free(values), memory_free(types);
    return status;
}

/* What a program does; the first failure ends it. */
static abut_status build_and_find(const abut_mesh_input *input, const abut_query *query,
                                  abut_index *rows)
{
    abut_mesh *mesh = NULL;
    abut_finder *finder = NULL;
    abut_contacts *contacts = NULL;
    abut_error error = {.status = ABUT_OK};
    abut_status status = abut_mesh_build(input, &mesh, &error);
    if (!status) {
        status = abut_finder_build((const abut_mesh *const *)&mesh, 1, &finder, &error);
    }
    if (!status) {
        status = abut_contacts_find(finder, query, &contacts, &error);
    }
    CHECK_INT(error.status, status);
    CHECK((contacts != NULL) == (status == ABUT_OK));
    if (!status) {
        *rows = abut_contacts_count(contacts);
        status = write_columns(contacts);
    }
    abut_contacts_free(contacts), abut_finder_free(finder), abut_mesh_free(mesh);
    return status;
}

static void fail_every_allocation(const abut_mesh_input *input, const abut_query *query)
{
    const long live = memory_live_count();
    abut_index whole = -1, rows = -1;
    CHECK_INT(build_and_find(input, query, &whole), ABUT_OK);
    CHECK_INT(memory_live_count(), live);
    CHECK(whole > query->sphere_count);
    failures f = {0};
    while (fail_next(&f)) {
        f.status = build_and_find(input, query, &rows);
    }
    CHECK(f.count > 20); /* it did fail, all the way through */
    CHECK_INT(rows, whole);
}

static abut_status build_and_prepare(const abut_mesh_input *input, double reach)
{
    abut_mesh *mesh = NULL;
    abut_finder *finder = NULL;
    abut_error error;
    abut_status status = abut_mesh_build(input, &mesh, &error);
    const abut_mesh *meshes[] = {mesh};
    status = status ? status : abut_finder_build(meshes, 1, &finder, &error);
    if (!status) {
        status = abut_finder_prepare(finder, reach, &error);
        CHECK_INT(error.status, status);
        CHECK_INT(abut_finder_inspect(finder).set_count, status ? 0 : 1);
        CHECK_INT(abut_finder_prepare(finder, -reach, &error), ABUT_BAD_REACH);
        CHECK_NEAR(error.value, -reach, 0.0);
    }
    abut_finder_free(finder);
    abut_mesh_free(mesh);
    return status;
}

/* Bins that are prepared are there in full, or not at all. */
static void fail_prepare(const abut_mesh_input *input, double reach)
{
    failures f = {0};
    while (fail_next(&f)) {
        f.status = build_and_prepare(input, reach);
    }
    CHECK(f.count > 20);
}

static void fail_contacts(const scene *s)
{
    const abut_mesh_input input = {.vertex_count = VERTEX_COUNT,
                                   .facet_count = SIDE * SIDE,
                                   .index_count = 4 * SIDE * SIDE,
                                   .vertices = s->vertices,
                                   .indices = s->indices,
                                   .offsets = s->offsets,
                                   .drop_zero_area = 1,
                                   .split = 1};
    abut_query query = abut_query_default();
    query.sphere_count = SPHERE_COUNT;
    query.centers = s->centers;
    query.radii = s->radii;
    query.resolution = ABUT_ALL;
    const double floor[6] = {0, 0, 0, 0, 0, 1};
    query.half_space_count = 1, query.half_spaces = floor;
    for (query.workers = 1; query.workers <= 2; query.workers++) {
        fail_every_allocation(&input, &query);
    }
    fail_prepare(&input, 0.3);
    fail_prepare(&input, 1000.0);
}

/* ---- pairs of spheres ---- */

/* Two queries of one finder: the second uses memory of the first. */
static abut_status find_pairs_twice(const abut_pair_finder *finder, const abut_pair_query *query,
                                    abut_index *count)
{
    abut_status status = ABUT_OK;
    for (int k = 0; !status && k < 2; k++) {
        abut_pairs *pairs = NULL;
        abut_error error;
        abut_pair_query own = *query;
        if (k == 1) {
            own.other_centers = query->centers;
            own.other_count = PAIR_SPHERES;
        }
        status = abut_pairs_find(finder, &own, &pairs, &error);
        CHECK_INT(error.status, status);
        CHECK((pairs != NULL) == (status == ABUT_OK));
        *count = status ? -1 : abut_pairs_count(pairs);
        abut_pairs_free(pairs);
    }
    return status;
}

/* Where a query fails, the finder still serves the next one. */
static abut_status build_and_find_pairs(const abut_pair_input *input, const abut_pair_query *query,
                                        abut_index *count)
{
    abut_pair_finder *finder = NULL;
    abut_error error;
    abut_status status = abut_pair_finder_build(input, &finder, &error);
    CHECK_INT(error.status, status);
    CHECK((finder != NULL) == (status == ABUT_OK));
    if (!status) {
        status = find_pairs_twice(finder, query, count);
        if (status) {
            memory_fail_at(0);
            CHECK_INT(find_pairs_twice(finder, query, count), ABUT_OK);
        }
    }
    abut_pair_finder_free(finder);
    return status;
}

static void fail_every_allocation_of_pairs(const abut_pair_input *input,
                                           const abut_pair_query *query)
{
    const long live = memory_live_count();
    abut_index whole = -1;
    CHECK_INT(build_and_find_pairs(input, query, &whole), ABUT_OK);
    CHECK(whole > PAIR_SPHERES);
    int call = 0;
    bool has_failed;
    do {
        abut_index count = whole;
        memory_fail_at(++call);
        abut_status status = build_and_find_pairs(input, query, &count);
        has_failed = status != ABUT_OK;
        CHECK(status == ABUT_OK || status == ABUT_NO_MEMORY);
        CHECK_INT(count, whole);
        CHECK_INT(memory_live_count(), live);
    } while (has_failed && call < 1000);
    memory_fail_at(0);
    CHECK(call > 30); /* it did fail, all the way through */
}

/* Floats and doubles, and the images of a small box. */
static void fail_pairs(const scene *s)
{
    static const double small_box[3] = {7.0, 0.0, 0.0};
    static double gaps[PAIR_SPHERES];
    abut_pair_input input = abut_pair_input_default();
    input.sphere_count = PAIR_SPHERES;
    input.radii = s->radii;
    abut_pair_query query = abut_pair_query_default();
    query.centers = s->centers;
    query.other_radii = s->radii;
    for (query.workers = 1; query.workers <= 2; query.workers++) {
        input.period = NULL, input.gaps = NULL;
        fail_every_allocation_of_pairs(&input, &query);
        input.period = small_box, input.gaps = gaps;
        fail_every_allocation_of_pairs(&input, &query);
    }
}

void test_failures(void)
{
    static scene s;
    place_vertices(&s), place_facets(&s), place_spheres(&s);
    fail_contacts(&s);
    fail_pairs(&s);
}
