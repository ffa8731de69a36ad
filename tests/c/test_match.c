/* Matches of contacts between steps: random spheres compared with a simple search, and a sphere
 * with very many contacts. */
#include "abut.h"
#include "base/memory.h"

#include "check.h"
#include "failing.h"
#include "periods.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SPHERES = 4000, MOST_ROWS = 16000, MOST_NODES = 3 * MOST_ROWS };

/* A table of contacts, filled sphere by sphere. */
typedef struct table {
    abut_index sphere_count;
    abut_index offsets[MOST_SPHERES + 1], mesh[MOST_ROWS];
    double point[3 * MOST_ROWS], normal[3 * MOST_ROWS], tilt[MOST_ROWS];
    abut_index node[MOST_NODES], node_offsets[MOST_ROWS + 1];
} table;

typedef struct row {
    double x;     /* the point's coordinate on the first axis */
    double angle; /* the angle between the normal and the third axis */
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

/* ---- many spheres compared with a simple search ---- */

/* Adds a sphere with mostly one contact; places and nodes are few, so many distances are equal. */
static void add_random_sphere(table *t)
{
    row rows[12];
    abut_index count = draw_number() < 0.5 ? 1 : draw_below(12);
    for (abut_index i = 0; i < count; i++) {
        rows[i] = (row){.x = draw_below(6),
                        .angle = 0.5 * draw_below(4),
                        .tilt = draw_number() < 0.2 ? 0.75 : 0.0,
                        .mesh = draw_below(2),
                        .nodes = {draw_below(9), 9 + draw_below(9)}};
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

/* Takes the nearest of the remaining admissible pairs. */
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

/* Fills two tables; in the second, spheres are shuffled and some are new. */
static void make_random_tables(void)
{
    state = 1;
    clear(&now), clear(&before);
    for (abut_index i = 0; i < MOST_SPHERES; i++) {
        add_random_sphere(&now), add_random_sphere(&before);
        earlier[i] = i;
    }
    for (abut_index i = MOST_SPHERES - 1; i > 0; i--) {
        abut_index other = draw_below((int)i + 1), moved = earlier[i];
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
        failures f = {0};
        while (fail_next(&f)) {
            f.status = match_tables(workers);
        }
        CHECK(f.count > 2); /* a thread's scratch, and its rows */
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

static abut_status match_many(const abut_step *step, const abut_step *older)
{
    return abut_contacts_match(step, older, NULL, 1, crowd_rows, NULL);
}

static void test_crowd_is_interrupted(void)
{
    abut_step step = crowd_of(CROWD), elsewhere = step;
    static abut_index other_mesh[CROWD];
    int question_count = 0;
    for (abut_index k = 0; k < CROWD; k++) {
        other_mesh[k] = 1;
    }
    CHECK_INT(match_many(&step, &step), ABUT_OK);
    abut_index wrong = 0;
    for (abut_index k = 0; k < CROWD; k++) {
        wrong += crowd_rows[k] != k;
    }
    CHECK_INT(wrong, 0);
    step.interrupted = say_yes, step.interrupted_data = &question_count;
    /* no two are of the same mesh: all are compared */
    elsewhere.mesh = other_mesh;
    CHECK_INT(match_many(&step, &elsewhere), ABUT_INTERRUPTED);
    CHECK_INT(question_count, 1);
}

static void test_allocation_failures_of_a_crowd(void)
{
    abut_step step = crowd_of(300);
    const double period[3] = {1e9, 0.0, 0.0};
    step.period = vectors_along(period, 3);
    failures f = {0};
    while (fail_next(&f)) {
        f.status = match_many(&step, &step);
    }
    CHECK(f.count > 4);
    CHECK_INT(crowd_rows[299], 299);
}

/* An invalid number or a removed mesh does not affect other contacts. */
static void test_a_crowd_that_is_not_sound(void)
{
    enum { FEW = 300, BAD = 7 };
    static abut_index meshes[FEW];
    static const double wrong[] = {NAN, 1e80, -INFINITY};
    for (int kind = 0; kind < 9; kind++) {
        abut_step step = crowd_of(FEW), last = step;
        double points[3 * FEW], normals[3 * FEW], tilts[FEW] = {0.0};
        memcpy(points, crowd_points, sizeof points);
        memcpy(normals, crowd_points, sizeof normals);
        last.point = points, last.normal = normals, last.tilt = tilts;
        (kind % 3 == 0 ? points : normals)[3 * BAD + kind / 3] =
            kind % 3 == 2 ? 1.0 : wrong[kind / 3];
        tilts[BAD] = kind == 2 ? NAN : 0.0;
        meshes[BAD] = kind == 5 ? 1 : 0;
        last.mesh = meshes;
        step.mesh = kind == 8 ? meshes : NULL;
        CHECK_INT(abut_contacts_match(&step, &last, NULL, 1, crowd_rows, NULL), ABUT_OK);
        abut_index wrong_rows = 0;
        for (abut_index k = 0; k < FEW; k++) {
            wrong_rows += k != BAD && crowd_rows[k] != k;
        }
        CHECK_INT(wrong_rows, 0);
    }
}

/* Invalid numbers of spheres, which Python checks itself. */
static void test_numbers_that_no_sphere_had(void)
{
    const abut_index far = INTPTR_MAX / 2, bad[] = {MOST_SPHERES, far};
    const abut_index good = earlier[3];
    for (int k = 0; k < 2; k++) {
        earlier[3] = bad[k];
        CHECK_INT(match_tables(1), ABUT_BAD_EARLIER);
        CHECK_INT(match_tables(2), ABUT_BAD_EARLIER);
    }
    earlier[3] = good;
}

void test_match(void)
{
    test_many_spheres();
    test_numbers_that_no_sphere_had();
    test_allocation_failures();
    test_crowd_is_interrupted();
    test_allocation_failures_of_a_crowd();
    test_a_crowd_that_is_not_sound();
}
