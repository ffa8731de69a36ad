/* Bins: each facet that touches a sphere is in its buckets exactly once; sizes are bounded. */
#include "base/memory.h"
#include "bins/bins.h"
#include "bins/bin_levels.h"
#include "bins/pieces.h"
#include "bins/slabs.h"

#include "check.h"
#include "random.h"
#include "triangle_mesh.h"

#include <stdlib.h>

enum { FACETS = 300, CENTERS = 400 };

/* A mesh of triangles that share no vertex, and its bins. */
typedef struct scene {
    double corners[FACETS * 9];
    abut_mesh *mesh;
    bins *set;
    double reach;
} scene;

static const vicinity everything = {
    .bounds = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}}};

/* ---- scenes ---- */

/* Places triangles at random in a cube. Some lie on its lower side: they are flat, on borders of
 * cells. */
static void scatter(scene *s, double middle, double width, double size)
{
    for (int f = 0; f < FACETS; f++) {
        for (int axis = 0; axis < 3; axis++) {
            double place = middle + draw_between(-0.5, 0.5) * width;
            bool is_flat = f % 4 == axis;
            for (int k = 0; k < 3; k++) {
                double off = is_flat ? 0.0 : draw_between(-0.5, 0.5) * size;
                s->corners[9 * f + 3 * k + axis] = (is_flat ? middle : place) + off;
            }
        }
    }
}

static void build(scene *s, double reach)
{
    s->mesh = build_triangles(FACETS, s->corners);
    s->reach = reach;
    s->set = bins_build(s->mesh, reach, &everything);
    CHECK(s->set != NULL);
}

static void free_scene(scene *s)
{
    bins_free(s->set);
    abut_mesh_free(s->mesh);
}

/* ---- the search, as documented in bins.h ---- */

/* Returns the bucket of a level that contains a center, or -1 outside. */
static int64_t bucket_of(const bin_level *level, const double *center)
{
    uint32_t sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        if (center[axis] < level->low[axis] || center[axis] > level->high[axis]) {
            return -1;
        }
        int64_t cell = (int64_t)rint(center[axis] * level->inv_cell);
        sum += (uint32_t)cell * level->stride[axis];
    }
    return (uint32_t)(level->first + (sum & level->mask));
}

/* Returns whether culling keeps an entry of the center's bucket. */
static bool is_left(const bins *set, const bin_level *level, uint32_t entry, const double *center,
                    double reach)
{
    int64_t sum = 0, limit = (int64_t)ceil(reach * level->inv_cell * UNITS_PER_CELL) + 1;
    for (int axis = 0; axis < 3; axis++) {
        double in_cells = center[axis] * level->inv_cell;
        int64_t units = (int64_t)rint((in_cells - rint(in_cells) + 1.5) * UNITS_PER_CELL);
        int64_t below = set->low[axis][entry] - units, above = units - set->high[axis][entry];
        int64_t apart = below > above ? below : above;
        sum += apart > 0 ? apart * apart >> 16 : 0;
    }
    return sum <= limit * limit >> 16;
}

/* Counts how often each facet is in the center's buckets (`seen`), and not culled (`left`). */
static void look(const scene *s, const double *center, double reach, int *seen, int *left)
{
    for (int32_t k = 0; k < s->set->level_count; k++) {
        const bin_level *level = &s->set->levels[k];
        int64_t bucket = bucket_of(level, center);
        if (bucket < 0) {
            continue;
        }
        uint32_t begin = s->set->begins[bucket], end = s->set->begins[bucket + 1];
        CHECK_INT(s->set->occupied[bucket >> 5] >> (bucket & 31) & 1, end > begin);
        for (uint32_t entry = begin; entry < end; entry++) {
            CHECK(entry == begin || s->set->facet[entry - 1] < s->set->facet[entry]);
            seen[s->set->facet[entry]]++;
            left[s->set->facet[entry]] += is_left(s->set, level, entry, center, reach);
        }
    }
}

static double distance_to_segment(vec3 point, vec3 from, vec3 to)
{
    const vec3 along = vec3_sub(to, from);
    const double part = vec3_dot(vec3_sub(point, from), along) / vec3_norm_sq(along);
    const vec3 foot = vec3_add(from, vec3_scale(along, fmin(fmax(part, 0.0), 1.0)));
    return vec3_length(vec3_sub(point, foot));
}

