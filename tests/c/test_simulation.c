/* A simulation in C: the same bits for any number of threads, instruction level and order in
 * memory, through failures, and after a restart. */
#include "base/memory.h"
#include "dem/simulation.h"

#include "abut.h"

#include "check.h"
#include "random.h"
#include "simd_levels.h"
#include "triangle_mesh.h"

#include <stdlib.h>
#include <string.h>

/* MANY: so many that several threads share them. */
enum { SPHERES = 250, MANY = 4000, STEPS = 60, MATERIALS = 2 };

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
    }
    CHECK_INT(abut_simulation_set_laws(s, MATERIALS, laws, NULL), ABUT_OK);
}

static void set_walls(setting *s)
{
    const abut_motion turning = {ABUT_ROTATING, {0.0, 0.0, 1.0}, {0.5, 0.5, 0.0}, 3.0, 0.0};
    abut_wall walls[2] = {{.material = 0}, {.material = 1, .motions = &turning, .motion_count = 1}};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 4; i++) {
            walls[k].pose[5 * i] = 1.0;
        }
    }
    CHECK_INT(abut_simulation_set_walls(s->simulation, s->finder, walls, 2, NULL), ABUT_OK);
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

static void end(setting *s)
{
    abut_simulation_free(s->simulation);
    s->simulation = NULL;
}

/* The state after STEPS, in *s. */
static void do_run(setting *s, double period, int workers)
{
    begin(s, period, workers);
    CHECK_INT(run(s->simulation, STEPS), ABUT_OK);
    read_state(s);
    CHECK(abut_simulation_contact_count(s->simulation) > SPHERES / 20);
    CHECK(abut_simulation_pair_count(s->simulation) > SPHERES / 4);
    end(s);
}

static void check_same_bits(setting *first, setting *other, double period)
{
    do_run(first, period, 1);
    for (size_t k = 0; choose_next_level(&k);) {
        do_run(other, period, 1);
        CHECK(are_same(first, other));
    }
    order_sort_always(true);
    do_run(other, period, 1);
    order_sort_always(false);
    CHECK(are_same(first, other));
}

static void run_many(setting *s, int workers)
{
    s->simulation = build_simulation(1.0, workers);
    set_walls(s);
    add_spheres(s->simulation, MANY);
    CHECK_INT(run(s->simulation, 12), ABUT_OK);
    read_state(s);
    CHECK(abut_simulation_pair_count(s->simulation) > MANY / 2);
    end(s);
}

static void check_threads(setting *one, setting *several)
{
    run_many(one, 1);
    for (int workers = 2; workers <= 3; workers++) {
        run_many(several, workers);
        CHECK(are_same(one, several));
    }
}

/* Each allocation of a step fails once: the step is not done, and the next one is. */
static void check_failures(setting *whole, setting *s)
{
    do_run(whole, 1.0, 1);
    begin(s, 1.0, 1);
    order_sort_always(true);
    abut_index step = 0;
    int failures = 0;
    for (long call = 1; step < STEPS; call++) {
        memory_fail_at(call);
        const abut_status status = run(s->simulation, 1);
        const bool has_failed = memory_has_failed();
        memory_fail_at(0);
        CHECK_INT(status, has_failed ? ABUT_NO_MEMORY : ABUT_OK);
        failures += has_failed;
        call = has_failed ? call : 0;
        step += !has_failed;
        CHECK_INT(abut_simulation_step_count(s->simulation), step);
    }
    order_sort_always(false);
    CHECK(failures > 20);
    read_state(s);
    CHECK(are_same(whole, s));
    end(s);
}

/* Everything that a restart needs, as columns of the caller's. */
typedef struct saved {
    double centers[3 * SPHERES], began[3 * SPHERES], radii[SPHERES], masses[SPHERES];
    double velocities[3 * SPHERES], spins[3 * SPHERES], forces[3 * SPHERES], torques[3 * SPHERES];
    double works[4 * SPHERES];
    abut_index materials[SPHERES];
    abut_contact_state contacts;
    abut_pair_state pairs;
    abut_wall_state walls[2];
    abut_step_state step;
} saved;

