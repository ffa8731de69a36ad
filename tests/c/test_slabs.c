/* Slabs of entries: fans of slivers have slabs, which save tests and lose no contact. Some tests
 * build them even where they save nothing. */
#include "base/memory.h"
#include "bins/sets.h"
#include "bins/slabs.h"
#include "walls/contact_finder.h"

#include "check.h"
#include "contact_columns.h"
#include "failing.h"
#include "random.h"
#include "simd_levels.h"
#include "triangle_mesh.h"

#include <math.h>
#include <string.h>

/* ---- scenes: a cone of slivers, and spheres that barely touch them ---- */

enum { SLIVERS = 400, SPHERES = 400 };

typedef struct recipe {
    const char *name;
    double size;    /* size of the cone's base */
    double radius;  /* radius of the spheres, in sizes of the base */
    double turn;    /* radians, about a skew axis */
    double shift;   /* along each axis, in sizes */
    double depth;   /* overlap of a sphere, in radii */
    double gap;     /* gap of the query, in radii */
    double flat;    /* part of the cone's height that is missing */
    bool is_float;  /* corners are rounded to floats */
    bool is_mixed;  /* spheres of two sizes */
    bool is_coarse; /* some slivers are broad, and in a level of their own */
    bool has_pose;
    bool pays; /* whether slabs save many tests, which the finder detects */
} recipe;

static const recipe RECIPES[] = {
    {.name = "plain", .size = 1.0, .radius = 0.05, .depth = 1e-12, .pays = true},
    {.name = "turned", .size = 1.0, .radius = 0.05, .turn = 0.7, .depth = 1e-12, .pays = true},
    {.name = "deep", .size = 1.0, .radius = 0.05, .turn = 0.7, .depth = 0.3, .pays = true},
    {.name = "small", .size = 1.0, .radius = 0.02, .turn = 0.7, .depth = 1e-12, .pays = true},
    {.name = "large", .size = 1.0, .radius = 0.4, .turn = 0.7, .depth = 1e-12, .pays = true},
    {.name = "far", .size = 1.0, .radius = 0.05, .shift = 3e3, .depth = 1e-9, .pays = true},
    {.name = "very far", .size = 1.0, .radius = 0.05, .shift = 1e7, .depth = 1e-6, .pays = true},
    {.name = "floats", .size = 1.0, .radius = 0.05, .depth = 1e-6, .is_float = true, .pays = true},
    {.name = "tiny", .size = 1e-9, .radius = 0.05, .turn = 0.7, .depth = 1e-12, .pays = true},
    {.name = "huge", .size = 1e9, .radius = 0.05, .turn = 0.3, .depth = 1e-12, .pays = true},
    {.name = "gap", .size = 1.0, .radius = 0.04, .turn = 0.7, .gap = 0.5, .pays = true},
    {.name = "wide gap", .size = 1.0, .radius = 0.01, .depth = 1e-12, .gap = 4.0, .pays = true},
    {.name = "sizes", .size = 1.0, .radius = 0.05, .is_mixed = true, .pays = true},
    {.name = "flat", .size = 1.0, .radius = 0.05, .depth = 0.2, .flat = 1.0},
    {.name = "flat, turned", .size = 1.0, .radius = 0.05, .turn = 0.7, .depth = 0.2, .flat = 1.0},
    {.name = "nearly flat",
     .size = 1.0,
     .radius = 0.05,
     .depth = 1e-12,
     .flat = 1.0 - 1e-9,
     .pays = true},
    {.name = "broad ones",
     .size = 1.0,
     .radius = 0.01,
     .depth = 1e-12,
     .is_coarse = true,
     .pays = true},
    {.name = "broad ones, turned",
     .size = 1.0,
     .radius = 0.01,
     .turn = PI,
     .depth = 1e-12,
     .is_coarse = true,
     .pays = true},
    {.name = "a pose", .size = 1.0, .radius = 0.05, .depth = 1e-9, .has_pose = true, .pays = true},
};
enum { RECIPES_COUNT = sizeof RECIPES / sizeof *RECIPES };

typedef struct scene {
    double vertices[9 * SLIVERS], centers[3 * SPHERES], radii[SPHERES];
} scene;

static vec3 place(const recipe *r, vec3 p)
{
    const vec3 shift = {r->shift, r->shift, r->shift};
    return vec3_scale(vec3_add(turn_point(p, r->turn), shift), r->size);
}

static vec3 rim_point(const recipe *r, int k)
{
    const bool is_broad = r->is_coarse && k % 100 == 0;
    const double angle = 2.0 * PI * (is_broad ? k + 20 : k) / SLIVERS;
    return (vec3){cos(angle), sin(angle), 0.0};
}

