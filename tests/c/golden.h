/* The golden scene, a mixer: one hash stands for all bits of its results. A paddle turns in a box
 * over a shaking floor. There are two materials with rolling and sliding friction, a user law,
 * walls that share a sphere's force, clusters and convex bodies. In the middle another simulation
 * continues from the rows of the first. The scene uses abut.h only. At most two threads share a
 * step. */
#ifndef ABUT_GOLDEN_H
#define ABUT_GOLDEN_H

#include "columns.h"
#include "base/vec3.h"
#include "random.h"
#include "sha256.h"
#include "shapes.h"

#include "abut.h"
#include "abut_law.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The hash of every build, processor, level and number of threads. */
#define GOLDEN_HASH "93a963d08f54647e15d346ad30178cafadebb2ab66e5983e1de6bc55608cfc95"

enum { GOLDEN_STEPS = 1000 }; /* steps before the restart, and as many after it */
enum {
    ROW = 12,
    LAYER = ROW * ROW,
    LAYERS = 7,
    ALONE = LAYERS * LAYER,
    CLUSTERS = 8,
    MEMBERS = 3,
    BODIES = 8
};
enum { SPHERES = ALONE + CLUSTERS * MEMBERS, WALLS = 3, SHAPES = 2, MATERIALS = 3 };

/* Rows of spheres, for adding and reading. */
typedef struct golden_rows {
    double centers[3 * SPHERES], radii[SPHERES], masses[SPHERES], velocities[3 * SPHERES];
    double spins[3 * SPHERES], forces[3 * SPHERES], torques[3 * SPHERES], began[3 * SPHERES];
    double works[4 * SPHERES];
    abut_index materials[SPHERES], clusters[SPHERES], fixed[SPHERES], images[3 * SPHERES];
} golden_rows;

/* Rows of clusters, or of equally many bodies. */
typedef struct golden_rigids {
    double positions[3 * BODIES], orientations[4 * BODIES], velocities[3 * BODIES];
    double momenta[3 * BODIES], masses[BODIES], inertias[3 * BODIES], spins[3 * BODIES];
    double centers[3 * BODIES], turns[4 * BODIES], began[10 * BODIES], works[4 * BODIES];
    double forces[3 * BODIES], torques[3 * BODIES];
    double members[3 * CLUSTERS * MEMBERS], scales[BODIES], axes[4 * BODIES];
    abut_index fixed[BODIES], images[3 * BODIES], member_counts[BODIES], shapes[BODIES];
    abut_index materials[BODIES];
} golden_rigids;

/* The scene. `alone`: spheres that belong to no cluster; members of clusters come after them. */
typedef struct golden {
    int alone;
    abut_mesh *meshes[2];
    abut_finder *finder;
    abut_shape *shapes[SHAPES];
    abut_simulation *simulation;
    golden_rows rows;
    golden_rigids clusters, bodies;
} golden;

static inline void golden_need(abut_status status, const char *what)
{
    if (status) {
        printf("%s: status %d\n", what, (int)status);
        exit(1);
    }
}

/* ---- walls ---- */

/* The largest number of facets in a mesh or a shape of the scene. */
enum { GOLDEN_FACETS = 8 };

/* Sets the offsets of facets with equally many corners. */
static inline void golden_set_offsets(int facet_count, int corners, abut_index *offsets)
{
    for (int k = 0; k <= facet_count; k++) {
        offsets[k] = (abut_index)corners * k;
    }
}

static inline abut_mesh *golden_mesh(int vertex_count, const double *vertices, int facet_count,
                                     int corners, const abut_index *indices)
{
    abut_index offsets[GOLDEN_FACETS + 1];
    golden_set_offsets(facet_count, corners, offsets);
    const abut_mesh_input input = {.vertex_count = vertex_count,
                                   .facet_count = facet_count,
                                   .index_count = offsets[facet_count],
                                   .vertices = vertices,
                                   .indices = indices,
                                   .offsets = offsets};
    abut_mesh *mesh = NULL;
    golden_need(abut_mesh_build(&input, &mesh, NULL), "mesh");
    return mesh;
}

