/* Facets in one plane: the planes of a mesh. Spheres that test only the facets at their foot point
 * have the same contacts, to the bit, as spheres that test all facets. */
#include "mesh/mesh_data.h"

#include "check.h"
#include "contact_columns.h"
#include "periods.h"
#include "random.h"
#include "simd_levels.h"
#include "triangle_mesh.h"

#include <math.h>
#include <string.h>

/* ---- scenes: a plane of SIDE x SIDE squares of two triangles, with deviations ---- */

enum { SIDE = 24, FACET_ROOM = 4 * SIDE * SIDE, SPHERES = 2000 };

typedef struct recipe {
    const char *name;
    double turn;    /* radians, about a skew axis */
    double shift;   /* along each axis */
    double bump;    /* largest height of a corner */
    double layer;   /* height of every 16th facet */
    double fold;    /* slope of the plane's other half */
    double squeeze; /* factor of all y: makes slivers */
    double holes;   /* part of the squares that are missing */
    double copies;  /* part of the facets that are repeated, or moved in the plane */
    double gap;
    bool is_float; /* corners are rounded to floats */
    bool is_mixed; /* radii over two octaves */
    double skew;   /* number in a turning pose; 0: no pose */
    double period; /* period along x; 0: none */
    bool narrows;  /* whether most spheres need few tests */
} recipe;

static const recipe RECIPES[] = {
    {.name = "plain", .squeeze = 1.0, .narrows = true},
    {.name = "turned", .turn = 0.7, .squeeze = 1.0, .narrows = true},
    {.name = "far off", .turn = 0.7, .shift = 1000.0, .squeeze = 1.0},
    {.name = "far off along the axes", .shift = 1000.0, .squeeze = 1.0, .narrows = true},
    {.name = "floats", .turn = 0.7, .squeeze = 1.0, .is_float = true},
    {.name = "rims", .turn = 0.3, .squeeze = 1.0, .holes = 0.3},
    {.name = "copies", .turn = 0.3, .squeeze = 1.0, .copies = 0.2, .narrows = true},
    {.name = "slivers", .turn = 0.3, .squeeze = 0.05, .narrows = true},
    {.name = "a strip", .turn = 0.3, .squeeze = 1e-3},
    {.name = "bumps within noise", .squeeze = 1.0, .shift = 1.0, .bump = 0x1p-52},
    {.name = "bumps beyond noise", .squeeze = 1.0, .shift = 1.0, .bump = 0x1p-44},
    {.name = "layers within noise", .squeeze = 1.0, .shift = 1.0, .layer = 0x1p-52},
    {.name = "layers beyond noise", .squeeze = 1.0, .shift = 1.0, .layer = 0x1p-40},
    {.name = "fold", .turn = 0.3, .squeeze = 1.0, .fold = 0.3},
    {.name = "slight fold", .squeeze = 1.0, .fold = 1e-9},
    {.name = "gap", .turn = 0.3, .squeeze = 1.0, .gap = 0.02, .narrows = true},
    {.name = "wide gap", .turn = 0.3, .squeeze = 1.0, .gap = 0.5},
    {.name = "sizes", .turn = 0.3, .squeeze = 1.0, .is_mixed = true},
    {.name = "where digits are as large as layers", .turn = 0.7, .squeeze = 1.0, .shift = 1e8},
    {.name = "a pose", .squeeze = 1.0, .skew = 1e-16, .narrows = true},
    {.name = "a pose that is skewed", .squeeze = 1.0, .skew = 1e-7},
    {.name = "a period", .turn = 0.3, .squeeze = 1.0, .period = 1.5, .narrows = true},
};
enum { RECIPES_COUNT = sizeof RECIPES / sizeof *RECIPES };

typedef struct scene {
    double vertices[9 * FACET_ROOM], centers[3 * SPHERES], radii[SPHERES];
    abut_index facet_count;
} scene;

