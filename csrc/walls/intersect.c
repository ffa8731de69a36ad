/* Fast intersection test: boxes, then closest points. */
#include "intersect.h"

/* More pairs of one sphere than this are beyond what is counted. */
#define PAIR_LIMIT (INT32_MAX / 2)

static abut_status collect(const batch *b, int32_t from, pairs *p, int32_t *next)
{
    abut_status status = pairs_reserve(p, PAIR_ROOM, b->view_count);
    while (!status) {
        p->batch = b;
        *next = kernels_take()->intersect_collect(p, from);
        bool is_stuck = p->sphere_count == 0 && *next < b->count;
        if (!is_stuck || *next > from) {
            break;
        }
        /* one sphere alone has more pairs than there is room for */
        status = p->capacity < PAIR_LIMIT
                     ? pairs_reserve(p, 2 * (abut_index)p->capacity, b->view_count)
                     : ABUT_NO_MEMORY;
    }
    return status;
}

/* Of a polygon's triangles only the nearest counts (contact type hierarchy, section 5.1), the first
 * of those. They are neighbors in the queue. */
static void keep_nearest(pairs *p, int32_t *best, int32_t i)
{
    double best_sq = p->distance_sq[*best], sq = p->distance_sq[i];
    if (sq < best_sq || (sq == best_sq && pair_type(p, i) < pair_type(p, *best))) {
        p->distance_sq[*best] = INFINITY;
        *best = i;
    } else {
        p->distance_sq[i] = INFINITY;
    }
}

static void join_fans(pairs *p, int32_t begin, int32_t end)
{
    int32_t best = begin;
    for (int32_t i = begin + 1; i < end; i++) {
        if (p->sight[i] != p->sight[best] ||
            pair_triangle(p, i)->facet != pair_triangle(p, best)->facet) {
            best = i;
        } else if (p->distance_sq[i] < INFINITY) {
            keep_nearest(p, &best, i);
        }
    }
}

static void turn_into_world(pairs *p)
{
    for (int32_t i = 0; i < p->count; i++) {
        const view *v = pair_view(p, i);
        if (v->pose->turns && p->distance_sq[i] < INFINITY) {
            vec3 offset = pose_turn(v->pose, pair_offset(p, i));
            p->offset[0][i] = offset.x, p->offset[1][i] = offset.y, p->offset[2][i] = offset.z;
        }
    }
}

static void find_closest(pairs *p)
{
    bool has_fans = false, turns = false;
    for (abut_index k = 0; k < p->batch->view_count; k++) {
        has_fans = has_fans || !p->batch->views[k].is_triangles;
        turns = turns || p->batch->views[k].pose->turns;
    }
    kernels_take()->intersect_exact(p, has_fans);
    for (int32_t k = 0; has_fans && k < p->sphere_count; k++) {
        join_fans(p, p->first[k], p->first[k + 1]);
    }
    if (turns) {
        turn_into_world(p);
    }
}

abut_status intersect_batch(const batch *b, int32_t from, pairs *p, int32_t *next,
                            parallel_job *job)
{
    abut_index before = p->candidate_count;
    abut_status status = collect(b, from, p, next);
    if (status) {
        return status;
    }
    if (p->count > 0) {
        find_closest(p);
    }
    p->test_count += p->count;
    return parallel_report(job, intersect_work(p->candidate_count - before, p->count));
}
