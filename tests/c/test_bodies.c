/* Convex bodies in a simulation: how they move and rest, and that they keep their bits through
 * threads, failures, and bodies that come and go. */
#include "base/memory.h"

#include "abut.h"

#include "check.h"
#include "random.h"
#include "shapes.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 4, BODIES = SIDE * SIDE * SIDE, SPHERES = 60 };

/* A cube of side 2, and bodies that are copies of it. */
typedef struct setting {
    abut_shape *cube;
    abut_simulation *simulation;
    double positions[3 * BODIES], orientations[4 * BODIES], velocities[3 * BODIES];
    double momenta[3 * BODIES], centers[3 * SPHERES];
} setting;

static void build_cube(setting *s)
{
    static const double vertices[] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                      -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
    static const abut_index indices[] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                         2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    static const abut_index offsets[] = {0, 4, 8, 12, 16, 20, 24};
    const abut_shape_input input = {.dimension = 3,
                                    .vertex_count = 8,
                                    .facet_count = 6,
                                    .index_count = 24,
                                    .vertices = vertices,
                                    .indices = indices,
                                    .offsets = offsets};
    CHECK_INT(abut_shape_build(&input, &s->cube, NULL), ABUT_OK);
}

static abut_law linear(double friction, double restitution)
{
    return (abut_law){.kind = ABUT_LINEAR,
                      .stiffness = 1e5,
                      .shear = 3e4,
                      .friction = friction,
                      .restitution = restitution};
}

/* Everything that a law of spots can have. */
static abut_law rolling_hertz(void)
{
    return (abut_law){.kind = ABUT_HERTZ,
                      .stiffness = 3e5,
                      .shear = 1e5,
                      .friction = 0.4,
                      .restitution = 0.5,
                      .rolling = ABUT_ROLLING_C,
                      .rolling_friction = 0.1,
                      .rolling_damping = 0.3,
                      .curvature = 0.02};
}

static void build(setting *s, const double gravity[3], double period, int workers, abut_law law)
{
    abut_simulation_input input = {
        .step = 1e-3, .period = {period, period, 0.0}, .workers = workers};
    memcpy(input.gravity, gravity, sizeof input.gravity);
    CHECK_INT(abut_simulation_build(&input, &s->simulation, NULL), ABUT_OK);
    CHECK_INT(abut_simulation_set_laws(s->simulation, 1, &law, NULL), ABUT_OK);
    const abut_shape *shapes[] = {s->cube};
    CHECK_INT(abut_simulation_set_shapes(s->simulation, shapes, 1, NULL), ABUT_OK);
}

/* The floor z = 0. */
static void add_floor(setting *s)
{
    abut_wall wall = {.normal = {0.0, 0.0, 1.0}};
    for (int k = 0; k < 4; k++) {
        wall.pose[5 * k] = 1.0;
    }
    CHECK_INT(abut_simulation_set_walls(s->simulation, NULL, &wall, 1, NULL, NULL), ABUT_OK);
}

static abut_status add_cubes(setting *s, abut_index count, double scale)
{
    static double scales[BODIES], masses[BODIES], inertias[3 * BODIES], axes[4 * BODIES];
    static abut_index zeros[BODIES];
    for (abut_index k = 0; k < count; k++) {
        scales[k] = scale;
        masses[k] = 8.0 * scale * scale * scale;
        for (int axis = 0; axis < 3; axis++) {
            inertias[3 * k + axis] = masses[k] * 4.0 * scale * scale / 6.0;
        }
        axes[4 * k + 3] = 1.0;
    }
    const abut_rigids rows = {.count = count,
                              .shapes = zeros,
                              .scales = scales,
                              .materials = zeros,
                              .masses = masses,
                              .inertias = inertias,
                              .axes = axes,
                              .positions = s->positions,
                              .orientations = s->orientations,
                              .velocities = s->velocities,
                              .angular_momenta = s->momenta};
    return abut_simulation_add_rigids(s->simulation, ABUT_BODIES, &rows, NULL, NULL);
}

