/* A simulation with all features, used from C: invalid rows, single columns, changed rows at a
 * restart, failing allocations, and interrupted runs. */
#include "base/memory.h"
#include "dem/sphere_order.h"

#include "failing.h"
#include "golden.h"

enum { FEW = 36 };

/* ---- the scene ---- */

static golden scene;

/* Draws a few spheres on the floor, bodies that touch the floor and each other, and a touching
 * cluster above each body. */
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

/* ---- invalid rows ---- */

/* A column of bodies: its number in errors, its width, and an invalid value. */
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

/* Invalid parameters of user laws, and laws that bodies do not support. */
static void check_bad_laws(void)
{
    static const abut_law bad[] = {{.kind = ABUT_USER_LAW, .number = -1.0},
                                   {.kind = ABUT_USER_LAW, .number = 1.0},
                                   {.kind = ABUT_USER_LAW, .curvature = -2.0}};
    abut_law laws[MATERIALS * MATERIALS];
    abut_error error;
    golden_fill_laws(laws);
    CHECK_INT(abut_simulation_set_laws(scene.simulation, MATERIALS, laws, NULL), ABUT_BAD_LAW);
    for (int k = 0; k < 3; k++) {
        laws[0] = bad[k];
        CHECK_INT(golden_set_laws(scene.simulation, laws, &error), ABUT_BAD_LAW);
        CHECK(error.value == (k < 2 ? bad[k].number : bad[k].curvature));
    }
    const int of_bodies = MATERIALS * MATERIALS - 1;
    golden_fill_laws(laws);
    laws[of_bodies].rolling = ABUT_ROLLING_A;
    CHECK_INT(golden_set_laws(scene.simulation, laws, NULL), ABUT_OK);
    CHECK_INT(run(1), ABUT_BODY_LAW);
    golden_fill_laws(laws);
    CHECK_INT(golden_set_laws(scene.simulation, laws, NULL), ABUT_OK);
}

static void check_bad_gravity(void)
{
    const abut_simulation_input input = {.step = 1.0, .gravity = {0.0, NAN, 0.0}, .workers = 1};
    abut_simulation *s = NULL;
    abut_error error;
    CHECK_INT(abut_simulation_build(&input, &s, &error), ABUT_BAD_GRAVITY);
    CHECK(!s && error.index == 1 && isnan(error.value));
}

/* ---- single columns ---- */

/* Assigning a column changes only this column. */
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

/* Invalid values are not assigned. */
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

/* Applied forces without torques, torques without forces, and neither. */
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

/* Invalid bounds are errors; without bounds nothing is outside. */
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

/* Where a sphere or a body is, a new sphere touches it; far away it touches nothing. */
static void check_touching(void)
{
    abut_simulation *s = scene.simulation;
    double centers[3 * SPHERES], positions[3 * BODIES], far[3] = {1e3, 1e3, 1e3}, radius = 0.01;
    const abut_spheres spheres = {.count = SPHERES, .centers = centers};
    const abut_rigids bodies = {.count = BODIES, .positions = positions};
    uint8_t touches[SPHERES];
    abut_simulation_read(s, &spheres);
    abut_simulation_read_rigids(s, ABUT_BODIES, &bodies);
    CHECK_INT(abut_simulation_find_touching(s, centers, &radius, 1, touches, NULL), ABUT_OK);
    CHECK(touches[0]);
    CHECK_INT(abut_simulation_find_touching(s, positions, &radius, 1, touches, NULL), ABUT_OK);
    CHECK(touches[0]);
    CHECK_INT(abut_simulation_find_touching(s, far, &radius, 1, touches, NULL), ABUT_OK);
    CHECK(!touches[0]);
    CHECK_INT(abut_simulation_find_touching(s, NULL, NULL, 0, touches, NULL), ABUT_OK);
}

