/* Rows that are written while the search goes on are those that are written after it, to the bit,
 * however much room there is. */
#include "abut.h"
#include "base/memory.h"

#include "check.h"
#include "contact_columns.h"
#include "random.h"
#include "triangle_mesh.h"

#include <math.h>
#include <string.h>

enum { TRIANGLES = 600, SPHERES = 12000 };

/* Triangles anywhere in a box that is repeated along x, and spheres among them. */
typedef struct scene {
    double vertices[9 * TRIANGLES], centers[3 * SPHERES], radii[SPHERES], period[3];
} scene;

static const scene *make_scene(void)
{
    static scene s = {.period = {1.25, 0.0, 0.0}};
    state = 1;
    for (int f = 0; f < TRIANGLES; f++) {
        const double at[3] = {draw_number(), draw_number(), draw_number()};
        for (int i = 0; i < 9; i++) {
            s.vertices[9 * f + i] = at[i % 3] + 0.2 * draw_number();
        }
    }
    for (int i = 0; i < SPHERES; i++) {
        s.radii[i] = 0.06 + 0.06 * draw_number();
        for (int axis = 0; axis < 3; axis++) {
            s.centers[3 * i + axis] = draw_number() * (i % 5000 < 1500 ? 0.1 : 1.0);
        }
    }
    return &s;
}

/* Where the room is enough its columns are the result, which is that without room; others can be
 * written at any time. */
static void check_room(const abut_finder *finder, abut_query query, const found *e,
                       abut_index row_room, abut_index node_room)
{
    abut_room room = {allocate_columns(SPHERES, row_room, node_room), row_room, node_room};
    abut_columns others = allocate_columns(SPHERES, e->rows, e->nodes);
    abut_contacts *contacts = NULL;
    CHECK_INT(abut_contacts_find_into(finder, &query, &room, &contacts, NULL), ABUT_OK);
    CHECK_INT(abut_contacts_count(contacts), e->rows);
    CHECK_INT(abut_contacts_node_count(contacts), e->nodes);
    abut_contacts_write(contacts, &others);
    check_columns(SPHERES, e->rows, e->nodes, &others, &e->columns);
    if (row_room >= e->rows && node_room >= e->nodes) {
        check_columns(SPHERES, e->rows, e->nodes, &room.columns, &e->columns);
        abut_contacts_write(contacts, &room.columns);
        check_columns(SPHERES, e->rows, e->nodes, &room.columns, &e->columns);
    }
    abut_contacts_free(contacts);
    free_columns(&room.columns);
    free_columns(&others);
}

static void check_rooms(const abut_finder *finder, abut_query query)
{
    found e = find_columns(finder, &query);
    CHECK(e.rows > SPHERES && e.nodes > e.rows);
    for (query.workers = 1; query.workers <= 4; query.workers += 3) {
        check_room(finder, query, &e, e.rows, e.nodes);
        check_room(finder, query, &e, 2 * e.rows, 2 * e.nodes);
        check_room(finder, query, &e, e.rows - 1, e.nodes);
        check_room(finder, query, &e, e.rows, e.nodes - 1);
        check_room(finder, query, &e, e.rows / 2, e.nodes);
        check_room(finder, query, &e, 0, 0);
    }
    free_columns(&e.columns);
}

/* The finder goes on as before. */
static void check_failure(const abut_finder *finder, abut_query query)
{
    double centers[3 * SPHERES];
    found e = find_columns(finder, &query);
    abut_room room = {allocate_columns(SPHERES, e.rows, e.nodes), e.rows, e.nodes};
    abut_contacts *contacts = NULL;
    abut_error error;
    const double *good = query.centers;
    memcpy(centers, good, sizeof centers);
    centers[3 * (SPHERES - 5)] = NAN;
    query.centers = centers;
    CHECK_INT(abut_contacts_find_into(finder, &query, &room, &contacts, &error),
              ABUT_CENTER_NOT_FINITE);
    CHECK_INT(error.index, SPHERES - 5);
    CHECK(contacts == NULL);
    query.centers = good;
    check_room(finder, query, &e, e.rows, e.nodes);
    free_columns(&room.columns);
    free_columns(&e.columns);
}

void test_early(void)
{
    const scene *s = make_scene();
    abut_mesh *mesh = build_triangles(TRIANGLES, s->vertices);
    const abut_mesh *meshes[] = {mesh, mesh};
    abut_finder *finder = NULL;
    CHECK_INT(abut_finder_build(meshes, 2, &finder, NULL), ABUT_OK);
    abut_query query = abut_query_default();
    query.sphere_count = SPHERES;
    query.centers = s->centers;
    query.radii = s->radii;
    check_rooms(finder, query);
    check_failure(finder, query);
    query.period = s->period;
    check_rooms(finder, query);
    query.resolution = ABUT_SHARING;
    check_rooms(finder, query);
    abut_finder_free(finder);
    abut_mesh_free(mesh);
    CHECK_INT(memory_live_count(), 0);
}
