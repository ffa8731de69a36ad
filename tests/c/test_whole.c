/* A simulation that has everything, as C's callers may use it: rows that are wrong, columns alone,
 * what to go on from that somebody has changed, and allocations that fail. */
#include "base/memory.h"

#include "failing.h"
#include "golden.h"

enum { FEW = 36 };

/* ---- the scene ---- */

static golden scene;

/* Few spheres on the floor, bodies that touch it and each other, and a cluster above each of them,
 * which it touches. */
static void draw_scene(void)
{
    golden_draw(&scene, FEW);
    for (int k = 0; k < BODIES; k++) {
        const double x = 0.1 + 0.088 * k;
        vec3_store(scene.bodies.positions + 3 * k, (vec3){x, 0.6, 0.049});
        vec3_store(scene.clusters.positions + 3 * k, (vec3){x, 0.3 + 0.08 * (k % 2), 0.049});
    }
    for (int k = 0; k < FEW; k++) {
        scene.rows.centers[3 * k + 2] = 0.019;
    }
    vec3_store(scene.rows.centers, (vec3){0.1, 0.6, 0.11}); /* on a body */
}

static abut_status run(abut_index steps)
{
    abut_index done;
    return abut_simulation_run(scene.simulation, steps, NULL, NULL, &done, NULL);
}

static void begin(void)
{
    draw_scene();
    CHECK_INT(golden_begin(&scene, 1), ABUT_OK);
    CHECK_INT(golden_fill(&scene), ABUT_OK);
}

static void end(void)
{
    abut_simulation_free(scene.simulation);
    scene.simulation = NULL;
}

/* ---- rows that are wrong ---- */

/* A column of bodies by the number that errors name, its width, and what it may not have. */
typedef struct body_column {
    abut_index number;
    double *values;
    int width;
    double wrong[3];
} body_column;

static void check_bad_number(const body_column *c, double wrong)
{
    const abut_index row = 3;
    double *at = c->values + row * c->width + c->width - 1, kept = *at;
    abut_error error;
    const abut_rigids bodies = golden_columns(&scene.bodies, ABUT_BODIES);
    *at = wrong;
    CHECK_INT(abut_simulation_add_rigids(scene.simulation, ABUT_BODIES, &bodies, NULL, &error),
              ABUT_BAD_BODY);
    CHECK_INT(error.index, row);
    CHECK_INT(error.detail, c->number);
    CHECK(error.value == wrong || isnan(wrong));
    *at = kept;
}

static void check_bad_bodies(void)
{
    golden_rigids *r = &scene.bodies;
    const body_column columns[] = {
        {0, r->positions, 3, {NAN, INFINITY, -2e75}}, {1, r->orientations, 4, {NAN, 2e75, -2e75}},
        {2, r->velocities, 3, {NAN, 2e75, -2e75}},    {3, r->momenta, 3, {NAN, 2e75, -2e75}},
        {4, r->masses, 1, {0.0, NAN, 2e75}},          {5, r->inertias, 3, {-1.0, NAN, 2e75}},
        {10, r->scales, 1, {0.0, NAN, 2e75}},         {12, r->axes, 4, {NAN, 2e75, -2e75}}};
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        for (int n = 0; n < 3; n++) {
            check_bad_number(&columns[k], columns[k].wrong[n]);
        }
    }
    CHECK_INT(abut_simulation_rigid_count(scene.simulation, ABUT_BODIES), BODIES);
}

static void check_bad_names(void)
{
    abut_index *const columns[] = {scene.bodies.shapes, scene.bodies.materials};
    const abut_rigids bodies = golden_columns(&scene.bodies, ABUT_BODIES);
    for (int k = 0; k < 4; k++) {
        abut_index *at = columns[k % 2] + 2, kept = *at;
        abut_error error;
        *at = k < 2 ? -1 : 99;
        CHECK_INT(abut_simulation_add_rigids(scene.simulation, ABUT_BODIES, &bodies, NULL, &error),
                  ABUT_BAD_BODY);
        CHECK_INT(error.index, 2);
        CHECK_INT(error.detail, k % 2 ? 11 : 9);
        *at = kept;
    }
}

static void check_bad_sphere(double center, double radius, double mass, abut_status status)
{
    double centers[6] = {0.0, 0.0, 0.0, 0.0, center, 0.0}, radii[2] = {1.0, radius};
    double masses[2] = {1.0, mass}, none[6] = {0.0};
    abut_index zeros[2] = {0}, clusters[2] = {-1, -1};
    abut_error error;
    const abut_spheres rows = {.count = 2,
                               .centers = centers,
                               .radii = radii,
                               .masses = masses,
                               .velocities = none,
                               .spins = none,
                               .materials = zeros,
                               .clusters = clusters,
                               .fixed = zeros};
    CHECK_INT(abut_simulation_add(scene.simulation, &rows, &error), status);
    CHECK_INT(error.index, 1);
}