/* Walls here do not deform, with any number of vertices. */
static void check_deforming(void)
{
    for (int wall = 0; wall < WALLS; wall++) {
        CHECK(!abut_simulation_deforms(scene.simulation, wall, 0));
        CHECK(!abut_simulation_deforms(scene.simulation, wall, 8));
    }
}

/* A run of many very short steps is interrupted between two steps. */
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

/* ---- restarts ---- */

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

/* An invalid number in a row must be reported. */
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

/* Runs a simulation from its first step on; one body is removed. */
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

/* Continues a run in which a bond has broken, with spheres in their old order. */
static abut_status do_again(const golden_past *past)
{
    abut_index i = 1, j = 2, shift[3] = {0}, rows[SPHERES];
    double overlap = 1e-3;
    const abut_breakages none = {.count = 0};
    const abut_rests rests = {.count = 1, .i = &i, .j = &j, .shift = shift, .overlap = &overlap};
    for (abut_index k = 0; k < SPHERES; k++) {
        rows[k] = FEW + CLUSTERS * MEMBERS - 1 - k;
    }
    abut_status status = golden_go_on(&scene, past, 1);
    status =
        status ? status : abut_simulation_restore_breakages(scene.simulation, &none, &rests, NULL);
    status = status ? status : abut_simulation_restore_order(scene.simulation, rows, 7, NULL);
    return status ? status : run(1);
}

/* Each allocation fails once. Cached memory of the finder may be smaller afterwards. */
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

/* ---- steps that are not done ---- */

enum { STEPS = 40, BONDS = FEW - 1 };

/* Bonds each sphere to the next one, except the last sphere of a row. */
static abut_status add_bonds(golden *g)
{
    static abut_index i[BONDS], j[BONDS], ids[2 * BONDS], contact[BONDS];
    static double young[BONDS], poisson[BONDS], radius[BONDS], damping[BONDS], tensile[BONDS],
        shear[BONDS];
    abut_index count = 0;
    for (int k = 0; k < BONDS; k++) {
        if (k % ROW < ROW - 1) {
            i[count] = k % 2 ? k : k + 1, j[count] = k % 2 ? k + 1 : k;
            ids[2 * count] = i[count], ids[2 * count + 1] = j[count];
            young[count] = 1e6, poisson[count] = 0.2, radius[count] = 0.01, damping[count] = 0.05;
            tensile[count] = 1e3 * k * k, shear[count] = 1e6, contact[count++] = k % 5 == 0;
        }
    }
    const abut_bonds bonds = {.count = count,
                              .i = i,
                              .j = j,
                              .ids = ids,
                              .young = young,
                              .poisson = poisson,
                              .radius = radius,
                              .damping = damping,
                              .tensile_strength = tensile,
                              .shear_strength = shear,
                              .contact = contact};
    return abut_simulation_add_bonds(g->simulation, &bonds, NULL);
}

/* Sets laws with cohesion, and with liquid bridges between two materials. */
static abut_status set_sticky_laws(golden *g)
{
    abut_law laws[MATERIALS * MATERIALS];
    golden_fill_laws(laws);
    for (int k = 0; k < MATERIALS * MATERIALS; k++) {
        if (laws[k].kind == ABUT_HERTZ) {
            laws[k].cohesion = ABUT_JKR, laws[k].adhesion = 5.0;
        } else if (laws[k].kind == ABUT_LINEAR) {
            laws[k].cohesion = ABUT_LIQUID_BRIDGE;
            laws[k].volume = 1e-8, laws[k].surface_tension = 2.0;
        }
    }
    return golden_set_laws(g->simulation, laws, NULL);
}

/* Makes the paddle a free body. */
static abut_status free_paddle(golden *g)
{
    const abut_motion free_motion = {.kind = ABUT_FREE};
    const abut_drive drive = {
        .mass = 20.0,
        .inertia = {2.0, 3.0, 4.0},
        .arm = {0.0, 0.0, 0.01},
        .frame = {1.0, 0.0, 0.0, -0.5, 0.0, 1.0, 0.0, -0.5, 0.0, 0.0, 1.0, 0.0},
        .position = {0.5, 0.5, 0.0},
        .orientation = {0.0, 0.0, 0.0, 1.0}};
    const abut_status status = golden_set_walls(g, &free_motion);
    if (!status) {
        abut_simulation_set_drive(g->simulation, 1, &drive);
    }
    return status;
}

