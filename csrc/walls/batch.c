/* A batch of spheres as arrays, and its views. */
#include "batch.h"

#include "../base/memory.h"
#include "../bins/bins.h"
#include "half_spaces.h"

/* Arrays in the batch's block: centers along three axes, radius, reach. */
enum { BLOCK_ARRAYS = 5 };

abut_status batch_prepare(batch *b)
{
    if (b->block) {
        return ABUT_OK;
    }
    b->block = memory_alloc_zeroed(BLOCK_ARRAYS * BATCH_ROOM + MEMORY_LINE, sizeof *b->block);
    if (!b->block) {
        return ABUT_NO_MEMORY;
    }
    double **arrays[BLOCK_ARRAYS] = {&b->center[0], &b->center[1], &b->center[2], &b->radius,
                                     &b->reach};
    double *first = memory_first_line(b->block);
    for (int i = 0; i < BLOCK_ARRAYS; i++) {
        *arrays[i] = first + i * BATCH_ROOM;
    }
    return ABUT_OK;
}

void batch_free(batch *b)
{
    memory_free(b->block);
    memory_free(b->views);
    memory_free(b->locals);
    memory_free(b->bucket);
    memory_free(b->units);
    *b = (batch){0};
}

static abut_status reserve_looks(batch *b, abut_index count)
{
    enum { ROOM = LOOK_UNITS * BATCH_ROOM };
    abut_index bucket_capacity = b->look_capacity;
    const abut_status status =
        memory_fit(&b->bucket, count, &bucket_capacity, BATCH_ROOM * sizeof *b->bucket);
    return status ? status
                  : memory_fit(&b->units, count, &b->look_capacity, ROOM * sizeof *b->units);
}

abut_status batch_add_view(batch *b, const mesh_view *added)
{
    abut_status status =
        memory_fit(&b->views, b->view_count + 1, &b->view_capacity, sizeof *b->views);
    status = status ? status
                    : memory_fit(&b->locals, b->view_count + 1, &b->local_capacity,
                                 3 * BATCH_ROOM * sizeof *b->locals);
    if (status) {
        return status;
    }
    mesh_view *v = &b->views[b->view_count++];
    *v = *added;
    v->first_look = b->look_count;
    b->look_count += v->set ? v->set->level_count : 0;
    return reserve_looks(b, b->look_count);
}

abut_status batch_add_half_spaces(batch *b, const half_space *all, abut_index count)
{
    static const pose at_rest = {
        {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.0, 0.0, 0.0}, false, 0.0};
    b->half_space_count = count;
    if (count == 0) {
        return ABUT_OK;
    }
    if (memory_fit(&b->views, b->view_count + count, &b->view_capacity, sizeof *b->views)) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index k = 0; k < count; k++) {
        const mesh_view view = {.mesh = &all[k].mesh,
                                .pose = &at_rest,
                                .number = all[k].number,
                                .is_plain = true,
                                .local = {b->center[0], b->center[1], b->center[2]},
                                .half_space = &all[k]};
        b->views[b->view_count + k] = view;
    }
    return ABUT_OK;
}

/* The number of spheres, rounded up to whole blocks, as looks need it. */
static int32_t padded_count(const batch *b)
{
    return (b->count + BATCH_BLOCK - 1) / BATCH_BLOCK * BATCH_BLOCK;
}

static void turn(const batch *b, const mesh_view *v)
{
    const int32_t end = padded_count(b);
    for (int32_t i = 0; i < end; i++) {
        batch_turn(b, v, i);
    }
}

void batch_place_locals(batch *b)
{
    for (abut_index k = 0; k < b->view_count; k++) {
        mesh_view *v = &b->views[k];
        for (int axis = 0; axis < 3; axis++) {
            double *turned = b->locals + (3 * k + axis) * BATCH_ROOM;
            v->local[axis] = v->is_plain ? b->center[axis] : turned;
        }
    }
}

void batch_see(batch *b)
{
    batch_place_locals(b);
    for (abut_index k = 0; k < b->view_count; k++) {
        if (!b->views[k].is_plain) {
            turn(b, &b->views[k]);
        }
    }
}

void batch_pad(batch *b)
{
    const int32_t end = padded_count(b);
    for (int32_t i = b->count; i < end; i++) {
        b->center[0][i] = b->center[1][i] = b->center[2][i] = b->radius[i] = 0.0;
        b->reach[i] = -1.0;
    }
}

void batch_see_beside(batch *b)
{
    for (int32_t word = 0; word < BATCH_SPHERES / 64; word++) {
        b->seen[word] |= b->beside[word];
    }
}

int32_t batch_seen_count(const batch *b)
{
    int32_t count = 0;
    for (int32_t k = 0; BATCH_BLOCK * k < b->count; k++) {
        count += __builtin_popcountll(b->seen[k]);
    }
    return count;
}
