/* Reads and checks the input of a shape, and computes the planes of its facets. */
#include "hull.h"

#include "../base/memory.h"
#include "../mesh/tolerance.h"

/* The largest number of vertices, corners or facets of a shape: int32_t must count them. */
#define NUMBER_LIMIT (INT32_MAX / 4)

/* ---- reading ---- */

static abut_status check_counts(const abut_shape_input *in, abut_error *error)
{
    if (in->dimension != 2 && in->dimension != 3) {
        return error_set(error, ABUT_BAD_DIMENSION, in->dimension, 0, 0.0);
    }
    if (!(in->radius >= 0.0 && in->radius <= ABUT_COORDINATE_LIMIT)) {
        return error_set(error, ABUT_SHAPE_BAD_RADIUS, 0, 0, in->radius);
    }
    if (in->vertex_count > NUMBER_LIMIT || in->index_count > NUMBER_LIMIT ||
        in->facet_count > NUMBER_LIMIT) {
        return error_set(error, ABUT_TOO_MANY_FACETS, in->facet_count, 0, 0.0);
    }
    if (in->vertex_count < in->dimension + 1) {
        return error_set(error, ABUT_SHAPE_TOO_FEW_VERTICES, in->vertex_count, in->dimension + 1,
                         in->dimension);
    }
    return ABUT_OK;
}

/* Checks the number of facets. It is called after the offsets are checked: if a polygon is given as
 * one facet with all corners, the error of the offsets is more helpful. */
static abut_status check_facet_count(const abut_shape_input *in, abut_error *error)
{
    if (in->facet_count < in->dimension + 1) {
        return error_set(error, ABUT_SHAPE_TOO_FEW_FACETS, in->facet_count, in->dimension + 1,
                         in->dimension);
    }
    return ABUT_OK;
}

static abut_status check_coordinate(double x, abut_index vertex, int axis, abut_error *error)
{
    if (!isfinite(x)) {
        return error_set(error, ABUT_VERTEX_NOT_FINITE, vertex, axis, x);
    }
    if (fabs(x) > ABUT_COORDINATE_LIMIT) {
        return error_set(error, ABUT_VERTEX_TOO_FAR, vertex, axis, x);
    }
    return ABUT_OK;
}

/* Copies the vertices and checks the copy, since the caller may change the original at any time. */
static abut_status read_vertices(hull *h, const double *vertices, abut_error *error)
{
    for (int32_t v = 0; v < h->vertex_count; v++) {
        for (int axis = 0; axis < h->dimension; axis++) {
            const double x = vertices[(size_t)v * (size_t)h->dimension + (size_t)axis];
            const abut_status status = check_coordinate(x, v, axis, error);
            if (status) {
                return status;
            }
            h->vertices[3 * v + axis] = x;
        }
    }
    return ABUT_OK;
}

static abut_status read_offsets(hull *h, const abut_shape_input *in, abut_error *error)
{
    h->given.offsets[0] = 0;
    for (abut_index f = 0; f < in->facet_count; f++) {
        const abut_index begin = h->given.offsets[f], end = in->offsets[f + 1];
        if (in->offsets[f] != begin || end < begin || end > in->index_count) {
            return error_set(error, ABUT_BAD_OFFSETS, f, 0, 0.0);
        }
        if (h->dimension == 2 ? end - begin != 2 : end - begin < 3) {
            return error_set(error,
                             h->dimension == 2 ? ABUT_SHAPE_BAD_SIDE : ABUT_FACET_TOO_FEW_CORNERS,
                             f, end - begin, 0.0);
        }
        h->given.offsets[f + 1] = (int32_t)end;
        h->given.source[f] = (int32_t)f;
    }
    if (h->given.offsets[in->facet_count] != in->index_count) {
        return error_set(error, ABUT_BAD_LAST_OFFSET, 0, h->given.offsets[in->facet_count],
                         (double)in->index_count);
    }
    return ABUT_OK;
}

/* Reads and checks the corners. seen[v] is 1 + the last facet with vertex v, or 0. */
static abut_status read_corners(hull *h, const abut_index *indices, int32_t *seen,
                                abut_error *error)
{
    for (int32_t f = 0; f < h->given.facet_count; f++) {
        for (int32_t c = h->given.offsets[f]; c < h->given.offsets[f + 1]; c++) {
            const abut_index vertex = indices[c];
            if (vertex < 0 || vertex >= h->vertex_count) {
                return error_set(error, ABUT_SHAPE_BAD_VERTEX, f, vertex, h->vertex_count);
            }
            if (seen[vertex] == f + 1) {
                return error_set(error, ABUT_FACET_REPEATS_VERTEX, f, vertex, 0.0);
            }
            seen[vertex] = f + 1;
            h->given.corners[c] = (int32_t)vertex;
        }
    }
    return ABUT_OK;
}

