/* Some spheres of a query as arrays, and how each mesh sees them. */
#include "batch.h"

#include "../base/memory.h"
#include "../base/prefetch.h"
#include "kernels.h"

/* The share of spheres to be searched below which batch_skim takes no longer than batch_load, and
 * the less the fewer they are. */
#define SPARSE 0.5

/* Arrays of a batch's own block: center along three axes, radius, reach. */
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
    abut_index capacity = b->look_capacity;
    uint32_t *bucket = memory_grow(b->bucket, count, &capacity, BATCH_ROOM * sizeof *bucket);
    b->bucket = bucket ? bucket : b->bucket;
    capacity = b->look_capacity;
    uint16_t *units = memory_grow(b->units, count, &capacity, 4 * BATCH_ROOM * sizeof *units);
    b->units = units ? units : b->units;
    b->look_capacity = bucket && units ? capacity : b->look_capacity;
    return bucket && units ? ABUT_OK : ABUT_NO_MEMORY;
}

abut_status batch_add_view(batch *b, const view *added)
{
    view *views = memory_grow(b->views, b->view_count + 1, &b->view_capacity, sizeof *views);
    if (!views) {
        return ABUT_NO_MEMORY;
    }
    b->views = views;
    double *locals = memory_grow(b->locals, b->view_count + 1, &b->local_capacity,
                                 3 * BATCH_ROOM * sizeof *locals);
    if (!locals) {
        return ABUT_NO_MEMORY;
    }
    b->locals = locals;
    view *v = &b->views[b->view_count++];
    *v = *added;
    v->first_look = b->look_count;
    b->look_count += v->set->level_count;
    return reserve_looks(b, b->look_count);
}

/* Blocks that have spheres: looks take whole ones. */
static int32_t padded_count(const batch *b)
{
    return (b->count + BATCH_BLOCK - 1) / BATCH_BLOCK * BATCH_BLOCK;
}

static void turn(const batch *b, const view *v)
{
    const int32_t end = padded_count(b);
    for (int32_t i = 0; i < end; i++) {
        vec3 center = {b->center[0][i], b->center[1][i], b->center[2][i]};
        vec3 local = pose_to_mesh(v->pose, vec3_sub(center, v->shift));
        v->local[0][i] = local.x, v->local[1][i] = local.y, v->local[2][i] = local.z;
    }
}

void batch_see(batch *b)
{
    for (abut_index k = 0; k < b->view_count; k++) {
        view *v = &b->views[k];
        for (int axis = 0; axis < 3; axis++) {
            double *own = b->locals + (3 * k + axis) * BATCH_ROOM;
            v->local[axis] = v->is_plain ? b->center[axis] : own;
        }
        if (!v->is_plain) {
            turn(b, v);
        }
    }
}

/* What is beyond the batch's spheres, in the last block that a look takes, sees nothing, so that it
 * is not counted. */
static void pad(batch *b)
{
    const int32_t end = padded_count(b);
    for (int32_t i = b->count; i < end; i++) {
        b->center[0][i] = b->center[1][i] = b->center[2][i] = b->radius[i] = 0.0;
        b->reach[i] = -1.0;
    }
}

bool batch_load(batch *b, const sphere_rows *rows, abut_index count)
{
    b->count = (int32_t)count;
    for (int32_t i = 0; i < b->count; i++) {
        b->number[i] = (uint16_t)i;
    }
    const bool is_good = kernels_take()->batch_copy(b, rows);
    pad(b);
    return is_good;
}

/* Copy a sphere into the batch. */
static void append(batch *b, const sphere_rows *rows, abut_index sphere)
{
    const int32_t i = b->count++;
    for (int axis = 0; axis < 3; axis++) {
        b->center[axis][i] = rows->centers[3 * sphere + axis];
    }
    b->radius[i] = rows->radii[sphere];
    b->reach[i] = rows->radii[sphere] + rows->gap;
    b->number[i] = (uint16_t)sphere;
}

/* Fetch the radii of the block behind one: where spheres are seen, some of the next are. */
static void fetch_radii(const double *radii)
{
    enum { BLOCK_BYTES = BATCH_BLOCK * sizeof *radii };
    for (int i = 0; i < BLOCK_BYTES; i += MEMORY_LINE) {
        PREFETCH((uintptr_t)radii + BLOCK_BYTES + (uintptr_t)i);
    }
}

abut_index batch_skim(batch *b, const sphere_rows *rows, abut_index count, bool *is_good)
{
    abut_index next = 0;
    b->count = 0;
    while (next + BATCH_BLOCK <= count && b->count + BATCH_BLOCK <= BATCH_SPHERES) {
        uint64_t seen = 0;
        for (abut_index k = 0; k < b->view_count; k++) {
            seen |=
                kernels_take()->batch_find_seen(&b->views[k], rows->centers + 3 * next, is_good);
        }
        if (seen) {
            fetch_radii(rows->radii + next);
        }
        for (; seen; seen &= seen - 1) {
            append(b, rows, next + __builtin_ctzll(seen));
        }
        next += BATCH_BLOCK;
    }
    pad(b);
    return next;
}

int32_t batch_seen_count(const batch *b)
{
    int32_t count = 0;
    for (int32_t k = 0; BATCH_BLOCK * k < b->count; k++) {
        count += __builtin_popcountll(b->seen[k]);
    }
    return count;
}

void batch_note_share(batch *b, abut_index passed)
{
    b->is_sparse = (double)batch_seen_count(b) < SPARSE * (double)passed;
}

#ifdef ABUT_TESTING
static sparse_choice sparse;

void batch_force_sparse(sparse_choice choice)
{
    sparse = choice;
}

bool batch_is_sparse(const batch *b)
{
    return sparse == SPARSE_ALWAYS || (sparse == SPARSE_JUDGED && b->is_sparse);
}
#else
bool batch_is_sparse(const batch *b)
{
    return b->is_sparse;
}
#endif
