/* Spheres in a box of facets with a moving wall are thrown, removed and added. Neighbor lists miss
 * no contact (in a build with ABUT_CHECK_LISTS). Another simulation with other portions of steps
 * and another instruction level has the same bits. */
#include "bytes.h"
#include "simd_levels.h"
#include "triangle_mesh.h"

#include "base/memory.h"

enum { FACETS = 8, SPHERES = 12, ACTS = 24, MOST = SPHERES + ACTS, MOTIONS = 3 };

/* The kinds of actions between steps. */
typedef enum act_kind { RUN, THROW, REMOVE, ADD, SET_STEP, RESIZE, ACT_COUNT } act_kind;

typedef struct act {
    act_kind kind;
    abut_index number;
    double center[3], velocity[3], radius;
} act;

typedef struct scene {
    double vertices[9 * FACETS], period[3];
    act acts[ACTS], spheres[SPHERES];
    int facet_count, act_count, sphere_count, moving;
    abut_law law;
    abut_mesh *mesh;
    abut_finder *finder;
} scene;

/* ---- from bytes ---- */

static act take_act(bytes *b)
{
    act a = {.kind = (act_kind)take_below(b, ACT_COUNT), .number = take_below(b, 32)};
    for (int axis = 0; axis < 3; axis++) {
        a.center[axis] = take_step(b, 64.0);
    }
    for (int axis = 0; axis < 3; axis++) {
        a.velocity[axis] = take_step(b, 4.0);
    }
    a.radius = (1.0 + take_below(b, 16)) / 32.0;
    return a;
}

static void take_law(scene *s, bytes *b)
{
    const int choice = take_below(b, 8);
    s->law = (abut_law){.kind = choice & 1 ? ABUT_LINEAR : ABUT_HERTZ,
                        .stiffness = 1e4,
                        .shear = 3e3,
                        .friction = 0.5,
                        .restitution = 0.6};
    if (choice & 2) {
        s->law.rolling = ABUT_ROLLING_C, s->law.rolling_friction = 0.1;
    }
    if (choice & 4) {
        s->law.cohesion = choice & 1 ? ABUT_LIQUID_BRIDGE : ABUT_JKR, s->law.adhesion = 5.0;
        s->law.volume = 1e-6, s->law.surface_tension = 2.0;
    }
}

static void take_scene(scene *s, bytes *b)
{
    *s = (scene){.facet_count = 1 + take_below(b, FACETS)};
    for (int k = 0; k < 9 * s->facet_count; k++) {
        s->vertices[k] = take_step(b, 64.0);
    }
    for (int axis = 0; axis < 3; axis++) {
        s->period[axis] = take_below(b, 4) == 3 ? (5.0 + take_below(b, 8)) / 4.0 : 0.0;
    }
    s->moving = take_below(b, MOTIONS + 1);
    take_law(s, b);
    s->sphere_count = 1 + take_below(b, SPHERES);
    for (int k = 0; k < s->sphere_count; k++) {
        s->spheres[k] = take_act(b);
    }
    s->act_count = 1 + take_below(b, ACTS);
    for (int k = 0; k < s->act_count; k++) {
        s->acts[k] = take_act(b);
    }
}

/* Builds a mesh of separate triangles; returns false if they are no valid mesh. */
static bool build_mesh(scene *s)
{
    static const abut_index indices[3 * FACETS] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                                   12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};
    static const abut_index offsets[FACETS + 1] = {0, 3, 6, 9, 12, 15, 18, 21, 24};
    const abut_mesh_input input = {.vertex_count = 3 * s->facet_count,
                                   .facet_count = s->facet_count,
                                   .index_count = 3 * s->facet_count,
                                   .vertices = s->vertices,
                                   .indices = indices,
                                   .offsets = offsets,
                                   .drop_zero_area = 1};
    if (abut_mesh_build(&input, &s->mesh, NULL)) {
        return false;
    }
    const abut_mesh *meshes[1] = {s->mesh};
    return CHECK_INT(abut_finder_build(meshes, 1, &s->finder, NULL), ABUT_OK);
}

/* ---- a simulation ---- */

static void add_sphere(abut_simulation *to, const act *a)
{
    act sphere = *a;
    double mass = 4000.0 * a->radius * a->radius * a->radius;
    abut_index material = 0;
    const abut_spheres row = {.count = 1,
                              .centers = sphere.center,
                              .radii = &sphere.radius,
                              .masses = &mass,
                              .velocities = sphere.velocity,
                              .materials = &material};
    CHECK_INT(abut_simulation_add(to, &row, NULL), ABUT_OK);
}

