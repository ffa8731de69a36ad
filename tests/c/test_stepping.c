/* The loop of steps from abut.h, with spheres that roll over a floor; and columns that are not
 * written. */
#include "abut.h"
#include "base/memory.h"

#include "check.h"
#include "contact_columns.h"
#include "triangle_mesh.h"

#include <stdlib.h>
#include <string.h>

enum { SPHERES = 3000, SIDE = 24, TRIANGLES = 2 * SIDE * SIDE, ROOM = 4 * SPHERES };

/* The contacts of a step in their own columns; all zeros is no previous step. */
typedef struct table {
    abut_columns columns;
    abut_step step;
    abut_index match[ROOM];
    double springs[3 * ROOM];
} table;

/* Allocates the caller's columns with their final size. */
static abut_status make_room(table *t, abut_index rows, abut_index nodes)
{
    return CHECK(rows <= ROOM && nodes <= 3 * ROOM) && t->columns.offsets ? ABUT_OK
                                                                          : ABUT_NO_MEMORY;
}

/* ---- the loop of abut.h ---- */

static abut_status step_on(const abut_finder *finder, const abut_query *query, table *now,
                           const table *before, abut_error *error)
{
    const int workers = query->workers;
    const abut_step *old = &before->step;
    abut_contacts *contacts = NULL;
    abut_status status = abut_contacts_find(finder, query, &contacts, error);
    if (status) {
        return status;
    }
    const abut_index rows = abut_contacts_count(contacts);
    const abut_index nodes = abut_contacts_node_count(contacts);
    status = make_room(now, rows, nodes);
    if (!status) {
        abut_contacts_write(contacts, &now->columns);
        now->step = (abut_step){.sphere_count = query->sphere_count,
                                .contact_count = rows,
                                .node_count = nodes,
                                .offsets = now->columns.offsets,
                                .point = now->columns.point,
                                .normal = now->columns.normal,
                                .tilt = now->columns.tilt,
                                .node = now->columns.node,
                                .node_offsets = now->columns.node_offsets};
        status = abut_contacts_match(&now->step, old, NULL, workers, now->match, error);
    }
    if (!status) {
        status = abut_contacts_carry(&now->step, old, now->match, before->springs, workers,
                                     now->springs, error);
    }
    abut_contacts_free(contacts);
    return status;
}

/* ---- a floor, and spheres on it ---- */