/* Starts a scene with cohesion, bonds and a free paddle. */
static void begin_all(golden *g)
{
    begin();
    *g = scene;
    scene.simulation = NULL;
    CHECK_INT(set_sticky_laws(g), ABUT_OK);
    CHECK_INT(free_paddle(g), ABUT_OK);
    CHECK_INT(add_bonds(g), ABUT_OK);
}

/* Computes the hash of the interactions of spheres. It takes -0 as 0, because swapping a row's
 * spheres twice may change the sign of zeros. */
static void hash_rows(golden *g, char text[SHA256_TEXT])
{
    golden_past past;
    sha256 hash = sha256_begin();
    golden_read_past(g, &past);
    for (int who = 0; who < ABUT_INTERACTION_COUNT; who++) {
        const abut_interactions *of = &past.tables[who];
        for (abut_index k = 0; k < 3 * of->row_count; k++) {
            const double numbers[2] = {of->force[k] + 0.0, of->spring[k] + 0.0};
            sha256_doubles(&hash, numbers, 2);
        }
    }
    sha256_end(&hash, text);
    golden_free_past(&past);
}

static abut_status run_one(golden *g)
{
    abut_index done;
    return abut_simulation_run(g->simulation, 1, NULL, NULL, &done, NULL);
}

/* Each allocation of a step fails once: the failed step changes no row and breaks no bond, and the
 * next step succeeds. */
static void check_steps(char text[SHA256_TEXT])
{
    golden g;
    begin_all(&g);
    int failed = 0;
    for (long call = 1, step = 0; step < STEPS; call++) {
        char before[SHA256_TEXT], after[SHA256_TEXT];
        const abut_index broken = abut_simulation_breakage_count(g.simulation);
        hash_rows(&g, before);
        memory_fail_at(call);
        const abut_status status = run_one(&g);
        const bool has_failed = memory_has_failed();
        memory_fail_at(0);
        CHECK_INT(status, has_failed ? ABUT_NO_MEMORY : ABUT_OK);
        if (has_failed) {
            hash_rows(&g, after);
            CHECK_TEXT(after, before);
            CHECK_INT(abut_simulation_breakage_count(g.simulation), broken);
        }
        failed += has_failed, step += !has_failed;
        call = has_failed ? call : 0;
        CHECK_INT(abut_simulation_step_count(g.simulation), step);
    }
    CHECK(failed > 20);
    CHECK(abut_simulation_breakage_count(g.simulation) > 5);
    CHECK(abut_simulation_bond_count(g.simulation) > 5);
    CHECK(abut_simulation_load(g.simulation, 1).force[0] != 0.0);
    golden_hash_state(&g, text);
    abut_simulation_free(g.simulation);
}

/* Interruptions early and late in a step: rows are those of the last completed step, and the run
 * continues to the same bits. */
static void check_interruptions(char text[SHA256_TEXT])
{
    golden whole, g;
    begin_all(&whole), begin_all(&g);
    int count = 0;
    for (abut_index step = 0; step < STEPS; count++) {
        char expected[SHA256_TEXT], found[SHA256_TEXT];
        interruptions i = {.place = count % 40 * 12};
        abut_index done = 0;
        parallel_ask_always(true);
        const abut_status status =
            abut_simulation_run(g.simulation, STEPS - step, interrupt_now, &i, &done, NULL);
        parallel_ask_always(false);
        step += done;
        CHECK_INT(status, step < STEPS ? ABUT_INTERRUPTED : ABUT_OK);
        CHECK_INT(abut_simulation_step_count(g.simulation), step);
        CHECK_INT(abut_simulation_run(whole.simulation, done, NULL, NULL, &done, NULL), ABUT_OK);
        hash_rows(&whole, expected), hash_rows(&g, found);
        CHECK_TEXT(found, expected);
    }
    CHECK(count > 20);
    golden_hash_state(&g, text);
    abut_simulation_free(g.simulation), abut_simulation_free(whole.simulation);
}