/* Returns the distance from the plane if the point is over the triangle, else from an edge. */
static double distance_to_triangle(vec3 point, const triangle *t)
{
    bool is_over = true;
    double nearest = INFINITY;
    for (int k = 0; k < 3; k++) {
        const vec3 from = t->corner[k], to = t->corner[(k + 1) % 3];
        const vec3 inward = vec3_cross(t->normal, vec3_sub(to, from));
        is_over = is_over && vec3_dot(inward, vec3_sub(point, from)) >= 0.0;
        nearest = fmin(nearest, distance_to_segment(point, from, to));
    }
    return is_over ? fabs(vec3_dot(t->normal, vec3_sub(point, t->corner[0]))) : nearest;
}

static void check_center(const scene *s, const double *center, double reach)
{
    int seen[FACETS] = {0}, left[FACETS] = {0}, touched = 0, found = 0, twice = 0;
    look(s, center, reach, seen, left);
    for (abut_index f = 0; f < FACETS; f++) {
        const triangle *t = &s->mesh->triangles[f];
        bool touches = distance_to_triangle(vec3_load(center), t) <= reach;
        touched += touches;
        found += touches && left[f];
        twice += seen[f] > 1;
    }
    CHECK_INT(found, touched);
    CHECK_INT(twice, 0);
}

/* Checks centers at random distances from corners of facets. */
static void check_near_facets(const scene *s)
{
    for (int i = 0; i < CENTERS; i++) {
        double center[3], reach = s->reach * (i % 2 ? 1.0 : draw_number());
        int corner = (int)(draw_number() * 3 * FACETS);
        for (int axis = 0; axis < 3; axis++) {
            center[axis] = s->corners[3 * corner + axis] + draw_between(-1.2, 1.2) * reach;
        }
        check_center(s, center, reach);
    }
}

/* Checks centers on the sides of cells, where -0.0 and ties occur. */
static void check_cell_sides(const scene *s)
{
    for (int i = 0; i < CENTERS; i++) {
        double center[3];
        int corner = (int)(draw_number() * 3 * FACETS);
        double cell = 1.0 / s->set->levels[i % s->set->level_count].inv_cell;
        for (int axis = 0; axis < 3; axis++) {
            double near = s->corners[3 * corner + axis] + draw_between(-1.0, 1.0) * s->reach;
            center[axis] = (floor(near / cell) + 0.5 * (double)((i >> axis) % 2)) * cell;
            center[axis] = center[axis] == 0.0 ? -0.0 : center[axis];
            center[axis] = i % 8 < 6 ? center[axis] : nextafter(center[axis], i % 8 == 6 ? -1 : 1);
        }
        check_center(s, center, s->reach);
    }
}

/* ---- properties of every set ---- */

static int cut_count;    /* number of scenes with cut facets */
static int repeat_count; /* number of scenes with repeated cells */

/* Limits of memory: per facet, and for a set without facets. */
enum { BUCKETS_PER_FACET = 32, BUCKETS_ANYWAY = 256, ENTRIES_PER_FACET = 27 };

static void check_memory(const scene *s)
{
    const bins *set = s->set;
    CHECK(set->entry_count >= FACETS);
    CHECK(set->entry_count <= (int64_t)ENTRIES_PER_FACET * FACETS);
    CHECK(set->bucket_count <=
          (int64_t)BUCKETS_PER_FACET * FACETS + (int64_t)BUCKETS_ANYWAY * set->level_count);
    CHECK(bins_byte_count(set) <= 24 * (set->entry_count + BINS_PADDING) +
                                      8 * (set->bucket_count + 64) +
                                      256 * (int64_t)(set->level_count + 1));
    CHECK_INT(set->begins[0], 0);
    CHECK_INT(set->begins[set->bucket_count], set->entry_count);
}

static void check_levels(const scene *s)
{
    for (int32_t k = 0; k < s->set->level_count; k++) {
        const bin_level *level = &s->set->levels[k];
        int exponent;
        CHECK(frexp(level->inv_cell, &exponent) == 0.5);
        CHECK(s->reach * level->inv_cell <= 1.0);
        for (int axis = 0; axis < 3; axis++) {
            CHECK(fabs(level->low[axis]) * level->inv_cell <= ldexp(1.0, 40));
            CHECK(fabs(level->high[axis]) * level->inv_cell <= ldexp(1.0, 40));
        }
    }
}

/* Slabs need a bucket for each cell. */
static void check_slabs(const scene *s)
{
    bool repeats = false;
    for (int32_t k = 0; k < s->set->level_count; k++) {
        repeats |= s->set->levels[k].mask != UINT32_MAX;
    }
    CHECK(bins_find_slabs(s->set, s->mesh, s->reach));
    CHECK(!repeats || !s->set->slab_low);
    repeat_count += repeats;
}

