/* Fixed scenes for counts of instructions: see instructions.py.
 *
 * The mesh is three jittered walls of a box that meet in a corner, two of triangles and one of
 * quads. Over every cell are a sphere that touches the wall and one that does not. The program
 * searches their contacts, the contacts of as many spheres far from all walls, and the pairs of
 * spheres of many sizes. With the argument "steps" a heap settles in the corner instead. One line
 * is printed: the compiler, the instruction level and the numbers of contacts and pairs. */
#include "abut.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WALLS = 3, CELLS = 40, ROW = CELLS + 1, QUERIES = 4 };
enum { VERTICES = WALLS * ROW * ROW, FACETS = 5 * CELLS * CELLS, INDICES = 16 * CELLS * CELLS };
enum { SPHERES = 2 * WALLS * CELLS * CELLS, CONTACTS = 4 * SPHERES };
enum { HEAP_ROW = 12, HEAP = HEAP_ROW * HEAP_ROW * HEAP_ROW, HEAP_STEPS = 100 };
enum { MIXED_SPHERES = 10000, LARGEST = 10, SIDE = 115, PAIRS = 4 * MIXED_SPHERES };

#if defined(__clang__)
#define COMPILER "clang"
#define COMPILER_MAJOR __clang_major__
#elif defined(__GNUC__)
#define COMPILER "gcc"
#define COMPILER_MAJOR __GNUC__
#else
#define COMPILER "unknown"
#define COMPILER_MAJOR 0
#endif

/* Returns a random number from -1 to 1, by splitmix64, which is the same on every machine. */
static double draw(void)
{
    static uint64_t state;
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
}

/* Converts a point from the frame of a wall; wall k is perpendicular to axis k. */
static void place(double *point, int wall, double along, double up, double height)
{
    point[wall] = height;
    point[(wall + 1) % 3] = along;
    point[(wall + 2) % 3] = up;
}

/* ---- the mesh ---- */

typedef struct mesh_arrays {
    double vertices[3 * VERTICES];
    abut_index indices[INDICES], offsets[FACETS + 1];
    abut_index index_count, facet_count;
} mesh_arrays;

static void add_facet(mesh_arrays *m, int count, const abut_index *corners)
{
    for (int i = 0; i < count; i++) {
        m->indices[m->index_count++] = corners[i];
    }
    m->offsets[++m->facet_count] = m->index_count;
}

static void add_cell(mesh_arrays *m, int wall, abut_index corner)
{
    const abut_index quad[] = {corner, corner + 1, corner + ROW + 1, corner + ROW};
    const abut_index rest[] = {corner, corner + ROW + 1, corner + ROW};
    if (wall == 2) {
        add_facet(m, 4, quad);
    } else {
        add_facet(m, 3, quad);
        add_facet(m, 3, rest);
    }
}

static void add_wall(mesh_arrays *m, int wall)
{
    abut_index first = (abut_index)wall * ROW * ROW;
    for (int i = 0; i < ROW * ROW; i++) {
        int row = i / ROW, column = i % ROW;
        int inside = row > 0 && row < CELLS && column > 0 && column < CELLS;
        double along = column + inside * 0.2 * draw(), up = row + inside * 0.2 * draw();
        place(m->vertices + 3 * (first + i), wall, along, up, 0.0);
        if (row < CELLS && column < CELLS) {
            add_cell(m, wall, first + i);
        }
    }
}

static abut_mesh *build_mesh(void)
{
    static mesh_arrays m;
    for (int wall = 0; wall < WALLS; wall++) {
        add_wall(&m, wall);
    }
    abut_mesh_input input = {.vertex_count = VERTICES,
                             .facet_count = m.facet_count,
                             .index_count = m.index_count,
                             .vertices = m.vertices,
                             .indices = m.indices,
                             .offsets = m.offsets};
    abut_mesh *mesh = NULL;
    return abut_mesh_build(&input, &mesh, NULL) ? NULL : mesh;
}

/* ---- the queries ---- */

static double centers[3 * SPHERES], radii[SPHERES];