static void read_state(setting *s)
{
    const abut_rigids rows = {.positions = s->positions,
                              .orientations = s->orientations,
                              .velocities = s->velocities,
                              .angular_momenta = s->momenta};
    abut_simulation_read_rigids(s->simulation, ABUT_BODIES, &rows);
    const abut_spheres spheres = {.centers = s->centers};
    abut_simulation_read(s->simulation, &spheres);
}

static abut_status run(setting *s, abut_index steps)
{
    abut_index done;
    return abut_simulation_run(s->simulation, steps, NULL, NULL, &done, NULL);
}

static void end(setting *s)
{
    abut_simulation_free(s->simulation);
    s->simulation = NULL;
}

static void place(setting *s, vec3 position, vec3 velocity, vec3 momentum)
{
    memset(s->orientations, 0, sizeof s->orientations);
    for (int k = 0; k < BODIES; k++) {
        s->orientations[4 * k + 3] = 1.0;
    }
    vec3_store(s->positions, position);
    vec3_store(s->velocities, velocity);
    vec3_store(s->momenta, momentum);
}

static const double DOWN[3] = {0.0, 0.0, -9.81}, NOWHERE[3] = {0.0, 0.0, 0.0};

/* Nothing acts on it: it keeps its momenta, to the bit. */
static void check_free_motion(setting *s)
{
    build(s, NOWHERE, 0.0, 1, linear(0.0, 1.0));
    place(s, (vec3){1.0, 2.0, 3.0}, (vec3){0.1, 0.0, 0.0}, (vec3){0.3, 0.2, 1.0});
    CHECK_INT(add_cubes(s, 1, 1.0), ABUT_OK);
    CHECK_INT(run(s, 1), ABUT_OK);
    const abut_energy first = abut_simulation_energy(s->simulation);
    CHECK_INT(run(s, 1999), ABUT_OK);
    const abut_energy last = abut_simulation_energy(s->simulation);
    read_state(s);
    CHECK_NEAR(s->positions[0], 1.2, 1e-12);
    CHECK(s->momenta[0] == 0.3 && s->momenta[1] == 0.2 && s->momenta[2] == 1.0);
    CHECK_NEAR(last.kinetic + last.rotational, first.kinetic + first.rotational, 1e-12);
    CHECK_NEAR(last.dissipated, 0.0, 1e-12);
    end(s);
}

/* It comes to rest with its weight on the floor, and stays where it is. */
static void check_rest(setting *s)
{
    build(s, DOWN, 0.0, 1, linear(0.5, 0.2));
    add_floor(s);
    place(s, (vec3){0.5, 0.25, 1.001}, (vec3){0.0, 0.0, 0.0}, (vec3){0.0, 0.0, 0.0});
    CHECK_INT(add_cubes(s, 1, 1.0), ABUT_OK);
    CHECK_INT(run(s, 5000), ABUT_OK);
    const abut_wall_load load = abut_simulation_load(s->simulation, 0);
    read_state(s);
    CHECK_NEAR(load.force[2], -8.0 * 9.81, 1e-9);
    CHECK_NEAR(load.torque[0], -8.0 * 9.81 * 0.25, 1e-9);
    CHECK_NEAR(load.torque[1], 8.0 * 9.81 * 0.5, 1e-9);
    CHECK_NEAR(s->positions[0], 0.5, 1e-12);
    CHECK_NEAR(s->positions[2], 1.0 - 8.0 * 9.81 / 4e5, 1e-12);
    CHECK_NEAR(s->orientations[3], 1.0, 1e-12);
    const abut_interactions counts =
        abut_simulation_count_interactions(s->simulation, ABUT_BODY_WALL);
    CHECK_INT(counts.row_count, 1);
    CHECK_INT(counts.entry_count, 4);
    end(s);
}