/* Builds a box of quads, and a slightly tilted paddle of triangles. */
static inline void golden_build_meshes(golden *g)
{
    static const double crate[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0,
                                   0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
    static const abut_index quads[] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 5, 4,
                                       1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7};
    static const double paddle[] = {0.5, 0.1, 0.0, 0.5, 0.9, 0.0, 0.505, 0.9, 0.6, 0.505, 0.1, 0.6};
    static const abut_index triangles[] = {0, 1, 2, 0, 2, 3};
    g->meshes[0] = golden_mesh(8, crate, 6, 4, quads);
    g->meshes[1] = golden_mesh(4, paddle, 2, 3, triangles);
    const abut_mesh *const both[2] = {g->meshes[0], g->meshes[1]};
    golden_need(abut_finder_build(both, 2, &g->finder, NULL), "finder");
}

static const abut_motion golden_turning = {
    ABUT_ROTATING, {0.0, 0.0, 1.0}, {0.5, 0.5, 0.0}, 7.0, 0.0};

/* Sets the walls and their motions; `paddle` is the motion of the paddle. */
static inline abut_status golden_set_walls(const golden *g, const abut_motion *paddle)
{
    const abut_motion shakes = {ABUT_OSCILLATING, {0.0, 0.0, 0.01}, {0.0}, 10.0, 0.5};
    abut_wall walls[WALLS] = {
        {.material = 0},
        {.material = 1, .motions = paddle, .motion_count = 1},
        {.material = 0, .motions = &shakes, .motion_count = 1, .normal = {0.0, 0.0, 1.0}}};
    for (int k = 0; k < WALLS; k++) {
        for (int i = 0; i < 4; i++) {
            walls[k].pose[5 * i] = 1.0;
        }
    }
    return abut_simulation_set_walls(g->simulation, g->finder, walls, WALLS, NULL, NULL);
}

/* ---- shapes and laws ---- */

static inline abut_shape *golden_shape(int vertex_count, const double *vertices, int facet_count,
                                       int corners, const abut_index *indices, double radius)
{
    abut_index offsets[GOLDEN_FACETS + 1];
    golden_set_offsets(facet_count, corners, offsets);
    abut_shape *shape = shape_of(3, vertex_count, vertices, facet_count, indices, offsets, radius);
    golden_need(shape ? ABUT_OK : ABUT_NO_MEMORY, "shape");
    return shape;
}

/* Builds a cube and a rounded octahedron. */
static inline void golden_build_shapes(golden *g)
{
    static const double cube[] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                  -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
    static const abut_index quads[] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4,
                                       2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    static const double octahedron[] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};
    static const abut_index triangles[] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                           2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    g->shapes[0] = golden_shape(8, cube, 6, 4, quads, 0.0);
    g->shapes[1] = golden_shape(6, octahedron, 8, 3, triangles, 0.3);
}

/* A user law with a tangential spring and the largest overlap so far; beyond that overlap the
 * contact is stiffer. Parameters: stiffness, damping, friction. */
static inline void golden_law(const abut_law_block *b)
{
    for (int64_t k = 0; k < b->count; k++) {
        const double stiffness = b->parameters[0], overlap = b->overlap[k];
        const double before = b->history_in[3 * ABUT_LAW_ROWS + k];
        const double deepest = overlap > before ? overlap : before;
        const double push =
            stiffness * (1.5 * overlap - 0.5 * deepest) - b->parameters[1] * b->parting[k];
        double spring[3], square = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            const int64_t at = axis * ABUT_LAW_ROWS + k;
            spring[axis] = b->history_in[at] - 0.3 * stiffness * b->step * b->sliding[at];
            square += spring[axis] * spring[axis];
        }
        b->push[k] = push > 0.0 ? push : 0.0;
        const double most = b->parameters[2] * b->push[k], length = sqrt(square);
        const double part = length > most ? most / length : 1.0;
        for (int axis = 0; axis < 3; axis++) {
            const int64_t at = axis * ABUT_LAW_ROWS + k;
            b->tangent[at] = b->history_out[at] = part * spring[axis];
        }
        b->history_out[3 * ABUT_LAW_ROWS + k] = deepest;
        b->stored[k] = 0.5 * stiffness * overlap * overlap;
    }
}

