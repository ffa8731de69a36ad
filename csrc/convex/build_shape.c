/* Builds a shape from checked facets: its vertices, facets, borders and edges, what meets at each
 * vertex, and its volume and inertia. */
#include "hull.h"
#include "moments.h"
#include "shape.h"

#include "../base/memory.h"

/* ---- memory ---- */

/* Allocates the shape's arrays, by its counts. */
static abut_status allocate(abut_shape *s)
{
    const size_t bytes = shape_lay_out(s, NULL, true);
    s->memory = memory_alloc_zeroed((abut_index)bytes + MEMORY_LINE, 1);
    if (!s->memory) {
        return ABUT_NO_MEMORY;
    }
    shape_lay_out(s, memory_first_line(s->memory), true);
    return ABUT_OK;
}

/* ---- vertices and facets ---- */

typedef struct builder {
    const hull *h;
    abut_shape *s;
    int32_t *number;   /* for each kept vertex of the input, its number in the shape */
    int32_t *facet_of; /* for each corner, its facet */
} builder;

static void place_vertices(const builder *b)
{
    abut_shape *s = b->s;
    for (int32_t v = 0; v < s->vertex_count; v++) {
        const int32_t source = b->h->kept[v];
        const vec3 p = hull_vertex(b->h, source);
        s->x[v] = p.x, s->y[v] = p.y, s->z[v] = p.z;
        b->number[source] = v;
        ((abut_index *)s->view.source)[v] = source;
    }
}

/* The largest coordinate of the shape along a direction. */
static double farthest_along(const abut_shape *s, vec3 direction)
{
    double most = -INFINITY;
    for (int32_t v = 0; v < s->vertex_count; v++) {
        most = larger(most, vec3_dot(direction, shape_point(s, v)));
    }
    return most;
}

static void place_facets(const builder *b)
{
    abut_shape *s = b->s;
    const loops *l = &b->h->merged;
    for (int32_t f = 0; f < s->facet_count; f++) {
        const vec3 normal = hull_plane(b->h, l, f).normal;
        const int32_t begin = l->offsets[f], count = l->offsets[f + 1] - begin;
        s->facets[f] = (shape_facet){normal, farthest_along(s, normal), begin, count};
        s->most_corners = count > s->most_corners ? count : s->most_corners;
        for (int32_t c = begin; c < begin + count; c++) {
            s->corners[c].vertex = b->number[l->corners[c]];
            s->corners[c].edge = -1;
            b->facet_of[c] = f;
        }
    }
}

/* ---- borders ---- */

static vec3 direction_between(const abut_shape *s, int32_t from, int32_t to)
{
    const vec3 d = vec3_sub(shape_point(s, to), shape_point(s, from));
    return vec3_scale(d, 1.0 / vec3_length(d));
}

/* The largest coordinate of a facet's corners along an outward vector. */
static double border_offset(const abut_shape *s, const shape_facet *f, vec3 outward)
{
    double most = -INFINITY;
    for (int32_t k = 0; k < f->count; k++) {
        const int32_t vertex = s->corners[f->begin + k].vertex;
        most = larger(most, vec3_dot(outward, shape_point(s, vertex)));
    }
    return most;
}

static void place_borders(const abut_shape *s)
{
    for (int32_t f = 0; f < s->facet_count; f++) {
        const shape_facet *facet = &s->facets[f];
        for (int32_t k = 0; k < facet->count; k++) {
            shape_corner *corner = &s->corners[facet->begin + k];
            const int32_t next = s->corners[facet->begin + (k + 1) % facet->count].vertex;
            const vec3 along = direction_between(s, corner->vertex, next);
            /* in a polygon, away from the side's other corner */
            corner->outward =
                s->dimension == 3 ? vec3_cross(along, facet->normal) : vec3_scale(along, -1.0);
            corner->offset = border_offset(s, facet, corner->outward);
        }
    }
}

/* ---- what meets at a vertex ---- */