/* ---- planes ---- */

/* The corner with the lexicographically smallest coordinates. Sums over a facet begin there, so
 * that they do not depend on where the caller's list begins. */
static int32_t first_corner(const hull *h, const int32_t *corners, int32_t count)
{
    int32_t first = 0;
    for (int32_t k = 1; k < count; k++) {
        if (vec3_compare(hull_vertex(h, corners[k]), hull_vertex(h, corners[first])) < 0) {
            first = k;
        }
    }
    return first;
}

/* Twice the area vector of a facet: the sum over the fan of triangles from the first corner. */
static vec3 fan_area(const hull *h, const int32_t *corners, int32_t count)
{
    const int32_t first = first_corner(h, corners, count);
    const vec3 start = hull_vertex(h, corners[first]);
    vec3 sum = {0.0, 0.0, 0.0};
    vec3 before = vec3_sub(hull_vertex(h, corners[(first + 1) % count]), start);
    for (int32_t k = 2; k < count; k++) {
        const vec3 next = vec3_sub(hull_vertex(h, corners[(first + k) % count]), start);
        sum = vec3_add(sum, vec3_cross_exact(before, next));
        before = next;
    }
    return sum;
}

/* Makes the plane of a facet with the area vector `factor` times `area`. The vector is scaled
 * first, so that squares neither overflow nor vanish. */
static loop_plane plane_of(vec3 area, double factor)
{
    const double scale = vec3_max_abs(area);
    if (scale == 0.0) {
        return (loop_plane){{0.0, 0.0, 0.0}, 0.0};
    }
    const vec3 part = {area.x / scale, area.y / scale, area.z / scale};
    const double length = vec3_length(part);
    const vec3 normal = {part.x / length, part.y / length, part.z / length};
    return (loop_plane){vec3_one_zero(normal), factor * scale * length};
}

loop_plane hull_plane(const hull *h, const loops *l, int32_t facet)
{
    const int32_t *corners = l->corners + l->offsets[facet];
    const int32_t count = l->offsets[facet + 1] - l->offsets[facet];
    if (h->dimension == 3) {
        return plane_of(fan_area(h, corners, count), 0.5);
    }
    const vec3 along = vec3_sub(hull_vertex(h, corners[1]), hull_vertex(h, corners[0]));
    return plane_of((vec3){along.y, -along.x, 0.0}, 1.0);
}