/* A slope: at the tangent of its angle less than the friction it stays, at more it slides. */
static void check_slope(setting *s)
{
    for (int steep = 0; steep < 2; steep++) {
        const double tangent = steep ? 0.55 : 0.45, scale = 9.81 / sqrt(1.0 + tangent * tangent);
        const double gravity[3] = {scale * tangent, 0.0, -scale};
        build(s, gravity, 0.0, 1, linear(0.5, 0.2));
        add_floor(s);
        place(s, (vec3){0.0, 0.0, 1.0 - 8.0 * scale / 4e5}, (vec3){0.0, 0.0, 0.0},
              (vec3){0.0, 0.0, 0.0});
        CHECK_INT(add_cubes(s, 1, 1.0), ABUT_OK);
        CHECK_INT(run(s, 1000), ABUT_OK);
        read_state(s);
        const double before = s->velocities[0];
        CHECK_INT(run(s, 2000), ABUT_OK);
        read_state(s);
        CHECK_NEAR(s->velocities[0] - before, steep ? 2.0 * scale * 0.05 : 0.0, 1e-6);
        CHECK(steep || fabs(s->velocities[0]) < 1e-6);
        end(s);
    }
}

/* A flat hit returns the law's part of the speed, however many corners bear it. */
static void check_restitution(setting *s)
{
    abut_law law = linear(0.0, 0.5);
    law.stiffness = 1e4; /* for some fifty steps a hit */
    build(s, NOWHERE, 0.0, 1, law);
    add_floor(s);
    place(s, (vec3){0.0, 0.0, 1.01}, (vec3){0.0, 0.0, -1.0}, (vec3){0.0, 0.0, 0.0});
    CHECK_INT(add_cubes(s, 1, 1.0), ABUT_OK);
    CHECK_INT(run(s, 200), ABUT_OK);
    read_state(s);
    CHECK_NEAR(s->velocities[2], 0.5, 0.01);
    const abut_energy energy = abut_simulation_energy(s->simulation);
    CHECK_NEAR(energy.kinetic + energy.dissipated, 4.0, 1e-3);
    end(s);
}

/* ---- many ---- */

/* Above the cubes, on their way down. */
static void add_spheres(setting *s)
{
    double radii[SPHERES], masses[SPHERES], falling[3 * SPHERES];
    abut_index materials[SPHERES] = {0};
    for (int k = 0; k < SPHERES; k++) {
        radii[k] = 0.2, masses[k] = 0.03;
        s->centers[3 * k] = 0.5 * (k % 8);
        s->centers[3 * k + 1] = 0.5 * (k / 8);
        s->centers[3 * k + 2] = 4.4;
        vec3_store(falling + 3 * k, (vec3){0.0, 0.0, -6.0});
    }
    const abut_spheres rows = {.count = SPHERES,
                               .centers = s->centers,
                               .radii = radii,
                               .masses = masses,
                               .velocities = falling,
                               .materials = materials};
    CHECK_INT(abut_simulation_add(s->simulation, &rows, NULL), ABUT_OK);
}

static void begin_heap(setting *s, int workers, abut_law law)
{
    build(s, DOWN, 6.0, workers, law);
    add_floor(s);
    state = 3;
    place(s, (vec3){0.0, 0.0, 0.0}, (vec3){0.0, 0.0, 0.0}, (vec3){0.0, 0.0, 0.0});
    for (int k = 0; k < BODIES; k++) {
        const int at[3] = {k % SIDE, k / SIDE % SIDE, k / SIDE / SIDE};
        for (int axis = 0; axis < 3; axis++) {
            s->positions[3 * k + axis] = 0.5 + at[axis] + 0.1 * draw_number();
            s->orientations[4 * k + axis] = 0.2 * draw_number();
            s->velocities[3 * k + axis] = draw_number() - 0.5;
            s->momenta[3 * k + axis] = 0.1 * (draw_number() - 0.5);
        }
        double length = 0.0;
        for (int axis = 0; axis < 4; axis++) {
            length += s->orientations[4 * k + axis] * s->orientations[4 * k + axis];
        }
        for (int axis = 0; axis < 4; axis++) {
            s->orientations[4 * k + axis] /= sqrt(length);
        }
    }
    CHECK_INT(add_cubes(s, BODIES, 0.45), ABUT_OK);
    add_spheres(s);
}

