/* Which contact continues which: single spheres by hand, random ones against an obvious search. */
#include "abut.h"
#include "base/memory.h"

#include "check.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_SPHERES = 4000, MOST_ROWS = 16000, MOST_NODES = 3 * MOST_ROWS };

/* A table of contacts that is filled row by row, sphere by sphere. */
typedef struct table {
    abut_index sphere_count;
    abut_index offsets[MOST_SPHERES + 1], mesh[MOST_ROWS];
    double point[3 * MOST_ROWS], normal[3 * MOST_ROWS], tilt[MOST_ROWS];
    abut_index node[MOST_NODES], node_offsets[MOST_ROWS + 1];
} table;

typedef struct row {
    double x;     /* where on the first axis the point is */
    double angle; /* of the normal against the third axis */
    double tilt;
    abut_index mesh, nodes[2];
} row;

static void clear(table *t)
{
    t->sphere_count = 0;
    t->offsets[0] = 0, t->node_offsets[0] = 0;
}

static void add_sphere(table *t, const row *rows, abut_index count)
{
    abut_index k = t->offsets[t->sphere_count++];
    for (abut_index i = 0; i < count; i++, k++) {
        const double point[3] = {rows[i].x, 0.0, 0.0};
        const double normal[3] = {sin(rows[i].angle), 0.0, cos(rows[i].angle)};
        for (int axis = 0; axis < 3; axis++) {
            t->point[3 * k + axis] = point[axis];
            t->normal[3 * k + axis] = normal[axis];
        }
        t->tilt[k] = rows[i].tilt;
        t->mesh[k] = rows[i].mesh;
        t->node[2 * k] = rows[i].nodes[0], t->node[2 * k + 1] = rows[i].nodes[1];
        t->node_offsets[k + 1] = 2 * k + 2;
    }
    t->offsets[t->sphere_count] = k;
}

static abut_step step_of(const table *t)
{
    return (abut_step){.sphere_count = t->sphere_count,
                       .contact_count = t->offsets[t->sphere_count],
                       .node_count = t->node_offsets[t->offsets[t->sphere_count]],
                       .offsets = t->offsets,
                       .mesh = t->mesh,
                       .point = t->point,
                       .normal = t->normal,
                       .tilt = t->tilt,
                       .node = t->node,
                       .node_offsets = t->node_offsets};
}

static table now, before;
static abut_index match[MOST_ROWS], expected[MOST_ROWS], earlier[MOST_SPHERES];

static abut_status match_tables(int workers)
{
    abut_step a = step_of(&now), b = step_of(&before);
    return abut_contacts_match(&a, &b, earlier, workers, match, NULL);
}

/* One sphere's contacts: match them, and leave the answer in `match`. */
static void match_rows(const row *rows, abut_index count, const row *old_rows, abut_index old_count)
{
    clear(&now), clear(&before);
    add_sphere(&now, rows, count);
    add_sphere(&before, old_rows, old_count);
    earlier[0] = 0;
    for (abut_index i = 0; i < count; i++) {
        match[i] = 99;
    }
    CHECK_INT(match_tables(1), ABUT_OK);
}

/* ---- which contacts may be one ---- */

static void test_one_contact(void)
{
    const row old = {.x = 0.0, .tilt = 0.25, .nodes = {1, 2}};
    const row same_plane = {.x = 5.0, .angle = 0.24, .nodes = {7, 8}};
    const row turned = {.x = 0.1, .angle = 0.26, .nodes = {7, 8}};
    const row turned_less = {.x = 0.1, .angle = 0.26, .tilt = 0.27, .nodes = {7, 8}};
    const row adjacent = {.x = 0.1, .angle = 1.5, .nodes = {7, 2}};
    const row elsewhere = {.x = 0.1, .angle = 1.5, .mesh = 1, .nodes = {7, 2}};
    const row other_mesh = {.x = 0.1, .mesh = 1, .nodes = {7, 8}};
    const row *rows[] = {&same_plane, &turned, &turned_less, &adjacent, &elsewhere, &other_mesh};
    const abut_index continued[] = {0, -1, 0, 0, -1, 0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        match_rows(rows[i], 1, &old, 1);
        CHECK_INT(match[0], continued[i]);
    }
}

