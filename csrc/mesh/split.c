/* Ear clipping, seen along the polygon's Newell normal (G. H. Meisters, "Polygons have ears",
 * 1975). A convex corner is an ear if no other corner is inside the triangle with its neighbors.
 *
 * Each step removes the first ear in the polygon's order. A corner is checked only when it may be
 * that ear. Its rank stays valid until one of its neighbors, or the corner found inside its
 * triangle, is removed. */
#include "split.h"

#include <string.h>

/* Rank of a corner, best first. All other corners are outside of the triangle of a RANK_EAR by more
 * than rounding. Removing an ear makes a new side; a corner on it would let the outline cross
 * itself. If rounding leaves no ear at all, a thin corner is removed, which loses no area. */
typedef enum corner_rank {
    RANK_EAR,   /* an ear, or not yet checked */
    RANK_CLOSE, /* an ear, with another corner close to it; or not yet checked for that */
    RANK_THIN,
    RANK_OTHER,
    RANK_GONE
} corner_rank;

#define NONE (-1)

/* A corner with its neighbors and its blocker: another corner, found inside its triangle. */
typedef struct outline_corner {
    abut_index before, after;
    abut_index blocker;
} outline_corner;

/* The first corner of a rank, or NONE. */
static abut_index first_of(const splitter *s, corner_rank rank)
{
    const uint8_t *found = memchr(s->ranks, (int)rank, (size_t)s->count);
    return found ? found - s->ranks : NONE;
}

/* ---- a corner with its neighbors ---- */

/* Twice the signed area of triangle a, b, c: positive if counter-clockwise about the normal. */
static double corner_area(vec3 normal, vec3 a, vec3 b, vec3 c)
{
    return vec3_dot(normal, vec3_cross_exact(vec3_sub(b, a), vec3_sub(c, a)));
}

/* The largest difference between two points' coordinates along an axis. */
static double longest_axis(vec3 a, vec3 b)
{
    return vec3_max_abs(vec3_sub(b, a));
}

/* The triangle of a corner and its neighbors, and a blocker, if any: another corner inside it. */
typedef struct ear {
    const splitter *s;
    vec3 at[3];
    double slacks[3]; /* for the edge from corner k to the next, as twice an area: how far outside a
                         corner still counts as inside */
    abut_index blocker;
    bool is_inside; /* the blocker is inside even without slack */
} ear;

/* `slack` is the distance that other corners must keep. */
static ear ear_of(const splitter *s, abut_index corner, double slack)
{
    const outline_corner *links = &s->outline[corner];
    ear e = {.s = s,
             .at = {s->corners[links->before], s->corners[corner], s->corners[links->after]},
             .blocker = NONE};
    for (int k = 0; k < 3; k++) {
        e.slacks[k] = slack * longest_axis(e.at[k], e.at[(k + 1) % 3]);
    }
    return e;
}

/* Whether a corner and its neighbors are on one line to within rounding. */
static bool is_thin(const splitter *s, abut_index corner)
{
    const ear e = ear_of(s, corner, s->rounding);
    const double area = corner_area(s->normal, e.at[0], e.at[1], e.at[2]);
    return fabs(area) <= (e.slacks[0] > e.slacks[1] ? e.slacks[0] : e.slacks[1]);
}

/* Whether a corner blocks the ear: it is inside the triangle, or outside by at most the slack, and
 * coincides with none of the triangle's corners. */
static bool is_in_the_way(ear *e, abut_index corner)
{
    const vec3 q = e->s->corners[corner];
    bool is_inside = true;
    for (int k = 0; k < 3; k++) {
        if (vec3_compare(q, e->at[k]) == 0) {
            return false;
        }
        const double area = corner_area(e->s->normal, e->at[k], e->at[(k + 1) % 3], q);
        if (!(area >= -e->slacks[k])) {
            return false;
        }
        is_inside = is_inside && area >= 0.0;
    }
    e->blocker = corner, e->is_inside = is_inside;
    return true;
}

/* Searches for a blocker along the outline, in both directions from the neighbors: most blockers
 * are near. Returns about the number of corners that were checked. */