/* Computes middle and size of the corners' bounding box, and the tolerance for points in planes. */
static void measure(hull *h)
{
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t c = 0; c < h->given.corner_count; c++) {
        const vec3 p = hull_vertex(h, h->given.corners[c]);
        low = (vec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = (vec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
    }
    const double coordinate = larger(vec3_max_abs(low), vec3_max_abs(high));
    const vec3 extent = vec3_scale(vec3_sub(high, low), 0.5);
    h->middle = vec3_add(vec3_scale(low, 0.5), vec3_scale(high, 0.5));
    h->size = vec3_length(extent);
    h->tolerance = COPLANAR * h->size + COPLANAR_ROUNDING * coordinate;
}

/* ---- whether the body has a volume ---- */

/* The corner that is farthest from a point, a line or a plane, and its distance. */
typedef struct farthest {
    vec3 offset; /* vector to it from the point, line or plane */
    double height;
} farthest;

/* A vector without its parts along the first `count` of two perpendicular directions. */
static vec3 across(vec3 a, const vec3 *directions, int count)
{
    for (int k = 0; k < count; k++) {
        a = vec3_sub(a, vec3_scale(directions[k], vec3_dot(a, directions[k])));
    }
    return a;
}

static farthest farthest_corner(const hull *h, vec3 from, const vec3 *directions, int count)
{
    farthest best = {{0.0, 0.0, 0.0}, 0.0};
    for (int32_t c = 0; c < h->given.corner_count; c++) {
        const vec3 d = vec3_sub(hull_vertex(h, h->given.corners[c]), from);
        const vec3 offset = across(d, directions, count);
        const double height = vec3_length(offset);
        if (height > best.height) {
            best = (farthest){offset, height};
        }
    }
    return best;
}

/* Whether all corners are in one plane; for a polygon, on one line. */
static bool is_flat(const hull *h)
{
    const vec3 from = hull_vertex(h, h->given.corners[0]);
    vec3 directions[2];
    for (int count = 0; count < h->dimension; count++) {
        const farthest f = farthest_corner(h, from, directions, count);
        if (!(f.height > h->tolerance)) {
            return true;
        }
        if (count < 2) {
            directions[count] = vec3_scale(f.offset, 1.0 / f.height);
        }
    }
    return false;
}

/* The mean of the corners, which is inside of the body, and so behind every facet. */
static vec3 mean_corner(const hull *h)
{
    vec3 sum = {0.0, 0.0, 0.0};
    for (int32_t c = 0; c < h->given.corner_count; c++) {
        sum = vec3_add(sum, vec3_sub(hull_vertex(h, h->given.corners[c]), h->middle));
    }
    return vec3_add(h->middle, vec3_scale(sum, 1.0 / h->given.corner_count));
}

/* The height of an inner point over a facet's plane: below 0 if the normal points outward. */
static double inside_height(const hull *h, int32_t facet, vec3 inside)
{
    const vec3 corner = hull_vertex(h, h->given.corners[h->given.offsets[facet]]);
    return vec3_dot(hull_plane(h, &h->given, facet).normal, vec3_sub(inside, corner));
}

/* Computes the areas, and checks by the sign of the volume that normals point outward. close_loops
 * has checked that neighbors agree, so the normals point all outward or all inward. */
static abut_status check_outward(const hull *h, abut_error *error)
{
    const vec3 inside = mean_corner(h);
    double volume = 0.0;
    for (int32_t f = 0; f < h->given.facet_count; f++) {
        h->areas[f] = hull_plane(h, &h->given, f).area;
        volume -= h->areas[f] * inside_height(h, f, inside);
    }
    return volume > 0.0 ? ABUT_OK : error_set(error, ABUT_SHAPE_INWARD, 0, h->dimension, 0.0);
}

/* Reports the first facet with a normal that points inward. It is called if the normals of two
 * neighbors do not agree. */
static abut_status report_inward(const hull *h, abut_error *error)
{
    const vec3 inside = mean_corner(h);
    for (int32_t f = 0; f < h->given.facet_count; f++) {
        if (inside_height(h, f, inside) > h->tolerance) {
            return error_set(error, ABUT_SHAPE_INWARD, f, h->dimension, 0.0);
        }
    }
    return error->status;
}

/* ---- whether the surface is closed ---- */

/* A ridge of one facet. In a polyhedron it is the edge from `vertex` to `other`; its twin has these
 * swapped. In a polygon it is the vertex at which a side begins (`other` is 1) or ends (`other` is
 * 0); its twin has the opposite `other`. */
typedef struct ridge {
    int32_t vertex, other;
} ridge;

static ridge ridge_at(const hull *h, const loops *l, int32_t facet, int32_t corner)
{
    const int32_t begin = l->offsets[facet], end = l->offsets[facet + 1];
    if (h->dimension == 2) {
        return (ridge){l->corners[corner], corner == begin};
    }
    return (ridge){l->corners[corner], l->corners[corner + 1 < end ? corner + 1 : begin]};
}

static ridge twin_of(const hull *h, ridge r)
{
    return h->dimension == 2 ? (ridge){r.vertex, !r.other} : (ridge){r.other, r.vertex};
}

/* The corners at each vertex, vertex after vertex. */
typedef struct corners_at {
    int32_t *begins;  /* length vertex_count + 1 */
    int32_t *corners; /* length corner_count */
    int32_t *others;  /* ridge.other of each corner */
} corners_at;

static void list_corners(const hull *h, const loops *l, corners_at *at)
{
    for (int32_t c = 0; c < l->corner_count; c++) {
        at->begins[l->corners[c] + 1]++;
    }
    for (int32_t v = 0; v < h->vertex_count; v++) {
        at->begins[v + 1] += at->begins[v];
    }
    for (int32_t f = l->facet_count - 1; f >= 0; f--) {
        for (int32_t c = l->offsets[f + 1] - 1; c >= l->offsets[f]; c--) {
            const ridge r = ridge_at(h, l, f, c);
            const int32_t place = --at->begins[r.vertex + 1];
            at->corners[place] = c, at->others[place] = r.other;
        }
    }
}

/* Counts the corners with this ridge, and sets *corner to the last of them. list_corners has moved
 * the offsets: the list of vertex v begins at begins[v + 1]. */
static int32_t count_ridges(const corners_at *at, int32_t vertex_count, int32_t corner_count,
                            ridge r, int32_t *corner)
{
    const bool is_last = r.vertex + 1 == vertex_count;
    const int32_t end = is_last ? corner_count : at->begins[r.vertex + 2];
    int32_t count = 0;
    for (int32_t k = at->begins[r.vertex + 1]; k < end; k++) {
        if (at->others[k] == r.other) {
            count++;
            *corner = at->corners[k];
        }
    }
    return count;
}

static abut_status find_twins(hull *h, const loops *l, const corners_at *at, abut_error *error)
{
    for (int32_t f = 0; f < l->facet_count; f++) {
        for (int32_t c = l->offsets[f]; c < l->offsets[f + 1]; c++) {
            const ridge r = ridge_at(h, l, f, c), twin = twin_of(h, r);
            int32_t corner;
            const int32_t here = count_ridges(at, h->vertex_count, l->corner_count, r, &corner);
            const int32_t there =
                count_ridges(at, h->vertex_count, l->corner_count, twin, &h->twins[c]);
            if (here != 1 || there != 1) {
                return error_set(error, ABUT_SHAPE_NOT_CLOSED, r.vertex,
                                 h->dimension == 2 ? -1 : r.other, here + there);
            }
        }
    }
    return ABUT_OK;
}

/* Finds the twins of all corners. It is an error if a corner has none, or several. */
static abut_status close_loops(hull *h, const loops *l, abut_error *error)
{
    corners_at at = {
        .begins = memory_alloc_zeroed(h->vertex_count + 1, sizeof *at.begins),
        .corners = memory_alloc(l->corner_count, sizeof *at.corners),
        .others = memory_alloc(l->corner_count, sizeof *at.others),
    };
    abut_status status = ABUT_NO_MEMORY;
    if (at.begins && at.corners && at.others) {
        list_corners(h, l, &at);
        status = find_twins(h, l, &at, error);
    } else {
        error_set_status(error, status);
    }
    memory_free(at.begins), memory_free(at.corners), memory_free(at.others);
    return status;
}

/* ---- whether the body is convex ---- */

/* How far a vertex may be in front of a facet's plane because of rounding. Rounding errors of
 * corners tilt the plane of a narrow facet more than that of a wide one. */
static double plane_slack(const hull *h, double area)
{
    const double coordinate = h->size + vec3_max_abs(h->middle);
    const double width = h->dimension == 2 ? area : area / h->size;
    return h->tolerance + COPLANAR_ROUNDING * coordinate * (h->size / width);
}

static double mean_height(const hull *h, int32_t facet, vec3 normal)
{
    const loops *l = &h->merged;
    double sum = 0.0;
    for (int32_t c = l->offsets[facet]; c < l->offsets[facet + 1]; c++) {
        sum += vec3_dot(normal, vec3_sub(hull_vertex(h, l->corners[c]), h->middle));
    }
    return sum / (l->offsets[facet + 1] - l->offsets[facet]);
}

static abut_status check_planar(const hull *h, int32_t facet, vec3 normal, double limit,
                                abut_error *error)
{
    const loops *l = &h->merged;
    const double mean = mean_height(h, facet, normal);
    for (int32_t c = l->offsets[facet]; c < l->offsets[facet + 1]; c++) {
        const vec3 d = vec3_sub(hull_vertex(h, l->corners[c]), h->middle);
        const double height = fabs(vec3_dot(normal, d) - mean);
        if (height > limit) {
            return error_set(error, ABUT_SHAPE_NOT_PLANAR, h->merged.source[facet], l->corners[c],
                             height / h->size);
        }
    }
    return ABUT_OK;
}

static abut_status check_behind(const hull *h, int32_t facet, vec3 normal, double limit,
                                abut_error *error)
{
    const double mean = mean_height(h, facet, normal);
    for (int32_t k = 0; k < h->kept_count; k++) {
        const vec3 d = vec3_sub(hull_vertex(h, h->kept[k]), h->middle);
        const double height = vec3_dot(normal, d) - mean;
        if (height > limit) {
            return error_set(error, ABUT_SHAPE_NOT_CONVEX, h->merged.source[facet], h->kept[k],
                             height / h->size);
        }
    }
    return ABUT_OK;
}

/* Checks that no vertex is in front of a facet: then a closed body, and each facet, is convex. */
static abut_status check_convex(const hull *h, abut_error *error)
{
    abut_status status = ABUT_OK;
    for (int32_t f = 0; !status && f < h->merged.facet_count; f++) {
        const loop_plane plane = hull_plane(h, &h->merged, f);
        const double limit = plane_slack(h, plane.area);
        status = check_planar(h, f, plane.normal, limit, error);
        status = status ? status : check_behind(h, f, plane.normal, limit, error);
    }
    return status;
}

/* ---- from the input to a hull ---- */

static bool allocate(hull *h, const abut_shape_input *in)
{
    h->dimension = in->dimension;
    h->vertex_count = (int32_t)in->vertex_count;
    h->given.facet_count = (int32_t)in->facet_count;
    h->given.corner_count = (int32_t)in->index_count;
    h->vertices = memory_alloc_zeroed(in->vertex_count, 3 * sizeof *h->vertices);
    h->given.offsets = memory_alloc(in->facet_count + 1, sizeof *h->given.offsets);
    h->given.corners = memory_alloc(in->index_count, sizeof *h->given.corners);
    h->given.source = memory_alloc(in->facet_count, sizeof *h->given.source);
    h->areas = memory_alloc(in->facet_count, sizeof *h->areas);
    h->twins = memory_alloc(in->index_count, sizeof *h->twins);
    return h->vertices && h->given.offsets && h->given.corners && h->given.source && h->areas &&
           h->twins;
}

static abut_status read_input(hull *h, const abut_shape_input *in, abut_error *error)
{
    int32_t *seen = memory_alloc_zeroed(in->vertex_count, sizeof *seen);
    if (!seen || !allocate(h, in)) {
        memory_free(seen);
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    abut_status status = read_vertices(h, in->vertices, error);
    status = status ? status : read_offsets(h, in, error);
    status = status ? status : check_facet_count(in, error);
    status = status ? status : read_corners(h, in->indices, seen, error);
    memory_free(seen);
    return status;
}

static abut_status check_body(hull *h, abut_error *error)
{
    measure(h);
    if (is_flat(h)) {
        return error_set(error, ABUT_SHAPE_FLAT, h->dimension, 0, 0.0);
    }
    const abut_status status = close_loops(h, &h->given, error);
    if (status == ABUT_SHAPE_NOT_CLOSED && error->value == 2.0) {
        return report_inward(h, error);
    }
    return status ? status : check_outward(h, error);
}

static abut_status merge_within(hull *h, double tolerance, abut_error *error)
{
    const abut_status status = hull_merge(h, tolerance, error);
    return status ? status : check_convex(h, error);
}

static bool is_refused(abut_status status)
{
    return status != ABUT_OK && status != ABUT_NO_MEMORY;
}

/* Merges with smaller and smaller tolerances until the checks pass. The checks may fail for a large
 * tolerance: all facets of a group (merge.c) are near the plane of its first facet, but may be
 * farther from the group's mean plane. If all tolerances fail, the first error is reported. */
static abut_status merge_checked(hull *h, abut_error *error)
{
    abut_status status = merge_within(h, h->tolerance, error);
    const abut_error first = *error;
    for (double part = 0.25; is_refused(status) && part > LEAST_MERGE; part *= 0.25) {
        status = merge_within(h, part * h->tolerance, error);
    }
    if (is_refused(status)) {
        *error = first;
        return first.status;
    }
    return error_set_status(error, status);
}

static bool has_merged(const hull *h)
{
    return h->merged.corner_count < h->given.corner_count;
}

/* Uses the merged facets as input of the next merge. Merging is repeated until no facets merge, so
 * that a shape which is built from its own facets is the same. */
static abut_status take_merged(hull *h, abut_error *error)
{
    loops_free(&h->given);
    h->given = h->merged;
    h->merged = (loops){0};
    return check_body(h, error);
}

static abut_status merge_all(hull *h, abut_error *error)
{
    abut_status status = merge_checked(h, error);
    while (!status && has_merged(h)) {
        status = take_merged(h, error);
        status = status ? status : merge_checked(h, error);
    }
    return status ? status : close_loops(h, &h->merged, error);
}

abut_status hull_make(const abut_shape_input *input, hull *h, abut_error *error)
{
    abut_status status = check_counts(input, error);
    status = status ? status : read_input(h, input, error);
    status = status ? status : check_body(h, error);
    return status ? status : merge_all(h, error);
}

void loops_free(loops *l)
{
    memory_free(l->offsets), memory_free(l->corners), memory_free(l->source);
    *l = (loops){0};
}

void hull_free(hull *h)
{
    memory_free(h->vertices), memory_free(h->areas), memory_free(h->twins), memory_free(h->kept);
    loops_free(&h->given), loops_free(&h->merged);
}