static void add_corner(scene *s, const recipe *r, int number, vec3 p)
{
    double *to = s->vertices + 3 * number;
    vec3_store(to, place(r, p));
    for (int axis = 0; axis < 3; axis++) {
        to[axis] = r->is_float ? (float)to[axis] : to[axis];
    }
}

static void add_sliver(scene *s, const recipe *r, int k)
{
    const vec3 hub = {0.1, 0.05, 0.4 * (1.0 - r->flat)};
    add_corner(s, r, 3 * k, hub);
    add_corner(s, r, 3 * k + 1, rim_point(r, k));
    add_corner(s, r, 3 * k + 2, rim_point(r, k + 1));
}

/* Returns a center from which a sphere barely reaches a sliver: next to a long edge in the sliver's
 * plane, over a corner, or over the inside. */
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
    const vec3 at = draw_center(corner, radius * (1.0 + r->gap) * (1.0 - r->depth));
    const vec3 posed = {0.5 - at.y, at.x, at.z};
    s->radii[i] = radius;
    vec3_store(s->centers + 3 * i, r->has_pose ? posed : at);
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

static found search(const abut_finder *finder, const scene *s, const recipe *r,
                    abut_resolution resolution)
{
    abut_query query = abut_query_default();
    /* a quarter turn */
    const double pose[16] = {0.0, -1.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0,
                             0.0, 0.0,  1.0, 0.0, 0.0, 0.0, 0.0, 1.0};
    query.resolution = resolution;
    query.sphere_count = SPHERES;
    query.centers = s->centers;
    query.radii = s->radii;
    query.gap = r->gap * r->radius * r->size;
    query.poses = r->has_pose ? pose : NULL;
    return find_columns(finder, &query);
}

/* Sets the counters of all sets as if very many spheres had used them. */
static void ask_often(abut_finder *finder)
{
    for (int k = 0; k <= finder->meshes[0].step_count; k++) {
        atomic_store(&finder->meshes[0].uses[k].spheres, INTPTR_MAX / 2);
    }
}

/* Builds the slabs of all sets, or removes them; returns how many sets had slabs. */
static int change_slabs(abut_finder *finder, bool builds)
{
    int count = 0;
    for (int k = 0; k <= finder->meshes[0].step_count; k++) {
        bins *set = atomic_load(&finder->meshes[0].fine_sets[k]);
        count += set && set->slab_low;
        if (set && builds && !set->slab_low) {
            CHECK(bins_build_slabs(set, finder->meshes[0].mesh));
        } else if (set && !builds) {
            memory_free(set->slab_low);
            set->slab_low = NULL;
        }
    }
    return count;
}

/* Compares coarse bins with fine bins, with and without slabs. */
static int check_search(abut_finder *finder, const scene *s, const recipe *r, const found *coarse,
                        abut_resolution resolution)
{
    change_slabs(finder, true);
    found with = search(finder, s, r, resolution);
    change_slabs(finder, false);
    found without = search(finder, s, r, resolution);
    int good = check_found(&with, coarse) && check_found(&with, &without);
    good &= CHECK(!r->pays || 20 * with.tests < 19 * without.tests);
    good &= CHECK(with.rows > SPHERES / 2);
    free_columns(&with.columns);
    free_columns(&without.columns);
    return good;
}

static int check_finder(abut_finder *finder, const scene *s, const recipe *r)
{
    found all = search(finder, s, r, ABUT_ALL), kept = search(finder, s, r, ABUT_HIERARCHY);
    ask_often(finder);
    found fine = search(finder, s, r, ABUT_ALL); /* builds the fine set */
    int good = CHECK_INT(change_slabs(finder, true) > 0, r->pays);
    good &= check_search(finder, s, r, &all, ABUT_ALL);
    good &= check_search(finder, s, r, &kept, ABUT_HIERARCHY);
    free_columns(&fine.columns);
    free_columns(&all.columns);
    free_columns(&kept.columns);
    return good;
}

static void check_contacts(const recipe *r)
{
    const scene *s = make_scene(r);
    abut_mesh *mesh = build_triangles(SLIVERS, s->vertices);
    abut_finder *finder = NULL;
    if (!CHECK_INT(abut_finder_build((const abut_mesh *const *)&mesh, 1, &finder, NULL), ABUT_OK) ||
        !check_finder(finder, s, r)) {
        CHECK_TEXT(r->name, "");
    }
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
    abut_mesh *mesh = build_triangles(SLIVERS, s->vertices);
    failures f = {0};
    while (fail_next(&f)) {
        f.status = find_finely(mesh, s);
    }
    CHECK(f.count > 20); /* allocations failed throughout the call */
    abut_mesh_free(mesh);
}

void test_slabs(void)
{
    fail_every_allocation();
    for (int k = 0; k < RECIPES_COUNT; k++) {
        for (size_t level = 0; choose_next_level(&level);) {
            check_contacts(&RECIPES[k]);
        }
    }
}
