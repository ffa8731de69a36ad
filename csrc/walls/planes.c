/* Facets that lie in one plane to within their noise. */
#include "planes.h"

#include <string.h>

#include "../base/memory.h"
#include "tolerance.h"

/* Facets whose normals, and whose heights in parts of the farthest coordinate, round to the same
 * multiples of these may be in one plane: coarser than noise, and finer than what is curved. Round
 * numbers are not where rounding changes. */
#define NORMAL_STEP 1e-4
#define HEIGHT_STEP 1e-5
#define STEP_OFFSET 0.38196601125010515

/* How far from the plane a corner may be, in noises and in parts of the farthest coordinate: a
 * facet that is farther off is in none. */
#define OFF_NOISES 4.0
#define OFF_ROUNDING 0x1p-49

/* Fewer facets make no plane. */
enum { FEWEST_FACETS = 2 };

typedef struct plane_key {
    int32_t steps[4];
} plane_key;

/* A plane on its way. */
typedef struct group {
    plane_key key;
    vec3 normals;          /* sum, times the areas */
    double heights, areas; /* likewise */
    plane plane;
} group;

typedef struct finding {
    abut_mesh *mesh;
    double farthest; /* coordinate */
    group *groups;   /* of facets with one key */
    int32_t count;
    int32_t *slots; /* where keys are looked up: numbers of groups, or NO_PLANE */
    uint32_t mask;  /* of slots: a power of two minus 1 */
} finding;

static int32_t step_of(double value, double step)
{
    return (int32_t)floor(value / step + STEP_OFFSET);
}

static plane_key key_of(const finding *f, const triangle *t)
{
    const double height = vec3_dot(t->normal, t->corner[0]) / f->farthest;
    return (plane_key){{step_of(t->normal.x, NORMAL_STEP), step_of(t->normal.y, NORMAL_STEP),
                        step_of(t->normal.z, NORMAL_STEP), step_of(height, HEIGHT_STEP)}};
}