/* Moves a point from the plane z = 0 into the scene. */
static vec3 place(const recipe *r, vec3 p)
{
    p.y *= r->squeeze;
    p.z += p.x > 0.5 ? r->fold * (p.x - 0.5) : 0.0;
    const vec3 turned = turn_point(p, r->turn);
    return vec3_add(turned, (vec3){r->shift, r->shift, r->shift});
}

/* Returns a corner of the squares, moved in the plane. */
static vec3 lattice_point(const recipe *r, int x, int y)
{
    state = (uint64_t)(1000 * x + y);
    const double jitter = 0.4 / SIDE;
    const double along = jitter * (draw_number() - 0.5), across = jitter * (draw_number() - 0.5);
    return (vec3){(double)x / SIDE + along, (double)y / SIDE + across, r->bump * draw_number()};
}

static void add_facet(scene *s, const recipe *r, vec3 corners[3], vec3 by)
{
    const abut_index first = 3 * s->facet_count;
    for (int k = 0; k < 3; k++) {
        const vec3 p = place(r, vec3_add(corners[k], by));
        const double at[3] = {p.x, p.y, p.z};
        for (int axis = 0; axis < 3; axis++) {
            s->vertices[3 * (first + k) + axis] = r->is_float ? (float)at[axis] : at[axis];
        }
    }
    s->facet_count++;
}

static void add_square(scene *s, const recipe *r, int x, int y)
{
    vec3 a = lattice_point(r, x, y), b = lattice_point(r, x + 1, y);
    vec3 c = lattice_point(r, x + 1, y + 1), d = lattice_point(r, x, y + 1);
    vec3 halves[2][3] = {{a, b, c}, {a, c, d}};
    state = (uint64_t)(7000 * x + y);
    if (draw_number() < r->holes) {
        return;
    }
    for (int k = 0; k < 2; k++) {
        vec3 up = {0.0, 0.0, draw() % 16 == 0 ? r->layer : 0.0}, none = {0.0, 0.0, 0.0};
        add_facet(s, r, halves[k], up);
        if (draw_number() < r->copies) {
            add_facet(s, r, halves[k], draw() % 2 ? none : (vec3){0.3 / SIDE, 0.1 / SIDE, 0.0});
        }
    }
}

/* Adds a sphere above or below the plane or outside it; some are over a corner or an edge. */
static void add_sphere(scene *s, const recipe *r, int i)
{
    const double radius = (r->is_mixed ? 0.5 + 3.0 * draw_number() : 1.0 + draw_number()) / SIDE;
    vec3 p = {1.1 * draw_number() - 0.05, 1.1 * draw_number() - 0.05, 0.0};
    if (i % 5 == 0) {
        const double part = draw_number();
        const int x = (int)(draw() % SIDE), y = (int)(draw() % SIDE);
        const uint64_t before = state;
        const vec3 a = lattice_point(r, x, y), b = lattice_point(r, x + 1, y);
        p = i % 10 ? vec3_add(a, vec3_scale(vec3_sub(b, a), part)) : a;
        state = before;
    }
    p.z = (radius + r->gap) * (2.4 * draw_number() - 1.2);
    vec3_store(s->centers + 3 * i, place(r, p));
    s->radii[i] = radius;
}

static scene *make_scene(const recipe *r)
{
    static scene s;
    s.facet_count = 0;
    for (int x = 0; x < SIDE; x++) {
        for (int y = 0; y < SIDE; y++) {
            add_square(&s, r, x, y);
        }
    }
    state = 3;
    for (int i = 0; i < SPHERES; i++) {
        add_sphere(&s, r, i);
    }
    return &s;
}

/* Builds the mesh with given noise, because heights of corners and layers are no noise. */
static abut_mesh *build_mesh(const scene *s, const recipe *r)
{
    static double noise[FACET_ROOM];
    for (int k = 0; k < FACET_ROOM; k++) {
        noise[k] = 0x1p-52;
    }
    bool is_rough = r->bump > 0.0 || r->layer > 0.0;
    return build_noisy_triangles(s->facet_count, s->vertices, is_rough ? noise : NULL);
}

