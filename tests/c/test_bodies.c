/* Convex bodies and spheres in a simulation: they keep their bits through failures. */
#include "base/memory.h"

#include "abut.h"

#include "bodies.h"
#include "check.h"

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

static void build(setting *s)
{
    const abut_simulation_input input = {
        .step = 1e-3, .gravity = {0.0, 0.0, -9.81}, .period = {6.0, 6.0, 0.0}, .workers = 1};
    const abut_law law = {
        .kind = ABUT_LINEAR, .stiffness = 1e5, .shear = 3e4, .friction = 0.4, .restitution = 0.5};
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
    CHECK_INT(abut_simulation_set_walls(s->simulation, NULL, &wall, 1, NULL), ABUT_OK);
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
    const abut_bodies rows = {.count = count,
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
    return abut_simulation_add_bodies(s->simulation, &rows, NULL);
}

static void read_state(setting *s)
{
    const abut_bodies rows = {.positions = s->positions,
                              .orientations = s->orientations,
                              .velocities = s->velocities,
                              .angular_momenta = s->momenta};
    abut_simulation_read_bodies(s->simulation, &rows);
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

static void begin_heap(setting *s)
{
    build(s);
    add_floor(s);
    state = 3;
    memset(s->orientations, 0, sizeof s->orientations);
    for (int k = 0; k < BODIES; k++) {
        const int at[3] = {k % SIDE, k / SIDE % SIDE, k / SIDE / SIDE};
        for (int axis = 0; axis < 3; axis++) {
            s->positions[3 * k + axis] = 0.5 + at[axis] + 0.1 * draw_number();
            s->orientations[4 * k + axis] = 0.2 * draw_number();
            s->velocities[3 * k + axis] = draw_number() - 0.5;
            s->momenta[3 * k + axis] = 0.1 * (draw_number() - 0.5);
        }
        s->orientations[4 * k + 3] = 1.0;
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

enum { STEPS = 120 };

static void run_heap(setting *s)
{
    begin_heap(s);
    CHECK_INT(run(s, STEPS), ABUT_OK);
    read_state(s);
    for (int meeting = 0; meeting < 3; meeting++) {
        const abut_meeting kinds[] = {ABUT_WITH_WALLS, ABUT_WITH_BODIES, ABUT_WITH_SPHERES};
        CHECK(abut_simulation_count_body_contacts(s->simulation, kinds[meeting]).row_count > 0);
    }
    end(s);
}

/* Each allocation of a step fails once: the step is not done, and the next one is. */
static void check_failures(const setting *whole, setting *s)
{
    begin_heap(s);
    static double push[3 * BODIES];
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
    push[2] = 1e308;
    CHECK_INT(abut_simulation_apply_to_bodies(s->simulation, push, NULL, NULL), ABUT_BAD_FORCE);
    end(s);
}

void test_bodies(void)
{
    setting s = {.cube = box_shape(1.0, 1.0, 1.0)}, other = {.cube = s.cube};
    run_heap(&s);
    check_failures(&s, &other);
    abut_shape_free(s.cube);
}