static abut_spheres rows_of(saved *to)
{
    return (abut_spheres){.count = SPHERES,
                          .centers = to->centers,
                          .began = to->began,
                          .radii = to->radii,
                          .masses = to->masses,
                          .velocities = to->velocities,
                          .spins = to->spins,
                          .materials = to->materials,
                          .forces = to->forces,
                          .torques = to->torques,
                          .works = to->works};
}

static double *make_vectors(abut_index count)
{
    return calloc(3 * (size_t)count + 1, sizeof(double));
}

static abut_index *make_indices(abut_index count)
{
    return calloc((size_t)count + 1, sizeof(abut_index));
}

static void make_contact_columns(saved *to, abut_index rows, abut_index nodes)
{
    to->contacts = (abut_contact_state){.contact_count = rows,
                                        .node_count = nodes,
                                        .columns = {.sphere = make_indices(rows),
                                                    .mesh = make_indices(rows),
                                                    .facet = make_indices(rows),
                                                    .type = calloc((size_t)rows + 1, 1),
                                                    .feature = make_indices(rows),
                                                    .point = make_vectors(rows),
                                                    .normal = make_vectors(rows),
                                                    .overlap = make_vectors(rows),
                                                    .share = make_vectors(rows),
                                                    .tilt = make_vectors(rows),
                                                    .image = make_indices(3 * rows),
                                                    .offsets = make_indices(SPHERES),
                                                    .node = make_indices(nodes),
                                                    .weight = make_vectors(nodes),
                                                    .node_offsets = make_indices(rows)},
                                        .force = make_vectors(rows),
                                        .moment = make_vectors(rows),
                                        .spring = make_vectors(rows),
                                        .roll = make_vectors(rows)};
}

static void make_pair_columns(saved *to, abut_index rows)
{
    to->pairs = (abut_pair_state){.pair_count = rows,
                                  .columns = {.i = make_indices(rows),
                                              .j = make_indices(rows),
                                              .normal = make_vectors(rows),
                                              .overlap = make_vectors(rows),
                                              .point = make_vectors(rows),
                                              .image = make_indices(3 * rows),
                                              .offsets = make_indices(SPHERES)},
                                  .force = make_vectors(rows),
                                  .moment = make_vectors(rows),
                                  .spring = make_vectors(rows),
                                  .roll = make_vectors(rows)};
}

static void free_columns(saved *s)
{
    const abut_columns *c = &s->contacts.columns;
    void *const contacts[] = {c->sphere,
                              c->mesh,
                              c->facet,
                              c->type,
                              c->feature,
                              c->point,
                              c->normal,
                              c->overlap,
                              c->share,
                              c->tilt,
                              c->image,
                              c->offsets,
                              c->node,
                              c->weight,
                              c->node_offsets,
                              s->contacts.force,
                              s->contacts.moment,
                              s->contacts.spring,
                              s->contacts.roll};
    const abut_pair_columns *p = &s->pairs.columns;
    void *const pairs[] = {
        p->i,       p->j,           p->normal,       p->overlap,      p->point,     p->image,
        p->offsets, s->pairs.force, s->pairs.moment, s->pairs.spring, s->pairs.roll};
    for (size_t k = 0; k < sizeof contacts / sizeof *contacts; k++) {
        free(contacts[k]);
    }
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        free(pairs[k]);
    }
}

static void save(const abut_simulation *s, saved *to)
{
    const abut_spheres rows = rows_of(to);
    abut_simulation_read(s, &rows);
    make_contact_columns(to, abut_simulation_contact_count(s),
                         abut_simulation_contact_node_count(s));
    make_pair_columns(to, abut_simulation_pair_count(s));
    CHECK_INT(abut_simulation_write_contacts(s, &to->contacts, NULL), ABUT_OK);
    CHECK_INT(abut_simulation_write_pairs(s, &to->pairs, NULL), ABUT_OK);
    to->step = abut_simulation_step_state(s);
    for (int k = 0; k < 2; k++) {
        to->walls[k] = abut_simulation_wall(s, k);
    }
    to->step.walls = to->walls, to->step.contacts = &to->contacts, to->step.pairs = &to->pairs;
}

