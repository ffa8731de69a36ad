/* Slabs of entries: fans of slivers have them, they save tests, and what touches is not lost. */
#include "base/memory.h"
#include "walls/bins_slabs.h"
#include "walls/finder.h"

#include "check.h"
#include "contact_columns.h"
#include "random.h"
#include "triangle_mesh.h"

#include <math.h>
#include <string.h>

/* ---- scenes: a cone of slivers, and spheres that just touch them ---- */

enum { SLIVERS = 500, SPHERES = 1000 };

typedef struct recipe {
    const char *name;
    double size;   /* of the cone's base */
    double radius; /* of the spheres, in its sizes */
    double turn;   /* radians, about a skew axis */
    double shift;  /* along each axis, in sizes */
    double depth;  /* by how much a sphere overlaps, in its radii */
    double gap;    /* likewise */
    bool is_float; /* corners are rounded to floats */
    bool is_mixed; /* spheres of two sizes */
    bool is_turned;
} recipe;

static const recipe RECIPES[] = {
    {.name = "plain", .size = 1.0, .radius = 0.05, .depth = 1e-12},
    {.name = "turned", .size = 1.0, .radius = 0.05, .turn = 0.7, .depth = 1e-12},
    {.name = "deep", .size = 1.0, .radius = 0.05, .turn = 0.7, .depth = 0.3},
    {.name = "small spheres", .size = 1.0, .radius = 0.02, .turn = 0.7, .depth = 1e-12},
    {.name = "far off", .size = 1.0, .radius = 0.05, .shift = 3000.0, .depth = 1e-9},
    {.name = "very far off", .size = 1.0, .radius = 0.05, .shift = 1e7, .depth = 1e-6},
    {.name = "floats", .size = 1.0, .radius = 0.05, .depth = 1e-6, .is_float = true},
    {.name = "tiny", .size = 1e-9, .radius = 0.05, .turn = 0.7, .depth = 1e-12},
    {.name = "huge", .size = 1e9, .radius = 0.05, .turn = 0.3, .depth = 1e-12},
    {.name = "gap", .size = 1.0, .radius = 0.05, .turn = 0.7, .depth = 1e-12, .gap = 0.5},
    {.name = "sizes", .size = 1.0, .radius = 0.05, .depth = 1e-12, .is_mixed = true},
    {.name = "a pose", .size = 1.0, .radius = 0.05, .depth = 1e-9, .is_turned = true},
};
enum { RECIPES_COUNT = sizeof RECIPES / sizeof *RECIPES };

typedef struct scene {
    double vertices[9 * SLIVERS], centers[3 * SPHERES], radii[SPHERES];
    abut_index indices[3 * SLIVERS], offsets[SLIVERS + 1];
} scene;

static vec3 place(const recipe *r, vec3 p)
{
    const vec3 shift = {r->shift, r->shift, r->shift};
    return vec3_scale(vec3_add(turn_point(p, r->turn), shift), r->size);
}

static vec3 rim_point(int k)
{
    const double angle = 2.0 * PI * k / SLIVERS;
    return (vec3){cos(angle), sin(angle), 0.0};
}

static void add_corner(scene *s, const recipe *r, int number, vec3 p)
{
    double *to = s->vertices + 3 * number;
    vec3_store(to, place(r, p));
    for (int axis = 0; axis < 3; axis++) {
        to[axis] = r->is_float ? (float)to[axis] : to[axis];
    }
    s->indices[number] = number;
}

static void add_sliver(scene *s, const recipe *r, int k)
{
    const vec3 hub = {0.1, 0.05, 0.4};
    add_corner(s, r, 3 * k, hub);
    add_corner(s, r, 3 * k + 1, rim_point(k));
    add_corner(s, r, 3 * k + 2, rim_point(k + 1));
    s->offsets[k + 1] = 3 * (k + 1);
}

/* Where the sphere's surface just reaches a sliver: beside a long edge, in the sliver's plane; over
 * a corner; or over the inside. */
static vec3 draw_center(const vec3 corner[3], double distance)
{
    const double part = draw_number(), side = draw() % 2 ? 1.0 : -1.0;
    const vec3 edge = vec3_sub(corner[1], corner[0]);
    const vec3 normal = vec3_cross(edge, vec3_sub(corner[2], corner[0]));
    const vec3 across = vec3_cross(normal, edge);
    const vec3 any = {draw_number() - 0.5, draw_number() - 0.5, draw_number() - 0.5};
    const vec3 ways[3] = {across, normal, any};
    const uint64_t kind = draw() % 3;
    const vec3 from = kind == 2 ? corner[draw() % 3] : vec3_add(corner[0], vec3_scale(edge, part));
    const vec3 way = ways[kind];
    return vec3_add(from, vec3_scale(way, side * distance / sqrt(vec3_norm_sq(way))));
}

static void add_sphere(scene *s, const recipe *r, int i)
{
    const double *vertices = s->vertices + 9 * (draw() % SLIVERS);
    const vec3 corner[3] = {vec3_load(vertices), vec3_load(vertices + 3), vec3_load(vertices + 6)};
    const double radius = r->size * r->radius * (r->is_mixed && i % 2 ? 0.3 : 1.0);
    s->radii[i] = radius;
    vec3_store(s->centers + 3 * i, draw_center(corner, radius * (1.0 + r->gap) * (1.0 - r->depth)));
}