static void test_tilt_at_its_limits(void)
{
    const row old = {.nodes = {1, 2}}, same = {.nodes = {7, 8}};
    match_rows(&same, 1, &old, 1);
    CHECK_INT(match[0], 0);
    /* a center on the mesh knows no direction: any normal agrees */
    const row opposite = {.angle = acos(-1.0), .tilt = INFINITY, .nodes = {7, 8}};
    match_rows(&opposite, 1, &old, 1);
    CHECK_INT(match[0], 0);
}

/* ---- several contacts ---- */

static void test_appearing_and_vanishing(void)
{
    const row floor = {.nodes = {1, 2}}, wall = {.x = 1.0, .angle = 1.5, .nodes = {5, 6}};
    const row both[] = {floor, wall}, turned[] = {wall, floor};
    match_rows(both, 2, &floor, 1);
    CHECK_INT(match[0], 0);
    CHECK_INT(match[1], -1);
    match_rows(&wall, 1, both, 2);
    CHECK_INT(match[0], 1);
    match_rows(turned, 2, both, 2);
    CHECK_INT(match[0], 1);
    CHECK_INT(match[1], 0);
    match_rows(both, 2, NULL, 0);
    CHECK_INT(match[0], -1);
    CHECK_INT(match[1], -1);
    match_rows(NULL, 0, both, 2);
}

/* Two facets become the edge between them: the nearer one goes on, and back again. */
static void test_merging_and_splitting(void)
{
    const row facets[] = {{.x = -0.2, .angle = -0.5, .nodes = {1, 2}},
                          {.x = 0.1, .angle = 0.5, .nodes = {2, 3}}};
    const row edge = {.x = 0.0, .nodes = {2, 9}};
    match_rows(&edge, 1, facets, 2);
    CHECK_INT(match[0], 1);
    match_rows(facets, 2, &edge, 1);
    CHECK_INT(match[0], -1);
    CHECK_INT(match[1], 0);
}

/* Both are nearest to the same: the nearer takes it, the other takes what is left. */
static void test_each_is_continued_once(void)
{
    const row old[] = {{.x = 0.0}, {.x = 4.0}}, new[] = {{.x = 1.0}, {.x = 0.5}};
    match_rows(new, 2, old, 2);
    CHECK_INT(match[0], 1);
    CHECK_INT(match[1], 0);
    match_rows(new, 2, old, 1);
    CHECK_INT(match[0], -1);
    CHECK_INT(match[1], 0);
}

static void test_ties_take_the_first(void)
{
    enum { COUNT = 300 };
    static row rows[COUNT];
    match_rows(rows, COUNT, rows, COUNT - 1);
    for (abut_index i = 0; i < COUNT - 1; i++) {
        CHECK_INT(match[i], i);
    }
    CHECK_INT(match[COUNT - 1], -1);
}

/* ---- many spheres against an obvious search ---- */

static double uniform(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) / 16777216.0;
}

static abut_index below(unsigned *seed, abut_index end)
{
    return (abut_index)(uniform(seed) * (double)end);
}

/* Mostly one contact; few places and nodes, so that many distances are equal. */
static void add_random_sphere(table *t, unsigned *seed)
{
    row rows[12];
    abut_index count = uniform(seed) < 0.5 ? 1 : below(seed, 12);
    for (abut_index i = 0; i < count; i++) {
        rows[i] = (row){.x = (double)below(seed, 6),
                        .angle = 0.5 * (double)below(seed, 4),
                        .tilt = uniform(seed) < 0.2 ? 0.75 : 0.0,
                        .mesh = below(seed, 2),
                        .nodes = {below(seed, 9), 9 + below(seed, 9)}};
    }
    add_sphere(t, rows, count);
}