static abut_index find_blocker(ear *e, const outline_corner *links)
{
    const outline_corner *outline = e->s->outline;
    abut_index ahead = outline[links->after].after, behind = outline[links->before].before;
    for (abut_index k = 0; k < e->s->left - 3; k++) {
        const bool is_ahead = k % 2 == 0;
        if (is_in_the_way(e, is_ahead ? ahead : behind)) {
            return k + 1;
        }
        if (is_ahead) {
            ahead = outline[ahead].after;
        } else {
            behind = outline[behind].before;
        }
    }
    return e->s->left;
}

/* Resets the rank of a corner, so that it is checked again. */
static void reset_rank(splitter *s, abut_index corner)
{
    s->outline[corner].blocker = NONE;
    s->ranks[corner] = RANK_EAR;
}

/* Checks a corner that may have the rank `wanted`, RANK_EAR or RANK_CLOSE, and returns its rank.
 * Records its blocker and adds the number of checks to *work. */
static corner_rank check_rank(splitter *s, corner_rank wanted, abut_index corner, abut_index *work)
{
    ear e = ear_of(s, corner, wanted == RANK_EAR ? s->rounding : 0.0);
    ++*work;
    if (corner_area(s->normal, e.at[0], e.at[1], e.at[2]) >= 0.0) {
        *work += find_blocker(&e, &s->outline[corner]);
        if (e.blocker == NONE) {
            return wanted;
        }
        s->outline[corner].blocker = e.blocker;
        if (!e.is_inside) {
            return RANK_CLOSE;
        }
    }
    return is_thin(s, corner) ? RANK_THIN : RANK_OTHER;
}

/* ---- clipping ---- */

static void remove_corner(splitter *s, abut_index corner)
{
    const outline_corner *links = &s->outline[corner];
    s->outline[links->before].after = links->after;
    s->outline[links->after].before = links->before;
    s->left--;
    reset_rank(s, links->before);
    reset_rank(s, links->after);
    for (abut_index k = 0; k < s->count; k++) {
        if (s->outline[k].blocker == corner) {
            reset_rank(s, k);
        }
    }
    reset_rank(s, corner);
    s->ranks[corner] = RANK_GONE;
}

/* Finds the corner to remove next, or NONE. */
static abut_status find_ear(splitter *s, parallel_job *job, abut_index *corner)
{
    for (corner_rank wanted = RANK_EAR; wanted <= RANK_CLOSE; wanted++) {
        while ((*corner = first_of(s, wanted)) != NONE) {
            abut_index work = 0;
            const corner_rank rank = check_rank(s, wanted, *corner, &work);
            const abut_status status = parallel_report(job, work);
            if (status || rank == wanted) {
                return status;
            }
            s->ranks[*corner] = (uint8_t)rank;
        }
    }
    *corner = first_of(s, RANK_THIN);
    return ABUT_OK;
}

static abut_status begin(splitter *s, const polygon *p, vec3 normal, double rounding)
{
    const abut_index count = p->count;
    s->count = s->left = count, s->normal = normal, s->rounding = rounding;
    s->corners = memory_reserve(&s->corner_block, count, sizeof *s->corners);
    s->outline = memory_reserve(&s->outline_block, count, sizeof *s->outline);
    s->ranks = memory_reserve(&s->rank_block, count, sizeof *s->ranks);
    if (!s->corners || !s->outline || !s->ranks) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index i = 0; i < count; i++) {
        s->corners[i] = polygon_corner(p, i);
        s->outline[i].before = i > 0 ? i - 1 : count - 1;
        s->outline[i].after = i + 1 < count ? i + 1 : 0;
        reset_rank(s, i);
    }
    return ABUT_OK;
}

abut_status split_polygon(splitter *s, const polygon *p, const facet_shape *shape, double noise,
                          parallel_job *job, abut_index *triangles, abut_index *done)
{
    abut_status status = begin(s, p, shape->normal, facet_reflex_limit(p, noise));
    for (*done = 0; !status && *done < p->count - 2; ++*done) {
        abut_index corner;
        status = find_ear(s, job, &corner);
        if (status || corner == NONE) {
            return status;
        }
        const outline_corner *links = &s->outline[corner];
        const abut_index corners[3] = {links->before, corner, links->after};
        for (int k = 0; k < 3; k++) {
            triangles[3 * *done + k] = p->indices[corners[k]];
        }
        remove_corner(s, corner);
    }
    return status;
}

void splitter_free(splitter *s)
{
    memory_free(s->corner_block.data);
    memory_free(s->outline_block.data);
    memory_free(s->rank_block.data);
}
