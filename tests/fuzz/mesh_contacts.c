/* Spheres, two meshes of the same facets, and a half space, with many coinciding places. Contacts
 * are compared with a loop over all facets, up to rounding. */
#include "bytes.h"
#include "contact_columns.h"
#include "periods.h"
#include "simd_levels.h"

#include "base/memory.h"
#include "base/vec3.h"

#include <math.h>
#include <stdbool.h>

enum { CORNERS = 5, FACETS = 12, VERTICES = 16, SPHERES = 6, MESHES = 2, SURFACES = 3 };

/* Tolerance of distances relative to the largest coordinate, for triangles that are no slivers. */
#define ROUNDING 1e-9

/* A triangle with a smaller height, relative to its longest side, is a sliver. */
#define SLIVER 1e-5

typedef struct scene {
    bool is_wild; /* arbitrary doubles; checked only for crashes */
    double scale, offset, jitter, size;
    double vertices[3 * VERTICES];
    abut_index indices[CORNERS * FACETS], offsets[FACETS + 1];
    double centers[3 * SPHERES], radii[SPHERES], half_space[6], period[3], poses[16 * SURFACES];
    abut_mesh_input input;
    abut_mesh *mesh;
    abut_finder *finder;
    abut_query query;
} scene;

/* ---- from bytes ---- */

static double take_coordinate(scene *s, bytes *b)
{
    if (s->is_wild) {
        return take_double(b);
    }
    const double jitter = s->jitter > 0.0 ? s->jitter * take_step(b, 128.0) : 0.0;
    return s->scale * (take_below(b, 16) / 2.0 - 4.0 + jitter) + s->offset;
}

static void take_facets(scene *s, bytes *b)
{
    const int vertex_count = 3 + take_below(b, VERTICES - 2), count = 1 + take_below(b, FACETS);
    const int most_corners = take_below(b, 2) ? 4 : CORNERS; /* Zhong's weights need quads */
    s->query.weights = most_corners == 4 ? ABUT_ZHONG : ABUT_WACHSPRESS;
    for (int k = 0; k < 3 * vertex_count; k++) {
        s->vertices[k] = take_coordinate(s, b);
    }
    for (int f = 0; f < count; f++) {
        const int corner_count = 3 + take_below(b, most_corners - 2);
        s->offsets[f + 1] = s->offsets[f] + corner_count;
        for (int k = 0; k < corner_count; k++) {
            s->indices[s->offsets[f] + k] = take_below(b, vertex_count + (s->is_wild ? 1 : 0));
        }
    }
    s->input = (abut_mesh_input){.vertex_count = vertex_count,
                                 .facet_count = count,
                                 .index_count = s->offsets[count],
                                 .vertices = s->vertices,
                                 .indices = s->indices,
                                 .offsets = s->offsets,
                                 .drop_zero_area = 1,
                                 .split = 1 + take_below(b, 2)};
}

static void take_spheres(scene *s, bytes *b)
{
    s->query.sphere_count = 1 + take_below(b, SPHERES);
    for (abut_index i = 0; i < s->query.sphere_count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            s->centers[3 * i + axis] = take_coordinate(s, b);
        }
        s->radii[i] = s->is_wild ? take_double(b) : s->scale * (1.0 + take_below(b, 32)) / 8.0;
    }
    s->query.centers = s->centers, s->query.radii = s->radii;
}