/* Sets the laws. Spheres have materials 0 and 1, bodies material 2 without rolling of type A. */
static inline void golden_fill_laws(abut_law laws[MATERIALS * MATERIALS])
{
    for (int k = 0; k < MATERIALS * MATERIALS; k++) {
        const int one = k / MATERIALS, other = k % MATERIALS;
        const bool is_mixed = one != other, is_soft = one + other == 0;
        laws[k] = (abut_law){.kind = is_mixed ? ABUT_LINEAR : ABUT_HERTZ,
                             .stiffness = is_mixed ? 1e4 : 1e6,
                             .shear = is_mixed ? 3e3 : 3e5,
                             .friction = 0.5,
                             .restitution = is_soft ? 0.6 : 0.4,
                             .rolling = is_soft ? ABUT_ROLLING_A : ABUT_ROLLING_C,
                             .rolling_friction = 0.02,
                             .rolling_damping = 0.3,
                             .curvature = 0.02};
    }
    laws[MATERIALS + 1] = (abut_law){.kind = ABUT_USER_LAW};
}

static inline abut_status golden_set_laws(abut_simulation *s, const abut_law *laws,
                                          abut_error *error)
{
    static const double parameters[] = {1e4, 2.0, 0.4};
    static const abut_user_law own = {.function = golden_law,
                                      .parameters = parameters,
                                      .parameter_count = 3,
                                      .vector_count = 1,
                                      .scalar_count = 1,
                                      .identity = 1};
    const abut_user_laws all_own = {.laws = &own, .count = 1};
    return abut_simulation_set_user_laws(s, MATERIALS, laws, &all_own, error);
}

/* Starts a simulation with walls and without grains. */
static inline abut_status golden_begin(golden *g, int workers)
{
    const abut_simulation_input input = {
        .step = 2e-4, .gravity = {0.0, 0.0, -9.81}, .resolution = ABUT_SHARING, .workers = workers};
    const abut_shape *const shapes[SHAPES] = {g->shapes[0], g->shapes[1]};
    abut_law laws[MATERIALS * MATERIALS];
    golden_fill_laws(laws);
    abut_status status = abut_simulation_build(&input, &g->simulation, NULL);
    status = status ? status : golden_set_laws(g->simulation, laws, NULL);
    status = status ? status : abut_simulation_set_shapes(g->simulation, shapes, SHAPES, NULL);
    return status ? status : golden_set_walls(g, &golden_turning);
}

/* ---- grains ---- */

static inline void golden_draw_velocity(double *to)
{
    for (int axis = 0; axis < 3; axis++) {
        to[axis] = draw_between(-1.0, 1.0) - (axis == 2 ? 1.5 : 0.0);
    }
}

/* Places spheres in layers, each in its own cell. */
static inline void golden_place_spheres(golden_rows *r, int alone)
{
    for (int k = 0; k < alone; k++) {
        const int cell[3] = {k % ROW, k / ROW % ROW, k / LAYER};
        for (int axis = 0; axis < 3; axis++) {
            r->centers[3 * k + axis] = 0.06 + 0.08 * cell[axis] + draw_between(-0.006, 0.006);
        }
        golden_draw_velocity(r->velocities + 3 * k);
        r->radii[k] = draw_between(0.02, 0.028);
        r->masses[k] = 4000.0 * r->radii[k] * r->radii[k] * r->radii[k];
        r->materials[k] = k % 3 == 0;
    }
    for (int k = alone; k < alone + CLUSTERS * MEMBERS; k++) {
        r->radii[k] = 0.05, r->masses[k] = 0.4, r->materials[k] = 1;
    }
}

/* Places clusters and bodies above the spheres in alternating cells, in random orientations. */
static inline void golden_place_rigids(golden_rigids *r, int first)
{
    for (int k = 0; k < BODIES; k++) {
        const int cell = 2 * k + first;
        double *q = r->orientations + 4 * k, square = 0.0;
        vec3_store(r->positions + 3 * k,
                   (vec3){0.14 + 0.24 * (cell % 4), 0.14 + 0.24 * (cell / 4), 0.7});
        golden_draw_velocity(r->velocities + 3 * k);
        for (int i = 0; i < 4; i++) {
            q[i] = draw_between(-1.0, 1.0);
            square += q[i] * q[i];
        }
        for (int i = 0; i < 4; i++) {
            q[i] /= sqrt(square);
        }
        r->axes[4 * k + 3] = 1.0;
    }
}

static inline void golden_make_clusters(golden_rigids *r)
{
    static const double members[3 * MEMBERS] = {-0.04, 0.0, 0.0, 0.0, 0.0, 0.0, 0.04, 0.0, 0.0};
    golden_place_rigids(r, 0);
    for (int k = 0; k < CLUSTERS; k++) {
        static const double inertia[3] = {1.2e-3, 2.48e-3, 2.48e-3};
        r->masses[k] = 1.2, r->member_counts[k] = MEMBERS;
        memcpy(r->inertias + 3 * k, inertia, sizeof inertia);
        memcpy(r->members + (size_t)3 * MEMBERS * (size_t)k, members, sizeof members);
    }
}