static abut_mesh *make_floor(void)
{
    static double corners[9 * TRIANGLES];
    const int along[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
    for (int f = 0; f < TRIANGLES; f++) {
        for (int k = 0; k < 3; k++) {
            double *at = corners + 9 * f + 3 * k;
            at[0] = f / 2 % SIDE + along[f % 2][k][0];
            at[1] = f / 2 / SIDE + along[f % 2][k][1];
        }
    }
    return build_triangles(TRIANGLES, corners);
}

static void place_spheres(double *centers, double *radii, int step)
{
    for (int i = 0; i < SPHERES; i++) {
        centers[3 * i] = 1.0 + i % 60 * 0.3 + 0.002 * step;
        centers[3 * i + 1] = 1.0 + i / 60 * 0.3 + 0.003 * step;
        centers[3 * i + 2] = 0.09;
        radii[i] = 0.1;
    }
}

static table *new_table(void)
{
    table *t = calloc(1, sizeof *t);
    t->columns = allocate_columns(SPHERES, ROOM, 3 * ROOM);
    return t;
}

static void free_table(table *t)
{
    free_columns(&t->columns);
    free(t);
}

/* Every sphere keeps its one contact, and its spring grows from step to step. */
static void pull_springs(table *now, int step)
{
    CHECK_INT(now->step.contact_count, SPHERES);
    for (abut_index row = 0; row < now->step.contact_count; row++) {
        CHECK_INT(now->match[row], step > 0 ? row : -1);
        CHECK(now->springs[3 * row] == 0.5 * step);
        now->springs[3 * row] += 0.5;
    }
}

static void check_steps(const abut_finder *finder, abut_query query)
{
    static double centers[3 * SPHERES], radii[SPHERES];
    table *tables[2] = {new_table(), new_table()};
    query.sphere_count = SPHERES;
    query.centers = centers;
    query.radii = radii;
    for (int step = 0; step < 12; step++) {
        place_spheres(centers, radii, step);
        CHECK_INT(step_on(finder, &query, tables[step % 2], tables[1 - step % 2], NULL), ABUT_OK);
        pull_springs(tables[step % 2], step);
    }
    free_table(tables[0]);
    free_table(tables[1]);
}

/* ---- memory ---- */

/* After as many searches as threads may need, no further search allocates memory. */
static void check_that_searches_allocate_nothing(const abut_finder *finder, abut_query query)
{
    enum { FIRST_STEPS = 4, STEPS = 20 };
    static double centers[3 * SPHERES], radii[SPHERES];
    table *t = new_table();
    query.sphere_count = SPHERES;
    query.centers = centers;
    query.radii = radii;
    for (int step = 0; step < STEPS; step++) {
        abut_contacts *contacts = NULL;
        memory_fail_at(step < FIRST_STEPS ? 0 : 1);
        place_spheres(centers, radii, step);
        if (CHECK_INT(abut_contacts_find(finder, &query, &contacts, NULL), ABUT_OK)) {
            abut_contacts_write(contacts, &t->columns);
        }
        abut_contacts_free(contacts);
    }
    CHECK(!memory_has_failed());
    memory_fail_at(0);
    free_table(t);
}

/* ---- columns that are not written ---- */

enum { COLUMNS = 15, NODE = 12, WEIGHT = 13 };

/* Returns the member of a column, in the order of the struct. */
static void **member(abut_columns *c, int column)
{
    void *members[COLUMNS] = {&c->sphere, &c->mesh,    &c->facet,   &c->type,   &c->feature,
                              &c->point,  &c->normal,  &c->overlap, &c->share,  &c->tilt,
                              &c->image,  &c->offsets, &c->node,    &c->weight, &c->node_offsets};
    return members[column];
}

/* Writes all rows into some of the columns; the other columns must not change. */
static void check_choice(const abut_contacts *contacts, const found *all, unsigned left_out)
{
    abut_columns some = allocate_columns(all->spheres, all->rows, all->nodes);
    abut_columns given = some, expected = all->columns;
    for (int column = 0; column < COLUMNS; column++) {
        if (left_out >> column & 1) {
            *member(&given, column) = NULL;
            *member(&expected, column) = *member(&some, column); /* nothing is written there */
        }
    }
    abut_contacts_write(contacts, &given);
    check_columns(all->spheres, all->rows, all->nodes, &some, &expected);
    free_columns(&some);
}

static void check_choices(const abut_finder *finder, abut_query query)
{
    static double centers[3 * SPHERES], radii[SPHERES];
    abut_contacts *contacts = NULL;
    place_spheres(centers, radii, 0);
    query.sphere_count = SPHERES;
    query.centers = centers;
    query.radii = radii;
    found all = find_columns(finder, &query);
    CHECK_INT(abut_contacts_find(finder, &query, &contacts, NULL), ABUT_OK);
    for (int column = 0; column < COLUMNS; column++) {
        const unsigned nodes = 1u << NODE | 1u << WEIGHT;
        const unsigned own = column == NODE || column == WEIGHT ? nodes : 1u << column;
        check_choice(contacts, &all, own);
        check_choice(contacts, &all, ~own);
        check_choice(contacts, &all, own | nodes);
    }
    abut_contacts_free(contacts);
    free_columns(&all.columns);
}

void test_stepping(void)
{
    abut_mesh *mesh = make_floor();
    const abut_mesh *meshes[] = {mesh};
    abut_finder *finder = NULL;
    CHECK_INT(abut_finder_build(meshes, 1, &finder, NULL), ABUT_OK);
    abut_query query = abut_query_default();
    check_steps(finder, query);
    check_that_searches_allocate_nothing(finder, query);
    check_choices(finder, query);
    query.resolution = ABUT_SHARING;
    check_choices(finder, query);
    query.workers = 3;
    query.resolution = ABUT_HIERARCHY;
    check_steps(finder, query);
    abut_finder_free(finder);
    abut_mesh_free(mesh);
    CHECK_INT(memory_live_count(), 0);
}
