/* A simulation in C: the same bits for any instruction level and order in memory, and through
 * failures. */
#include "base/memory.h"
#include "dem/order.h"

#include "abut.h"

#include "check.h"
#include "failing.h"
#include "random.h"
#include "simd_levels.h"
#include "triangle_mesh.h"

#include <stdlib.h>
#include <string.h>

/* MANY: so many that several threads share them. */
enum { SPHERES = 250, MANY = 4000, STEPS = 60, MATERIALS = 2, MOST_PAIRS = 8 * SPHERES };

/* A box that is open above, and a paddle in it. */
typedef struct setting {
    abut_mesh *box, *paddle;
    abut_finder *finder;
    abut_simulation *simulation;
    double centers[3 * MANY], velocities[3 * MANY];
} setting;

static void add_quad(double *to, vec3 corner, vec3 a, vec3 b)
{
    const vec3 corners[6] = {corner,
                             vec3_add(corner, a),
                             vec3_add(vec3_add(corner, a), b),
                             corner,
                             vec3_add(vec3_add(corner, a), b),
                             vec3_add(corner, b)};
    for (int k = 0; k < 6; k++) {
        vec3_store(to + 3 * k, corners[k]);
    }
}

static void build_meshes(setting *s)
{
    const vec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, z = {0.0, 0.0, 1.0},
               none = {0.0, 0.0, 0.0};
    double walls[18 * 5], paddle[18];
    add_quad(walls, none, x, y);
    add_quad(walls + 18, none, y, z);
    add_quad(walls + 36, none, z, x);
    add_quad(walls + 54, x, z, y);
    add_quad(walls + 72, y, x, z);
    add_quad(paddle, (vec3){0.5, 0.1, 0.0}, vec3_scale(y, 0.8), vec3_scale(z, 0.2));
    s->box = build_triangles(10, walls);
    s->paddle = build_triangles(2, paddle);
    const abut_mesh *meshes[2] = {s->box, s->paddle};
    CHECK_INT(abut_finder_build(meshes, 2, &s->finder, NULL), ABUT_OK);
}

/* Whether spheres stick to each other, and hang on bridges between two materials. */
static bool is_sticky;

static void stick(abut_law *l)
{
    if (l->kind == ABUT_HERTZ) {
        l->cohesion = ABUT_JKR, l->adhesion = 5.0;
    } else {
        l->cohesion = ABUT_LIQUID_BRIDGE, l->volume = 1e-7, l->surface_tension = 2.0;
    }
}

static void set_laws(abut_simulation *s)
{
    abut_law laws[MATERIALS * MATERIALS];
    for (int k = 0; k < MATERIALS * MATERIALS; k++) {
        const bool is_mixed = k == 1 || k == 2;
        laws[k] = (abut_law){.kind = is_mixed ? ABUT_LINEAR : ABUT_HERTZ,
                             .stiffness = is_mixed ? 1e4 : 1e6,
                             .shear = is_mixed ? 3e3 : 3e5,
                             .friction = 0.5,
                             .restitution = 0.6,
                             .rolling = k == 0 ? ABUT_ROLLING_A : ABUT_ROLLING_C,
                             .rolling_friction = 0.01,
                             .rolling_damping = 0.3};
        if (is_sticky) {
            stick(&laws[k]);
        }
    }
    CHECK_INT(abut_simulation_set_laws(s, MATERIALS, laws, NULL), ABUT_OK);
}

/* The paddle is a free body. */
static bool is_driven;

static void drive(abut_simulation *s)
{
    const abut_drive free = {
        .mass = 200.0,
        .inertia = {20.0, 30.0, 40.0},
        .arm = {0.0, 0.0, 0.01},
        .locked = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0},
        .frame = {1.0, 0.0, 0.0, -0.5, 0.0, 1.0, 0.0, -0.5, 0.0, 0.0, 1.0, -0.5},
        .position = {0.5, 0.5, 0.5},
        .orientation = {0.0, 0.0, 0.0, 1.0}};
    abut_simulation_set_drive(s, 1, &free);
    CHECK_INT(abut_simulation_drive(s, 1).mass == 200.0, 1);
    CHECK_INT(fabs(abut_simulation_wall_now(s, 1).pose[3]) < 1e-15, 1);
}