static void check_bad_spheres(void)
{
    check_bad_sphere(NAN, 1.0, 1.0, ABUT_CENTER_NOT_FINITE);
    check_bad_sphere(0.0, 0.0, 1.0, ABUT_BAD_RADIUS);
    check_bad_sphere(0.0, 2e75, 1.0, ABUT_BAD_RADIUS);
    check_bad_sphere(0.0, 1e-80, 1.0, ABUT_RADIUS_TOO_SMALL);
    check_bad_sphere(0.0, 1.0, 0.0, ABUT_BAD_MASS);
    check_bad_sphere(0.0, 1.0, 2e75, ABUT_BAD_MASS);
    CHECK_INT(abut_simulation_sphere_count(scene.simulation), FEW + CLUSTERS * MEMBERS);
}

static void check_bad_gravity(void)
{
    const abut_simulation_input input = {.step = 1.0, .gravity = {0.0, NAN, 0.0}, .workers = 1};
    abut_simulation *s = NULL;
    abut_error error;
    CHECK_INT(abut_simulation_build(&input, &s, &error), ABUT_BAD_GRAVITY);
    CHECK(!s && error.index == 1 && isnan(error.value));
}

/* ---- columns alone ---- */

/* What is assigned changes, and nothing else. */
static void check_assigned(abut_rigid_kind kind, int column)
{
    static golden_rigids before, after;
    double other[4 * BODIES] = {0.0};
    abut_index held[BODIES] = {1};
    before = after = kind == ABUT_BODIES ? scene.bodies : scene.clusters;
    const abut_rigids to = golden_columns(&before, kind), read = golden_columns(&after, kind);
    abut_simulation_read_rigids(scene.simulation, kind, &to);
    for (int k = 0; k < BODIES; k++) {
        other[column == 1 ? 4 * k + 3 : 3 * k] = 1.0;
    }
    abut_rigids from = {.positions = column == 0 ? other : NULL,
                        .orientations = column == 1 ? other : NULL,
                        .velocities = column == 2 ? other : NULL,
                        .angular_momenta = column == 3 ? other : NULL,
                        .fixed = column == 4 ? held : NULL};
    CHECK_INT(abut_simulation_assign_rigids(scene.simulation, kind, &from, NULL), ABUT_OK);
    abut_simulation_read_rigids(scene.simulation, kind, &read);
    CHECK(column == 2 || column == 4 ||
          memcmp(before.velocities, after.velocities, sizeof after.velocities) == 0);
    CHECK(column == 0 || fabs(before.positions[3] - after.positions[3]) < 1e-12);
    CHECK(column != 0 || fabs(after.positions[3] - 1.0) < 1e-12);
    CHECK(column != 1 || fabs(fabs(after.orientations[7]) - 1.0) < 1e-12);
    CHECK(column != 2 || after.velocities[3] == 1.0);
    CHECK(column != 3 || after.momenta[3] == 1.0);
    CHECK_INT(after.fixed[0], column == 4);
}

/* What is wrong is not assigned. */
static void check_not_assigned(abut_rigid_kind kind)
{
    double wrong[4 * BODIES] = {0.0};
    abut_error error;
    wrong[4] = NAN;
    const abut_rigids from[] = {{.positions = wrong},
                                {.orientations = wrong},
                                {.velocities = wrong},
                                {.angular_momenta = wrong}};
    for (int k = 0; k < 4; k++) {
        CHECK_INT(abut_simulation_assign_rigids(scene.simulation, kind, &from[k], &error),
                  ABUT_BAD_BODY);
        CHECK(error.index == 1 && error.detail == k);
    }
}

static void check_columns_alone(void)
{
    for (int column = 0; column < 5; column++) {
        begin();
        check_assigned(ABUT_CLUSTERS, column);
        check_assigned(ABUT_BODIES, column);
        check_not_assigned(ABUT_BODIES);
        end();
    }
}