static int is_admissible(abut_index i, abut_index k)
{
    double tilt = now.tilt[i] > before.tilt[k] ? now.tilt[i] : before.tilt[k], cosine = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        cosine += now.normal[3 * i + axis] * before.normal[3 * k + axis];
    }
    int shared =
        now.node[2 * i] == before.node[2 * k] || now.node[2 * i + 1] == before.node[2 * k + 1];
    return cosine >= cos(tilt) - 1e-12 || (shared && now.mesh[i] == before.mesh[k]);
}

/* Take the nearest of all admissible pairs, again and again. */
static int take_a_pair(abut_index sphere, uint8_t *taken)
{
    abut_index best = -1, best_old = -1, old_sphere = earlier[sphere];
    double nearest = INFINITY;
    for (abut_index i = now.offsets[sphere]; i < now.offsets[sphere + 1]; i++) {
        for (abut_index k = before.offsets[old_sphere];
             expected[i] < 0 && k < before.offsets[old_sphere + 1]; k++) {
            double distance = fabs(now.point[3 * i] - before.point[3 * k]);
            if (!taken[k] && distance < nearest && is_admissible(i, k)) {
                nearest = distance, best = i, best_old = k;
            }
        }
    }
    if (best >= 0) {
        expected[best] = best_old, taken[best_old] = 1;
    }
    return best >= 0;
}

static void match_obviously(void)
{
    static uint8_t taken[MOST_ROWS];
    for (int i = 0; i < MOST_ROWS; i++) {
        expected[i] = -1, taken[i] = 0;
    }
    for (abut_index sphere = 0; sphere < now.sphere_count; sphere++) {
        while (earlier[sphere] >= 0 && take_a_pair(sphere, taken)) {
        }
    }
}

/* Spheres were shuffled, some are new. */
static void make_random_tables(void)
{
    unsigned seed = 1;
    clear(&now), clear(&before);
    for (abut_index i = 0; i < MOST_SPHERES; i++) {
        add_random_sphere(&now, &seed), add_random_sphere(&before, &seed);
        earlier[i] = i;
    }
    for (abut_index i = MOST_SPHERES - 1; i > 0; i--) {
        abut_index other = below(&seed, i + 1), moved = earlier[i];
        earlier[i] = earlier[other], earlier[other] = moved;
    }
    for (abut_index i = 0; i < MOST_SPHERES; i += 10) {
        earlier[i] = -1;
    }
}

static void test_many_spheres(void)
{
    make_random_tables();
    match_obviously();
    for (int workers = 1; workers <= 3; workers += 2) {
        CHECK_INT(match_tables(workers), ABUT_OK);
        abut_index continued = 0, wrong = 0;
        for (abut_index i = 0; i < now.offsets[MOST_SPHERES]; i++) {
            continued += match[i] >= 0;
            wrong += match[i] != expected[i];
        }
        CHECK_INT(wrong, 0);
        CHECK(continued > MOST_SPHERES);
    }
}

static void test_allocation_failures(void)
{
    make_random_tables();
    for (int workers = 1; workers <= 3; workers += 2) {
        long live = memory_live_count();
        int call = 0, has_failed;
        do {
            memory_fail_at(++call);
            abut_status status = match_tables(workers);
            has_failed = memory_has_failed();
            CHECK_INT(status, has_failed ? ABUT_NO_MEMORY : ABUT_OK);
            CHECK_INT(memory_live_count(), live);
        } while (has_failed);
        memory_fail_at(0);
        CHECK(call > 2); /* a thread's scratch, and its rows */
    }
}

/* ---- one sphere with very many contacts ---- */

enum { CROWD = 60000 };

static int say_yes(void *data)
{
    ++*(int *)data;
    return 1;
}

static double crowd_points[3 * CROWD], crowd_tilts[CROWD];
static abut_index crowd_nodes[CROWD + 1], crowd_rows[CROWD];
static abut_index crowd_offsets[2];