/* Runs without failures; spheres are sorted before each step, or only when due. */
static void run_through(bool is_sorted, char text[SHA256_TEXT])
{
    golden g;
    begin_all(&g);
    order_sort_always(is_sorted);
    for (int step = 0; step < STEPS; step++) {
        CHECK_INT(run_one(&g), ABUT_OK);
    }
    golden_hash_state(&g, text);
    order_sort_always(false);
    abut_simulation_free(g.simulation);
}

static void check_steps_that_are_not_done(void)
{
    char expected[SHA256_TEXT], found[SHA256_TEXT];
    for (int is_sorted = 0; is_sorted < 2; is_sorted++) {
        run_through(is_sorted, expected);
        order_sort_always(is_sorted);
        check_steps(found);
        order_sort_always(false);
        CHECK_TEXT(found, expected);
    }
    run_through(false, expected);
    check_interruptions(found);
    CHECK_TEXT(found, expected);
}

/* ---- threads ---- */

/* Computes the hash of the positions and velocities of all grains. */
static void hash_grains(const abut_simulation *of, char text[SHA256_TEXT])
{
    static double numbers[6 * 2 * SPHERES];
    const size_t count = (size_t)abut_simulation_grain_count(of);
    const abut_grains to = {.centers = numbers, .velocities = numbers + 3 * count};
    sha256 hash = sha256_begin();
    CHECK(count <= 2 * SPHERES);
    abut_simulation_read_grains(of, &to);
    sha256_doubles(&hash, numbers, 6 * count);
    sha256_end(&hash, text);
}

/* Runs enough grains for several threads: the spheres of the golden scene, and layers of touching
 * bodies above the box. */
static void run_many(int workers, char text[SHA256_TEXT])
{
    static golden g;
    g = scene;
    golden_draw(&g, ALONE);
    CHECK_INT(golden_begin(&g, workers), ABUT_OK);
    CHECK_INT(golden_fill(&g), ABUT_OK);
    CHECK_INT(set_sticky_laws(&g), ABUT_OK);
    CHECK_INT(add_bonds(&g), ABUT_OK);
    for (int layer = 0; layer < 12; layer++) {
        const abut_rigids bodies = golden_columns(&g.bodies, ABUT_BODIES);
        for (int k = 0; k < BODIES; k++) {
            g.bodies.positions[3 * k + 2] = 1.2 + 0.14 * layer;
        }
        CHECK_INT(abut_simulation_add_rigids(g.simulation, ABUT_BODIES, &bodies, NULL, NULL),
                  ABUT_OK);
    }
    for (int step = 0; step < 20; step++) {
        CHECK_INT(run_one(&g), ABUT_OK);
    }
    CHECK(abut_simulation_count_interactions(g.simulation, ABUT_BODY_BODY).row_count > 0);
    hash_grains(g.simulation, text);
    abut_simulation_free(g.simulation);
}

static void check_threads(void)
{
    char alone[SHA256_TEXT], together[SHA256_TEXT];
    run_many(1, alone);
    run_many(3, together);
    CHECK_TEXT(together, alone);
}

/* ---- between steps ---- */

/* An action of the caller between steps. */
typedef abut_status deed(golden *g);

static abut_status turn_paddle(golden *g)
{
    return golden_set_walls(g, &golden_turning);
}

/* Adds a sphere high above the others. */
static abut_status add_one(golden *g)
{
    double center[3] = {0.3, 0.3, 0.9}, radius = 0.05, mass = 0.5;
    abut_index material = 1;
    const abut_spheres rows = {
        .count = 1, .centers = center, .radii = &radius, .masses = &mass, .materials = &material};
    return abut_simulation_add(g->simulation, &rows, NULL);
}

