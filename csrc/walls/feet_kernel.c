/* Finds narrow spheres, with all facets of their buckets in one plane, and their feet on the plane.
 *
 * Plain loops over arrays without branches, which compilers vectorize. */
#include <math.h>
#include <string.h>

#include "../base/simd.h"
#include "../bins/bins.h"
#include "../bins/filling.h"
#include "../mesh/tolerance.h"
#include "kernels.h"

/* Spheres of a block and their planes. The normal of a sphere without a plane is 0. */
typedef struct block {
    const double *center[3], *reach;
    double normal[3][BATCH_BLOCK], height[BATCH_BLOCK];
    double foot[3][BATCH_BLOCK];
    int32_t is_away[BATCH_BLOCK];
} block;

/* 1 + the number of the plane that holds all facets of a sphere's buckets; 0 if there is none, or
 * if a bucket is in another view. */
static uint16_t find_plane(const batch *b, const mesh_view *v, int32_t sphere)
{
    const int64_t first = v->first_look, end = first + v->set->level_count;
    uint16_t found = 0;
    for (int64_t k = 0; k < b->look_count; k++) {
        const uint32_t bucket = batch_buckets(b, k)[sphere];
        if (bucket == NO_BUCKET) {
            continue;
        }
        const uint16_t number = k >= first && k < end ? v->set->plane[bucket] : 0;
        if (number == 0 || (found != 0 && number != found)) {
            return 0;
        }
        found = number;
    }
    return found;
}

/* Finds the planes of a block's spheres. Returns the bits of spheres that have one. */
static uint64_t find_planes(const batch *b, const mesh_view *v, int32_t begin, block *at)
{
    /* a half space may eliminate the contact at the foot, so that other facets count */
    uint64_t seen = b->seen[begin / BATCH_BLOCK] & ~b->beside[begin / BATCH_BLOCK], narrow = 0;
    memset(at->normal, 0, sizeof at->normal);
    memset(at->height, 0, sizeof at->height);
    for (; seen; seen &= seen - 1) {
        const int i = __builtin_ctzll(seen);
        const uint16_t number = find_plane(b, v, begin + i);
        if (number != 0) {
            const plane *common = &v->mesh->planes.planes[number - 1];
            at->normal[0][i] = common->normal.x;
            at->normal[1][i] = common->normal.y;
            at->normal[2][i] = common->normal.z;
            at->height[i] = common->height;
            narrow |= UINT64_C(1) << i;
        }
    }
    return narrow;
}

/* Finds the feet of centers on their planes, and whether planes are out of reach. */
static void find_feet(block *at, double off)
{
    const double *x = at->center[0], *y = at->center[1], *z = at->center[2], *reach = at->reach;
    for (int i = 0; i < BATCH_BLOCK; i++) {
        const double along_x = at->normal[0][i] * x[i], along_y = at->normal[1][i] * y[i];
        const double along_z = at->normal[2][i] * z[i], height = at->height[i];
        const double above = (along_x + along_y + along_z) - height;
        const double added = fabs(along_x) + fabs(along_y) + fabs(along_z) + fabs(height);
        at->is_away[i] = fabs(above) > (reach[i] + off) + CULL_SLACK * (added + reach[i]);
        at->foot[0][i] = x[i] - above * at->normal[0][i];
        at->foot[1][i] = y[i] - above * at->normal[1][i];
        at->foot[2][i] = z[i] - above * at->normal[2][i];
    }
}

/* Writes feet in units of the cell of their sphere's center. A foot is less than a cell from the
 * center. The result has no meaning for spheres that are not narrow. */
static void put_units(const double *center, const double *foot, double inv_cell, uint16_t *units)
{
    for (int i = 0; i < BATCH_BLOCK; i++) {
        const double cell = (center[i] * inv_cell + WHOLE) - WHOLE;
        double from_center = foot[i] * inv_cell - cell;
        from_center = from_center > -1.5 ? from_center : -1.5;
        from_center = from_center < 1.5 ? from_center : 1.5;
        units[i] = unit_at(from_center);
    }
}

static void put_feet(const batch *b, const block *at, double inv_cell, int64_t look, int32_t begin)
{
    for (int axis = 0; axis < 3; axis++) {
        put_units(at->center[axis], at->foot[axis], inv_cell,
                  batch_units(b, look, FOOT_UNITS + axis) + begin);
    }
    memset(batch_units(b, look, FOOT_UNITS + 3) + begin, 0, BATCH_BLOCK * sizeof *b->units);
}

static void look_from(batch *b, const mesh_view *v, int32_t begin)
{
    block at;
    for (int axis = 0; axis < 3; axis++) {
        at.center[axis] = v->local[axis] + begin;
    }
    at.reach = b->reach + begin;
    uint64_t narrow = find_planes(b, v, begin, &at), away = 0;
    if (!narrow) {
        return;
    }
    find_feet(&at, v->set->off);
    for (int i = 0; i < BATCH_BLOCK; i++) {
        away |= (uint64_t)at.is_away[i] << i;
    }
    away &= narrow;
    narrow &= ~away;
    b->seen[begin / BATCH_BLOCK] &= ~away;
    b->narrow[begin / BATCH_BLOCK] |= narrow;
    b->has_narrow |= narrow != 0;
    for (int32_t k = 0; narrow && k < v->set->level_count; k++) {
        put_feet(b, &at, v->set->levels[k].inv_cell, v->first_look + k, begin);
    }
}

void KERNEL(look_feet)(batch *b, const mesh_view *v)
{
    for (int32_t begin = 0; begin < b->count; begin += BATCH_BLOCK) {
        if (b->seen[begin / BATCH_BLOCK]) {
            look_from(b, v, begin);
        }
    }
}