/* Forces without torques, torques without forces, and neither. */
static void check_applied(void)
{
    static const double pushes[3 * SPHERES] = {1.0}, wrong[3 * SPHERES] = {0.0, 0.0, 0.0, NAN};
    abut_simulation *s = scene.simulation;
    for (int k = 3; k >= 0; k--) {
        const double *forces = k & 1 ? pushes : NULL, *torques = k & 2 ? pushes : NULL;
        abut_error error;
        CHECK_INT(abut_simulation_apply(s, forces, torques, NULL), ABUT_OK);
        CHECK_INT(abut_simulation_apply_to_bodies(s, forces, torques, NULL), ABUT_OK);
        CHECK_INT(abut_simulation_apply(s, wrong, torques, &error), ABUT_BAD_FORCE);
        CHECK_INT(error.index, 1);
        CHECK_INT(abut_simulation_apply(s, forces, wrong, &error), ABUT_BAD_FORCE);
        CHECK_INT(error.index, 1);
        CHECK_INT(abut_simulation_apply_to_bodies(s, forces, wrong, &error), ABUT_BAD_FORCE);
        CHECK_INT(error.index, 1);
        CHECK_INT(run(1), ABUT_OK);
    }
}

/* Each column of grains without the others. */
static void check_grains(void)
{
    const abut_simulation *s = scene.simulation;
    const abut_index count = abut_simulation_grain_count(s);
    static double centers[3 * SPHERES], velocities[3 * SPHERES], masses[SPHERES];
    static double own_centers[3 * SPHERES], own_velocities[3 * SPHERES], own_masses[SPHERES];
    static abut_index of_sphere[SPHERES], own[SPHERES];
    const abut_grains all = {centers, velocities, masses, of_sphere};
    const abut_grains alone[] = {{.centers = own_centers},
                                 {.velocities = own_velocities},
                                 {.masses = own_masses},
                                 {.of_sphere = own}};
    CHECK_INT(count, FEW + CLUSTERS + BODIES);
    abut_simulation_read_grains(s, &all);
    for (int k = 0; k < 4; k++) {
        abut_simulation_read_grains(s, &alone[k]);
    }
    CHECK_INT(memcmp(centers, own_centers, sizeof centers), 0);
    CHECK_INT(memcmp(velocities, own_velocities, sizeof velocities), 0);
    CHECK_INT(memcmp(masses, own_masses, sizeof masses), 0);
    CHECK_INT(memcmp(of_sphere, own, sizeof own), 0);
    CHECK(masses[count - 1] > 0.0 && of_sphere[FEW] == FEW);
}

/* Bounds that are none, and nothing outside where there are none. */
static void check_bounds(void)
{
    abut_simulation *s = scene.simulation;
    const double low[3] = {0.0, 0.0, 0.0}, high[3] = {1.0, 1.0, 1.0}, wrong[3] = {1.0, 0.0, 1.0};
    uint8_t spheres[SPHERES] = {1}, bodies[BODIES] = {1};
    abut_error error;
    CHECK_INT(abut_simulation_set_bounds(s, low, wrong, 0, &error), ABUT_BAD_BOUNDS);
    CHECK_INT(error.index, 1);
    abut_simulation_find_outside(s, spheres, bodies);
    CHECK(!spheres[0] && !bodies[0]);
    CHECK_INT(abut_simulation_set_bounds(s, high, (const double[]){2.0, 2.0, 2.0}, 0, NULL),
              ABUT_OK);
    abut_simulation_find_outside(s, spheres, bodies);
    CHECK(spheres[0] && spheres[FEW] && bodies[0]);
    CHECK_INT(abut_simulation_set_bounds(s, NULL, NULL, 0, NULL), ABUT_OK);
}

/* No wall here deforms, whatever number of vertices somebody has for it. */
static void check_deforming(void)
{
    for (int wall = 0; wall < WALLS; wall++) {
        CHECK(!abut_simulation_deforms(scene.simulation, wall, 0));
        CHECK(!abut_simulation_deforms(scene.simulation, wall, 8));
    }
}

/* Between two steps, of which there are many that take no time. */
static void check_interruption(void)
{
    const abut_simulation_input input = {.step = 1.0, .workers = 1};
    abut_simulation *s = NULL;
    interruptions i = {.place = 1};
    abut_index done = 0;
    CHECK_INT(abut_simulation_build(&input, &s, NULL), ABUT_OK);
    CHECK_INT(abut_simulation_run(s, 200000, interrupt_now, &i, &done, NULL), ABUT_INTERRUPTED);
    CHECK(done > 1 && done < 200000);
    CHECK_INT(abut_simulation_step_count(s), done);
    abut_simulation_free(s);
}

/* ---- going on ---- */

static abut_index *first_partners(const abut_interactions *of, abut_interaction who)
{
    return who == ABUT_SPHERE_WALL     ? of->columns.contacts.sphere
           : who == ABUT_SPHERE_SPHERE ? of->columns.pairs.i
                                       : of->columns.bodies.i;
}