static void set_walls(setting *s)
{
    const abut_motion free = {.kind = ABUT_FREE};
    const abut_motion spin = {ABUT_ROTATING, {0.0, 0.0, 1.0}, {0.5, 0.5, 0.0}, 3.0, 0.0};
    const abut_motion turning = is_driven ? free : spin;
    abut_wall walls[2] = {{.material = 0}, {.material = 1, .motions = &turning, .motion_count = 1}};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 4; i++) {
            walls[k].pose[5 * i] = 1.0;
        }
    }
    CHECK_INT(abut_simulation_set_walls(s->simulation, s->finder, walls, 2, NULL, NULL), ABUT_OK);
    if (is_driven) {
        drive(s->simulation);
    }
}

/* At random, about as densely however many there are. */
static void add_spheres(abut_simulation *s, int count)
{
    static double centers[3 * MANY], radii[MANY], masses[MANY];
    static abut_index materials[MANY];
    const double scale = cbrt((double)SPHERES / count);
    state = 5;
    for (int i = 0; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            centers[3 * i + axis] = 0.05 + 0.9 * draw_number();
        }
        radii[i] = scale * (0.02 + 0.05 * draw_number());
        if (i == 2) { /* lies on very many others */
            centers[3 * i] = centers[3 * i + 1] = 0.5, centers[3 * i + 2] = 1.3;
            radii[i] = 0.5;
        }
        masses[i] = 4000.0 * radii[i] * radii[i] * radii[i];
        materials[i] = i % 3 == 0;
    }
    const abut_spheres rows = {.count = count,
                               .centers = centers,
                               .radii = radii,
                               .masses = masses,
                               .materials = materials};
    CHECK_INT(abut_simulation_add(s, &rows, NULL), ABUT_OK);
}

static abut_simulation *build_simulation(double period, int workers)
{
    const abut_simulation_input input = {.step = 1e-4,
                                         .gravity = {0.0, 0.0, -9.81},
                                         .period = {period, 0.0, 0.0},
                                         .resolution = ABUT_HIERARCHY,
                                         .workers = workers};
    abut_simulation *s = NULL;
    CHECK_INT(abut_simulation_build(&input, &s, NULL), ABUT_OK);
    set_laws(s);
    return s;
}

static void begin(setting *s, double period, int workers)
{
    s->simulation = build_simulation(period, workers);
    set_walls(s);
    add_spheres(s->simulation, SPHERES);
}

static void read_state(setting *s)
{
    const abut_spheres rows = {
        .count = SPHERES, .centers = s->centers, .velocities = s->velocities};
    abut_simulation_read(s->simulation, &rows);
}

static abut_status run(abut_simulation *s, abut_index steps)
{
    abut_index done;
    return abut_simulation_run(s, steps, NULL, NULL, &done, NULL);
}

static bool are_same(const setting *a, const setting *b)
{
    return memcmp(a->centers, b->centers, sizeof a->centers) == 0 &&
           memcmp(a->velocities, b->velocities, sizeof a->velocities) == 0;
}

/* Pairs of the last step, as readers have them. */
typedef struct pair_table {
    abut_index count, i[MOST_PAIRS], j[MOST_PAIRS];
    double overlap[MOST_PAIRS], force[3 * MOST_PAIRS], spring[3 * MOST_PAIRS];
} pair_table;

static void read_pairs(const setting *s, pair_table *t)
{
    memset(t, 0, sizeof *t);
    abut_interactions to = abut_simulation_count_interactions(s->simulation, ABUT_SPHERE_SPHERE);
    t->count = to.row_count;
    CHECK(t->count <= MOST_PAIRS);
    to.columns.pairs = (abut_pair_columns){.i = t->i, .j = t->j, .overlap = t->overlap};
    to.force = t->force, to.spring = t->spring;
    CHECK_INT(abut_simulation_write_interactions(s->simulation, ABUT_SPHERE_SPHERE, &to, NULL),
              ABUT_OK);
    for (abut_index k = 0; k < 3 * t->count; k++) {
        t->spring[k] += 0.0; /* -0 becomes 0 where a pair is turned around twice */
    }
}

/* Whether a simulation has the pairs of another one. */
static void check_pairs(const setting *s, const pair_table *expected)
{
    static pair_table own;
    read_pairs(s, &own);
    CHECK(memcmp(&own, expected, sizeof own) == 0);
}

/* The largest difference of places. */
static double difference(const setting *a, const setting *b)
{
    double most = 0.0;
    for (size_t k = 0; k < sizeof a->centers / sizeof a->centers[0]; k++) {
        most = fmax(most, fabs(a->centers[k] - b->centers[k]));
    }
    return most;
}