static void draw_spheres(void)
{
    for (int i = 0; i < SPHERES; i++) {
        int cell = i / 2 % (CELLS * CELLS), wall = i / 2 / (CELLS * CELLS);
        double along = cell % CELLS + 0.5 + 0.5 * draw(), up = cell / CELLS + 0.5 + 0.5 * draw();
        radii[i] = 0.5 + 0.1 * draw();
        double height = i % 2 ? radii[i] * (0.5 + 0.5 * draw()) : 5.0 + draw();
        place(centers + 3 * i, wall, along, up, height);
    }
}

static void write_contacts(const abut_contacts *contacts)
{
    static abut_index sphere[CONTACTS], mesh[CONTACTS], facet[CONTACTS], feature[CONTACTS];
    static abut_index image[3 * CONTACTS], offsets[SPHERES + 1];
    static abut_index node[4 * CONTACTS], node_offsets[CONTACTS + 1];
    static uint8_t type[CONTACTS];
    static double point[3 * CONTACTS], normal[3 * CONTACTS], overlap[CONTACTS], share[CONTACTS];
    static double tilt[CONTACTS], weight[4 * CONTACTS];
    const abut_columns columns = {.sphere = sphere,
                                  .mesh = mesh,
                                  .facet = facet,
                                  .type = type,
                                  .feature = feature,
                                  .point = point,
                                  .normal = normal,
                                  .overlap = overlap,
                                  .share = share,
                                  .tilt = tilt,
                                  .image = image,
                                  .offsets = offsets,
                                  .node = node,
                                  .weight = weight,
                                  .node_offsets = node_offsets};
    abut_contacts_write(contacts, &columns);
}

/* Places all spheres in the middle of the box. */
static void draw_far_spheres(void)
{
    for (int i = 0; i < 3 * SPHERES; i++) {
        centers[i] = CELLS * (0.5 + 0.25 * draw());
    }
}

/* Returns the number of contacts, or -1. */
static abut_index query(const abut_finder *finder)
{
    abut_query asked = abut_query_default();
    asked.sphere_count = SPHERES;
    asked.centers = centers;
    asked.radii = radii;
    abut_contacts *contacts = NULL;
    if (abut_contacts_find(finder, &asked, &contacts, NULL)) {
        return -1;
    }
    abut_index count = abut_contacts_count(contacts);
    if (count <= CONTACTS) {
        write_contacts(contacts);
    }
    abut_contacts_free(contacts);
    return count <= CONTACTS ? count : -1;
}

/* Queries spheres far from all walls, in a function of its own for valgrind. */
#if defined(__GNUC__)
__attribute__((noinline))
#endif
static bool finds_none_far(const abut_finder *finder)
{
    return query(finder) == 0;
}

/* ---- pairs of spheres ---- */

static double mixed_centers[3 * MIXED_SPHERES], mixed_radii[MIXED_SPHERES];

/* Radii are 1 to LARGEST with a density as r^-3; the spheres half fill a cube. */
static void draw_mixed_spheres(void)
{
    for (int i = 0; i < MIXED_SPHERES; i++) {
        double part = 0.5 + 0.5 * draw();
        mixed_radii[i] = 1.0 / sqrt(1.0 - part * (1.0 - 1.0 / (LARGEST * LARGEST)));
        for (int axis = 0; axis < 3; axis++) {
            mixed_centers[3 * i + axis] = SIDE * (0.5 + 0.5 * draw());
        }
    }
}

static void write_pairs(const abut_pairs *pairs)
{
    static abut_index i[PAIRS], j[PAIRS], offsets[MIXED_SPHERES + 1];
    static double normal[3 * PAIRS], overlap[PAIRS], point[3 * PAIRS];
    abut_pair_columns columns = {i, j, normal, overlap, point, NULL, offsets};
    abut_pairs_write(pairs, &columns);
}

/* Returns the number of pairs, or -1. */
static abut_index query_pairs(const abut_pair_finder *finder)
{
    abut_pair_query asked = abut_pair_query_default();
    asked.centers = mixed_centers;
    abut_pairs *pairs = NULL;
    if (abut_pairs_find(finder, &asked, &pairs, NULL)) {
        return -1;
    }
    abut_index count = abut_pairs_count(pairs);
    if (count <= PAIRS) {
        write_pairs(pairs);
    }
    abut_pairs_free(pairs);
    return count <= PAIRS ? count : -1;
}

