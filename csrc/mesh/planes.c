/* Planes that facets lie in to within their noise. */
#include "planes.h"

#include <string.h>

#include "../base/memory.h"
#include "tolerance.h"

/* A plane needs at least this many facets to be worth recording. */
enum { FEWEST_FACETS = 2 };

/* A normal and a height, rounded to a grid of steps. Most facets of one plane have the same key. */
typedef struct plane_key {
    int32_t steps[4];
} plane_key;

/* A plane while it is fitted. Heights are measured from a corner. Measured from the origin, which
 * may be far away, their rounding would be larger than the distance between planes. */
typedef struct group {
    vec3 from;     /* a corner of the first facet */
    vec3 normals;  /* the sum of the normals, each times its facet's area */
    double areas;  /* the sum of the areas */
    double height; /* the height over `from`; at first the sum of the corners' heights, weighted by
                      area */
    double added;  /* the largest sum that added_up returns for a corner */
    plane plane;
} group;

typedef struct finding {
    const triangle *triangles;
    abut_index facet_count;
    plane_set *set;
    double farthest; /* the largest coordinate */
    group *groups;   /* one for each key that several facets have */
    int32_t count;
    int32_t *slots; /* first a hash table of facets by key, NO_PLANE in empty slots; later numbers
                       of groups, then of planes */
    uint32_t mask;  /* number of slots, a power of two, minus 1 */
} finding;

/* The number of the step that a value lies in, with `steps` steps from 0 to 1. */
static int32_t step_of(double value, double steps)
{
    /* 2^24 makes the number positive; conversion then rounds it down, without a call of floor */
    return (int32_t)(value * steps + (STEP_OFFSET + 0x1p24));
}

static plane_key key_of(const finding *f, const triangle *t)
{
    const double height = vec3_dot(t->normal, t->corner[0]) / f->farthest;
    return (plane_key){{step_of(t->normal.x, NORMAL_STEPS), step_of(t->normal.y, NORMAL_STEPS),
                        step_of(t->normal.z, NORMAL_STEPS), step_of(height, HEIGHT_STEPS)}};
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

/* The first facet with the key of facet k; it may be k. */
static int32_t find_first(finding *f, int32_t k)
{
    const plane_key key = key_of(f, &f->triangles[k]);
    for (uint32_t slot = hash_of(&key) & f->mask;; slot = (slot + 1) & f->mask) {
        const int32_t first = f->slots[slot];
        if (first == NO_PLANE) {
            f->slots[slot] = k;
            return k;
        }
        const plane_key other = key_of(f, &f->triangles[first]);
        if (memcmp(&other, &key, sizeof key) == 0) {
            return first;
        }
    }
}

/* Makes a group for each key that several facets have. */
static abut_status group_facets(finding *f)
{
    int32_t *plane_of = f->set->plane_of, *numbers = f->slots;
    for (abut_index k = 0; k < f->facet_count; k++) {
        plane_of[k] = find_first(f, (int32_t)k);
    }
    memset(numbers, 0xff, (size_t)f->facet_count * sizeof *numbers); /* all NO_PLANE */
    for (abut_index k = 0; k < f->facet_count; k++) {
        int32_t *number = &numbers[plane_of[k]];
        *number = plane_of[k] != k && *number == NO_PLANE ? f->count++ : *number;
    }
    f->groups = memory_alloc_zeroed(f->count, sizeof *f->groups);
    if (!f->groups) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index k = f->facet_count - 1; k >= 0; k--) {
        const int32_t number = numbers[plane_of[k]];
        plane_of[k] = number;
        if (number != NO_PLANE) {
            f->groups[number].from =
                f->triangles[k].corner[0]; /* the last one set is that of the first facet */
        }
    }
    return ABUT_OK;
}

static double area_of(const triangle *t)
{
    return 0.5 * vec3_length(vec3_cross(triangle_edge(t, 0), triangle_edge(t, 1)));
}

/* The group of a facet, or NULL. */
static group *group_of(const finding *f, abut_index facet)
{
    const int32_t number = f->set->plane_of[facet];
    return number == NO_PLANE ? NULL : &f->groups[number];
}

/* The height of a point over the first facet's corner, along the plane's normal. */
static double height_of(const group *fit, vec3 point)
{
    return vec3_dot(fit->plane.normal, vec3_sub(point, fit->from));
}

/* The sum of the absolute values that height_of adds. The rounding error of height_of is at most a
 * small fraction of this sum. */
static double added_up(const group *fit, vec3 point)
{
    const vec3 normal = fit->plane.normal, apart = vec3_sub(point, fit->from);
    return fabs(normal.x * apart.x) + fabs(normal.y * apart.y) + fabs(normal.z * apart.z);
}

/* Sets each plane's normal: the mean of its facets' normals, weighted by area. If an area is not
 * finite, the normal is not either, and check_facets finds no facet in the plane. */
static void fit_normals(finding *f)
{
    for (abut_index k = 0; k < f->facet_count; k++) {
        const triangle *t = &f->triangles[k];
        group *fit = group_of(f, k);
        if (fit) {
            const double area = area_of(t);
            fit->normals = vec3_add(fit->normals, vec3_scale(t->normal, area));
            fit->areas += area;
        }
    }
    for (int32_t k = 0; k < f->count; k++) {
        group *fit = &f->groups[k];
        fit->plane.normal = vec3_scale(fit->normals, 1.0 / vec3_length(fit->normals));
        fit->plane.noise = INFINITY;
    }
}