static bool are_same(const setting *a, const setting *b)
{
    return memcmp(a->positions, b->positions, sizeof a->positions) == 0 &&
           memcmp(a->momenta, b->momenta, sizeof a->momenta) == 0 &&
           memcmp(a->centers, b->centers, sizeof a->centers) == 0;
}

static abut_index count_rows(const setting *s, abut_interaction who)
{
    return abut_simulation_count_interactions(s->simulation, who).row_count;
}

enum { STEPS = 120 };

static void run_heap(setting *s, int workers, abut_law law)
{
    abut_index seen[ABUT_BODY_INTERACTIONS] = {0}; /* rows of each kind, of all steps */
    begin_heap(s, workers, law);
    for (int step = 0; step < STEPS; step++) {
        CHECK_INT(run(s, 1), ABUT_OK);
        for (int k = 0; k < ABUT_BODY_INTERACTIONS; k++) {
            seen[k] += count_rows(s, (abut_interaction)k);
        }
    }
    read_state(s);
    for (int k = 0; k < ABUT_BODY_INTERACTIONS; k++) {
        CHECK(seen[k] > 0);
    }
    end(s);
}

static void check_threads(setting *one, setting *several, abut_law law)
{
    run_heap(one, 1, law);
    run_heap(several, 3, law);
    CHECK(are_same(one, several));
}

/* Each allocation of a step fails once: the step is not done, and the next one is. */
static void check_failures(const setting *whole, setting *s, abut_law law)
{
    begin_heap(s, 1, law);
    abut_index step = 0;
    int failures = 0;
    for (long call = 1; step < STEPS; call++) {
        memory_fail_at(call);
        const abut_status status = run(s, 1);
        const bool has_failed = memory_has_failed();
        memory_fail_at(0);
        CHECK_INT(status, has_failed ? ABUT_NO_MEMORY : ABUT_OK);
        failures += has_failed;
        call = has_failed ? call : 0;
        step += !has_failed;
    }
    CHECK(failures > 20);
    read_state(s);
    CHECK(are_same(whole, s));
    end(s);
}

/* What comes and goes leaves the others as they are. */
static void check_changes(setting *s)
{
    uint8_t is_gone[BODIES + 1] = {0};
    build(s, DOWN, 0.0, 1, linear(0.5, 0.2));
    add_floor(s);
    place(s, (vec3){0.0, 0.0, 0.999}, (vec3){0.0, 0.0, 0.0}, (vec3){0.0, 0.0, 0.0});
    vec3_store(s->positions + 3, (vec3){5.0, 0.0, 0.999});
    CHECK_INT(add_cubes(s, 2, 1.0), ABUT_OK);
    CHECK_INT(run(s, 10), ABUT_OK);
    is_gone[0] = 1;
    CHECK_INT(abut_simulation_remove_bodies(s->simulation, is_gone, NULL), ABUT_OK);
    CHECK_INT(abut_simulation_rigid_count(s->simulation, ABUT_BODIES), 1);
    CHECK_INT(count_rows(s, ABUT_BODY_WALL), 1);
    abut_index number = -1;
    const abut_interactions rows = {.columns.bodies.i = &number};
    abut_simulation_write_interactions(s->simulation, ABUT_BODY_WALL, &rows, NULL);
    CHECK_INT(number, 0);
    vec3_store(s->positions, (vec3){-5.0, 0.0, 0.999});
    CHECK_INT(add_cubes(s, 1, 1.0), ABUT_OK);
    CHECK_INT(run(s, 2000), ABUT_OK);
    read_state(s);
    CHECK_NEAR(s->positions[0], 5.0, 1e-9);
    CHECK_NEAR(s->positions[3], -5.0, 1e-9);
    CHECK_NEAR(abut_simulation_load(s->simulation, 0).force[2], -16.0 * 9.81, 1e-4);
    end(s);
}