static abut_status add_clusters(golden *g)
{
    const abut_index first = abut_simulation_rigid_count(g->simulation, ABUT_CLUSTERS);
    for (int k = 0; k < CLUSTERS * MEMBERS; k++) {
        g->rows.clusters[g->alone + k] = first;
    }
    abut_rigids one = golden_columns(&g->clusters, ABUT_CLUSTERS);
    abut_spheres members = golden_spheres(&g->rows, g->alone, MEMBERS);
    one.count = 1;
    one.positions = (double[]){0.7, 0.7, 0.9};
    return abut_simulation_add_rigids(g->simulation, ABUT_CLUSTERS, &one, &members, NULL);
}

static abut_status remove_some(golden *g)
{
    static const uint8_t is_gone[2 * SPHERES] = {1, 0, 0, 1, 1, 0, 1};
    return abut_simulation_remove(g->simulation, is_gone, NULL);
}

static abut_status look(golden *g)
{
    static double forces[3 * 8192];
    const abut_interactions to = {.force = forces};
    abut_stable_step longest;
    abut_status status = ABUT_OK;
    for (int who = 0; !status && who < ABUT_INTERACTION_COUNT; who++) {
        status =
            abut_simulation_write_interactions(g->simulation, (abut_interaction)who, &to, NULL);
    }
    status = status ? status : abut_simulation_stable_step_of_walls(g->simulation, &longest);
    return status ? status : abut_simulation_stable_step(g->simulation, &longest);
}

/* Fails each allocation of an action once; failures must not change the numbers of spheres and
 * bonds. Returns the number of failures. */
static int do_with_failures(golden *g, deed *does)
{
    int failed = 0;
    bool has_failed = true;
    for (long call = 1; has_failed; call++) {
        const abut_index count = abut_simulation_sphere_count(g->simulation);
        const abut_index bonds = abut_simulation_bond_count(g->simulation);
        memory_fail_at(call);
        const abut_status status = does(g);
        has_failed = memory_has_failed();
        memory_fail_at(0);
        CHECK_INT(status, has_failed ? ABUT_NO_MEMORY : ABUT_OK);
        CHECK(!has_failed || abut_simulation_sphere_count(g->simulation) == count);
        CHECK(!has_failed || abut_simulation_bond_count(g->simulation) == bonds);
        failed += has_failed;
    }
    return failed;
}

/* A run with failures on the way has the same bits as a run without. */
static void check_deeds(void)
{
    static deed *const deeds[] = {set_sticky_laws, free_paddle, add_bonds,    add_one,
                                  turn_paddle,     look,        add_clusters, remove_some};
    char texts[2][SHA256_TEXT];
    for (int fails = 0; fails < 2; fails++) {
        begin();
        CHECK_INT(run(3), ABUT_OK);
        for (size_t k = 0; k < sizeof deeds / sizeof *deeds; k++) {
            if (fails) {
                CHECK(do_with_failures(&scene, deeds[k]) > 0);
            } else {
                CHECK_INT(deeds[k](&scene), ABUT_OK);
            }
            CHECK_INT(run(3), ABUT_OK);
        }
        hash_grains(scene.simulation, texts[fails]);
        end();
    }
    CHECK_TEXT(texts[1], texts[0]);
}

void test_whole(void)
{
    golden_build(&scene);
    begin();
    check_bad_bodies();
    check_bad_names();
    check_bad_spheres();
    check_bad_laws();
    check_bad_gravity();
    check_applied();
    check_grains();
    check_bounds();
    check_touching();
    check_deforming();
    check_interruption();
    check_pasts();
    end();
    check_columns_alone();
    check_failures();
    check_steps_that_are_not_done();
    check_threads();
    check_deeds();
    golden_end(&scene);
    CHECK_INT(memory_live_count(), 0);
}