/* The first mesh has no pose; the second is turned by 120 degrees and moved. */
static void take_poses(scene *s, bytes *b)
{
    for (int k = 0; k < SURFACES; k++) {
        for (int row = 0; row < 4; row++) {
            s->poses[16 * k + 4 * row + (k == 1 && row < 3 ? (row + 1) % 3 : row)] = 1.0;
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        s->poses[16 + 4 * axis + 3] = s->scale * take_step(b, 32.0);
    }
    s->query.poses = s->poses;
}

static void take_surroundings(scene *s, bytes *b)
{
    const int axis = take_below(b, 3);
    s->half_space[axis] = take_coordinate(s, b);
    s->half_space[3 + axis] = take_below(b, 2) ? 1.0 : -1.0;
    s->query.half_spaces = s->half_space;
    s->query.half_space_count = take_below(b, 2);
    if (s->query.half_space_count == 0 && take_below(b, 2)) {
        for (int k = 0; k < 3; k++) {
            s->period[k] = s->scale * take_below(b, 4) * 2.5;
        }
        s->query.period = vectors_along(s->period, 3);
    }
    s->query.gap = s->scale * take_below(b, 4) / 4.0;
    s->query.flat_angle = take_below(b, 4) / 8.0;
    s->query.keep_zero = take_below(b, 2);
}

static void take_scene(scene *s, bytes *b)
{
    static const double scales[] = {1.0, 0.001, 0.7, 4096.0}, offsets[] = {0.0, 0.0, 1e3, -1e5},
                        jitters[] = {0.0, 0.0, 1e-12, 1e-7, 1e-4, 0.1};
    *s = (scene){.query = abut_query_default()};
    s->is_wild = take_below(b, 16) == 15;
    s->scale = scales[take_below(b, 4)];
    s->offset = s->scale * offsets[take_below(b, 4)];
    s->jitter = jitters[take_below(b, 6)];
    take_facets(s, b);
    take_spheres(s, b);
    take_surroundings(s, b);
    take_poses(s, b);
    s->size = fabs(s->offset) + 100.0 * s->scale;
}

/* ---- a facet in the world ---- */

typedef struct placed {
    vec3 corner[CORNERS];
    int count;
    double blur; /* error of a distance from the mesh */
} placed;

static double distance_to_segment(vec3 p, vec3 a, vec3 b)
{
    const vec3 along = vec3_sub(b, a), from = vec3_sub(p, a);
    const double length_sq = vec3_dot(along, along);
    double t = length_sq > 0.0 ? vec3_dot(from, along) / length_sq : 0.0;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    const vec3 d = vec3_sub(from, vec3_scale(along, t));
    return sqrt(vec3_dot(d, d));
}

/* Returns the height of a triangle over its longest side, and its unit normal if that is not 0. */
static double triangle_height(const vec3 *a, const vec3 *b, const vec3 *c, vec3 *normal)
{
    const vec3 ab = vec3_sub(*b, *a), ac = vec3_sub(*c, *a), bc = vec3_sub(*c, *b);
    const double longest_sq = fmax(vec3_dot(ab, ab), fmax(vec3_dot(ac, ac), vec3_dot(bc, bc)));
    const vec3 cross = vec3_cross(ab, ac);
    const double area = sqrt(vec3_dot(cross, cross));
    *normal = vec3_scale(cross, area > 0.0 ? 1.0 / area : 0.0);
    return longest_sq > 0.0 ? area / sqrt(longest_sq) : 0.0;
}

static double distance_to_triangle(vec3 p, vec3 a, vec3 b, vec3 c)
{
    vec3 normal;
    const vec3 corner[3] = {a, b, c};
    double least = INFINITY;
    bool is_over = triangle_height(&a, &b, &c, &normal) > 0.0;
    for (int k = 0; k < 3; k++) {
        const vec3 from = corner[k], to = corner[(k + 1) % 3];
        const vec3 inward = vec3_cross(normal, vec3_sub(to, from));
        least = fmin(least, distance_to_segment(p, from, to));
        is_over = is_over && vec3_dot(inward, vec3_sub(p, from)) >= 0.0;
    }
    return is_over ? fmin(least, fabs(vec3_dot(normal, vec3_sub(p, a)))) : least;
}

static double distance_to(vec3 p, const placed *f)
{
    double least = INFINITY;
    for (int k = 1; k + 1 < f->count; k++) {
        least = fmin(least, distance_to_triangle(p, f->corner[0], f->corner[k], f->corner[k + 1]));
    }
    return least;
}

/* Returns the error of distances by slivers, and by polygons that are not flat or not convex. */
static double blur_of(const placed *f)
{
    double blur = 0.0, diagonal = 0.0;
    vec3 normal;
    for (int i = 1; i < f->count; i++) {
        const vec3 d = vec3_sub(f->corner[i], f->corner[0]);
        diagonal = fmax(diagonal, sqrt(vec3_dot(d, d)));
    }
    for (int k = 1; k + 1 < f->count; k++) {
        const double height =
            triangle_height(&f->corner[0], &f->corner[k], &f->corner[k + 1], &normal);
        blur += height < SLIVER * diagonal ? 2.0 * height : 0.0;
        for (int i = 1; i < f->count; i++) {
            blur += 2.0 * fabs(vec3_dot(normal, vec3_sub(f->corner[i], f->corner[0])));
        }
    }
    return blur;
}

static placed place(const scene *s, abut_index mesh, abut_index facet, const abut_index *image)
{
    const abut_mesh_view view = abut_mesh_inspect(s->mesh);
    const double *pose = s->poses + 16 * mesh;
    placed f = {.count = (int)(view.offsets[facet + 1] - view.offsets[facet])};
    for (int k = 0; k < f.count; k++) {
        const double *v = view.vertices + 3 * view.indices[view.offsets[facet] + k];
        double at[3];
        for (int i = 0; i < 3; i++) {
            const double *row = pose + 4 * i;
            at[i] = row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + row[3] +
                    (double)image[i] * s->period[i];
        }
        f.corner[k] = vec3_load(at);
    }
    f.blur = ROUNDING * s->size + 8.0 * view.noise[facet] + blur_of(&f);
    return f;
}

/* ---- rows that are found ---- */

static double half_space_overlap(const scene *s, vec3 center, double radius)
{
    const vec3 point = vec3_load(s->half_space), normal = vec3_load(s->half_space + 3);
    return radius - vec3_dot(normal, vec3_sub(center, point));
}

/* Returns the overlap of a row, computed as in the loop, and its error in `blur`. */
static double overlap_of(const scene *s, const found *f, abut_index row, double *blur)
{
    const abut_columns *c = &f->columns;
    const abut_index sphere = c->sphere[row], mesh = c->mesh[row];
    const vec3 center = vec3_load(s->centers + 3 * sphere), at = vec3_load(c->point + 3 * row);
    *blur = ROUNDING * s->size;
    if (mesh == MESHES) {
        return half_space_overlap(s, center, s->radii[sphere]);
    }
    const placed facet = place(s, mesh, c->facet[row], c->image + 3 * row);
    *blur = facet.blur;
    CHECK(c->type[row] <= ABUT_VERTEX && c->feature[row] >= 0 && c->feature[row] < facet.count);
    CHECK_NEAR(distance_to(at, &facet), 0.0, *blur);
    return s->radii[sphere] - distance_to(center, &facet);
}

static void check_row(const scene *s, const found *f, abut_index row)
{
    const abut_columns *c = &f->columns;
    double blur, sum = 0.0;
    const double overlap = overlap_of(s, f, row, &blur);
    const vec3 normal = vec3_load(c->normal + 3 * row);
    CHECK_NEAR(c->overlap[row], overlap, blur);
    CHECK(c->overlap[row] >= -s->query.gap - blur);
    CHECK_NEAR(vec3_dot(normal, normal), 1.0, 1e-9);
    CHECK(c->share[row] >= 0.0 && c->share[row] <= 1.0 + 1e-9);
    const vec3 center = vec3_load(s->centers + 3 * c->sphere[row]);
    const vec3 way = vec3_sub(center, vec3_load(c->point + 3 * row));
    CHECK_NEAR(vec3_dot(way, normal), s->radii[c->sphere[row]] - c->overlap[row], blur);
    for (abut_index k = c->node_offsets[row]; k < c->node_offsets[row + 1]; k++) {
        sum += c->weight[k];
    }
    CHECK_NEAR(sum, 1.0, 1e-6);
    if (row > c->offsets[c->sphere[row]]) {
        CHECK(c->overlap[row] <= c->overlap[row - 1]);
    }
}

/* Returns the row of a sphere and an image of a facet, or -1. */
static abut_index find_row(const found *f, abut_index sphere, abut_index mesh, abut_index facet,
                           const abut_index *image)
{
    const abut_columns *c = &f->columns;
    for (abut_index row = c->offsets[sphere]; row < c->offsets[sphere + 1]; row++) {
        if (c->mesh[row] == mesh && c->facet[row] == facet &&
            memcmp(c->image + 3 * row, image, 3 * sizeof *image) == 0) {
            return row;
        }
    }
    return -1;
}

/* Checks that all rows are right and that no row is repeated. */
static void check_rows(const scene *s, const found *f)
{
    const abut_columns *c = &f->columns;
    CHECK_INT(c->offsets[f->spheres], f->rows);
    for (abut_index row = 0; row < f->rows; row++) {
        CHECK(row >= c->offsets[c->sphere[row]] && row < c->offsets[c->sphere[row] + 1]);
        check_row(s, f, row);
        CHECK_INT(find_row(f, c->sphere[row], c->mesh[row], c->facet[row], c->image + 3 * row),
                  row);
    }
}

/* ---- rows that must be found ---- */

/* Sets the range of a facet's images along an axis that a sphere may reach, plus one at each end.
 */
static void span_images(const scene *s, const placed *f, abut_index sphere, int axis,
                        abut_index span[2])
{
    double low = INFINITY, high = -INFINITY;
    const double period = s->period[axis], reach = s->radii[sphere] + s->query.gap;
    for (int k = 0; k < f->count; k++) {
        double at[3];
        vec3_store(at, f->corner[k]);
        low = fmin(low, at[axis]), high = fmax(high, at[axis]);
    }
    const double center = s->centers[3 * sphere + axis];
    span[0] = period > 0.0 ? (abut_index)floor((center - reach - high) / period) - 1 : 0;
    span[1] = period > 0.0 ? (abut_index)ceil((center + reach - low) / period) + 1 : 0;
}

static void check_image(const scene *s, const found *f, abut_index sphere, abut_index mesh,
                        abut_index facet, const abut_index *image)
{
    const placed at = place(s, mesh, facet, image);
    const double distance = distance_to(vec3_load(s->centers + 3 * sphere), &at);
    if (s->radii[sphere] + s->query.gap - distance > at.blur) {
        CHECK(find_row(f, sphere, mesh, facet, image) >= 0);
    }
}

static void check_facet(const scene *s, const found *f, abut_index sphere, abut_index mesh,
                        abut_index facet)
{
    abut_index x[2], y[2], z[2], image[3] = {0, 0, 0};
    const placed at = place(s, mesh, facet, image);
    span_images(s, &at, sphere, 0, x), span_images(s, &at, sphere, 1, y);
    span_images(s, &at, sphere, 2, z);
    for (image[0] = x[0]; image[0] <= x[1]; image[0]++) {
        for (image[1] = y[0]; image[1] <= y[1]; image[1]++) {
            for (image[2] = z[0]; image[2] <= z[1]; image[2]++) {
                check_image(s, f, sphere, mesh, facet, image);
            }
        }
    }
}

static void check_nothing_missed(const scene *s, const found *f)
{
    const abut_mesh_view view = abut_mesh_inspect(s->mesh);
    const abut_index none[3] = {0, 0, 0};
    for (abut_index i = 0; i < f->spheres; i++) {
        for (abut_index k = 0; k < MESHES * view.facet_count; k++) {
            check_facet(s, f, i, k % MESHES, k / MESHES);
        }
        const vec3 center = vec3_load(s->centers + 3 * i);
        if (s->query.half_space_count &&
            half_space_overlap(s, center, s->radii[i]) + s->query.gap > ROUNDING * s->size) {
            CHECK(find_row(f, i, MESHES, 0, none) >= 0);
        }
    }
}

/* Checks a resolution that omits rows: its rows are among all rows, and the hierarchy has the
 * nearest one. */
static void check_some(const scene *s, const found *some, const found *all, bool has_nearest)
{
    const abut_columns *a = &all->columns, *c = &some->columns;
    for (abut_index row = 0; row < some->rows; row++) {
        const abut_index same =
            find_row(all, c->sphere[row], c->mesh[row], c->facet[row], c->image + 3 * row);
        CHECK(same >= 0);
        CHECK(c->overlap[row] == a->overlap[same]);
    }
    for (abut_index i = 0; has_nearest && i < all->spheres; i++) {
        if (a->offsets[i] < a->offsets[i + 1]) {
            CHECK(c->offsets[i] < c->offsets[i + 1]);
            CHECK_NEAR(c->overlap[c->offsets[i]], a->overlap[a->offsets[i]], ROUNDING * s->size);
        }
    }
}

static void check_query(scene *s)
{
    const abut_resolution some[2] = {ABUT_HIERARCHY, ABUT_SHARING};
    s->query.resolution = ABUT_ALL;
    const found all = find_columns(s->finder, &s->query);
    check_rows(s, &all);
    check_nothing_missed(s, &all);
    for (int k = 0; k < 2; k++) {
        s->query.resolution = some[k];
        const found f = find_columns(s->finder, &s->query);
        check_rows(s, &f);
        check_some(s, &f, &all, some[k] == ABUT_HIERARCHY);
        free_columns(&f.columns);
    }
    free_columns(&all.columns);
}

/* A query of arbitrary doubles succeeds or returns an error. */
static void ask_anything(scene *s)
{
    const abut_resolution all[3] = {ABUT_ALL, ABUT_HIERARCHY, ABUT_SHARING};
    for (int k = 0; k < 3; k++) {
        abut_contacts *contacts = NULL;
        abut_error error = {0};
        s->query.resolution = all[k];
        const abut_status status = abut_contacts_find(s->finder, &s->query, &contacts, &error);
        CHECK((status == ABUT_OK) == (contacts != NULL) && error.status == status);
        abut_contacts_free(contacts);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static scene s;
    bytes b = {data, size};
    abut_error error = {0};
    abut_simd_choose(SIMD_LEVELS[take_below(&b, SIMD_LEVEL_COUNT)]);
    take_scene(&s, &b);
    const abut_status status = abut_mesh_build(&s.input, &s.mesh, &error);
    CHECK((status == ABUT_OK) == (s.mesh != NULL) && error.status == status);
    if (status == ABUT_OK) {
        const abut_mesh *meshes[MESHES] = {s.mesh, s.mesh};
        CHECK_INT(abut_finder_build(meshes, MESHES, &s.finder, NULL), ABUT_OK);
        if (s.is_wild) {
            ask_anything(&s);
        } else {
            check_query(&s);
        }
    }
    abut_finder_free(s.finder);
    abut_mesh_free(s.mesh);
    abut_simd_choose(NULL);
    CHECK_INT(memory_live_count(), 0);
    return 0;
}
