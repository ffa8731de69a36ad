/* The memory of a neighbor list. */
#include "neighbor_list.h"

#include <string.h>

#include "../spheres/grid.h"

/* Reserves a column and sets its pointer. */
static bool take(neighbor_list *l, int block, void *column, abut_index count, size_t size,
                 neighbor_room room)
{
    void *taken = room(&l->blocks[block], count, size);
    if (taken) {
        memcpy(column, &taken, sizeof taken);
    }
    return taken;
}

bool neighbor_list_room(neighbor_list *l, abut_index spheres, abut_index outlines,
                        neighbor_room room)
{
    const abut_index all = spheres + outlines;
    const abut_index chunks = parallel_chunk_count(spheres, NEIGHBOR_CHUNK);
    return take(l, 1, &l->anchors, all, sizeof *l->anchors, room) &&
           take(l, 2, &l->gaps, all, sizeof *l->gaps, room) &&
           take(l, 3, &l->begins, spheres + 1, sizeof *l->begins, room) &&
           take(l, 5, &l->has_images, chunks, sizeof *l->has_images, room) &&
           take(l, 6, &l->row_counts, chunks, sizeof *l->row_counts, room) &&
           take(l, 26, &l->row_begins, chunks + 1, sizeof *l->row_begins, room);
}

bool neighbor_list_candidate_room(neighbor_list *l, abut_index count, neighbor_room room)
{
    const abut_index padded = count + GRID_PADDING; /* kernels read behind the last candidate */
    return take(l, 7, &l->firsts, padded, sizeof *l->firsts, room) &&
           take(l, 8, &l->seconds, padded, sizeof *l->seconds, room) &&
           take(l, 10, &l->active, count, sizeof *l->active, room) &&
           (!l->images || take(l, 13, &l->images, count, sizeof *l->images, room));
}

void neighbor_list_flow(neighbor_list *l, const affine_map *step)
{
    const affine_map before = l->flows ? l->flow : affine_none();
    l->flow_before = before;
    matrix_multiply(step->rows, before.rows, l->flow.rows);
    l->flow.shift = affine_apply(step, before.shift);
    l->flows = true;
}

void neighbor_list_free(neighbor_list *l)
{
    memory_free_blocks(l->blocks, sizeof l->blocks / sizeof *l->blocks);
    *l = (neighbor_list){.is_made = false};
}

abut_index neighbor_list_bytes(const neighbor_list *l)
{
    return memory_count_bytes(l->blocks, sizeof l->blocks / sizeof *l->blocks);
}