static scene *make_scene(const recipe *r)
{
    static scene s;
    state = 5;
    for (int k = 0; k < SLIVERS; k++) {
        add_sliver(&s, r, k);
    }
    for (int i = 0; i < SPHERES; i++) {
        add_sphere(&s, r, i);
    }
    return &s;
}

/* ---- contacts ---- */

typedef struct found {
    abut_columns columns;
    abut_index count, nodes, tests;
} found;

/* Every facet that is touched: none may be lost, whether it would stay a contact or not. */
static found search(const abut_finder *finder, const scene *s, const recipe *r)
{
    found f = {.count = 0};
    abut_query query = abut_query_default();
    abut_contacts *contacts = NULL;
    const double pose[16] = {0.0, -1.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0,
                             0.0, 0.0,  1.0, 0.0, 0.0, 0.0, 0.0, 1.0};
    query.resolution = ABUT_ALL;
    query.sphere_count = SPHERES;
    query.centers = s->centers;
    query.radii = s->radii;
    query.gap = r->gap * r->radius * r->size;
    query.poses = r->is_turned ? pose : NULL;
    if (CHECK_INT(abut_contacts_find(finder, &query, &contacts, NULL), ABUT_OK)) {
        f.count = abut_contacts_count(contacts), f.nodes = abut_contacts_node_count(contacts);
        f.columns = allocate_columns(SPHERES, f.count, f.nodes);
        abut_contacts_write(contacts, &f.columns);
        f.tests = abut_finder_inspect(finder).test_count;
    }
    abut_contacts_free(contacts);
    return f;
}

/* As if very many spheres had asked for every set. */
static void ask_often(abut_finder *finder)
{
    for (int k = 0; k <= finder->meshes[0].step_count; k++) {
        atomic_store(&finder->meshes[0].uses[k].spheres, INTPTR_MAX / 2);
    }
}

/* Take the slabs from all sets; returns from how many. */
static int drop_slabs(abut_finder *finder)
{
    int count = 0;
    for (int k = 0; k <= finder->meshes[0].step_count; k++) {
        bins *set = atomic_load(&finder->meshes[0].fine_sets[k]);
        if (set && set->slab_low) {
            memory_free(set->slab_low);
            set->slab_low = NULL;
            count++;
        }
    }
    return count;
}

static void check_contacts(const recipe *r)
{
    const scene *s = make_scene(r);
    abut_mesh *mesh = build_triangles(SLIVERS, s->vertices, s->indices, s->offsets);
    abut_finder *finder = NULL;
    if (!mesh ||
        !CHECK_INT(abut_finder_build((const abut_mesh *const *)&mesh, 1, &finder, NULL), ABUT_OK)) {
        return;
    }
    found coarse = search(finder, s, r);
    ask_often(finder);
    found with = search(finder, s, r);
    int dropped = drop_slabs(finder);
    found without = search(finder, s, r);
    int good = CHECK(dropped > 0) && CHECK(with.tests < 0.9 * (double)without.tests);
    good &= CHECK_INT(with.count, without.count) && CHECK_INT(with.count, coarse.count) &&
            check_columns(SPHERES, with.count, with.nodes, &with.columns, &without.columns) &&
            check_columns(SPHERES, with.count, with.nodes, &with.columns, &coarse.columns);
    if (!CHECK(with.count > SPHERES / 2) || !good) {
        CHECK_TEXT(r->name, "");
    }
    free_columns(&coarse.columns);
    free_columns(&with.columns);
    free_columns(&without.columns);
    abut_finder_free(finder);
    abut_mesh_free(mesh);
}

/* ---- no memory ---- */

static abut_status find_finely(const abut_mesh *mesh, const scene *s)
{
    abut_query query = abut_query_default();
    abut_finder *finder = NULL;
    abut_contacts *contacts = NULL;
    query.sphere_count = SPHERES;
    query.centers = s->centers;
    query.radii = s->radii;
    abut_status status = abut_finder_build(&mesh, 1, &finder, NULL);
    if (!status) {
        ask_often(finder);
        status = abut_contacts_find(finder, &query, &contacts, NULL);
    }
    abut_contacts_free(contacts);
    abut_finder_free(finder);
    return status;
}

static void fail_every_allocation(void)
{
    const scene *s = make_scene(&RECIPES[0]);
    abut_mesh *mesh = build_triangles(SLIVERS, s->vertices, s->indices, s->offsets);
    const long live = memory_live_count();
    int call = 0;
    do {
        memory_fail_at(++call);
        const abut_status status = find_finely(mesh, s);
        CHECK_INT(status, memory_has_failed() ? ABUT_NO_MEMORY : ABUT_OK);
        CHECK_INT(memory_live_count(), live);
    } while (memory_has_failed());
    memory_fail_at(0);
    CHECK(call > 20); /* it did fail, all the way through */
    abut_mesh_free(mesh);
}

void test_slabs(void)
{
    fail_every_allocation();
    for (int k = 0; k < RECIPES_COUNT; k++) {
        for (size_t level = 0; level < sizeof SIMD_LEVELS / sizeof *SIMD_LEVELS; level++) {
            if (abut_simd_choose(SIMD_LEVELS[level]) == ABUT_OK) {
                check_contacts(&RECIPES[k]);
            }
        }
    }
    abut_simd_choose(NULL);
}
