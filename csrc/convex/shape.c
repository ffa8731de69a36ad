#include "shape.h"

#include "../base/memory.h"

/* Arrays that follow each other in one block. If `base` is NULL, their bytes are only counted. */
typedef struct arrays {
    char *base;
    size_t used;
} arrays;

static void *take(arrays *a, int32_t count, size_t size)
{
    void *array = a->base ? a->base + a->used : NULL;
    a->used += ((size_t)count * size + MEMORY_LINE - 1) / MEMORY_LINE * MEMORY_LINE;
    return array;
}

static void lay_out_view(abut_shape *s, arrays *a)
{
    const size_t d = (size_t)s->dimension;
    s->view.vertices = take(a, s->vertex_count, d * sizeof(double));
    s->view.normals = take(a, s->facet_count, d * sizeof(double));
    s->view.indices = take(a, s->corner_count, sizeof(abut_index));
    s->view.offsets = take(a, s->facet_count + 1, sizeof(abut_index));
    s->view.edges = take(a, s->edge_count, 2 * sizeof(abut_index));
    s->view.edge_facets = take(a, s->edge_count, 2 * sizeof(abut_index));
    s->view.source = take(a, s->vertex_count, sizeof(abut_index));
}

size_t shape_lay_out(abut_shape *s, void *block, bool has_view)
{
    arrays a = {block, 0};
    s->x = take(&a, s->vertex_count, sizeof *s->x);
    s->y = take(&a, s->vertex_count, sizeof *s->y);
    s->z = take(&a, s->vertex_count, sizeof *s->z);
    s->facets = take(&a, s->facet_count, sizeof *s->facets);
    s->corners = take(&a, s->corner_count, sizeof *s->corners);
    s->edges = take(&a, s->edge_count, sizeof *s->edges);
    s->vertices = take(&a, s->vertex_count, sizeof *s->vertices);
    s->facets_at = take(&a, s->corner_count, sizeof *s->facets_at);
    s->edges_at = take(&a, 2 * s->edge_count, sizeof *s->edges_at);
    s->neighbors = take(&a, s->corner_count, sizeof *s->neighbors);
    if (has_view) {
        lay_out_view(s, &a);
    }
    return a.used;
}

void abut_shape_free(abut_shape *shape)
{
    if (shape) {
        memory_free(shape->memory);
        memory_free(shape);
    }
}

abut_shape_view abut_shape_inspect(const abut_shape *shape)
{
    return shape->view;
}
