/* Merges facets that are in one plane: the twelve triangles of a cube become six squares.
 *
 * A group begins with the largest facet without a group. Neighbors are added as long as their
 * corners are in the plane of that facet. Slivers have no reliable plane, so they join a neighbor's
 * group. The border of a group, its rim, consists of the ridges to other groups. */
#include <stdlib.h>

#include "hull.h"

#include "../base/memory.h"

typedef struct sized_facet {
    double area;
    int32_t facet;
} sized_facet;

typedef struct merger {
    hull *h;
    double tolerance;     /* corners within this distance of a plane are in it */
    sized_facet *by_size; /* the given facets, the largest first */
    int32_t *group;       /* for each given facet, its group; -1: none yet */
    int32_t *stack;
    int32_t *facet_of;  /* for each given corner, its facet */
    int32_t *rims;      /* corners with a ridge to another group, group after group */
    int32_t *rim_at;    /* for each vertex, its corner in the rim of the present group */
    int32_t *rim_count; /* for each vertex, the number of rims that it is in */
    uint8_t *straight;  /* for each vertex, whether it is on a straight line between two groups */
} merger;

/* ---- groups ---- */

/* Orders facets by area, the largest first, and equal ones by number. */
static int compare_sizes(const void *a, const void *b)
{
    const sized_facet *first = a, *second = b;
    if (first->area != second->area) {
        return first->area > second->area ? -1 : 1;
    }
    return first->facet - second->facet;
}

/* Whether all corners of a facet are in the plane through `corner` with this normal. */
static bool is_in_plane(const merger *m, int32_t facet, vec3 normal, vec3 corner)
{
    const hull *h = m->h;
    for (int32_t c = h->given.offsets[facet]; c < h->given.offsets[facet + 1]; c++) {
        const vec3 d = vec3_sub(hull_vertex(h, h->given.corners[c]), corner);
        if (!(fabs(vec3_dot(normal, d)) <= m->tolerance)) {
            return false;
        }
    }
    return true;
}

/* Makes a group of `first` and the facets in its plane that are connected with it. */
static void grow_group(merger *m, int32_t first, int32_t group)
{
    const hull *h = m->h;
    const vec3 normal = hull_plane(h, &h->given, first).normal;
    const vec3 corner = hull_vertex(h, h->given.corners[h->given.offsets[first]]);
    int32_t waiting = 0;
    m->group[first] = group;
    m->stack[waiting++] = first;
    while (waiting > 0) {
        const int32_t facet = m->stack[--waiting];
        for (int32_t c = h->given.offsets[facet]; c < h->given.offsets[facet + 1]; c++) {
            const int32_t next = m->facet_of[h->twins[c]];
            if (m->group[next] < 0 && is_in_plane(m, next, normal, corner)) {
                m->group[next] = group;
                m->stack[waiting++] = next;
            }
        }
    }
}

static int32_t find_groups(merger *m)
{
    const hull *h = m->h;
    int32_t count = 0;
    for (int32_t f = 0; f < h->given.facet_count; f++) {
        m->by_size[f] = (sized_facet){h->areas[f], f};
        m->group[f] = -1;
        for (int32_t c = h->given.offsets[f]; c < h->given.offsets[f + 1]; c++) {
            m->facet_of[c] = f;
        }
    }
    qsort(m->by_size, (size_t)h->given.facet_count, sizeof *m->by_size, compare_sizes);
    for (int32_t k = 0; k < h->given.facet_count; k++) {
        if (m->group[m->by_size[k].facet] < 0) {
            grow_group(m, m->by_size[k].facet, count++);
        }
    }
    return count;
}

/* Numbers groups in the order of their first given facets. A group has the source of this facet. */
static void number_groups(merger *m, int32_t count)
{
    const hull *h = m->h;
    int32_t *numbers = m->stack, next = 0;
    for (int32_t g = 0; g < count; g++) {
        numbers[g] = -1;
    }
    for (int32_t f = 0; f < h->given.facet_count; f++) {
        int32_t *number = &numbers[m->group[f]];
        if (*number < 0) {
            h->merged.source[next] = h->given.source[f];
            *number = next++;
        }
        m->group[f] = *number;
    }
}

/* ---- rims ---- */

static bool is_rim(const merger *m, int32_t corner)
{
    return m->group[m->facet_of[corner]] != m->group[m->facet_of[m->h->twins[corner]]];
}

