/* Results have the same bits with every compiler, processor, instruction level and number of
 * threads. Sums over all bytes of some results differ if one bit differs.
 *
 * Only a change that is meant to change results may change the sums. The sums do
 * not cover results by pow and sin of the C library: overlaps to a power other than 1, flat angles.
 */
#include "abut.h"

#include "check.h"
#include "contact_columns.h"
#include "convex_scenes.h"
#include "periods.h"
#include "random.h"
#include "simd_levels.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { FACETS = 400, CORNERS = 7 * FACETS / 2, SPHERES = 3000 };

/* ---- sums ---- */

/* Adds bytes to an FNV-1a sum. */
static uint64_t add_bytes(uint64_t sum, const void *bytes, size_t size)
{
    const unsigned char *next = bytes;
    for (size_t i = 0; i < size; i++) {
        sum = (sum ^ next[i]) * UINT64_C(0x100000001b3);
    }
    return sum;
}

static uint64_t add_indices(uint64_t sum, const abut_index *numbers, abut_index count)
{
    for (abut_index i = 0; i < count; i++) {
        const int64_t number = numbers[i]; /* the same size on every machine */
        sum = add_bytes(sum, &number, sizeof number);
    }
    return sum;
}

static uint64_t add_doubles(uint64_t sum, const double *numbers, abut_index count)
{
    return add_bytes(sum, numbers, (size_t)count * sizeof *numbers);
}

static const uint64_t EMPTY_SUM = UINT64_C(0xcbf29ce484222325);

/* ---- a scene ---- */

typedef struct scene {
    double vertices[3 * CORNERS], centers[3 * SPHERES], radii[SPHERES], period[3];
    abut_index indices[CORNERS], offsets[FACETS + 1];
} scene;

/* Draws a random triangle or parallelogram; corners on a lattice make ties. */
static void draw_facet(scene *s, int facet, int count)
{
    const abut_index first = s->offsets[facet];
    for (int axis = 0; axis < 3; axis++) {
        double at = draw_number(), along = 0.3 * draw_number(), up = 0.3 * draw_number() - 0.15;
        if (facet % 4 == 0) {
            at = rint(8.0 * at) / 8.0, along = axis == 0 ? 0.25 : 0.0, up = axis == 1 ? 0.25 : 0.0;
        }
        const double corners[4] = {at, at + along, at + along + up, at + up};
        for (int k = 0; k < count; k++) {
            s->vertices[3 * (first + k) + axis] = corners[k];
        }
    }
    for (int k = 0; k < count; k++) {
        s->indices[first + k] = first + k;
    }
    s->offsets[facet + 1] = first + count;
}

static const scene *make_scene(void)
{
    static scene s = {.period = {1.5, 0.0, 1.25}};
    state = 1;
    for (int f = 0; f < FACETS; f++) {
        draw_facet(&s, f, f % 2 == 0 ? 3 : 4);
    }
    for (int i = 0; i < SPHERES; i++) {
        s.radii[i] = i % 3 == 0 ? 0.125 : 0.05 + 0.1 * draw_number();
        for (int axis = 0; axis < 3; axis++) {
            const double x = 1.2 * draw_number() - 0.1;
            s.centers[3 * i + axis] = i % 3 == 0 ? rint(16.0 * x) / 16.0 : x;
        }
    }
    return &s;
}

/* ---- contacts with a mesh ---- */

static uint64_t sum_contacts(const abut_contacts *contacts)
{
    const abut_index m = abut_contacts_count(contacts), nodes = abut_contacts_node_count(contacts);
    abut_columns c = allocate_columns(SPHERES, m, nodes);
    abut_contacts_write(contacts, &c);
    uint64_t sum = add_indices(EMPTY_SUM, c.sphere, m);
    sum = add_indices(sum, c.mesh, m);
    sum = add_indices(sum, c.facet, m);
    sum = add_bytes(sum, c.type, (size_t)m);
    sum = add_indices(sum, c.feature, m);
    sum = add_doubles(sum, c.point, 3 * m);
    sum = add_doubles(sum, c.normal, 3 * m);
    sum = add_doubles(sum, c.overlap, m);
    sum = add_doubles(sum, c.share, m);
    sum = add_doubles(sum, c.tilt, m);
    sum = add_indices(sum, c.image, 3 * m);
    sum = add_indices(sum, c.offsets, SPHERES + 1);
    sum = add_indices(sum, c.node, nodes);
    sum = add_doubles(sum, c.weight, nodes);
    sum = add_indices(sum, c.node_offsets, m + 1);
    free_columns(&c);
    return sum;
}

static void check_contacts(const abut_finder *finder, abut_query query, uint64_t expected)
{
    for (query.workers = 1; query.workers <= 3; query.workers += 2) {
        abut_contacts *contacts = NULL;
        if (CHECK_INT(abut_contacts_find(finder, &query, &contacts, NULL), ABUT_OK)) {
            CHECK(abut_contacts_count(contacts) > SPHERES);
            CHECK_INT(sum_contacts(contacts), expected);
        }
        abut_contacts_free(contacts);
    }
}

static void check_queries(const abut_finder *finder, const scene *s)
{
    abut_query query = abut_query_default();
    query.sphere_count = SPHERES;
    query.centers = s->centers;
    query.radii = s->radii;
    check_contacts(finder, query, UINT64_C(0xf209e4d84a5b92f0));
    query.gap = 0.03125;
    query.period = vectors_along(s->period, 3);
    check_contacts(finder, query, UINT64_C(0x20ceae36526af6fa));
    query.resolution = ABUT_SHARING;
    query.exponent = 1.0;
    check_contacts(finder, query, UINT64_C(0x40f4ef274ad23d8e));
}