static void set_walls(const scene *s, abut_simulation *to)
{
    const abut_motion motions[MOTIONS] = {
        {ABUT_ROTATING, {0.0, 0.0, 1.0}, {0.5, 0.5, 0.0}, 3.0, 0.0},
        {ABUT_TRANSLATING, {0.5, -1.0, 0.25}, {0.0, 0.0, 0.0}, 0.0, 0.0},
        {ABUT_OSCILLATING, {0.25, 0.0, 0.5}, {0.0, 0.0, 0.0}, 5.0, 0.5}};
    abut_wall wall = {
        .pose = {1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0}};
    if (s->moving > 0) {
        wall.motions = &motions[s->moving - 1], wall.motion_count = 1;
    }
    CHECK_INT(abut_simulation_set_walls(to, s->finder, &wall, 1, NULL, NULL), ABUT_OK);
}

static abut_simulation *begin(const scene *s)
{
    const abut_simulation_input input = {
        .step = 1e-3,
        .gravity = {0.0, 0.0, -9.81},
        .period = {s->period[0], [4] = s->period[1], [8] = s->period[2]},
        .resolution = ABUT_HIERARCHY,
        .workers = 1};
    abut_simulation *made = NULL;
    CHECK_INT(abut_simulation_build(&input, &made, NULL), ABUT_OK);
    CHECK_INT(abut_simulation_set_laws(made, 1, &s->law, NULL), ABUT_OK);
    set_walls(s, made);
    for (int k = 0; k < s->sphere_count; k++) {
        add_sphere(made, &s->spheres[k]);
    }
    return made;
}

/* Changes a column of one sphere, or removes the sphere. */
static void change(abut_simulation *of, const act *a)
{
    double radii[MOST], velocities[3 * MOST];
    uint8_t is_gone[MOST] = {0};
    const abut_index count = abut_simulation_sphere_count(of);
    const abut_spheres read = {.radii = radii, .velocities = velocities};
    if (count == 0) {
        return;
    }
    const abut_index row = a->number % count;
    abut_simulation_read(of, &read);
    is_gone[row] = 1;
    if (a->kind == REMOVE) {
        CHECK_INT(abut_simulation_remove(of, is_gone, NULL), ABUT_OK);
        return;
    }
    if (a->kind == RESIZE) {
        radii[row] = a->radius;
    } else {
        memcpy(velocities + 3 * row, a->velocity, sizeof a->velocity);
    }
    CHECK_INT(abut_simulation_assign(of, &read, NULL), ABUT_OK);
}

/* Runs `count` steps in portions. */
static abut_status run(abut_simulation *s, abut_index count, abut_index portion)
{
    abut_status status = ABUT_OK;
    for (abut_index done; status == ABUT_OK && count > 0; count -= portion) {
        abut_error error = {0};
        status =
            abut_simulation_run(s, portion < count ? portion : count, NULL, NULL, &done, &error);
        CHECK(status == ABUT_OK || status == ABUT_SPHERE_LOST || status == ABUT_LAW_RADIUS ||
              status == ABUT_PERIOD_TOO_SHORT || status == ABUT_TOO_MANY_IMAGES);
    }
    return status;
}

static abut_status do_act(abut_simulation *s, const act *a, abut_index portion)
{
    if (a->kind == RUN) {
        return run(s, 1 + a->number, portion);
    }
    if (a->kind == ADD) {
        add_sphere(s, a);
    } else if (a->kind == SET_STEP) {
        CHECK_INT(abut_simulation_set_step(s, 1e-4 * (double)(1 + a->number), NULL, NULL), ABUT_OK);
    } else {
        change(s, a);
    }
    return ABUT_OK;
}

static void check_same(const abut_simulation *a, const abut_simulation *b)
{
    double centers[2][3 * MOST], velocities[2][3 * MOST];
    const abut_index count = abut_simulation_sphere_count(a);
    CHECK_INT(abut_simulation_sphere_count(b), count);
    for (int k = 0; k < 2; k++) {
        const abut_spheres rows = {.centers = centers[k], .velocities = velocities[k]};
        abut_simulation_read(k == 0 ? a : b, &rows);
    }
    const size_t size = 3 * (size_t)count * sizeof(double);
    CHECK(memcmp(centers[0], centers[1], size) == 0);
    CHECK(memcmp(velocities[0], velocities[1], size) == 0);
}

/* Runs two simulations, which must be the same after each action. */
static void check_scene(const scene *s, const char *level)
{
    abut_simulation *whole = begin(s), *parts = begin(s);
    abut_status status = ABUT_OK;
    for (int k = 0; status == ABUT_OK && k < s->act_count; k++) {
        abut_simd_choose(NULL);
        status = do_act(whole, &s->acts[k], 64);
        abut_simd_choose(level);
        CHECK_INT(do_act(parts, &s->acts[k], 1 + k % 3), status);
        check_same(whole, parts);
    }
    abut_simd_choose(NULL);
    abut_simulation_free(whole);
    abut_simulation_free(parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static scene s;
    bytes b = {data, size};
    const char *level = SIMD_LEVELS[take_below(&b, SIMD_LEVEL_COUNT)];
    take_scene(&s, &b);
    if (build_mesh(&s)) {
        check_scene(&s, level);
    }
    abut_finder_free(s.finder);
    abut_mesh_free(s.mesh);
    CHECK_INT(memory_live_count(), 0);
    return 0;
}