static void load(setting *s, double period, saved *from)
{
    const abut_spheres rows = rows_of(from);
    s->simulation = build_simulation(period, 1);
    set_walls(s);
    CHECK_INT(abut_simulation_add(s->simulation, &rows, NULL), ABUT_OK);
    CHECK_INT(abut_simulation_assign(s->simulation, &rows, NULL), ABUT_OK);
    CHECK_INT(abut_simulation_restore(s->simulation, &from->step, NULL), ABUT_OK);
}

static void check_same_energy(const abut_simulation *a, const abut_simulation *b)
{
    const abut_energy x = abut_simulation_energy(a), y = abut_simulation_energy(b);
    CHECK(memcmp(&x, &y, sizeof x) == 0);
}

/* Half of the steps, another simulation, and the rest: the same bits, whatever the order. */
static void check_restart(setting *whole, setting *s, double period, bool is_sorted)
{
    static saved kept;
    do_run(whole, period, 1);
    order_sort_always(is_sorted);
    begin(s, period, 1);
    CHECK_INT(run(s->simulation, STEPS / 2), ABUT_OK);
    save(s->simulation, &kept);
    abut_simulation *first = s->simulation;
    load(s, period, &kept);
    check_same_energy(first, s->simulation);
    abut_simulation_free(first);
    CHECK_INT(run(s->simulation, STEPS - STEPS / 2), ABUT_OK);
    order_sort_always(false);
    read_state(s);
    CHECK(are_same(whole, s));
    end(s);
    free_columns(&kept);
}

/* Some spheres go: the others keep what they have, in their order. */
static void check_removal(setting *s)
{
    static saved before, after;
    uint8_t is_gone[SPHERES] = {0};
    begin(s, 1.0, 1);
    order_sort_always(true);
    CHECK_INT(run(s->simulation, STEPS), ABUT_OK);
    const abut_spheres rows = rows_of(&before), rest = rows_of(&after);
    abut_simulation_read(s->simulation, &rows);
    const abut_energy energy = abut_simulation_energy(s->simulation);
    for (int i = 0; i < SPHERES; i += 7) {
        is_gone[i] = 1;
    }
    CHECK_INT(abut_simulation_remove(s->simulation, is_gone, NULL), ABUT_OK);
    abut_simulation_read(s->simulation, &rest);
    abut_index row = 0;
    for (int i = 0; i < SPHERES; i++) {
        const bool is_same = is_gone[i] || (memcmp(before.centers + 3 * i, after.centers + 3 * row,
                                                   3 * sizeof(double)) == 0 &&
                                            before.radii[i] == after.radii[row]);
        CHECK(is_same);
        row += !is_gone[i];
    }
    CHECK_INT(abut_simulation_sphere_count(s->simulation), row);
    CHECK(abut_simulation_energy(s->simulation).dissipated == energy.dissipated);
    CHECK_INT(run(s->simulation, 10), ABUT_OK);
    order_sort_always(false);
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
    return abut_simulation_set_walls(s->simulation, s->finder, walls, 2, NULL);
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
    const abut_index numbers[2] = {abut_simulation_cluster_count(s->simulation),
                                   abut_simulation_cluster_count(s->simulation)};
    const abut_clusters clusters = {.count = 1,
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
    return abut_simulation_add_clusters(s->simulation, &clusters, &rows, NULL);
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
    const abut_contact_state contacts = {.force = forces};
    const abut_pair_state pairs = {.force = forces};
    abut_stable_step longest;
    abut_status status = abut_simulation_write_contacts(s->simulation, &contacts, NULL);
    status = status ? status : abut_simulation_write_pairs(s->simulation, &pairs, NULL);
    return status ? status : abut_simulation_stable_step(s->simulation, NULL, &longest);
}

/* Whether it failed where an allocation did, and left as many spheres as there were. */
static int do_with_failures(setting *s, deed *does)
{
    int failures = 0;
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
        failures += has_failed;
    }
    return failures;
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
    check_threads(&first, &other);
    check_failures(&first, &other);
    check_deeds(&first, &other);
    check_restart(&first, &other, 0.0, false);
    check_restart(&first, &other, 1.0, true);
    check_removal(&first);
    abut_finder_free(first.finder);
    abut_mesh_free(first.box);
    abut_mesh_free(first.paddle);
    CHECK(memory_live_count() <= live);
}
