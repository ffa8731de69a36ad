/* Two hash tables with open addressing: points by their coordinates, and edges by their ends. */
#include "neighbors.h"

#include <string.h>

#include "../base/memory.h"

/* Spreads every bit of a number over all bits (the finalizer of MurmurHash3). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ (x >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ (x >> 33);
}

static uint64_t hash_point(vec3 p)
{
    const vec3 same = vec3_one_zero(p);
    uint64_t bits[3];
    memcpy(bits, &same, sizeof bits);
    return mix(bits[0] + mix(bits[1] + mix(bits[2])));
}

static uint64_t hash_ends(int32_t low, int32_t high)
{
    return mix((uint64_t)(uint32_t)low << 32 | (uint32_t)high);
}

/* Allocates a hash table for `count` items: -1 in all slots, at most half full. Sets its mask. */
static int32_t *make_slots(abut_index count, uint64_t *mask)
{
    uint64_t slot_count = 16;
    while (slot_count < 2 * (uint64_t)count) {
        slot_count *= 2;
    }
    int32_t *slots = memory_alloc((abut_index)slot_count, sizeof *slots);
    if (slots) {
        memset(slots, 0xff, slot_count * sizeof *slots);
    }
    *mask = slot_count - 1;
    return slots;
}

/* ---- points ---- */

/* Returns the first vertex at the place of `vertex`. If the table has none, adds `vertex` to it. */
static int32_t point_of(const neighbors *n, int32_t *slots, uint64_t mask, int32_t vertex)
{
    const vec3 here = neighbors_point(n, vertex);
    uint64_t slot = hash_point(here) & mask;
    while (slots[slot] >= 0 && vec3_compare(neighbors_point(n, slots[slot]), here) != 0) {
        slot = (slot + 1) & mask;
    }
    if (slots[slot] < 0) {
        slots[slot] = vertex;
    }
    return slots[slot];
}

static abut_status find_points(const abut_mesh *mesh, neighbors *n)
{
    uint64_t mask;
    int32_t *slots = make_slots(mesh->view.vertex_count, &mask);
    n->points = memory_alloc(mesh->view.vertex_count, sizeof *n->points);
    if (!slots || !n->points) {
        memory_free(slots);
        return ABUT_NO_MEMORY;
    }
    for (abut_index v = 0; v < mesh->view.vertex_count; v++) {
        n->points[v] = point_of(n, slots, mask, (int32_t)v);
    }
    memory_free(slots);
    return ABUT_OK;
}

/* ---- edges ---- */

/* The slot of the edge between two points, or the empty slot where it belongs. */
static uint64_t edge_slot(const neighbors *n, int32_t low, int32_t high)
{
    uint64_t slot = hash_ends(low, high) & n->slot_mask;
    while (n->slots[slot] >= 0) {
        const neighbor_edge *edge = &n->items[n->slots[slot]];
        if (edge->ends[0] == low && edge->ends[1] == high) {
            break;
        }
        slot = (slot + 1) & n->slot_mask;
    }
    return slot;
}

/* Adds a third corner to an edge, unless the edge has one at the same place. */
static void add_across(neighbor_edge *edge, int32_t point)
{
    for (int32_t i = 0; i < edge->across_count && i < 2; i++) {
        if (edge->across[i] == point) {
            return;
        }
    }
    if (edge->across_count < 2) {
        edge->across[edge->across_count] = point;
    }
    if (edge->across_count < 3) {
        edge->across_count++;
    }
}

/* Finds or makes the edge between two points and adds a third corner to it. Returns its number, or
 * -1 if both points are the same. */
static int32_t add_edge(neighbors *n, int32_t a, int32_t b, int32_t across)
{
    if (a == b) {
        return -1;
    }
    const int32_t low = a < b ? a : b, high = a < b ? b : a;
    uint64_t slot = edge_slot(n, low, high);
    if (n->slots[slot] < 0) {
        n->slots[slot] = (int32_t)n->edge_count;
        n->items[n->edge_count++] = (neighbor_edge){.ends = {low, high}};
    }
    add_across(&n->items[n->slots[slot]], across);
    return n->slots[slot];
}

static void add_triangle(neighbors *n, const abut_mesh *mesh, abut_index number)
{
    const triangle *t = &mesh->triangles[number];
    int32_t *corner = n->corners + 3 * number;
    for (int k = 0; k < 3; k++) {
        abut_index place = mesh->offsets[t->facet] + triangle_corner_number(t, k);
        corner[k] = n->points[mesh->indices[place]];
    }
    for (int k = 0; k < 3; k++) {
        n->edges[3 * number + k] = add_edge(n, corner[k], corner[(k + 1) % 3], corner[(k + 2) % 3]);
    }
}

int32_t neighbors_edge(const neighbors *n, int32_t a, int32_t b)
{
    return n->slots[edge_slot(n, a < b ? a : b, a < b ? b : a)];
}

uint64_t neighbors_hash(const neighbors *n, abut_index number)
{
    const int32_t *corner = n->corners + 3 * number;
    return mix(hash_point(neighbors_point(n, corner[0])) +
               hash_point(neighbors_point(n, corner[1])) +
               hash_point(neighbors_point(n, corner[2])));
}

abut_status neighbors_find(const abut_mesh *mesh, neighbors *n)
{
    const abut_index count = mesh->fans[mesh->view.facet_count];
    *n = (neighbors){.vertices = mesh->vertices, .triangle_count = count};
    n->corners = memory_alloc(count, 3 * sizeof *n->corners);
    n->edges = memory_alloc(count, 3 * sizeof *n->edges);
    n->items = memory_alloc(3 * count, sizeof *n->items);
    n->slots = make_slots(3 * count, &n->slot_mask);
    if (!n->corners || !n->edges || !n->items || !n->slots || find_points(mesh, n)) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index t = 0; t < count; t++) {
        add_triangle(n, mesh, t);
    }
    return ABUT_OK;
}

void neighbors_free(neighbors *n)
{
    memory_free(n->points);
    memory_free(n->corners);
    memory_free(n->edges);
    memory_free(n->items);
    memory_free(n->slots);
    *n = (neighbors){0};
}
