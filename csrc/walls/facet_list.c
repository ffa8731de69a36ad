/* Lists of facets that spheres may touch: made from rows that a query has found. */
#include "facet_list.h"

#include <string.h>

#include "../bins/sets.h"
#include "../mesh/mesh_data.h"
#include "contact_finder.h"

typedef struct listing {
    facet_list *list;
    const abut_finder *finder;
    const abut_columns *found;
} listing;

/* The triangles of a row's facet. */
static const int32_t *fan_of(const listing *g, abut_index row)
{
    const abut_mesh *mesh = g->finder->meshes[g->found->mesh[row]].mesh;
    return mesh->fans + g->found->facet[row];
}

/* The first mesh after number `last` that has contacts in rows `begin` ... `end` - 1; the number of
 * meshes if there is none. */
static abut_index next_mesh(const listing *g, abut_index begin, abut_index end, abut_index last)
{
    abut_index next = g->finder->mesh_count;
    for (abut_index row = begin; row < end; row++) {
        const abut_index mesh = g->found->mesh[row];
        next = mesh > last && mesh < next ? mesh : next;
    }
    return next;
}

static void add_facet(const listing *g, abut_index row)
{
    const int32_t *fan = fan_of(g, row);
    for (int32_t k = fan[0]; k < fan[1]; k++) {
        g->list->items[g->list->item_count++] = (listed_triangle){(int32_t)g->found->mesh[row], k};
    }
}

static void add_sphere(const listing *g, abut_index begin, abut_index end)
{
    facet_list *l = g->list;
    for (abut_index mesh = next_mesh(g, begin, end, -1); mesh < g->finder->mesh_count;
         mesh = next_mesh(g, begin, end, mesh)) {
        for (abut_index row = begin; row < end; row++) {
            if (g->found->mesh[row] == mesh) {
                add_facet(g, row);
            }
        }
    }
    l->begins[++l->sphere_count] = (int32_t)l->item_count;
}

static abut_index count_triangles(const listing *g, abut_index rows)
{
    abut_index count = 0;
    for (abut_index row = 0; row < rows; row++) {
        if (g->found->mesh[row] < g->finder->mesh_count) {
            const int32_t *fan = fan_of(g, row);
            count += fan[1] - fan[0];
        }
    }
    return count;
}

void facet_list_clear(facet_list *l)
{
    if (l) {
        l->sphere_count = l->item_count = 0;
    }
}

/* Allocates memory for more spheres and triangles. */
static bool reserve(facet_list *l, abut_index spheres, abut_index triangles)
{
    const bool is_empty = l->sphere_count == 0;
    const abut_index begins = l->sphere_count + spheres + 1, items = l->item_count + triangles;
    l->begins = is_empty ? memory_reserve(&l->begin_block, begins, sizeof *l->begins)
                         : memory_extend(&l->begin_block, begins, sizeof *l->begins);
    l->items = is_empty ? memory_reserve(&l->item_block, items, sizeof *l->items)
                        : memory_extend(&l->item_block, items, sizeof *l->items);
    return l->begins && l->items && items <= INT32_MAX;
}

abut_status facet_list_add(facet_list **list, const abut_finder *finder, abut_index sphere_count,
                           const abut_columns *found)
{
    *list = *list ? *list : memory_alloc_zeroed(1, sizeof **list);
    if (!*list) {
        return ABUT_NO_MEMORY;
    }
    const listing g = {*list, finder, found};
    const abut_index *offsets = found->offsets;
    if (!reserve(*list, sphere_count, count_triangles(&g, offsets[sphere_count]))) {
        return ABUT_NO_MEMORY;
    }
    (*list)->begins[(*list)->sphere_count] = (int32_t)(*list)->item_count;
    for (abut_index k = 0; k < sphere_count; k++) {
        if (offsets[k + 1] > offsets[k]) {
            add_sphere(&g, offsets[k], offsets[k + 1]);
        }
    }
    return ABUT_OK;
}

void facet_list_shorten(facet_list *l, const int32_t *spheres)
{
    abut_index kept = 0;
    int32_t begin = l->begins[0], items = begin;
    for (abut_index k = 0; k < l->sphere_count; k++) {
        const int32_t end = l->begins[k + 1], count = spheres[k] < 0 ? 0 : end - begin;
        memmove(l->items + items, l->items + begin, (size_t)count * sizeof *l->items);
        items += count, begin = end;
        kept += spheres[k] >= 0;
        l->begins[kept] = items;
    }
    l->sphere_count = kept, l->item_count = items;
}

void facet_list_free(facet_list *l)
{
    if (l) {
        memory_free(l->begin_block.data);
        memory_free(l->item_block.data);
        memory_free(l);
    }
}

abut_index facet_list_bytes(const facet_list *l)
{
    return l ? l->begin_block.byte_count + l->item_block.byte_count : 0;
}
