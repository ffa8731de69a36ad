/* The end of a neighbor list. */
#include "neighbor_list.h"

void neighbor_list_forget(neighbor_list *l)
{
    l->is_made = false;
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