/* Sets each plane's height: the mean of its facets' corners, weighted by area. */
static void fit_heights(finding *f)
{
    for (abut_index k = 0; k < f->facet_count; k++) {
        const triangle *t = &f->triangles[k];
        group *fit = group_of(f, k);
        for (int i = 0; fit && i < 3; i++) {
            fit->height += height_of(fit, t->corner[i]) * (area_of(t) / 3.0);
        }
    }
    for (int32_t k = 0; k < f->count; k++) {
        group *fit = &f->groups[k];
        fit->height /= fit->areas;
        fit->plane.height = fit->height + vec3_dot(fit->plane.normal, fit->from);
    }
}

static double farthest_corner(const group *fit, const triangle *t)
{
    double off = 0.0;
    for (int i = 0; i < 3; i++) {
        off = larger(off, fabs(height_of(fit, t->corner[i]) - fit->height));
    }
    return off;
}

/* Adds a facet with corners at most `off` from the plane to the plane's bounds. */
static void include_facet(group *fit, const triangle *t, double off)
{
    plane *to = &fit->plane;
    to->off = larger(to->off, off);
    to->tilt = larger(to->tilt, vec3_length(vec3_sub(t->normal, to->normal)));
    to->noise = t->normal_noise < to->noise ? t->normal_noise : to->noise;
    for (int k = 0; k < 3; k++) {
        to->extent = larger(to->extent, vec3_length(triangle_edge(t, k)));
        fit->added = larger(fit->added, added_up(fit, t->corner[k]));
    }
    to->facet_count++;
}

/* Removes facets from planes that they do not lie in to within noise. */
static void check_facets(finding *f)
{
    for (abut_index k = 0; k < f->facet_count; k++) {
        const triangle *t = &f->triangles[k];
        group *fit = group_of(f, k);
        const double off = fit ? farthest_corner(fit, t) : INFINITY;
        if (off <= OFF_NOISES * t->normal_noise + OFF_ROUNDING * f->farthest) {
            include_facet(fit, t, off);
        } else {
            f->set->plane_of[k] = NO_PLANE;
        }
    }
}

/* Makes planes of the groups that still have several facets. */
static abut_status keep_planes(finding *f)
{
    plane_set *set = f->set;
    int32_t *numbers = f->slots; /* the slots are free, since keys are no longer needed */
    for (int32_t k = 0; k < f->count; k++) {
        const bool is_plane = f->groups[k].plane.facet_count >= FEWEST_FACETS;
        numbers[k] = is_plane ? set->count++ : NO_PLANE;
    }
    set->planes = memory_alloc(set->count, sizeof *set->planes);
    if (!set->planes) {
        return ABUT_NO_MEMORY;
    }
    for (int32_t k = 0; k < f->count; k++) {
        if (numbers[k] != NO_PLANE) {
            plane *to = &set->planes[numbers[k]];
            *to = f->groups[k].plane;
            to->off += HEIGHT_ROUNDING * f->groups[k].added;
        }
    }
    for (abut_index k = 0; k < f->facet_count; k++) {
        const int32_t number = set->plane_of[k];
        set->plane_of[k] = number == NO_PLANE ? NO_PLANE : numbers[number];
    }
    return ABUT_OK;
}

static abut_status find_planes(finding *f)
{
    abut_index slots = 2;
    while (slots < 2 * f->facet_count) {
        slots *= 2;
    }
    f->mask = (uint32_t)(slots - 1);
    f->slots = memory_alloc(slots, sizeof *f->slots);
    f->set->plane_of = memory_alloc(f->facet_count, sizeof *f->set->plane_of);
    if (!f->slots || !f->set->plane_of) {
        return ABUT_NO_MEMORY;
    }
    memset(f->slots, 0xff, (size_t)slots * sizeof *f->slots); /* all NO_PLANE */
    abut_status status = group_facets(f);
    if (status || f->count == 0) {
        return status;
    }
    fit_normals(f);
    fit_heights(f);
    check_facets(f);
    return keep_planes(f);
}

abut_status planes_find(const triangle *triangles, abut_index count, plane_set *set)
{
    finding f = {.triangles = triangles, .facet_count = count, .set = set};
    *set = (plane_set){.count = 0};
    for (abut_index k = 0; k < count; k++) {
        for (int i = 0; i < 3; i++) {
            f.farthest = larger(f.farthest, vec3_max_abs(triangles[k].corner[i]));
        }
    }
    abut_status status = count > 0 ? find_planes(&f) : ABUT_OK;
    memory_free(f.groups);
    memory_free(f.slots);
    return status;
}

void planes_free(plane_set *set)
{
    memory_free(set->plane_of);
    memory_free(set->planes);
}

abut_index planes_byte_count(const plane_set *set, abut_index facet_count)
{
    const size_t bytes = (set->plane_of ? (size_t)facet_count * sizeof *set->plane_of : 0) +
                         (size_t)set->count * sizeof *set->planes;
    return (abut_index)bytes;
}

bool plane_is_sure(const plane *common, double reach, double margin)
{
    const double size = common->extent + 2.0 * reach;
    const double off = common->off + (common->tilt + PLANE_ROUNDING) * size;
    const double noise = common->noise + LEAST_NOISE * reach;
    /* half the angle by which noise may tilt a tangent plane */
    const double tilt = sqrt(noise / reach);
    return 16.0 * reach * off <= margin * margin && common->tilt <= 0.25 * tilt &&
           2.0 * off <= FRONT_NOISES * noise + 1.5 * tilt * margin;
}