/* Contacts of one sphere on a line, each with a normal and a node of its own. */
static abut_step crowd_of(abut_index count)
{
    for (abut_index k = 0; k < count; k++) {
        crowd_points[3 * k] = (double)k;
        crowd_nodes[k + 1] = k + 1;
    }
    crowd_offsets[1] = count;
    return (abut_step){.sphere_count = 1,
                       .contact_count = count,
                       .node_count = count,
                       .offsets = crowd_offsets,
                       .point = crowd_points,
                       .normal = crowd_points,
                       .tilt = crowd_tilts,
                       .node = crowd_nodes,
                       .node_offsets = crowd_nodes};
}

static abut_status match_crowd(const abut_step *step)
{
    return abut_contacts_match(step, step, NULL, 1, crowd_rows, NULL);
}

static void test_crowd_is_interrupted(void)
{
    abut_step step = crowd_of(CROWD);
    int question_count = 0;
    CHECK_INT(match_crowd(&step), ABUT_OK);
    abut_index wrong = 0;
    for (abut_index k = 0; k < CROWD; k++) {
        wrong += crowd_rows[k] != k;
    }
    CHECK_INT(wrong, 0);
    step.interrupted = say_yes, step.interrupted_data = &question_count;
    CHECK_INT(match_crowd(&step), ABUT_INTERRUPTED);
    CHECK_INT(question_count, 1);
}

static void test_allocation_failures_of_a_crowd(void)
{
    abut_step step = crowd_of(300);
    const double period[3] = {1e9, 0.0, 0.0};
    const long live = memory_live_count();
    long call = 0;
    int has_failed;
    step.period = period;
    do {
        memory_fail_at(++call);
        const abut_status status = match_crowd(&step);
        has_failed = memory_has_failed();
        CHECK_INT(status, has_failed ? ABUT_NO_MEMORY : ABUT_OK);
        CHECK_INT(memory_live_count(), live);
    } while (has_failed);
    memory_fail_at(0);
    CHECK(call > 40);
    CHECK_INT(crowd_rows[299], 299);
}

/* Each table is broken in another way, as now and as before. */
static void check_broken(abut_index *entry, abut_index value, abut_status status)
{
    const abut_index good = *entry;
    abut_error error;
    const abut_step a = step_of(&now), b = step_of(&before);
    *entry = value;
    CHECK_INT(abut_contacts_match(&a, &b, earlier, 1, match, &error), status);
    CHECK_INT(error.status, status);
    CHECK_INT(abut_contacts_match(&a, &b, earlier, 2, match, NULL), status);
    *entry = good;
}

static void test_offsets_that_do_not_ascend(void)
{
    make_random_tables();
    const abut_index far = INTPTR_MAX / 2, rows = now.offsets[MOST_SPHERES];
    table *const tables[] = {&now, &before};
    for (int k = 0; k < 2; k++) {
        table *t = tables[k];
        const abut_index last = t->offsets[t->sphere_count];
        check_broken(&t->offsets[0], 1, ABUT_BAD_ROWS);
        check_broken(&t->offsets[9], -1, ABUT_BAD_ROWS);
        check_broken(&t->offsets[t->sphere_count / 2], far, ABUT_BAD_ROWS);
        check_broken(&t->offsets[t->sphere_count], last + 1, ABUT_BAD_ROWS);
        check_broken(&t->node_offsets[0], -1, ABUT_BAD_NODES);
        check_broken(&t->node_offsets[last / 2], far, ABUT_BAD_NODES);
        check_broken(&t->node_offsets[last], 0, ABUT_BAD_NODES);
    }
    check_broken(&earlier[3], MOST_SPHERES, ABUT_BAD_EARLIER);
    check_broken(&earlier[3], far, ABUT_BAD_EARLIER);
    check_broken(&now.node[rows], far, ABUT_OK); /* only compared */
}

void test_match(void)
{
    test_offsets_that_do_not_ascend();
    test_one_contact();
    test_tilt_at_its_limits();
    test_appearing_and_vanishing();
    test_merging_and_splitting();
    test_each_is_continued_once();
    test_ties_take_the_first();
    test_many_spheres();
    test_allocation_failures();
    test_crowd_is_interrupted();
    test_allocation_failures_of_a_crowd();
}