/* Lists the corners of all rims, group after group, and sets the offsets of the merged facets.
 * Corners on straight lines are still included. */
static void list_rims(merger *m, int32_t group_count)
{
    hull *h = m->h;
    int32_t *offsets = h->merged.offsets;
    for (int32_t g = 0; g <= group_count; g++) {
        offsets[g] = 0;
    }
    for (int32_t c = 0; c < h->given.corner_count; c++) {
        if (is_rim(m, c)) {
            offsets[m->group[m->facet_of[c]]]++;
            m->rim_count[h->given.corners[c]]++;
        }
    }
    int32_t sum = 0;
    for (int32_t g = 0; g <= group_count; g++) {
        sum += offsets[g];
        offsets[g] = sum;
    }
    for (int32_t c = h->given.corner_count - 1; c >= 0; c--) {
        if (is_rim(m, c)) {
            m->rims[--offsets[m->group[m->facet_of[c]]]] = c;
        }
    }
}

/* The vertex at which the ridge of a corner ends. */
static int32_t next_vertex(const merger *m, int32_t corner)
{
    return m->h->given.corners[m->h->twins[corner]];
}

/* Writes the rim of a polyhedron's group in order, beginning with the smallest vertex number.
 * Returns false if it is not one loop. */
static bool walk_rim(merger *m, int32_t group)
{
    const hull *h = m->h;
    const int32_t begin = h->merged.offsets[group], end = h->merged.offsets[group + 1];
    int32_t vertex = INT32_MAX;
    for (int32_t k = begin; k < end; k++) {
        const int32_t start = h->given.corners[m->rims[k]];
        m->rim_at[start] = m->rims[k];
        vertex = start < vertex ? start : vertex;
    }
    const int32_t first = vertex;
    for (int32_t k = begin; k < end; k++) {
        if (k > begin && vertex == first) {
            return false;
        }
        h->merged.corners[k] = vertex;
        /* where a ridge of the rim ends, another one begins, so that rim_at is set */
        vertex = next_vertex(m, m->rim_at[vertex]);
    }
    return vertex == first;
}

/* Writes the vertices of a polygon's merged side. Returns false if the group is not one side. */
static bool walk_side(const merger *m, int32_t group)
{
    const hull *h = m->h;
    const int32_t begin = h->merged.offsets[group];
    if (h->merged.offsets[group + 1] - begin != 2) {
        return false;
    }
    const int32_t first = m->rims[begin], second = m->rims[begin + 1];
    const bool first_begins = first == h->given.offsets[m->facet_of[first]];
    h->merged.corners[begin] = h->given.corners[first_begins ? first : second];
    h->merged.corners[begin + 1] = h->given.corners[first_begins ? second : first];
    return true;
}

static abut_status walk_rims(merger *m, int32_t group_count, abut_error *error)
{
    for (int32_t g = 0; g < group_count; g++) {
        if (!(m->h->dimension == 3 ? walk_rim(m, g) : walk_side(m, g))) {
            const loops *given = &m->h->given;
            int32_t facet = 0;
            while (m->group[facet] != g) {
                facet++;
            }
            return error_set(error, ABUT_SHAPE_NOT_CONVEX, given->source[facet],
                             given->corners[given->offsets[facet]], 0.0);
        }
    }
    return ABUT_OK;
}

/* ---- straight corners ---- */

/* Whether a vertex is on the straight line between two others. The result is the same if
 * `before` and `after` are exchanged. */
static bool is_straight(const merger *m, int32_t vertex, int32_t before, int32_t after)
{
    const hull *h = m->h;
    const int32_t low = before < after ? before : after, high = before < after ? after : before;
    const vec3 from = hull_vertex(h, low);
    const vec3 line = vec3_sub(hull_vertex(h, high), from);
    const vec3 area = vec3_cross_exact(vec3_sub(hull_vertex(h, vertex), from), line);
    return vec3_length(area) <= m->tolerance * vec3_length(line);
}

/* Marks the vertices of a group's rim that are inside of a straight edge between two groups. Merged
 * facets have no corners there. */
