/* Collects the candidates of a batch's spheres and finds their closest points: for each facet that
 * of its nearest triangle, along the world's axes. */
#include "half_spaces.h"
#include "kernels.h"

/* One sphere may have at most this many candidates: they are counted with 32 bits. */
#define CANDIDATE_LIMIT (INT32_MAX / 2)

abut_status line_collect(line *l, const uint64_t *spheres, int32_t from, int32_t *next)
{
    candidates *c = &l->candidates;
    abut_status status = line_reserve(l, CANDIDATE_ROOM);
    while (!status) {
        *next = kernels_take()->collect(c, spheres, from);
        bool is_stuck = c->sphere_count == 0 && *next < c->batch->count;
        if (!is_stuck || *next > from) {
            break;
        }
        /* one sphere alone has more candidates than fit */
        status = c->capacity < CANDIDATE_LIMIT ? line_reserve(l, 2 * (abut_index)c->capacity)
                                               : ABUT_NO_MEMORY;
    }
    return status;
}

/* Keeps only the nearest of a polygon's triangles, which are consecutive candidates. Of several at
 * the same distance, this is the first in the contact type hierarchy (paper, section 5.1). */
static void keep_nearest(closest_points *p, int32_t *best, int32_t i)
{
    double best_sq = p->distance_sq[*best], sq = p->distance_sq[i];
    if (sq < best_sq || (sq == best_sq && closest_type(p, i) < closest_type(p, *best))) {
        p->distance_sq[*best] = INFINITY;
        *best = i;
    } else {
        p->distance_sq[i] = INFINITY;
    }
}

static void join_fans(closest_points *p)
{
    const candidates *c = p->candidates;
    int32_t best = 0;
    for (int32_t i = 1; i < c->count; i++) {
        if (c->seen[i] != c->seen[best] ||
            candidate_triangle(c, i)->facet != candidate_triangle(c, best)->facet) {
            best = i;
        } else if (p->distance_sq[i] < INFINITY) {
            keep_nearest(p, &best, i);
        }
    }
}

static void turn_into_world(closest_points *p)
{
    for (int32_t i = 0; i < p->candidates->count; i++) {
        const mesh_view *v = candidate_view(p->candidates, i);
        if (v->pose->turns && p->distance_sq[i] < INFINITY) {
            vec3 offset = pose_turn(v->pose, closest_offset(p, i));
            p->offset[0][i] = offset.x, p->offset[1][i] = offset.y, p->offset[2][i] = offset.z;
        }
    }
}

/* Finds the closest points of half spaces: the feet of centers, as contacts of type FACET. */
static void find_feet_on_half_spaces(closest_points *p)
{
    const candidates *c = p->candidates;
    for (int32_t i = 0; i < c->count; i++) {
        const half_space *wall = candidate_half_space(c, i);
        if (wall) {
            const double height = half_space_height(wall, candidate_center(c, i));
            const vec3 offset = vec3_one_zero(vec3_scale(wall->normal, height));
            p->distance_sq[i] = height * height;
            p->offset[0][i] = offset.x, p->offset[1][i] = offset.y, p->offset[2][i] = offset.z;
            p->code[i] = CODES_PER_TYPE * ABUT_FACET + LOCAL_INSIDE;
        }
    }
}

void closest_find(closest_points *p)
{
    const batch *b = p->candidates->batch;
    bool has_fans = false, turns = false;
    for (abut_index k = 0; k < b->view_count; k++) {
        has_fans = has_fans || !b->views[k].is_triangles;
        turns = turns || b->views[k].pose->turns;
    }
    if (p->candidates->count > 0) {
        kernels_take()->closest(p, has_fans);
    }
    if (has_fans) {
        join_fans(p);
    }
    if (turns) {
        turn_into_world(p);
    }
    if (b->has_beside) {
        find_feet_on_half_spaces(p);
    }
}