static abut_index count_pairs(void)
{
    draw_mixed_spheres();
    abut_pair_input input = abut_pair_input_default();
    input.sphere_count = MIXED_SPHERES;
    input.radii = mixed_radii;
    abut_pair_finder *finder = NULL;
    if (abut_pair_finder_build(&input, &finder, NULL)) {
        return -1;
    }
    abut_index count = 0;
    for (int i = 0; i < QUERIES; i++) {
        count = query_pairs(finder);
    }
    abut_pair_finder_free(finder);
    return count;
}

/* ---- a heap ---- */

static bool add_heap(abut_simulation *s)
{
    static double places[3 * HEAP], sizes[HEAP], masses[HEAP];
    static abut_index materials[HEAP];
    for (int i = 0; i < HEAP; i++) {
        const int cell[] = {i % HEAP_ROW, i / HEAP_ROW % HEAP_ROW, i / HEAP_ROW / HEAP_ROW};
        for (int axis = 0; axis < 3; axis++) {
            places[3 * i + axis] = 0.49 + 0.98 * cell[axis] + 0.01 * draw();
        }
        sizes[i] = 0.49 + 0.01 * draw();
        masses[i] = sizes[i] * sizes[i] * sizes[i];
    }
    const abut_spheres rows = {
        .count = HEAP, .centers = places, .radii = sizes, .masses = masses, .materials = materials};
    return abut_simulation_add(s, &rows, NULL) == ABUT_OK;
}

/* Runs steps of spheres that are pressed into the corner. Returns the number of pairs, or -1. */
static abut_index settle_on(const abut_finder *finder)
{
    const abut_simulation_input input = {
        .step = 1e-3, .gravity = {-1.0, -1.0, -1.0}, .resolution = ABUT_HIERARCHY, .workers = 1};
    const abut_law law = {
        .kind = ABUT_HERTZ, .stiffness = 1e4, .shear = 5e3, .friction = 0.5, .restitution = 0.5};
    const abut_wall wall = {.pose = {[0] = 1.0, [5] = 1.0, [10] = 1.0, [15] = 1.0}};
    abut_simulation *s = NULL;
    abut_index done = 0, count = -1;
    if (!abut_simulation_build(&input, &s, NULL) && !abut_simulation_set_laws(s, 1, &law, NULL) &&
        !abut_simulation_set_walls(s, finder, &wall, 1, NULL, NULL) && add_heap(s) &&
        !abut_simulation_run(s, HEAP_STEPS, NULL, NULL, &done, NULL)) {
        count = abut_simulation_count_interactions(s, ABUT_SPHERE_SPHERE).row_count;
    }
    abut_simulation_free(s);
    return count;
}

/* Calls a function with a finder of the walls and returns its result, or -1 without a finder. */
static abut_index ask_walls(abut_index (*ask)(const abut_finder *))
{
    abut_mesh *mesh = build_mesh();
    const abut_mesh *meshes[] = {mesh};
    abut_finder *finder = NULL;
    if (!mesh || abut_finder_build(meshes, 1, &finder, NULL)) {
        return -1;
    }
    const abut_index count = ask(finder);
    abut_finder_free(finder);
    abut_mesh_free(mesh);
    return count;
}

static abut_index count_contacts(const abut_finder *finder)
{
    draw_spheres();
    abut_index count = 0;
    for (int i = 0; i < QUERIES; i++) {
        count = query(finder);
    }
    draw_far_spheres();
    for (int i = 0; i < QUERIES; i++) {
        count = finds_none_far(finder) ? count : -1;
    }
    return count;
}

int main(int argument_count, char **arguments)
{
    const bool are_steps = argument_count > 1 && strcmp(arguments[1], "steps") == 0;
    if (abut_simd_choose(getenv("ABUT_SIMD"))) {
        fprintf(stderr, "ABUT_SIMD names none of the levels here: %s\n", abut_simd_levels());
        return 2;
    }
    const abut_index contacts = ask_walls(are_steps ? settle_on : count_contacts);
    const abut_index pairs = are_steps ? contacts : count_pairs();
    printf("%s-%d %s %td %td\n", COMPILER, COMPILER_MAJOR, abut_simd(), (ptrdiff_t)contacts,
           (ptrdiff_t)pairs);
    return contacts > 0 && pairs > 0 ? 0 : 1;
}