static void end(setting *s)
{
    abut_simulation_free(s->simulation);
    s->simulation = NULL;
}

static abut_index count_rows(const setting *s, abut_interaction who)
{
    return abut_simulation_count_interactions(s->simulation, who).row_count;
}

/* The state after STEPS, in *s. */
static void do_run(setting *s, double period, int workers)
{
    begin(s, period, workers);
    CHECK_INT(run(s->simulation, STEPS), ABUT_OK);
    read_state(s);
    CHECK(count_rows(s, ABUT_SPHERE_WALL) > SPHERES / 20);
    CHECK(count_rows(s, ABUT_SPHERE_SPHERE) > SPHERES / 4);
    end(s);
}

static void check_same_bits(setting *first, setting *other, double period)
{
    do_run(first, period, 1);
    for (size_t k = 0; choose_next_level(&k);) {
        do_run(other, period, 1);
        CHECK(are_same(first, other));
    }
    /* sums are in another order then */
    order_sort_always(true);
    do_run(other, period, 1);
    order_sort_always(false);
    CHECK(difference(first, other) < 1e-12);
}

static void run_many(setting *s, int workers)
{
    s->simulation = build_simulation(1.0, workers);
    set_walls(s);
    add_spheres(s->simulation, MANY);
    CHECK_INT(run(s->simulation, 12), ABUT_OK);
    read_state(s);
    CHECK(count_rows(s, ABUT_SPHERE_SPHERE) > MANY / 2);
    end(s);
}

/* So many contacts at once that there is no room for them at first. */
static void check_many(setting *one, setting *several)
{
    run_many(one, 1);
    run_many(several, 3);
    CHECK(are_same(one, several));
}

/* Each allocation of a step fails once: the step is not done, the pairs are those of the step
 * before, and the next one is done. */
static void check_failures(setting *whole, setting *s)
{
    static pair_table before;
    order_sort_always(true);
    do_run(whole, 1.0, 1);
    begin(s, 1.0, 1);
    abut_index step = 0;
    int failed = 0;
    for (long call = 1; step < STEPS; call++) {
        read_pairs(s, &before);
        memory_fail_at(call);
        const abut_status status = run(s->simulation, 1);
        const bool has_failed = memory_has_failed();
        memory_fail_at(0);
        CHECK_INT(status, has_failed ? ABUT_NO_MEMORY : ABUT_OK);
        failed += has_failed;
        if (has_failed) {
            check_pairs(s, &before);
        }
        call = has_failed ? call : 0;
        step += !has_failed;
        CHECK_INT(abut_simulation_step_count(s->simulation), step);
    }
    order_sort_always(false);
    CHECK(failed > 20);
    read_state(s);
    CHECK(are_same(whole, s));
    end(s);
}

/* Likewise of the first step, for which nothing is there: each time in a simulation of its own. */
static void check_first_failures(setting *s, double period)
{
    int failed = 0;
    for (bool has_failed = true; has_failed; failed += has_failed) {
        begin(s, period, 1);
        memory_fail_at(failed + 1);
        const abut_status status = run(s->simulation, 1);
        has_failed = memory_has_failed();
        memory_fail_at(0);
        CHECK_INT(status, has_failed ? ABUT_NO_MEMORY : ABUT_OK);
        CHECK_INT(run(s->simulation, 2), ABUT_OK);
        CHECK_INT(abut_simulation_step_count(s->simulation), has_failed ? 2 : 3);
        end(s);
    }
    CHECK(failed > 50);
}

/* Spheres are stored in the order that they are given, or nothing changes. */
static void check_order(setting *s)
{
    abut_index rows[SPHERES], again[SPHERES];
    abut_error error;
    begin(s, 1.0, 1);
    CHECK_INT(abut_simulation_sphere_count(s->simulation), SPHERES);
    CHECK_INT(run(s->simulation, 3), ABUT_OK);
    for (abut_index k = 0; k < SPHERES; k++) {
        rows[k] = SPHERES - 1 - k;
    }
    rows[2] = rows[1];
    CHECK_INT(abut_simulation_restore_order(s->simulation, rows, 7, &error), ABUT_BAD_EARLIER);
    CHECK_INT(error.index, 2);
    CHECK_INT(error.detail, SPHERES - 2);
    rows[2] = SPHERES - 3;
    abut_status status = ABUT_NO_MEMORY;
    for (long call = 1; status; call++) {
        memory_fail_at(call);
        status = abut_simulation_restore_order(s->simulation, rows, 7, NULL);
        memory_fail_at(0);
        CHECK_INT(abut_simulation_read_order(s->simulation, again), status ? 0 : 7);
        CHECK_INT(again[0], status ? 0 : SPHERES - 1);
    }
    CHECK(memcmp(rows, again, sizeof rows) == 0);
    CHECK_INT(run(s->simulation, 3), ABUT_OK);
    end(s);
}