static void mark_straight(merger *m, int32_t group)
{
    const hull *h = m->h;
    const int32_t begin = h->merged.offsets[group], count = h->merged.offsets[group + 1] - begin;
    const int32_t *corners = h->merged.corners + begin;
    for (int32_t k = 0; k < count; k++) {
        const int32_t before = corners[(k + count - 1) % count], after = corners[(k + 1) % count];
        if (m->rim_count[corners[k]] == 2 && is_straight(m, corners[k], before, after)) {
            m->straight[corners[k]] = 1;
        }
    }
}

/* Removes the marked vertices from the merged facets. Fails if a facet has too few corners left. */
static abut_status drop_straight(merger *m, int32_t group_count, abut_error *error)
{
    loops *l = &m->h->merged;
    int32_t kept = 0;
    for (int32_t g = 0; g < group_count; g++) {
        const int32_t begin = l->offsets[g], first = kept;
        l->offsets[g] = kept;
        for (int32_t k = begin; k < l->offsets[g + 1]; k++) {
            if (!m->straight[l->corners[k]]) {
                l->corners[kept++] = l->corners[k];
            }
        }
        if (kept - first < m->h->dimension) {
            return error_set(error, ABUT_SHAPE_FLAT, m->h->dimension, 0, 0.0);
        }
    }
    l->offsets[group_count] = kept;
    l->corner_count = kept;
    l->facet_count = group_count;
    return ABUT_OK;
}

/* Lists the vertices that are corners of merged facets. */
static void list_kept(merger *m)
{
    hull *h = m->h;
    int32_t *corner_count = m->rim_count;
    for (int32_t v = 0; v < h->vertex_count; v++) {
        corner_count[v] = 0;
    }
    for (int32_t c = 0; c < h->merged.corner_count; c++) {
        corner_count[h->merged.corners[c]]++;
    }
    for (int32_t v = 0; v < h->vertex_count; v++) {
        if (corner_count[v] > 0) {
            h->kept[h->kept_count++] = v;
        }
    }
}

static abut_status merge(merger *m, abut_error *error)
{
    const int32_t group_count = find_groups(m);
    number_groups(m, group_count);
    list_rims(m, group_count);
    abut_status status = walk_rims(m, group_count, error);
    if (status) {
        return status;
    }
    for (int32_t g = 0; m->h->dimension == 3 && g < group_count; g++) {
        mark_straight(m, g);
    }
    status = drop_straight(m, group_count, error);
    list_kept(m);
    return status;
}

/* ---- from a hull's given facets to the merged ones ---- */

static bool allocate(merger *m)
{
    hull *h = m->h;
    const int32_t facets = h->given.facet_count, corners = h->given.corner_count;
    m->by_size = memory_alloc(facets, sizeof *m->by_size);
    m->group = memory_alloc(facets, sizeof *m->group);
    m->stack = memory_alloc(facets, sizeof *m->stack);
    m->facet_of = memory_alloc(corners, sizeof *m->facet_of);
    m->rims = memory_alloc(corners, sizeof *m->rims);
    m->rim_at = memory_alloc_zeroed(h->vertex_count, sizeof *m->rim_at);
    m->rim_count = memory_alloc_zeroed(h->vertex_count, sizeof *m->rim_count);
    m->straight = memory_alloc_zeroed(h->vertex_count, sizeof *m->straight);
    h->merged.offsets = memory_alloc(facets + 1, sizeof *h->merged.offsets);
    h->merged.corners = memory_alloc(corners, sizeof *h->merged.corners);
    h->merged.source = memory_alloc(facets, sizeof *h->merged.source);
    memory_free(h->kept);
    h->kept_count = 0;
    h->kept = memory_alloc(h->vertex_count, sizeof *h->kept);
    return m->by_size && m->group && m->stack && m->facet_of && m->rims && m->rim_at &&
           m->rim_count && m->straight && h->merged.offsets && h->merged.corners &&
           h->merged.source && h->kept;
}

abut_status hull_merge(hull *h, double tolerance, abut_error *error)
{
    loops_free(&h->merged);
    merger m = {.h = h, .tolerance = tolerance};
    const abut_status status =
        allocate(&m) ? merge(&m, error) : error_set_status(error, ABUT_NO_MEMORY);
    memory_free(m.by_size), memory_free(m.group), memory_free(m.stack), memory_free(m.facet_of);
    memory_free(m.rims), memory_free(m.rim_at), memory_free(m.rim_count), memory_free(m.straight);
    return status;
}