static void check_errors(setting *s)
{
    abut_law law = linear(0.0, 1.0);
    law.kind = ABUT_HERTZ;
    build(s, DOWN, 0.0, 1, law);
    add_floor(s);
    place(s, (vec3){0.0, 0.0, 0.5}, (vec3){0.0, 0.0, 0.0}, (vec3){0.0, 0.0, 0.0});
    CHECK_INT(add_cubes(s, 1, -1.0), ABUT_BAD_BODY);
    CHECK_INT(add_cubes(s, 1, 1.0), ABUT_OK);
    CHECK_INT(run(s, 1), ABUT_BODY_CURVATURE);
    law = linear(0.0, 1.0);
    law.rolling = ABUT_ROLLING_C, law.rolling_friction = 0.1;
    CHECK_INT(abut_simulation_set_laws(s->simulation, 1, &law, NULL), ABUT_OK);
    CHECK_INT(run(s, 1), ABUT_BODY_CURVATURE);
    law.rolling = ABUT_ROLLING_A, law.curvature = 0.1;
    CHECK_INT(abut_simulation_set_laws(s->simulation, 1, &law, NULL), ABUT_OK);
    CHECK_INT(run(s, 1), ABUT_BODY_LAW);
    law.curvature = -0.1;
    CHECK_INT(abut_simulation_set_laws(s->simulation, 1, &law, NULL), ABUT_BAD_LAW);
    law = linear(0.0, 1.0);
    CHECK_INT(abut_simulation_set_laws(s->simulation, 1, &law, NULL), ABUT_OK);
    CHECK_INT(run(s, 1), ABUT_OK);
    const double push[3] = {0.0, 0.0, 1e308};
    CHECK_INT(abut_simulation_apply_to_bodies(s->simulation, push, NULL, NULL), ABUT_BAD_FORCE);
    end(s);
}

/* A search of bodies names a body, whether there are as many spheres or none. */
static void check_names(setting *s)
{
    const double far = 1e7;
    const double vertices[] = {-far, -1.0, 0.0, far, -1.0, 0.0, 0.0, 1.0, 0.0};
    const abut_index corners[] = {0, 1, 2}, offsets[] = {0, 3};
    const abut_mesh_input input = {.vertex_count = 3,
                                   .facet_count = 1,
                                   .index_count = 3,
                                   .vertices = vertices,
                                   .indices = corners,
                                   .offsets = offsets};
    abut_mesh *mesh = NULL;
    CHECK_INT(abut_mesh_build(&input, &mesh, NULL), ABUT_OK);
    const abut_mesh *meshes[] = {mesh};
    abut_finder *finder = NULL;
    CHECK_INT(abut_finder_build(meshes, 1, &finder, NULL), ABUT_OK);
    build(s, NOWHERE, 4.0, 1, linear(0.0, 1.0));
    abut_wall wall = {.material = 0};
    for (int k = 0; k < 4; k++) {
        wall.pose[5 * k] = 1.0;
    }
    CHECK_INT(abut_simulation_set_walls(s->simulation, finder, &wall, 1, NULL, NULL), ABUT_OK);
    place(s, (vec3){0.0, 0.0, 9.0}, (vec3){0.0, 0.0, 0.0}, (vec3){0.0, 0.0, 0.0});
    CHECK_INT(add_cubes(s, 1, 1.0), ABUT_OK);
    abut_index done = 0;
    abut_error error;
    CHECK_INT(abut_simulation_run(s->simulation, 1, NULL, NULL, &done, &error),
              ABUT_BODY_MANY_IMAGES);
    CHECK_INT(error.status, ABUT_BODY_MANY_IMAGES);
    CHECK_INT(error.index, 0);
    end(s);
    abut_finder_free(finder);
    abut_mesh_free(mesh);
}