/* Small cells and facets in pieces: none may be lost or found twice. */
static void check_fine(scene *s)
{
    double expected = pieces_expected(s->mesh, s->reach);
    CHECK(expected >= 0.0 && expected <= 64.0 * FACETS);
    bins *whole = s->set;
    s->set = bins_build_fine(s->mesh, s->reach, &everything);
    CHECK(s->set != NULL);
    check_near_facets(s);
    check_cell_sides(s);
    check_levels(s);
    CHECK(s->set->entry_count <= (int64_t)64 * ENTRIES_PER_FACET * FACETS);
    check_slabs(s);
    bins_free(s->set);
    s->set = whole;
    cut_count += expected > 0.0;
}

static void check_all(scene *s, double reach)
{
    build(s, reach);
    check_near_facets(s);
    check_cell_sides(s);
    check_memory(s);
    check_levels(s);
    check_fine(s);
    free_scene(s);
}

/* Moves every vertex in a random direction by nearly this distance. */
static void move_corners(scene *s, double way)
{
    for (int corner = 0; corner < 3 * FACETS; corner++) {
        const vec3 to = {draw_between(-1.0, 1.0), draw_between(-1.0, 1.0), draw_between(-1.0, 1.0)};
        const double length = vec3_length(to);
        for (int axis = 0; length > 0.0 && axis < 3; axis++) {
            const double along = axis == 0 ? to.x : axis == 1 ? to.y : to.z;
            s->corners[3 * corner + axis] += 0.999999 * way * along / length;
        }
    }
}

/* Bins with a slack remain valid while no vertex moves farther than the slack. */
static void check_slack(scene *s, double reach, double slack)
{
    const vicinity near = {.bounds = everything.bounds, .slack = slack};
    for (int is_fine = 0; is_fine < 2; is_fine++) {
        abut_mesh *before = build_triangles(FACETS, s->corners);
        s->reach = reach;
        s->set = is_fine ? bins_build_fine(before, reach, &near) : bins_build(before, reach, &near);
        CHECK(s->set != NULL);
        move_corners(s, slack);
        s->mesh = build_triangles(FACETS, s->corners);
        check_near_facets(s);
        check_cell_sides(s);
        check_levels(s);
        abut_mesh_free(before);
        free_scene(s);
    }
}

static void check_slacks(void)
{
    static const double middles[] = {0.0, 64.0, -1e6}, sizes[] = {0.5, 1.0, 1.7};
    static scene s;
    for (int i = 0; i < 27; i++) {
        const double reach = 0.05 * (1.0 + i / 9), slack = 0.05 * (1.0 + 2.0 * (i % 9 / 3));
        scatter(&s, middles[i % 3], 10.0, sizes[i / 3 % 3]);
        check_slack(&s, reach, slack);
        scatter(&s, middles[i % 3], 10.0, sizes[i / 3 % 3]);
        for (int k = 0; k < 9 * FACETS / 4; k++) {
            s.corners[k] *=
                2.0; /* some facets are twice as large and share the cells of the others */
        }
        check_slack(&s, reach, slack);
    }
}

static void check_scenes(void)
{
    static const double middles[] = {0.0, -3.0, 64.0, 1e9, -1e6};
    static const double reaches[] = {0.001, 0.3, 1.0, 8.0};
    static scene s;
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 4; k++) {
            scatter(&s, middles[i], 10.0, 1.0);
            check_all(&s, reaches[k]);
        }
    }
    scatter(&s, 0.0, 1e-3, 1.0); /* all in one spot */
    check_all(&s, 0.1);
    scatter(&s, 0.0, 1e4, 1.0); /* far apart */
    check_all(&s, 0.5);
    scatter(&s, 1e-140, 1e-135, 1e-137);
    check_all(&s, 1e-138);
}

static void check_odd_facets(void)
{
    static scene s;
    scatter(&s, 0.0, 10.0, 1.0);
    s.corners[9 * 17] = 1e9; /* one vertex is far off */
    check_all(&s, 0.5);
    scatter(&s, 5.0, 10.0, 1.0);
    for (int i = 0; i < 9; i++) {
        s.corners[9 * 200 + i] *= 1e6; /* one facet is huge */
    }
    check_all(&s, 0.5);
    scatter(&s, 0.0, 10.0, 1.0);
    for (int i = 0; i < 9 * FACETS; i++) {
        s.corners[i] *= ldexp(1.0, i / 90 % 30); /* sizes from 1 to 10^9 */
    }
    check_all(&s, 0.25);
}