/* ---- contacts ---- */

static found search(const abut_mesh *mesh, const scene *s, const recipe *r)
{
    found f = {.rows = 0};
    abut_query query = abut_query_default();
    abut_finder *finder = NULL;
    query.sphere_count = SPHERES;
    query.centers = s->centers;
    query.radii = s->radii;
    query.gap = r->gap;
    query.workers = 2;
    const double period[3] = {r->period, 0.0, 0.0};
    /* a quarter turn */
    const double pose[16] = {0.0, -1.0, r->skew, 0.5, 1.0, 0.0, 0.0, 0.0,
                             0.0, 0.0,  1.0,     0.0, 0.0, 0.0, 0.0, 1.0};
    query.period = r->period > 0.0 ? vectors_along(period, 3) : NULL;
    query.poses = r->skew > 0.0 ? pose : NULL;
    if (CHECK_INT(abut_finder_build(&mesh, 1, &finder, NULL), ABUT_OK)) {
        f = find_columns(finder, &query);
    }
    abut_finder_free(finder);
    return f;
}

/* Compares contacts with planes and without. */
static void check_contacts(const recipe *r)
{
    const scene *s = make_scene(r);
    abut_mesh *mesh = build_mesh(s, r);
    if (!mesh) {
        return;
    }
    found with = search(mesh, s, r);
    mesh->planes.count = 0; /* now queries find no planes */
    found without = search(mesh, s, r);
    CHECK(with.rows > SPHERES / 4);
    if (!check_found(&with, &without) || !CHECK(!r->narrows || 2 * with.tests < without.tests)) {
        CHECK_TEXT(r->name, "");
    }
    free_columns(&with.columns);
    free_columns(&without.columns);
    abut_mesh_free(mesh);
}

/* ---- planes ---- */

static void check_planes(void)
{
    const recipe flat = {.turn = 0.7, .squeeze = 1.0}, folded = {.squeeze = 1.0, .fold = 0.3};
    const recipe rough = {.squeeze = 1.0, .shift = 1.0, .bump = 1e-6};
    abut_mesh *mesh = build_mesh(make_scene(&flat), &flat);
    CHECK_INT(mesh->planes.count, 1);
    CHECK_INT(mesh->planes.planes[0].facet_count, 2 * SIDE * SIDE);
    CHECK(mesh->planes.planes[0].off < 3e-15);
    CHECK(plane_is_sure(&mesh->planes.planes[0], 0.1, 1e-4));
    CHECK(!plane_is_sure(&mesh->planes.planes[0], 0.1, 1e-9)); /* too close to decide */
    plane off = mesh->planes.planes[0], tilted = off;
    off.off = 1e-9, tilted.tilt = 1e-6;
    CHECK(!plane_is_sure(&off, 0.1, 1e-4));
    CHECK(!plane_is_sure(&tilted, 0.1, 1e-4));
    CHECK(!plane_is_sure(&tilted, 0.1, 1.0)); /* tilted by more than noise explains */
    abut_mesh_free(mesh);

    mesh = build_mesh(make_scene(&folded), &folded); /* squares across the fold are in neither */
    CHECK_INT(mesh->planes.count, 2);
    CHECK(mesh->planes.planes[0].facet_count > SIDE * (SIDE - 2));
    abut_mesh_free(mesh);

    mesh = build_mesh(make_scene(&rough), &rough);
    CHECK_INT(mesh->planes.count, 0);
    for (abut_index k = 0; k < mesh->view.facet_count; k++) {
        CHECK_INT(mesh->planes.plane_of[k], NO_PLANE);
    }
    abut_mesh_free(mesh);
}

void test_planes(void)
{
    check_planes();
    for (int k = 0; k < RECIPES_COUNT; k++) {
        for (size_t level = 0; choose_next_level(&level);) {
            check_contacts(&RECIPES[k]);
        }
    }
}