/* Interrupted at questions early and late in a step: it is not done, pairs are those of the last
 * one that was, and it goes on to the same bits. */
static void check_interruptions(setting *whole, setting *s)
{
    static pair_table pairs;
    begin(whole, 1.0, 1);
    begin(s, 1.0, 1);
    int count = 0;
    for (abut_index step = 0; step < STEPS; count++) {
        interruptions i = {.place = count % 40 * 3};
        abut_index done = 0;
        parallel_ask_always(true);
        const abut_status status =
            abut_simulation_run(s->simulation, STEPS - step, interrupt_now, &i, &done, NULL);
        parallel_ask_always(false);
        step += done;
        CHECK_INT(status, step < STEPS ? ABUT_INTERRUPTED : ABUT_OK);
        CHECK_INT(abut_simulation_step_count(s->simulation), step);
        CHECK_INT(run(whole->simulation, done), ABUT_OK);
        read_pairs(whole, &pairs);
        check_pairs(s, &pairs);
    }
    CHECK(count > 20);
    read_state(whole), read_state(s);
    CHECK(are_same(whole, s));
    end(whole), end(s);
}

/* What is locked, and a wall without mass, do not limit the step. */
static void check_locks(setting *s)
{
    double steps[64];
    begin(s, 0.0, 1);
    CHECK_INT(run(s->simulation, STEPS), ABUT_OK);
    abut_drive drive = abut_simulation_drive(s->simulation, 1);
    for (int mask = 0; mask < 64; mask++) {
        abut_stable_step longest;
        for (int k = 0; k < 6; k++) {
            drive.locked[k] = mask >> k & 1;
        }
        abut_simulation_set_drive(s->simulation, 1, &drive);
        CHECK_INT(abut_simulation_stable_step_of_walls(s->simulation, &longest), ABUT_OK);
        steps[mask] = longest.step;
        CHECK(steps[mask] >= steps[0]);
    }
    CHECK(steps[0] < 1.0 && steps[7] > steps[0] && steps[7] < 1.0 && steps[63] == INFINITY);
    abut_stable_step longest;
    drive.mass = 0.0, drive.locked[0] = 0.0;
    abut_simulation_set_drive(s->simulation, 1, &drive);
    CHECK_INT(abut_simulation_stable_step_of_walls(s->simulation, &longest), ABUT_OK);
    CHECK(longest.step == INFINITY);
    end(s);
}

/* What callers do between steps. */
typedef abut_status deed(setting *s);

static abut_status change_laws(setting *s)
{
    const abut_law stiff = {.kind = ABUT_HERTZ,
                            .stiffness = 2e6,
                            .shear = 3e5,
                            .restitution = 0.5,
                            .rolling = ABUT_ROLLING_C,
                            .rolling_friction = 0.02};
    const abut_law laws[MATERIALS * MATERIALS] = {stiff, stiff, stiff, stiff};
    return abut_simulation_set_laws(s->simulation, MATERIALS, laws, NULL);
}

static abut_status change_walls(setting *s)
{
    const abut_motion rising = {ABUT_TRANSLATING, {0.0, 0.0, 0.1}, {0.0}, 0.0, 0.0};
    abut_wall walls[2] = {{.material = 0}, {.material = 1, .motions = &rising, .motion_count = 1}};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 4; i++) {
            walls[k].pose[5 * i] = 1.0;
        }
    }
    return abut_simulation_set_walls(s->simulation, s->finder, walls, 2, NULL, NULL);
}

static abut_status add_one(setting *s)
{
    double center[3] = {0.3, 0.3, 2.0}, radius = 0.05, mass = 0.5;
    abut_index material = 1;
    const abut_spheres rows = {
        .count = 1, .centers = center, .radii = &radius, .masses = &mass, .materials = &material};
    return abut_simulation_add(s->simulation, &rows, NULL);
}