static inline void golden_make_bodies(golden *g)
{
    golden_rigids *r = &g->bodies;
    golden_place_rigids(r, 1);
    for (int k = 0; k < BODIES; k++) {
        const int shape = k % SHAPES;
        const abut_shape_view of = abut_shape_inspect(g->shapes[shape]);
        const double scale = shape == 0 ? 0.045 : 0.05, volume = of.volume * scale * scale * scale;
        r->shapes[k] = shape, r->scales[k] = scale, r->masses[k] = 1000.0 * volume;
        r->materials[k] = 2;
        for (int i = 0; i < 3; i++) {
            r->inertias[3 * k + i] =
                1000.0 * of.inertia[4 * i] * scale * scale * scale * scale * scale;
        }
    }
}

/* ---- what is added and read ---- */

/* Returns the sphere rows from `first` on. */
static inline abut_spheres golden_spheres(golden_rows *r, int first, int count)
{
    return (abut_spheres){.count = count,
                          .centers = r->centers + 3 * first,
                          .radii = r->radii + first,
                          .masses = r->masses + first,
                          .velocities = r->velocities + 3 * first,
                          .spins = r->spins + 3 * first,
                          .materials = r->materials + first,
                          .clusters = r->clusters + first,
                          .fixed = r->fixed + first};
}

/* Returns the sphere rows with the columns that steps have changed. */
static inline abut_spheres golden_made(golden_rows *r, int count)
{
    return (abut_spheres){.count = count,
                          .forces = r->forces,
                          .torques = r->torques,
                          .images = r->images,
                          .began = r->began,
                          .works = r->works};
}

/* Returns the columns of clusters or bodies that begin. */
static inline abut_rigids golden_columns(golden_rigids *r, abut_rigid_kind kind)
{
    abut_rigids of = {.count = BODIES,
                      .positions = r->positions,
                      .orientations = r->orientations,
                      .velocities = r->velocities,
                      .angular_momenta = r->momenta,
                      .masses = r->masses,
                      .inertias = r->inertias,
                      .fixed = r->fixed};
    if (kind == ABUT_CLUSTERS) {
        of.member_counts = r->member_counts, of.members = r->members;
    } else {
        of.shapes = r->shapes, of.scales = r->scales, of.materials = r->materials;
        of.axes = r->axes;
    }
    return of;
}

/* Returns the columns of clusters or bodies after a step. */
static inline abut_rigids golden_going(golden_rigids *r, abut_rigid_kind kind)
{
    abut_rigids of = golden_columns(r, kind);
    of.centers = r->centers, of.turns = r->turns, of.spins = r->spins, of.images = r->images;
    of.began = r->began, of.works = r->works, of.forces = r->forces, of.torques = r->torques;
    return of;
}

static inline abut_status golden_add(golden *g, const abut_rigids *clusters,
                                     const abut_rigids *bodies)
{
    const abut_spheres alone = golden_spheres(&g->rows, 0, g->alone);
    const abut_spheres members = golden_spheres(&g->rows, g->alone, CLUSTERS * MEMBERS);
    abut_simulation *s = g->simulation;
    abut_status status = abut_simulation_add(s, &alone, NULL);
    status =
        status ? status : abut_simulation_add_rigids(s, ABUT_CLUSTERS, clusters, &members, NULL);
    return status ? status : abut_simulation_add_rigids(s, ABUT_BODIES, bodies, NULL, NULL);
}

/* Draws the rows of all grains; `alone` is the number of spheres outside of clusters. */
static inline void golden_draw(golden *g, int alone)
{
    memset(&g->rows, 0, sizeof g->rows);
    memset(&g->clusters, 0, sizeof g->clusters);
    memset(&g->bodies, 0, sizeof g->bodies);
    state = 2000;
    g->alone = alone;
    for (int k = 0; k < alone + CLUSTERS * MEMBERS; k++) {
        g->rows.clusters[k] = k < alone ? -1 : (k - alone) / MEMBERS;
    }
    golden_place_spheres(&g->rows, alone);
    golden_make_clusters(&g->clusters);
    golden_make_bodies(g);
}