static void place_edges(const builder *b)
{
    abut_shape *s = b->s;
    int32_t count = 0;
    for (int32_t c = 0; c < s->corner_count; c++) {
        const int32_t twin = b->h->twins[c];
        if (twin < c) {
            continue;
        }
        const int32_t from = s->corners[c].vertex, to = s->corners[twin].vertex;
        const vec3 d = vec3_sub(shape_point(s, to), shape_point(s, from));
        s->corners[c].edge = s->corners[twin].edge = count;
        s->edges[count++] = (shape_edge){direction_between(s, from, to),
                                         vec3_length(d),
                                         {from, to},
                                         {b->facet_of[c], b->facet_of[twin]}};
    }
}

static int32_t corner_before(const builder *b, int32_t corner)
{
    const shape_facet *f = &b->s->facets[b->facet_of[corner]];
    return corner > f->begin ? corner - 1 : f->begin + f->count - 1;
}

/* Lists the facets, edges and neighbors of a vertex, counter-clockwise seen from outside. `first`
 * is any corner at the vertex. The lists are written from index `place` on. */
static void walk_around(const builder *b, int32_t first, int32_t place)
{
    abut_shape *s = b->s;
    shape_vertex *v = &s->vertices[s->corners[first].vertex];
    *v = (shape_vertex){.first_facet = place, .first_edge = place};
    int32_t corner = first;
    do {
        s->facets_at[place] = b->facet_of[corner];
        s->edges_at[place] = s->corners[corner].edge;
        s->neighbors[place] = s->corners[b->h->twins[corner]].vertex;
        corner = b->h->twins[corner_before(b, corner)];
        v->facet_count = ++v->edge_count;
        place++;
    } while (corner != first);
}

static void place_fans(const builder *b)
{
    const abut_shape *s = b->s;
    int32_t place = 0;
    for (int32_t c = 0; c < s->corner_count; c++) {
        const shape_vertex *v = &s->vertices[s->corners[c].vertex];
        if (v->facet_count == 0) {
            walk_around(b, c, place);
            place += v->facet_count;
        }
    }
}

/* Sets the two sides at each vertex of a polygon: one begins there, the other one ends there. */
static void place_sides(const builder *b)
{
    abut_shape *s = b->s;
    for (int32_t f = 0; f < s->facet_count; f++) {
        const int32_t from = s->corners[2 * f].vertex, to = s->corners[2 * f + 1].vertex;
        s->vertices[from] = (shape_vertex){2 * from, 2, 2 * from, 2};
        s->facets_at[2 * from] = f, s->neighbors[2 * from] = to;
        s->facets_at[2 * to + 1] = f, s->neighbors[2 * to + 1] = from;
    }
}

/* ---- the view for callers ---- */

static void copy_two(const abut_index *to, int32_t row, const int32_t two[2])
{
    ((abut_index *)to)[2 * row] = two[0];
    ((abut_index *)to)[2 * row + 1] = two[1];
}

static void fill_lists(abut_shape *s)
{
    abut_shape_view *view = &s->view;
    for (int32_t f = 0; f < s->facet_count; f++) {
        vec3_put((double *)view->normals + s->dimension * f, s->dimension, s->facets[f].normal);
        ((abut_index *)view->offsets)[f + 1] = s->facets[f].begin + s->facets[f].count;
    }
    for (int32_t c = 0; c < s->corner_count; c++) {
        ((abut_index *)view->indices)[c] = s->corners[c].vertex;
    }
    for (int32_t e = 0; e < s->edge_count; e++) {
        copy_two(view->edges, e, s->edges[e].vertices);
        copy_two(view->edge_facets, e, s->edges[e].facets);
    }
    for (int32_t v = 0; v < s->vertex_count; v++) {
        vec3_put((double *)view->vertices + s->dimension * v, s->dimension, shape_point(s, v));
    }
}

static void fill_counts(abut_shape *s)
{
    s->view.dimension = s->dimension;
    s->view.vertex_count = s->vertex_count;
    s->view.facet_count = s->facet_count;
    s->view.index_count = s->corner_count;
    s->view.edge_count = s->edge_count;
    s->view.radius = s->radius;
}

static double farthest_from(const abut_shape *s, vec3 center)
{
    double most = 0.0;
    for (int32_t v = 0; v < s->vertex_count; v++) {
        most = larger(most, vec3_length(vec3_sub(shape_point(s, v), center)));
    }
    return most;
}

