/* Spheres from rows into a batch. */
#include <string.h>

#include "kernels.h"

/* Where a smaller share of the spheres than this is to be searched, others are passed over. */
#define SPARSE 0.5

/* Load fewer spheres than a block has from a copy: behind the caller's last row nothing may be
 * read. */
static bool load_part(batch *b, const sphere_rows *rows, int32_t count)
{
    double centers[3 * BATCH_BLOCK] = {0}, radii[BATCH_BLOCK] = {0};
    memcpy(centers, rows->centers, (size_t)count * 3 * sizeof *centers);
    memcpy(radii, rows->radii, (size_t)count * sizeof *radii);
    const sphere_rows own = {centers, radii, rows->gap};
    return kernels_take()->load_block(b, &own, count);
}

abut_index batch_load(batch *b, const sphere_rows *rows, abut_index count, bool *is_good)
{
    abut_index next = 0;
    b->count = 0;
    *is_good = true;
    while (next < count && b->count + BATCH_BLOCK <= BATCH_SPHERES) {
        const abut_index rest = count - next;
        const sphere_rows from = {rows->centers + 3 * next, rows->radii + next, rows->gap};
        const int32_t first = b->count;
        const bool is_block_good = rest < BATCH_BLOCK
                                       ? load_part(b, &from, (int32_t)rest)
                                       : kernels_take()->load_block(b, &from, BATCH_BLOCK);
        *is_good = *is_good && is_block_good;
        for (int32_t i = first; i < b->count; i++) {
            b->number[i] = (uint16_t)(b->number[i] + next);
        }
        next += rest < BATCH_BLOCK ? rest : BATCH_BLOCK;
    }
    batch_pad(b);
    return next;
}

abut_index batch_load_listed(batch *b, const sphere_rows *rows, abut_index count)
{
    b->count = count < BATCH_SPHERES ? (int32_t)count : BATCH_SPHERES;
    for (int32_t i = 0; i < b->count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            b->center[axis][i] = rows->centers[3 * i + axis];
        }
        b->radius[i] = rows->radii[i];
        b->reach[i] = rows->radii[i] + rows->gap;
        b->number[i] = (uint16_t)i;
    }
    if (b->half_space_count > 0) {
        batch_pad(b);
    }
    return b->count;
}

void batch_note_share(batch *b, abut_index passed)
{
    b->is_sparse = (double)batch_seen_count(b) < SPARSE * (double)passed;
}

void batch_look_beside(batch *b)
{
    memset(b->beside, 0, sizeof b->beside);
    b->has_beside = false;
    if (b->half_space_count > 0) {
        kernels_take()->look_half_spaces(b);
    }
    for (int32_t word = 0; word < BATCH_SPHERES / 64; word++) {
        b->has_beside = b->has_beside || b->beside[word] != 0;
    }
}