static inline abut_status golden_fill(golden *g)
{
    const abut_rigids clusters = golden_columns(&g->clusters, ABUT_CLUSTERS);
    const abut_rigids bodies = golden_columns(&g->bodies, ABUT_BODIES);
    return golden_add(g, &clusters, &bodies);
}

static inline void golden_run(abut_simulation *s)
{
    abut_index done;
    golden_need(abut_simulation_run(s, GOLDEN_STEPS, NULL, NULL, &done, NULL), "run");
}

/* ---- the restart ---- */

/* Allocates the interactions of a kind, with all columns that a restart needs. */
static inline abut_interactions golden_allocate(const abut_simulation *s, abut_interaction who)
{
    abut_interactions of = abut_simulation_count_interactions(s, who);
    const column_counts n = {of.row_count, of.entry_count, SPHERES + 1, of.row_count + 1, 3};
    if (who == ABUT_SPHERE_WALL) {
        of.columns.contacts = (abut_columns){ABUT_CONTACT_COLUMNS(ALLOCATE_COLUMN)};
    } else if (who == ABUT_SPHERE_SPHERE) {
        of.columns.pairs = (abut_pair_columns){ABUT_PAIR_COLUMNS(ALLOCATE_COLUMN)};
    } else {
        of.columns.bodies = (abut_convex_columns){ABUT_CONVEX_COLUMNS(ALLOCATE_COLUMN)};
    }
    const size_t most = 3 * (size_t)(of.row_count + of.entry_count) + 1;
    of.force = calloc(most, sizeof(double)), of.spring = calloc(most, sizeof(double));
    of.moment = calloc(most, sizeof(double)), of.roll = calloc(most, sizeof(double));
    of.history = calloc(most * (size_t)abut_simulation_history_count(s), sizeof(double));
    return of;
}

static inline void golden_free(const abut_interactions *of, abut_interaction who)
{
    if (who == ABUT_SPHERE_WALL) {
        const abut_columns *c = &of->columns.contacts;
        ABUT_CONTACT_COLUMNS(FREE_COLUMN)
    } else if (who == ABUT_SPHERE_SPHERE) {
        const abut_pair_columns *c = &of->columns.pairs;
        ABUT_PAIR_COLUMNS(FREE_COLUMN)
    } else {
        const abut_convex_columns *c = &of->columns.bodies;
        ABUT_CONVEX_COLUMNS(FREE_COLUMN)
    }
    free(of->force), free(of->spring), free(of->moment), free(of->roll), free(of->history);
}

/* Reads all rows of a simulation. */
static inline void golden_read(golden *g)
{
    const int count = g->alone + CLUSTERS * MEMBERS;
    const abut_spheres spheres = golden_spheres(&g->rows, 0, count);
    const abut_spheres made = golden_made(&g->rows, count);
    abut_simulation_read(g->simulation, &spheres);
    abut_simulation_read(g->simulation, &made);
    golden_rigids *const kinds[] = {[ABUT_CLUSTERS] = &g->clusters, [ABUT_BODIES] = &g->bodies};
    for (int kind = 0; kind < 2; kind++) {
        golden_rigids *r = kinds[kind];
        const abut_rigids rigids = golden_going(r, (abut_rigid_kind)kind);
        abut_simulation_read_rigids(g->simulation, (abut_rigid_kind)kind, &rigids);
    }
}

/* The state that a simulation continues from, without its rows. */
typedef struct golden_past {
    abut_interactions tables[ABUT_INTERACTION_COUNT];
    abut_wall_state walls[WALLS];
    abut_step_state at;
} golden_past;

static inline void golden_read_past(golden *g, golden_past *past)
{
    golden_read(g);
    for (int who = 0; who < ABUT_INTERACTION_COUNT; who++) {
        past->tables[who] = golden_allocate(g->simulation, (abut_interaction)who);
        golden_need(abut_simulation_write_interactions(g->simulation, (abut_interaction)who,
                                                       &past->tables[who], NULL),
                    "interactions");
    }
    past->at = abut_simulation_step_state(g->simulation);
    for (abut_index k = 0; k < WALLS; k++) {
        past->walls[k] = abut_simulation_wall(g->simulation, k);
    }
    past->at.walls = past->walls;
}

static inline void golden_free_past(golden_past *past)
{
    for (int who = 0; who < ABUT_INTERACTION_COUNT; who++) {
        golden_free(&past->tables[who], (abut_interaction)who);
    }
}