/* The distance of an inner point from the nearest plane of a facet; 0 for a point outside. */
static double nearest_plane(const abut_shape *s, vec3 center)
{
    double least = INFINITY;
    for (int32_t f = 0; f < s->facet_count; f++) {
        least = smaller(least, s->facets[f].offset - vec3_dot(s->facets[f].normal, center));
    }
    return s->facet_count > 0 ? larger(least, 0.0) : 0.0;
}

/* Computes centroids, volume, radii and inertia. Coordinates are relative to `about`, a point near
 * the body, so that the sums lose few digits. */
static void measure(abut_shape *s, vec3 about)
{
    moments m = moments_of_core(s, about);
    s->centroid = vec3_add(about, moments_center(&m));
    s->reach = farthest_from(s, s->centroid);
    if (s->radius > 0.0) {
        m = moments_add(m, moments_of_rounding(s, about));
    }
    const vec3 center = vec3_add(about, moments_center(&m));
    vec3_store(s->view.centroid, center);
    s->view.volume = m.mass;
    s->view.circumradius = farthest_from(s, center) + s->radius;
    s->view.inradius = nearest_plane(s, center) + s->radius;
    moments_inertia(&m, s->dimension, s->view.inertia);
}

/* ---- building ---- */

static abut_status fill(builder *b)
{
    abut_shape *s = b->s;
    const abut_status status = allocate(s);
    if (status) {
        return status;
    }
    place_vertices(b);
    place_facets(b);
    place_borders(s);
    if (s->dimension == 3) {
        place_edges(b);
        place_fans(b);
    } else {
        place_sides(b);
    }
    fill_lists(s);
    fill_counts(s);
    measure(s, b->h->middle);
    return ABUT_OK;
}

static abut_status make_shape(const hull *h, double radius, abut_shape **shape)
{
    builder b = {.h = h,
                 .s = memory_alloc_zeroed(1, sizeof *b.s),
                 .number = memory_alloc(h->vertex_count, sizeof *b.number),
                 .facet_of = memory_alloc(h->merged.corner_count, sizeof *b.facet_of)};
    abut_status status = ABUT_NO_MEMORY;
    if (b.s && b.number && b.facet_of) {
        b.s->dimension = h->dimension;
        b.s->radius = radius;
        b.s->vertex_count = h->kept_count;
        b.s->facet_count = h->merged.facet_count;
        b.s->corner_count = h->merged.corner_count;
        b.s->edge_count = h->dimension == 3 ? h->merged.corner_count / 2 : 0;
        status = fill(&b);
    }
    memory_free(b.number), memory_free(b.facet_of);
    if (status) {
        abut_shape_free(b.s);
        return status;
    }
    *shape = b.s;
    return ABUT_OK;
}

abut_status abut_shape_build(const abut_shape_input *input, abut_shape **shape, abut_error *error)
{
    abut_error unused;
    abut_error *any_error = error ? error : &unused;
    const abut_shape_input copy = *input;
    hull h = {0};
    *shape = NULL;
    abut_status status = hull_make(&copy, &h, any_error);
    if (!status) {
        status = make_shape(&h, copy.radius, shape);
        error_set_status(any_error, status);
    }
    hull_free(&h);
    return status;
}

static abut_status make_point(int dimension, double radius, abut_shape **shape)
{
    abut_shape *s = memory_alloc_zeroed(1, sizeof *s);
    if (!s) {
        return ABUT_NO_MEMORY;
    }
    s->dimension = dimension;
    s->radius = radius;
    s->vertex_count = 1;
    if (allocate(s)) {
        abut_shape_free(s);
        return ABUT_NO_MEMORY;
    }
    fill_lists(s);
    fill_counts(s);
    measure(s, (vec3){0.0, 0.0, 0.0});
    *shape = s;
    return ABUT_OK;
}

abut_status abut_shape_build_point(int dimension, double radius, abut_shape **shape,
                                   abut_error *error)
{
    *shape = NULL;
    if (dimension != 2 && dimension != 3) {
        return error_set(error, ABUT_BAD_DIMENSION, dimension, 0, 0.0);
    }
    if (!(radius >= 0.0 && radius <= ABUT_COORDINATE_LIMIT)) {
        return error_set(error, ABUT_SHAPE_BAD_RADIUS, 0, 0, radius);
    }
    const abut_status status = make_point(dimension, radius, shape);
    error_set_status(error, status);
    return status;
}
