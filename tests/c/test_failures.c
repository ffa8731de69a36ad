/* A build and a query, in which every allocation fails once, or which are interrupted at each
 * question: each time they return an error, and nothing leaks. */
#include "abut.h"
#include "base/memory.h"
#include "walls/search_order.h"

#include "check.h"
#include "failing.h"
#include "periods.h"

#include <math.h>
#include <stdbool.h>

enum {
    SIDE = 8,
    VERTEX_COUNT = (SIDE + 1) * (SIDE + 1),
    SPHERE_COUNT = 3000,
    FEW_SPHERES = 202,
    MESHES = 40
};

/* A rough sheet of quads. An arrow-shaped quad is split; a quad without area is dropped. */
typedef struct sheet {
    double vertices[3 * VERTEX_COUNT];
    abut_index indices[4 * SIDE * SIDE];
    abut_index offsets[SIDE * SIDE + 1];
    double centers[3 * SPHERE_COUNT];
    double radii[SPHERE_COUNT];
} sheet;

static void place_vertices(sheet *s)
{
    for (int i = 0; i < VERTEX_COUNT; i++) {
        double x = i % (SIDE + 1), y = (double)(i / (SIDE + 1));
        s->vertices[3 * i] = x;
        s->vertices[3 * i + 1] = y;
        s->vertices[3 * i + 2] = 0.25 * x; /* a flat ramp, not aligned with the axes */
    }
}

static void place_facets(sheet *s)
{
    for (int f = 0; f < SIDE * SIDE; f++) {
        abut_index corner = f % SIDE + f / SIDE * (SIDE + 1);
        abut_index corners[4] = {corner, corner + 1, corner + SIDE + 2, corner + SIDE + 1};
        for (int k = 0; k < 4; k++) {
            s->indices[4 * f + k] = corners[k];
        }
        s->offsets[f + 1] = 4 * (f + 1);
    }
    /* the corners 0, 1, 2 and 3 lie on one line; the other quad is an arrow */
    for (int k = 0; k < 4; k++) {
        s->indices[k] = k;
    }
    s->indices[4 * 20 + 2] = 0;
}

static void place_spheres(sheet *s)
{
    for (int i = 0; i < SPHERE_COUNT; i++) {
        double x = fmod(0.618 * i, SIDE), y = fmod(0.414 * i, SIDE);
        s->centers[3 * i] = x;
        s->centers[3 * i + 1] = y;
        s->centers[3 * i + 2] = 0.25 * x + 0.1;
        s->radii[i] = i % 100 == 0 ? 6.0
                      : i % 7 == 3
                          ? 0.45
                          : 0.5; /* a few spheres touch more facets than a first buffer holds */
    }
}

static abut_status write_columns(const abut_contacts *contacts, abut_index spheres)
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
        CHECK_INT(columns.offsets[spheres], rows);
        CHECK_INT(columns.node_offsets[rows], nodes);
    }
    memory_free(numbers), memory_free(values), memory_free(types);
    return status;
}

/* A query of one or several copies of a mesh. */
typedef struct question {
    const abut_mesh_input *input;
    abut_index mesh_count;
    abut_query query;
} question;

static abut_status build(const question *q, abut_mesh **mesh, abut_finder **finder)
{
    const abut_mesh *meshes[MESHES];
    abut_error error = {.status = ABUT_OK};
    abut_status status = abut_mesh_build(q->input, mesh, &error);
    for (int k = 0; k < MESHES; k++) {
        meshes[k] = *mesh;
    }
    if (!status) {
        status = abut_finder_build(meshes, q->mesh_count, finder, &error);
    }
    CHECK_INT(error.status, status);
    return status;
}

static abut_status find(const question *q, const abut_finder *finder, abut_index *rows)
{
    abut_contacts *contacts = NULL;
    abut_error error = {.status = ABUT_OK};
    abut_status status = abut_contacts_find(finder, &q->query, &contacts, &error);
    CHECK_INT(error.status, status);
    CHECK((contacts != NULL) == (status == ABUT_OK));
    if (!status) {
        *rows = abut_contacts_count(contacts);
        status = write_columns(contacts, q->query.sphere_count);
    }
    abut_contacts_free(contacts);
    return status;
}