static void check_mesh(const scene *s)
{
    abut_mesh_input input = {.vertex_count = CORNERS,
                             .facet_count = FACETS,
                             .index_count = CORNERS,
                             .vertices = s->vertices,
                             .indices = s->indices,
                             .offsets = s->offsets};
    abut_mesh *mesh = NULL;
    abut_finder *finder = NULL;
    if (CHECK_INT(abut_mesh_build(&input, &mesh, NULL), ABUT_OK)) {
        const abut_mesh *meshes[] = {mesh};
        if (CHECK_INT(abut_finder_build(meshes, 1, &finder, NULL), ABUT_OK)) {
            check_queries(finder, s);
        }
    }
    abut_finder_free(finder);
    abut_mesh_free(mesh);
}

/* ---- pairs of spheres ---- */

static uint64_t sum_pairs(const abut_pairs *pairs)
{
    const abut_index count = abut_pairs_count(pairs);
    const column_counts n = {.ROWS = count, .OFFSETS = SPHERES + 1, .dimension = 3};
    const abut_pair_columns columns = {ABUT_PAIR_COLUMNS(ALLOCATE_COLUMN)}, *c = &columns;
    abut_pairs_write(pairs, c);
    uint64_t sum = add_indices(EMPTY_SUM, c->i, count);
    sum = add_indices(sum, c->j, count);
    sum = add_doubles(sum, c->normal, 3 * count);
    sum = add_doubles(sum, c->overlap, count);
    sum = add_doubles(sum, c->point, 3 * count);
    sum = add_indices(sum, c->image, 3 * count);
    sum = add_indices(sum, c->offsets, SPHERES + 1);
    ABUT_PAIR_COLUMNS(FREE_COLUMN)
    return sum;
}

static void check_pairs(const scene *s, bool is_periodic, uint64_t expected)
{
    abut_pair_input input = abut_pair_input_default();
    abut_pair_query query = abut_pair_query_default();
    abut_pair_finder *finder = NULL;
    abut_pairs *pairs = NULL;
    input.sphere_count = SPHERES;
    input.radii = s->radii;
    input.period = is_periodic ? vectors_along(s->period, 3) : NULL;
    query.centers = s->centers;
    query.workers = is_periodic ? 3 : 1;
    if (CHECK_INT(abut_pair_finder_build(&input, &finder, NULL), ABUT_OK) &&
        CHECK_INT(abut_pairs_find(finder, &query, &pairs, NULL), ABUT_OK)) {
        CHECK(abut_pairs_count(pairs) > SPHERES);
        CHECK_INT(sum_pairs(pairs), expected);
    }
    abut_pairs_free(pairs);
    abut_pair_finder_free(finder);
}

/* ---- convex bodies ---- */

static uint64_t sum_bodies(const convex_table *t, int bodies)
{
    const abut_convex_columns *c = &t->columns;
    const abut_index m = t->rows, k = t->spots;
    uint64_t sum = add_indices(EMPTY_SUM, c->i, m);
    sum = add_indices(sum, c->j, m);
    sum = add_bytes(sum, c->status, (size_t)m);
    sum = add_bytes(sum, c->type, 2 * (size_t)m);
    sum = add_indices(sum, c->feature, 2 * m);
    sum = add_doubles(sum, c->normal, 3 * m);
    sum = add_doubles(sum, c->overlap, m);
    sum = add_doubles(sum, c->error, m);
    sum = add_doubles(sum, c->link, 6 * m);
    sum = add_doubles(sum, c->point, 3 * m);
    sum = add_indices(sum, c->iterations, m);
    sum = add_doubles(sum, c->state, ABUT_CONVEX_STATE * m);
    sum = add_indices(sum, c->image, 3 * m);
    sum = add_indices(sum, c->offsets, bodies + 1);
    sum = add_doubles(sum, c->spot, 3 * k);
    sum = add_doubles(sum, c->spot_overlap, k);
    sum = add_bytes(sum, c->spot_type, 2 * (size_t)k);
    sum = add_indices(sum, c->spot_feature, 2 * k);
    return add_indices(sum, c->spot_offsets, m + 1);
}

/* Checks a first step and a step that continues it, with one worker and with three. */
static void check_steps(convex_scene *s, uint64_t first, uint64_t next)
{
    abut_convex_query query = query_of(s);
    query.gap = 0.0625;
    query.period = vectors_along(s->period, 3);
    convex_table before = find_table(s, &query);
    CHECK(before.rows > s->count);
    CHECK_INT(sum_bodies(&before, s->count), first);
    query.before = before_of(&before);
    for (int k = 0; k < 3 * s->count; k++) {
        s->positions[k] += draw_between(-0.01, 0.01);
    }
    for (query.workers = 1; query.workers <= 3; query.workers += 2) {
        convex_table now = find_table(s, &query);
        CHECK_INT(sum_bodies(&now, s->count), next);
        free_table(&now);
    }
    free_table(&before);
}

static void check_bodies(void)
{
    static convex_scene s;
    start_bodies(&s, 3, 300, 8.0);
    s.period[0] = s.period[2] = 8.0;
    build_finder(&s);
    check_steps(&s, UINT64_C(0xc049178300ddd9aa), UINT64_C(0xd01702c8707f459c));
    end_bodies(&s);
}

void test_bits(void)
{
    const scene *s = make_scene();
    for (size_t k = 0; choose_next_level(&k);) {
        check_mesh(s);
        check_pairs(s, false, UINT64_C(0x4a4b948bc40bb461));
        check_pairs(s, true, UINT64_C(0x33e6c44751af9ef5));
        check_bodies();
    }
}