/* Facets of similar size are in one level, also where an octave ends between them. */
static void check_level_count(void)
{
    static scene s;
    scatter(&s, 0.0, 5.0, 1.0);
    for (int f = 0; f < FACETS; f++) {
        double factor = f % 2 ? 1.3 : 1.5;
        for (int i = 0; i < 9; i++) {
            s.corners[9 * f + i] = factor * (i < 3 ? 0.0 : i < 6 ? i == 3 : i == 7) + f % 17;
        }
    }
    build(&s, 0.25);
    CHECK_INT(s.set->level_count, 1);
    free_scene(&s);
}

/* A few facets twice as large as the many others share their cells, in parts. */
static void check_wide_facets(void)
{
    static scene s;
    for (int k = 0; k < 4; k++) {
        scatter(&s, 0.0, 1.0, 1.0);
        for (int f = 0; f < FACETS; f += 100) {
            for (int i = 0; i < 9; i++) {
                s.corners[9 * f + i] *= 2.0 + 0.5 * k;
            }
        }
        build(&s, 0.25);
        CHECK_INT(s.set->level_count, 1);
        free_scene(&s);
        check_all(&s, 0.25);
    }
}

/* Facets so far away that such cells have no numbers do not share cells. */
static void check_far_wide_facets(void)
{
    static scene s;
    for (int exponent = 35; exponent < 37; exponent++) {
        scatter(&s, 0.0, 1.0, 1.0);
        for (int f = 0; f < FACETS; f += 100) {
            for (int i = 0; i < 9; i++) {
                s.corners[9 * f + i] = 2.5 * s.corners[9 * f + i] + ldexp(i % 3 == 0, exponent);
            }
        }
        build(&s, 0.25);
        CHECK_INT(s.set->level_count, exponent < 36 ? 1 : 2);
        free_scene(&s);
        check_all(&s, 0.25);
    }
}

static void check_whole(void)
{
    static scene s;
    scatter(&s, -2.0, 10.0, 1.0);
    s.mesh = build_triangles(FACETS, s.corners);
    s.set = bins_build_whole(s.mesh, &everything);
    for (int i = 0; i < CENTERS; i++) {
        double center[3] = {draw_between(-20, 20), draw_between(-1e20, 1e20),
                            draw_between(-20, 20)};
        int seen[FACETS] = {0}, left[FACETS] = {0}, all = 0;
        look(&s, center, 1e30 * draw_number(), seen, left);
        for (int f = 0; f < FACETS; f++) {
            all += seen[f] == 1 && left[f] == 1;
        }
        CHECK_INT(all, FACETS);
    }
    CHECK(bins_byte_count(s.set) <= 24 * (FACETS + BINS_PADDING) + 512);
    free_scene(&s);
}

/* Bins of a part of a scene have all facets that spheres inside the part touch. */
static void check_part(scene *s, const box *bounds)
{
    CHECK(s->set != NULL);
    for (int i = 0; i < CENTERS; i++) {
        const double reach = s->reach * draw_number();
        double center[3];
        for (int axis = 0; axis < 3; axis++) {
            center[axis] = draw_between(bounds->low[axis] + reach, bounds->high[axis] - reach);
        }
        check_center(s, center, reach);
    }
    bins_free(s->set);
}

/* Bins of the facets near a box, which may be some periods away; and of no facets. */
static void check_vicinity(void)
{
    static scene s;
    for (int kind = 0; kind < 2; kind++) {
        const double period = 40.0 * kind, away = 3.0 * period;
        scatter(&s, 0.0, 10.0, 1.0);
        s.mesh = build_triangles(FACETS, s.corners);
        s.reach = 0.5;
        const box bounds = {{-4, -3, -2}, {0, 1, 2}};
        const double periods[3] = {period, period, period};
        vicinity near = {.bounds = bounds, .lattice = lattice_along_axes(periods)};
        near.bounds.low[0] -= away, near.bounds.high[0] -= away;
        near.bounds.low[1] += away, near.bounds.high[1] += away;
        s.set = bins_build(s.mesh, s.reach, &near);
        const int64_t entries = s.set->entry_count;
        check_part(&s, &bounds);
        s.set = bins_build(s.mesh, s.reach, &everything);
        CHECK(entries > 0 && 3 * entries < s.set->entry_count);
        bins_free(s.set);
        s.set = bins_build_fine(s.mesh, s.reach, &near);
        check_part(&s, &bounds);
        s.set = bins_build_whole(s.mesh, &near);
        CHECK(s.set->entry_count < FACETS / 2);
        check_part(&s, &bounds);
        near.bounds.low[2] = 18.0, near.bounds.high[2] = 22.0;
        s.set = bins_build(s.mesh, s.reach, &near);
        CHECK_INT(s.set->entry_count, 0);
        free_scene(&s);
    }
}

