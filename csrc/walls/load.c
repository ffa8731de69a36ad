/* Loads spheres from rows into a batch. */
#include <string.h>

#include "half_spaces.h"
#include "kernels.h"

/* If less than this fraction of the spheres need a search, spheres without candidates are not
 * loaded. */
#define SPARSE 0.5

/* Loads less than a block from a copy, since nothing may be read after the caller's last row. */
static bool load_part(batch *b, const sphere_rows *rows, int32_t count)
{
    double centers[3 * BATCH_BLOCK] = {0}, radii[BATCH_BLOCK] = {0};
    memcpy(centers, rows->centers, (size_t)count * 3 * sizeof *centers);
    memcpy(radii, rows->radii, (size_t)count * sizeof *radii);
    const sphere_rows copy = {centers, radii, rows->gap};
    return kernels_take()->load_block(b, &copy, count);
}

abut_index batch_load(batch *b, const sphere_rows *rows, abut_index count, bool *is_good)
{
    abut_index next = 0;
    b->count = 0;
    *is_good = true;
    while (next < count && b->count + BATCH_BLOCK <= BATCH_SPHERES) {
        const abut_index remaining = count - next;
        const sphere_rows from = {rows->centers + 3 * next, rows->radii + next, rows->gap};
        const int32_t first = b->count;
        const bool is_block_good = remaining < BATCH_BLOCK
                                       ? load_part(b, &from, (int32_t)remaining)
                                       : kernels_take()->load_block(b, &from, BATCH_BLOCK);
        *is_good = *is_good && is_block_good;
        for (int32_t i = first; i < b->count; i++) {
            b->number[i] = (uint16_t)(b->number[i] + next);
        }
        next += remaining < BATCH_BLOCK ? remaining : BATCH_BLOCK;
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
    return b->count;
}

void batch_note_sparse(batch *b, abut_index passed)
{
    b->is_sparse = (double)batch_seen_count(b) < SPARSE * (double)passed;
}

/* The bits of those spheres of a block that are near the half space. */
static uint64_t find_beside(const batch *b, const half_space *h, int32_t begin)
{
    uint64_t near = 0;
    for (int32_t i = begin; i < b->count && i < begin + BATCH_BLOCK; i++) {
        const vec3 center = {b->center[0][i], b->center[1][i], b->center[2][i]};
        near |= (uint64_t)(half_space_height(h, center) <= b->reach[i]) << (i - begin);
    }
    return near;
}

void batch_look_beside(batch *b)
{
    memset(b->beside, 0, sizeof b->beside);
    b->has_beside = false;
    for (abut_index k = 0; k < b->half_space_count; k++) {
        for (int32_t begin = 0; begin < b->count; begin += BATCH_BLOCK) {
            b->beside[begin / BATCH_BLOCK] |= find_beside(b, batch_half_space(b, k), begin);
            b->has_beside = b->has_beside || b->beside[begin / BATCH_BLOCK] != 0;
        }
    }
}