static abut_status add_dumbbell(setting *s)
{
    double position[3] = {0.7, 0.7, 2.0}, turn[4] = {0.0, 0.0, 0.0, 1.0}, still[3] = {0.0};
    double mass = 1.0, inertia[3] = {1e-3, 1e-3, 5e-4},
           members[6] = {0.0, 0.0, -0.03, 0.0, 0.0, 0.03};
    double centers[6] = {0.0}, radii[2] = {0.05, 0.05}, masses[2] = {0.5, 0.5};
    abut_index count = 2, materials[2] = {1, 1};
    const abut_index numbers[2] = {abut_simulation_rigid_count(s->simulation, ABUT_CLUSTERS),
                                   abut_simulation_rigid_count(s->simulation, ABUT_CLUSTERS)};
    const abut_rigids clusters = {.count = 1,
                                  .positions = position,
                                  .orientations = turn,
                                  .velocities = still,
                                  .angular_momenta = still,
                                  .masses = &mass,
                                  .inertias = inertia,
                                  .member_counts = &count,
                                  .members = members};
    const abut_spheres rows = {.count = 2,
                               .centers = centers,
                               .radii = radii,
                               .masses = masses,
                               .materials = materials,
                               .clusters = (abut_index *)numbers};
    return abut_simulation_add_rigids(s->simulation, ABUT_CLUSTERS, &clusters, &rows, NULL);
}

static abut_status remove_some(setting *s)
{
    static uint8_t is_gone[SPHERES + 8];
    for (int i = 0; i < SPHERES; i++) {
        is_gone[i] = i % 11 == 0;
    }
    return abut_simulation_remove(s->simulation, is_gone, NULL);
}

static abut_status look(setting *s)
{
    static double forces[3 * 8192];
    const abut_interactions to = {.force = forces};
    abut_stable_step longest;
    abut_status status = ABUT_OK;
    for (int who = 0; !status && who < ABUT_INTERACTION_COUNT; who++) {
        status =
            abut_simulation_write_interactions(s->simulation, (abut_interaction)who, &to, NULL);
    }
    status = status ? status : abut_simulation_stable_step_of_walls(s->simulation, &longest);
    return status ? status : abut_simulation_stable_step(s->simulation, &longest);
}

/* Whether it failed where an allocation did, and left as many spheres as there were. */
static int do_with_failures(setting *s, deed *does)
{
    int failed = 0;
    bool has_failed = true;
    for (long call = 1; has_failed; call++) {
        const abut_index count = abut_simulation_sphere_count(s->simulation);
        memory_fail_at(call);
        const abut_status status = does(s);
        has_failed = memory_has_failed();
        memory_fail_at(0);
        CHECK_INT(status, has_failed ? ABUT_NO_MEMORY : ABUT_OK);
        CHECK(!has_failed || abut_simulation_sphere_count(s->simulation) == count);
        CHECK_INT(run(s->simulation, has_failed ? 0 : 5), ABUT_OK);
        failed += has_failed;
    }
    return failed;
}

/* Whatever failed on the way: the same bits as where nothing did. */
static void check_deeds(setting *smooth, setting *s)
{
    deed *const deeds[] = {change_laws, change_walls, add_one, add_dumbbell, look, remove_some};
    begin(smooth, 1.0, 1);
    begin(s, 1.0, 1);
    CHECK_INT(run(smooth->simulation, 20), ABUT_OK);
    CHECK_INT(run(s->simulation, 20), ABUT_OK);
    for (size_t k = 0; k < sizeof deeds / sizeof *deeds; k++) {
        CHECK_INT(deeds[k](smooth), ABUT_OK);
        CHECK_INT(run(smooth->simulation, 5), ABUT_OK);
        CHECK(do_with_failures(s, deeds[k]) > 0);
    }
    read_state(smooth), read_state(s);
    CHECK(are_same(smooth, s));
    end(smooth), end(s);
}

void test_simulation(void)
{
    static setting first, other;
    build_meshes(&first);
    other.finder = first.finder;
    const long live = memory_live_count();
    check_same_bits(&first, &other, 0.0);
    check_same_bits(&first, &other, 1.0);
    check_many(&first, &other);
    check_failures(&first, &other);
    check_first_failures(&first, 0.0);
    check_first_failures(&first, 1.0);
    check_interruptions(&first, &other);
    check_order(&other);
    check_deeds(&first, &other);
    is_sticky = true;
    check_same_bits(&first, &other, 1.0);
    check_failures(&first, &other);
    is_driven = true;
    check_same_bits(&first, &other, 0.0);
    check_failures(&first, &other);
    check_locks(&first);
    abut_finder_free(first.finder);
    abut_mesh_free(first.box);
    abut_mesh_free(first.paddle);
    CHECK(memory_live_count() <= live);
}