static uint32_t hash_of(const plane_key *key)
{
    uint64_t hash = 0;
    for (int i = 0; i < 4; i++) {
        hash = (hash ^ (uint32_t)key->steps[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

/* The number of the group with that key, which may be new. */
static int32_t find_group(finding *f, const plane_key *key)
{
    uint32_t slot = hash_of(key) & f->mask;
    while (f->slots[slot] != NO_PLANE && memcmp(&f->groups[f->slots[slot]].key, key, sizeof *key)) {
        slot = (slot + 1) & f->mask;
    }
    if (f->slots[slot] == NO_PLANE) {
        f->groups[f->count] = (group){.key = *key};
        f->slots[slot] = f->count++;
    }
    return f->slots[slot];
}

static void group_facets(finding *f)
{
    abut_mesh *mesh = f->mesh;
    for (abut_index k = 0; k < mesh->view.facet_count; k++) {
        const triangle *t = &mesh->triangles[k];
        const plane_key key = key_of(f, t);
        group *own = &f->groups[mesh->plane_of[k] = find_group(f, &key)];
        own->normals = vec3_add(own->normals, vec3_scale(t->normal, mesh->areas[k]));
        own->areas += mesh->areas[k];
    }
}

static void fit_planes(finding *f)
{
    const abut_mesh *mesh = f->mesh;
    for (int32_t k = 0; k < f->count; k++) {
        group *own = &f->groups[k];
        const double length = sqrt(vec3_norm_sq(own->normals));
        own->plane.normal = vec3_scale(own->normals, length > 0.0 ? 1.0 / length : 0.0);
        own->plane.noise = INFINITY;
    }
    for (abut_index k = 0; k < mesh->view.facet_count; k++) {
        group *own = &f->groups[mesh->plane_of[k]];
        const vec3 *c = mesh->triangles[k].corner;
        const vec3 sum = vec3_add(vec3_add(c[0], c[1]), c[2]);
        own->heights += vec3_dot(own->plane.normal, sum) * (mesh->areas[k] / 3.0);
    }
    for (int32_t k = 0; k < f->count; k++) {
        f->groups[k].plane.height = f->groups[k].heights / f->groups[k].areas;
    }
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double farthest_corner(const plane *of, const triangle *t)
{
    double off = 0.0;
    for (int i = 0; i < 3; i++) {
        off = larger(off, fabs(vec3_dot(of->normal, t->corner[i]) - of->height));
    }
    return off;
}

/* Facets stay in their planes that are in them to within noise. */
static void check_facets(finding *f)
{
    abut_mesh *mesh = f->mesh;
    for (abut_index k = 0; k < mesh->view.facet_count; k++) {
        const triangle *t = &mesh->triangles[k];
        plane *own = &f->groups[mesh->plane_of[k]].plane;
        const double off = farthest_corner(own, t);
        if (!(off <= OFF_NOISES * t->normal_noise + OFF_ROUNDING * f->farthest)) {
            mesh->plane_of[k] = NO_PLANE;
            continue;
        }
        const box bounds = triangle_box(t);
        own->off = larger(own->off, off);
        own->tilt = larger(own->tilt, sqrt(vec3_norm_sq(vec3_sub(t->normal, own->normal))));
        own->extent = larger(own->extent, 2.0 * box_extent(&bounds));
        own->noise = t->normal_noise < own->noise ? t->normal_noise : own->noise;
        own->facet_count++;
    }
}

/* Only groups of several facets become planes. */
static abut_status keep_planes(finding *f)
{
    abut_mesh *mesh = f->mesh;
    int32_t *numbers = f->slots, count = 0; /* keys are looked up no more */
    for (int32_t k = 0; k < f->count; k++) {
        numbers[k] = f->groups[k].plane.facet_count >= FEWEST_FACETS ? count++ : NO_PLANE;
    }
    mesh->plane_count = count;
    mesh->planes = memory_alloc(count, sizeof *mesh->planes);
    if (!mesh->planes) {
        return ABUT_NO_MEMORY;
    }
    for (int32_t k = 0; k < f->count; k++) {
        if (numbers[k] != NO_PLANE) {
            mesh->planes[numbers[k]] = f->groups[k].plane;
        }
    }
    for (abut_index k = 0; k < mesh->view.facet_count; k++) {
        const int32_t number = mesh->plane_of[k];
        mesh->plane_of[k] = number == NO_PLANE ? NO_PLANE : numbers[number];
    }
    return ABUT_OK;
}

static abut_status find(finding *f)
{
    const abut_index count = f->mesh->view.facet_count;
    uint32_t slots = 2;
    while (slots < 2 * count) {
        slots *= 2;
    }
    f->mask = slots - 1;
    f->groups = memory_alloc(count, sizeof *f->groups);
    f->slots = memory_alloc(slots, sizeof *f->slots);
    f->mesh->plane_of = memory_alloc(count, sizeof *f->mesh->plane_of);
    if (!f->groups || !f->slots || !f->mesh->plane_of) {
        return ABUT_NO_MEMORY;
    }
    memset(f->slots, 0xff, (size_t)slots * sizeof *f->slots);
    group_facets(f);
    fit_planes(f);
    check_facets(f);
    return keep_planes(f);
}

abut_status planes_find(abut_mesh *mesh)
{
    finding f = {.mesh = mesh};
    for (abut_index i = 0; i < 3 * mesh->view.vertex_count; i++) {
        f.farthest = larger(f.farthest, fabs(mesh->vertices[i]));
    }
    if (!mesh_is_triangles(mesh) || f.farthest == 0.0) {
        return ABUT_OK;
    }
    abut_status status = find(&f);
    memory_free(f.groups);
    memory_free(f.slots);
    return status;
}

bool plane_is_sure(const plane *of, double reach, double margin)
{
    const double size = of->extent + 2.0 * reach;
    const double off = of->off + (of->tilt + PLANE_ROUNDING) * size;
    const double noise = of->noise + LEAST_NOISE * reach;
    /* half of what noise may tilt a tangent plane by */
    const double tilt = sqrt(noise / reach);
    return 16.0 * reach * off <= margin * margin && of->tilt <= 0.25 * tilt &&
           2.0 * off <= FRONT_NOISES * noise + 1.5 * tilt * margin;
}