/* Builds, queries and frees, until the first failure. */
static abut_status build_and_find(const question *q, abut_index *rows)
{
    abut_mesh *mesh = NULL;
    abut_finder *finder = NULL;
    abut_status status = build(q, &mesh, &finder);
    status = status ? status : find(q, finder, rows);
    abut_finder_free(finder), abut_mesh_free(mesh);
    return status;
}

static void fail_every_allocation(const question *q)
{
    abut_index whole = -1, rows = -1;
    CHECK_INT(build_and_find(q, &whole), ABUT_OK);
    CHECK(whole > q->query.sphere_count / 2);
    failures f = {0};
    while (fail_next(&f)) {
        f.status = build_and_find(q, &rows);
    }
    CHECK(f.count > 20); /* allocations failed throughout the call */
    CHECK_INT(rows, whole);
}

/* The finder works again after each interruption. */
static void interrupt_every_question(const question *q)
{
    question asked = *q;
    abut_mesh *mesh = NULL;
    abut_finder *finder = NULL;
    abut_index whole = -1, rows = -1;
    CHECK_INT(build(q, &mesh, &finder), ABUT_OK);
    CHECK_INT(find(q, finder, &whole), ABUT_OK);
    interruptions i = {0};
    asked.query.interrupted = interrupt_now, asked.query.interrupted_data = &i;
    while (interrupt_next(&i)) {
        i.status = find(&asked, finder, &rows);
    }
    CHECK(i.count > 3);
    CHECK_INT(rows, whole);
    abut_finder_free(finder), abut_mesh_free(mesh);
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

/* A prepared set of bins is complete, or does not exist. */
static void fail_prepare(const abut_mesh_input *input, double reach)
{
    failures f = {0};
    while (fail_next(&f)) {
        f.status = build_and_prepare(input, reach);
    }
    CHECK(f.count > 20);
}

/* Runs all kinds of queries: each resolution, one mesh and many, both orders, with a period. */
static void ask_of_all_kinds(question *q)
{
    static const abut_resolution resolutions[] = {ABUT_SHARING, ABUT_HIERARCHY, ABUT_ALL};
    static const double period[3] = {SIDE + 0.5, SIDE + 0.5, 0.0};
    for (int k = 0; k < 6; k++) {
        q->query.resolution = resolutions[k % 3];
        q->query.workers = 1 + k / 2 % 2;
        q->query.period = k % 2 ? vectors_along(period, 3) : NULL;
        q->mesh_count = k < 3 ? 1 : MESHES;
        order_force(k % 4 < 2);
        if (k < 4) {
            fail_every_allocation(q);
        }
        interrupt_every_question(q);
    }
    order_force(false);
}

static void fail_contacts(const sheet *s)
{
    const abut_mesh_input input = {.vertex_count = VERTEX_COUNT,
                                   .facet_count = SIDE * SIDE,
                                   .index_count = 4 * SIDE * SIDE,
                                   .vertices = s->vertices,
                                   .indices = s->indices,
                                   .offsets = s->offsets,
                                   .drop_zero_area = 1,
                                   .split = 1};
    const double floor[6] = {0, 0, 0, 0, 0, 1};
    question q = {.input = &input, .mesh_count = 1, .query = abut_query_default()};
    q.query.sphere_count = SPHERE_COUNT;
    q.query.centers = s->centers;
    q.query.radii = s->radii;
    q.query.resolution = ABUT_ALL;
    q.query.half_space_count = 1, q.query.half_spaces = floor;
    for (q.query.workers = 1; q.query.workers <= 2; q.query.workers++) {
        fail_every_allocation(&q);
    }
    fail_prepare(&input, 0.3);
    fail_prepare(&input, 1000.0);
    q.query.sphere_count = FEW_SPHERES;
    ask_of_all_kinds(&q);
}

void test_failures(void)
{
    static sheet s;
    place_vertices(&s), place_facets(&s), place_spheres(&s);
    fail_contacts(&s);
    CHECK_INT(memory_live_count(), 0);
}
