/* Finds the candidates that touch, with the same bits as spheres/compare_kernel.h. Also finds those
 * that may be within the reach of their law. */
#include "../base/lattice_kernel.h"
#include "../base/prefetch.h"
#include "../spheres/grid.h"
#include "kernels.h"

/* Spheres are prefetched into the cache for the candidate that is this many positions ahead. */
enum { FETCHED_AHEAD = 32 };

/* Loads LANES spheres as four columns: the coordinates of centers, and the radii. */
LANES_INLINE void load_spheres(const sphere_row *rows, const int32_t *numbers, lanes columns[4])
{
    const double *pointers[LANES];
    for (int k = 0; k < LANES; k++) {
        pointers[k] = rows[numbers[k]].place;
    }
    lanes_load_rows(pointers, columns);
}

/* Results of LANES candidates, with one bit for each candidate. */
typedef struct compared {
    unsigned near, touching;
} compared;

LANES_INLINE unsigned within(lanes distance_sq, lanes reach)
{
    return mask_bits(lanes_no_more(distance_sq, reach * reach));
}

/* Computes which candidates touch, and which are within the block's reach. */
LANES_INLINE compared compare(const candidate_block *b, int32_t candidate, bool is_periodic,
                              bool has_reach)
{
    lanes i[4], j[4], d[3];
    load_spheres(b->places, b->firsts + candidate, i);
    load_spheres(b->places, b->seconds + candidate, j);
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = i[axis] - j[axis];
    }
    if (is_periodic) {
        lattice_take_nearest(b->lattice, d);
    }
    const lanes touch = i[3] + j[3], distance_sq = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const unsigned touching = within(distance_sq, touch);
    return (compared){has_reach ? within(distance_sq, touch + lanes_set(b->reach)) : touching,
                      touching};
}

LANES_INLINE int32_t compare_all(const candidate_block *b, bool is_periodic, bool has_reach)
{
    int32_t count = 0;
    for (int32_t candidate = b->begin; candidate < b->end; candidate += LANES) {
        for (int k = 0; k < LANES && candidate + FETCHED_AHEAD + k < b->end; k++) {
            PREFETCH(&b->places[b->seconds[candidate + FETCHED_AHEAD + k]]);
        }
        const compared c = compare(b, candidate, is_periodic, has_reach);
        unsigned bits = c.near & lanes_first_bits(b->end - candidate);
        for (; bits; bits &= bits - 1) {
            const int k = __builtin_ctz(bits);
            const bool touches = !has_reach || (c.touching >> k & 1u);
            b->active[count++] = touches ? candidate + k : ~(candidate + k);
        }
    }
    return count;
}

int32_t KERNEL(active_list)(const candidate_block *block)
{
    if (block->reach > 0.0) {
        return block->lattice->is_periodic ? compare_all(block, true, true)
                                           : compare_all(block, false, true);
    }
    return block->lattice->is_periodic ? compare_all(block, true, false)
                                       : compare_all(block, false, false);
}