/* A body and a sphere that meet on both sides of a short box, along each axis in turn. */
static void check_images(setting *s)
{
    const abut_shape *shapes[] = {s->cube};
    const abut_law law = linear(0.0, 1.0);
    for (int axis = 0; axis < 3; axis++) {
        abut_simulation_input input = {.step = 1e-3, .workers = 1};
        double center[3] = {0.5, 0.5, 0.5}, radius = 0.4, mass = 1.0;
        abut_index material = 0, done = 0;
        abut_error error;
        const abut_spheres rows = {.count = 1,
                                   .centers = center,
                                   .radii = &radius,
                                   .masses = &mass,
                                   .materials = &material};
        input.period[axis] = 4.0, center[axis] = 2.0;
        CHECK_INT(abut_simulation_build(&input, &s->simulation, NULL), ABUT_OK);
        CHECK_INT(abut_simulation_set_laws(s->simulation, 1, &law, NULL), ABUT_OK);
        CHECK_INT(abut_simulation_set_shapes(s->simulation, shapes, 1, NULL), ABUT_OK);
        place(s, (vec3){0.0, 0.0, 0.0}, (vec3){0.0, 0.0, 0.0}, (vec3){0.0, 0.0, 0.0});
        CHECK_INT(add_cubes(s, 1, 1.0), ABUT_OK);
        CHECK_INT(abut_simulation_add(s->simulation, &rows, NULL), ABUT_OK);
        CHECK_INT(abut_simulation_run(s->simulation, 1, NULL, NULL, &done, &error),
                  ABUT_BODY_IMAGES);
        CHECK(error.index == 0 && error.detail == 0);
        end(s);
    }
}

/* ---- a point that is rounded ---- */

enum { ROLLED_STEPS = 3000 };

/* A sphere that slides over the floor, and one that falls on it. */
typedef struct rolled {
    double centers[6], velocities[6], spins[6], load[7];
} rolled;

static void begin_rolling(setting *s, const abut_shape *point)
{
    const abut_law law = rolling_hertz();
    const abut_simulation_input input = {.step = 1e-4, .gravity = {0.0, 0.0, -9.81}, .workers = 1};
    CHECK_INT(abut_simulation_build(&input, &s->simulation, NULL), ABUT_OK);
    CHECK_INT(abut_simulation_set_laws(s->simulation, 1, &law, NULL), ABUT_OK);
    CHECK_INT(abut_simulation_set_shapes(s->simulation, &point, 1, NULL), ABUT_OK);
    add_floor(s);
}

static const double ROLLED_CENTERS[] = {0.0, 0.0, 0.4999, 0.05, 0.02, 1.401},
                    ROLLED_VELOCITIES[] = {0.3, 0.0, -0.1, 0.4, 0.0, -0.3},
                    ROLLED_SPINS[] = {0.5, -1.0, 0.4, 1.0, 0.3, 0.2};

static void run_spheres(setting *s, rolled *to, double radii[2], double masses[2])
{
    abut_index zeros[2] = {0};
    memcpy(to->centers, ROLLED_CENTERS, sizeof to->centers);
    memcpy(to->velocities, ROLLED_VELOCITIES, sizeof to->velocities);
    memcpy(to->spins, ROLLED_SPINS, sizeof to->spins);
    const abut_spheres rows = {.count = 2,
                               .centers = to->centers,
                               .radii = radii,
                               .masses = masses,
                               .velocities = to->velocities,
                               .spins = to->spins,
                               .materials = zeros};
    CHECK_INT(abut_simulation_add(s->simulation, &rows, NULL), ABUT_OK);
    CHECK_INT(run(s, ROLLED_STEPS), ABUT_OK);
    const abut_spheres read = {
        .centers = to->centers, .velocities = to->velocities, .spins = to->spins};
    abut_simulation_read(s->simulation, &read);
}