/* A facet inside the bounds has a last image that begins behind them by rounding alone. */
static void check_last_image(void)
{
    const box facet = {{-1.0, 0.0, 0.0}, {1.0, 1.0, 0.0}};
    const double periods[3] = {2.0, 0.0, 0.0};
    int found = 0;
    for (int i = 0; i < 1000; i++) {
        const double high = 1.0 + 0x1p-53 * (double)(i - 500);
        const vicinity near = {.bounds = {{0.0, 0.0, -1.0}, {high, 1.0, 1.0}},
                               .lattice = lattice_along_axes(periods)};
        found += vicinity_has(&near, &facet);
    }
    CHECK_INT(found, 1000);
}

static void check_no_facets(void)
{
    abut_index offsets[1] = {0};
    abut_mesh_input input = {.offsets = offsets};
    scene s = {.reach = 1.0};
    CHECK_INT(abut_mesh_build(&input, &s.mesh, NULL), ABUT_OK);
    bins *sets[2] = {bins_build(s.mesh, 1.0, &everything), bins_build_whole(s.mesh, &everything)};
    for (int i = 0; i < 2; i++) {
        CHECK(sets[i] != NULL && sets[i]->entry_count == 0);
        bins_free(sets[i]);
    }
    free_scene(&s);
}

/* Cells near each other are in buckets of their own, however many buckets there are. */
static void check_repeated_cells(void)
{
    enum { SIDE = 2 * CELL_SPAN + 1, MIDDLE = SIDE * SIDE * SIDE / 2 };
    for (uint32_t buckets = BUCKETS_LOW; buckets <= BUCKETS_HIGH; buckets *= 2) {
        bin_level level = {0};
        bins_repeat_cells(&level, buckets);
        for (int k = 0; k < SIDE * SIDE * SIDE; k++) {
            const int cell[3] = {k % SIDE, k / SIDE % SIDE, k / SIDE / SIDE};
            uint32_t sum = 0;
            for (int axis = 0; axis < 3; axis++) {
                sum += (uint32_t)(cell[axis] - CELL_SPAN) * level.stride[axis];
            }
            CHECK_INT((sum & level.mask) == 0, k == MIDDLE);
        }
    }
}

/* Triangles so small that squares underflow have slabs of any place. For very many facets in one
 * place, a sample decides whether slabs are built. */
static void check_odd_slabs(void)
{
    enum { CROWD = 2000 };
    static double vertices[9 * CROWD];
    for (int k = 0; k < 9 * CROWD; k++) {
        vertices[k] = draw_number();
    }
    abut_mesh *crowd = build_triangles(CROWD, vertices);
    bins *set = bins_build(crowd, 0.5, &everything);
    CHECK(set && bins_find_slabs(set, crowd, 0.5));
    bins_free(set), abut_mesh_free(crowd);
    const double smallest[] = {0, 0, 0, 1e-160, 0, 0, 0, 1e-160, 0};
    abut_mesh *dot = build_triangles(1, smallest);
    set = bins_build(dot, 1e-161, &everything);
    if (CHECK(set && bins_build_slabs(set, dot))) {
        for (int64_t e = 0; e < set->entry_count; e++) {
            CHECK(!set->across[0][e] && !set->across[1][e] && !set->across[2][e]);
            CHECK(set->slab_low[e] <= 0 && set->slab_high[e] >= 0);
        }
    }
    bins_free(set), abut_mesh_free(dot);
}

/* No facet is cut if the pieces would exceed the limit of facets in a mesh. */
static void check_too_many_to_cut(void)
{
    enum { MANY = 66000, FEW = 1000 };
    double *vertices = malloc(9 * MANY * sizeof *vertices);
    for (int k = 0; k < 9 * MANY; k++) {
        vertices[k] = draw_number();
    }
    abut_mesh *many = build_noisy_triangles(MANY, vertices, vertices);
    abut_mesh *few = build_noisy_triangles(FEW, vertices, vertices);
    CHECK(pieces_expected(many, 0.01) == 0.0);
    CHECK(pieces_expected(few, 0.01) > FEW);
    abut_mesh_free(many), abut_mesh_free(few);
    free(vertices);
}

void test_bins(void)
{
    state = 1;
    check_scenes();
    check_slacks();
    check_odd_facets();
    check_level_count();
    check_wide_facets();
    check_far_wide_facets();
    check_whole();
    check_vicinity();
    check_last_image();
    check_no_facets();
    check_repeated_cells();
    check_too_many_to_cut();
    check_odd_slabs();
    CHECK(cut_count > 3 && repeat_count > 0);
    CHECK_INT(memory_live_count(), 0);
}
