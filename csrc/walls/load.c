/* Spheres from the caller's rows into a batch. */
#include "load.h"

#include "../base/memory.h"
#include "../base/prefetch.h"
#include "kernels.h"

/* The share of spheres to be searched below which load_seen takes no longer than load_all, and
 * the less the fewer they are. */
#define SPARSE 0.5

bool load_all(batch *b, const sphere_rows *rows, abut_index count)
{
    b->count = (int32_t)count;
    for (int32_t i = 0; i < b->count; i++) {
        b->number[i] = (uint16_t)i;
    }
    const bool is_good = kernels_take()->batch_copy(b, rows);
    batch_pad(b);
    return is_good;
}

/* Copy a sphere into the batch. False: what was copied is none, whatever its row held before. */
static bool append(batch *b, const sphere_rows *rows, abut_index sphere)
{
    const int32_t i = b->count++;
    const double radius = rows->radii[sphere];
    bool is_good = (radius > 0.0) & (radius <= ABUT_COORDINATE_LIMIT);
    for (int axis = 0; axis < 3; axis++) {
        const double x = rows->centers[3 * sphere + axis];
        is_good &= fabs(x) <= ABUT_COORDINATE_LIMIT;
        b->center[axis][i] = x;
    }
    b->radius[i] = radius;
    b->reach[i] = radius + rows->gap;
    b->number[i] = (uint16_t)sphere;
    return is_good;
}

/* Fetch the radii of the block behind one: where spheres are seen, some of the next are. */
static void fetch_radii(const double *radii)
{
    enum { BLOCK_BYTES = BATCH_BLOCK * sizeof *radii };
    for (int i = 0; i < BLOCK_BYTES; i += MEMORY_LINE) {
        PREFETCH((uintptr_t)radii + BLOCK_BYTES + (uintptr_t)i);
    }
}

abut_index load_seen(batch *b, const sphere_rows *rows, abut_index count, bool *is_good)
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
            *is_good &= append(b, rows, next + __builtin_ctzll(seen));
        }
        next += BATCH_BLOCK;
    }
    batch_pad(b);
    return next;
}

void load_note_share(batch *b, abut_index passed)
{
    b->is_sparse = (double)batch_seen_count(b) < SPARSE * (double)passed;
}

#ifdef ABUT_TESTING
static sparse_choice sparse;

void load_force_sparse(sparse_choice choice)
{
    sparse = choice;
}

bool load_is_sparse(const batch *b)
{
    return sparse == SPARSE_ALWAYS || (sparse == SPARSE_JUDGED && b->is_sparse);
}
#else
bool load_is_sparse(const batch *b)
{
    return b->is_sparse;
}
#endif