static void run_points(setting *s, rolled *to, double radii[2], double masses[2])
{
    abut_index zeros[2] = {0};
    double inertias[6], axes[8] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, momenta[6];
    memcpy(to->centers, ROLLED_CENTERS, sizeof to->centers);
    memcpy(to->velocities, ROLLED_VELOCITIES, sizeof to->velocities);
    for (int k = 0; k < 6; k++) {
        inertias[k] = 0.4 * masses[k / 3] * radii[k / 3] * radii[k / 3];
        momenta[k] = inertias[k] * ROLLED_SPINS[k];
    }
    const abut_rigids rows = {.count = 2,
                              .shapes = zeros,
                              .scales = radii,
                              .materials = zeros,
                              .masses = masses,
                              .inertias = inertias,
                              .axes = axes,
                              .positions = to->centers,
                              .velocities = to->velocities,
                              .angular_momenta = momenta};
    CHECK_INT(abut_simulation_add_rigids(s->simulation, ABUT_BODIES, &rows, NULL, NULL), ABUT_OK);
    CHECK_INT(run(s, ROLLED_STEPS), ABUT_OK);
    const abut_rigids read = {
        .positions = to->centers, .velocities = to->velocities, .spins = to->spins};
    abut_simulation_read_rigids(s->simulation, ABUT_BODIES, &read);
}

static void end_rolling(setting *s, rolled *to)
{
    const abut_wall_load load = abut_simulation_load(s->simulation, 0);
    memcpy(to->load, load.force, sizeof load.force);
    memcpy(to->load + 3, load.torque, sizeof load.torque);
    to->load[6] = load.power;
    end(s);
}

/* A body that is a rounded point moves as a sphere, with friction and against rolling, on a floor
 * and under another one, and loads the floor as it does. */
static void check_sphere(setting *s, setting *other)
{
    double radii[2] = {0.5, 0.4}, masses[2] = {0.6, 0.3};
    abut_shape *point = NULL;
    rolled sphere, body;
    CHECK_INT(abut_shape_build_point(3, 1.0, &point, NULL), ABUT_OK);
    begin_rolling(s, point);
    run_spheres(s, &sphere, radii, masses);
    end_rolling(s, &sphere);
    begin_rolling(other, point);
    run_points(other, &body, radii, masses);
    end_rolling(other, &body);
    for (int k = 0; k < 6; k++) {
        CHECK_NEAR(body.centers[k], sphere.centers[k], 1e-12);
        CHECK_NEAR(body.velocities[k], sphere.velocities[k], 1e-10);
        CHECK_NEAR(body.spins[k], sphere.spins[k], 1e-10);
    }
    CHECK(fabs(sphere.load[2]) > 1.0 && fabs(sphere.spins[1] - ROLLED_SPINS[1]) > 0.1);
    for (int k = 0; k < 7; k++) {
        CHECK_NEAR(body.load[k], sphere.load[k], 1e-8);
    }
    abut_shape_free(point);
}

void test_bodies(void)
{
    setting s = {0}, other = {0};
    build_cube(&s);
    build_cube(&other);
    check_free_motion(&s);
    check_rest(&s);
    check_slope(&s);
    check_restitution(&s);
    check_changes(&s);
    check_errors(&s);
    check_names(&s);
    check_images(&s);
    const abut_law laws[] = {linear(0.4, 0.5), rolling_hertz()};
    for (int k = 0; k < 2; k++) {
        check_threads(&s, &other, laws[k]);
        check_failures(&s, &other, laws[k]);
    }
    check_sphere(&s, &other);
    abut_shape_free(s.cube);
    abut_shape_free(other.cube);
}