/* Starts a simulation that continues from the given state. */
static inline abut_status golden_go_on(golden *g, const golden_past *past, int workers)
{
    const abut_rigids clusters = golden_going(&g->clusters, ABUT_CLUSTERS);
    const abut_rigids bodies = golden_going(&g->bodies, ABUT_BODIES);
    const abut_spheres made = golden_made(&g->rows, g->alone + CLUSTERS * MEMBERS);
    abut_status status = golden_begin(g, workers);
    status = status ? status : golden_add(g, &clusters, &bodies);
    if (status) {
        return status;
    }
    status = abut_simulation_assign(g->simulation, &made, NULL);
    abut_simulation_restore(g->simulation, &past->at);
    for (int k = 0; !status && k < ABUT_INTERACTION_COUNT; k++) {
        /* interactions of spheres first, as in the Python package */
        const int who = (k + ABUT_BODY_INTERACTIONS) % ABUT_INTERACTION_COUNT;
        status = abut_simulation_restore_interactions(g->simulation, (abut_interaction)who,
                                                      &past->tables[who], NULL);
    }
    return status;
}

/* Replaces the simulation by another one that continues from its rows. */
static inline void golden_restart(golden *g, int workers)
{
    golden_past past;
    golden_read_past(g, &past);
    abut_simulation_free(g->simulation);
    golden_need(golden_go_on(g, &past, workers), "restart");
    golden_free_past(&past);
}

/* ---- the hash ---- */

#define GOLDEN_HASH_COLUMN(column) sha256_doubles(s, column, sizeof(column) / sizeof(double));

static inline void golden_hash_rigids(sha256 *s, const golden_rigids *r)
{
    GOLDEN_HASH_COLUMN(r->positions)
    GOLDEN_HASH_COLUMN(r->orientations)
    GOLDEN_HASH_COLUMN(r->velocities)
    GOLDEN_HASH_COLUMN(r->spins)
    GOLDEN_HASH_COLUMN(r->forces)
}

/* Adds energies, the stable step, and the forces on walls to the hash. */
static inline void golden_hash_sums(sha256 *s, const abut_simulation *of)
{
    const abut_energy e = abut_simulation_energy(of);
    const double energies[] = {e.kinetic, e.rotational, e.gravitational,
                               e.elastic, e.dissipated, e.wall_work};
    GOLDEN_HASH_COLUMN(energies)
    abut_stable_step longest;
    golden_need(abut_simulation_stable_step(of, &longest), "stable step");
    sha256_doubles(s, &longest.step, 1);
    for (int k = 0; k < WALLS; k++) {
        const abut_wall_load load = abut_simulation_load(of, k);
        GOLDEN_HASH_COLUMN(load.force)
        GOLDEN_HASH_COLUMN(load.torque)
        sha256_doubles(s, &load.power, 1);
    }
}

static inline void golden_hash_state(golden *g, char text[SHA256_TEXT])
{
    sha256 whole = sha256_begin(), *s = &whole;
    golden_read(g);
    golden_hash_sums(s, g->simulation);
    GOLDEN_HASH_COLUMN(g->rows.centers)
    GOLDEN_HASH_COLUMN(g->rows.velocities)
    GOLDEN_HASH_COLUMN(g->rows.spins)
    GOLDEN_HASH_COLUMN(g->rows.forces)
    golden_hash_rigids(s, &g->clusters);
    golden_hash_rigids(s, &g->bodies);
    sha256_end(s, text);
}

static inline void golden_build(golden *g)
{
    golden_build_meshes(g);
    golden_build_shapes(g);
}

static inline void golden_end(golden *g)
{
    abut_finder_free(g->finder);
    for (int k = 0; k < 2; k++) {
        abut_mesh_free(g->meshes[k]);
        abut_shape_free(g->shapes[k]);
    }
}

/* Runs the scene on at most `workers` threads and writes its hash, with or without a restart. */
static inline void golden_do(int workers, bool restarts, char text[SHA256_TEXT])
{
    static golden g;
    golden_build(&g);
    golden_draw(&g, ALONE);
    golden_need(golden_begin(&g, workers), "begin");
    golden_need(golden_fill(&g), "fill");
    golden_run(g.simulation);
    if (restarts) {
        golden_restart(&g, workers);
    }
    golden_run(g.simulation);
    golden_hash_state(&g, text);
    abut_simulation_free(g.simulation);
    golden_end(&g);
}

#endif