static abut_index *second_partners(const abut_interactions *of, abut_interaction who)
{
    return who == ABUT_SPHERE_WALL     ? of->columns.contacts.mesh
           : who == ABUT_SPHERE_SPHERE ? of->columns.pairs.j
           : who == ABUT_BODY_WALL     ? of->columns.bodies.mesh
                                       : of->columns.bodies.j;
}

/* A number that is changed, and must be found. */
static void check_bad_row(const golden_past *past, abut_interaction who, abut_index *at,
                          abut_index wrong, abut_status status)
{
    const abut_index kept = *at;
    abut_error error;
    *at = wrong;
    CHECK_INT(
        abut_simulation_restore_interactions(scene.simulation, who, &past->tables[who], &error),
        status);
    CHECK(error.status == status && error.index >= 0);
    *at = kept;
}

static void check_bad_past(golden_past *past, abut_interaction who)
{
    const abut_interactions *of = &past->tables[who];
    const bool is_of_walls = who == ABUT_SPHERE_WALL || who == ABUT_BODY_WALL;
    const abut_status second = is_of_walls ? ABUT_BAD_MESH_NUMBER : ABUT_BAD_J;
    CHECK(of->row_count > 0);
    check_bad_row(past, who, first_partners(of, who), -1, ABUT_BAD_I);
    check_bad_row(past, who, first_partners(of, who), 1000, ABUT_BAD_I);
    check_bad_row(past, who, second_partners(of, who), -1, second);
    check_bad_row(past, who, second_partners(of, who), 1000, second);
    if (who == ABUT_SPHERE_WALL) {
        check_bad_row(past, who, of->columns.contacts.offsets, 1, ABUT_BAD_ROWS);
        check_bad_row(past, who, of->columns.contacts.node_offsets, 1, ABUT_BAD_NODES);
        check_bad_row(past, who, first_partners(of, who), first_partners(of, who)[0] + 1,
                      ABUT_BAD_I);
    } else if (who == ABUT_SPHERE_SPHERE) {
        check_bad_row(past, who, of->columns.pairs.offsets, 1, ABUT_BAD_PAIR_ROWS);
    } else {
        check_bad_row(past, who, of->columns.bodies.spot_offsets, 1, ABUT_BAD_PAIR_ROWS);
    }
    CHECK_INT(abut_simulation_restore_interactions(scene.simulation, who, of, NULL), ABUT_OK);
}

static void check_pasts(void)
{
    golden_past past;
    golden_read_past(&scene, &past);
    for (int who = 0; who < ABUT_INTERACTION_COUNT; who++) {
        check_bad_past(&past, (abut_interaction)who);
    }
    CHECK_INT(run(1), ABUT_OK);
    golden_free_past(&past);
}

/* ---- memory ---- */

/* A simulation from its first step on; one body goes. */
static abut_status do_first(const golden_past *past)
{
    static const uint8_t is_gone[BODIES] = {0, 0, 1};
    (void)past;
    draw_scene();
    abut_status status = golden_begin(&scene, 1);
    status = status ? status : golden_fill(&scene);
    status = status ? status : run(1);
    status = status ? status : abut_simulation_remove_bodies(scene.simulation, is_gone, NULL);
    return status ? status : run(1);
}

/* One that goes on. */
static abut_status do_again(const golden_past *past)
{
    const abut_status status = golden_go_on(&scene, past, 1);
    return status ? status : run(1);
}

/* Each allocation fails once. Of what the finder keeps for later some may be gone afterwards. */
static void check_memory(abut_status program(const golden_past *past), const golden_past *past)
{
    const long live = memory_live_count();
    long failed = 0;
    for (bool has_failed = true; has_failed; failed += has_failed) {
        memory_fail_at(failed + 1);
        const abut_status status = program(past);
        has_failed = memory_has_failed();
        memory_fail_at(0);
        CHECK_INT(status, has_failed ? ABUT_NO_MEMORY : ABUT_OK);
        end();
        CHECK(memory_live_count() <= live);
    }
    CHECK(failed > 100);
}

static void check_failures(void)
{
    golden_past past;
    check_memory(do_first, NULL);
    begin();
    CHECK_INT(run(2), ABUT_OK);
    golden_read_past(&scene, &past);
    end();
    check_memory(do_again, &past);
    golden_free_past(&past);
}

void test_whole(void)
{
    golden_build(&scene);
    begin();
    check_bad_bodies();
    check_bad_names();
    check_bad_spheres();
    check_bad_gravity();
    check_applied();
    check_grains();
    check_bounds();
    check_deforming();
    check_interruption();
    check_pasts();
    end();
    check_columns_alone();
    check_failures();
    golden_end(&scene);
    CHECK_INT(memory_live_count(), 0);
}
