/* Ear clipping, seen along the polygon's Newell normal (G. H. Meisters,
 * "Polygons have ears", 1975).
 *
 * The ear that goes is the first one in the polygon's order, again and again. A corner is asked
 * only when it may be that one: what is known of it stays as it is until one of its neighbors goes,
 * or the corner that was found in its way. */
#include "split.h"

#include <string.h>

/* What is known of a corner, the best first. Best is an ear whose new side keeps clear of all
 * corners by more than rounding: one that passes through a corner would leave an outline that
 * crosses itself. Where rounding leaves no ear at all, a thin corner goes: nothing is lost with it.
 */
typedef enum corner_rank {
    RANK_EAR,   /* or not asked yet */
    RANK_CLOSE, /* an ear but for rounding, or not asked yet whether it is */
    RANK_THIN,
    RANK_OTHER,
    RANK_GONE
} corner_rank;

#define NONE (-1)

/* A corner with its neighbors, whom it is in the way of, and who is in its way. */
typedef struct outline_corner {
    abut_index before, after;
    abut_index blocker;
    abut_index first_blocked;                  /* of those whose blocker it is */
    abut_index next_blocked, previous_blocked; /* others with the same blocker */
} outline_corner;

/* ---- ranks: a tree whose nodes have the best rank below them; leaf k is leaf_count + k ---- */

static void set_rank(splitter *s, abut_index corner, corner_rank rank)
{
    uint8_t *ranks = s->ranks;
    abut_index node = s->leaf_count + corner;
    ranks[node] = (uint8_t)rank;
    for (node /= 2; node > 0; node /= 2) {
        const uint8_t left = ranks[2 * node], right = ranks[2 * node + 1];
        ranks[node] = left < right ? left : right;
    }
}

/* The first corner of the best rank. */
static abut_index best_corner(const splitter *s)
{
    abut_index node = 1;
    while (node < s->leaf_count) {
        node = s->ranks[2 * node] == s->ranks[1] ? 2 * node : 2 * node + 1;
    }
    return node - s->leaf_count;
}

static void reset_ranks(splitter *s)
{
    memset(s->ranks, RANK_GONE, (size_t)(2 * s->leaf_count));
    memset(s->ranks + s->leaf_count, RANK_EAR, (size_t)s->left);
    for (abut_index node = s->leaf_count - 1; node > 0; node--) {
        const uint8_t left = s->ranks[2 * node], right = s->ranks[2 * node + 1];
        s->ranks[node] = left < right ? left : right;
    }
}

/* ---- a corner with its neighbors ---- */

/* Twice the signed area of the corner a-b-c, seen against the normal. */
static double corner_area(vec3 normal, vec3 a, vec3 b, vec3 c)
{
    return vec3_dot(normal, vec3_cross_exact(vec3_sub(b, a), vec3_sub(c, a)));
}

/* How far two points are apart along the axis where that is most. */
static double longest_axis(vec3 a, vec3 b)
{
    return vec3_max_abs(vec3_sub(b, a));
}

/* A corner between its neighbors, and who is in the way of its being an ear. */
typedef struct ear {
    const splitter *s;
    vec3 at[3];
    double slacks[3]; /* of the edges from corner k to the next: how far outside counts as inside */
    abut_index blocker;
    bool is_inside; /* the blocker, even without slack */
} ear;

/* `slack`: by how much others have to keep clear. */
static ear ear_of(const splitter *s, abut_index corner, double slack)
{
    const outline_corner *own = &s->outline[corner];
    ear e = {.s = s,
             .at = {s->corners[own->before], s->corners[corner], s->corners[own->after]},
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

/* Whether a corner is in the closed triangle, or no farther outside than the slack, but is none of
 * its corners. */
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

/* Look for who is in the way along the outline, in both directions from the neighbors, since it is
 * mostly someone near. Returns how many corners were looked at. */
static abut_index look_around(ear *e, const outline_corner *own)
{
    const outline_corner *outline = e->s->outline;
    abut_index ahead = outline[own->after].after, behind = outline[own->before].before;
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

/* ---- who is in whose way ---- */

static void set_blocker(splitter *s, abut_index corner, abut_index blocker)
{
    outline_corner *own = &s->outline[corner], *other = &s->outline[blocker];
    own->blocker = blocker;
    own->previous_blocked = NONE;
    own->next_blocked = other->first_blocked;
    if (own->next_blocked != NONE) {
        s->outline[own->next_blocked].previous_blocked = corner;
    }
    other->first_blocked = corner;
}

static void clear_blocker(splitter *s, abut_index corner)
{
    outline_corner *own = &s->outline[corner];
    if (own->blocker == NONE) {
        return;
    }
    abut_index *to_own = own->previous_blocked != NONE
                             ? &s->outline[own->previous_blocked].next_blocked
                             : &s->outline[own->blocker].first_blocked;
    *to_own = own->next_blocked;
    if (own->next_blocked != NONE) {
        s->outline[own->next_blocked].previous_blocked = own->previous_blocked;
    }
    own->blocker = NONE;
}

/* Forget what is known of a corner, so that it is asked anew. */
static void forget(splitter *s, abut_index corner)
{
    clear_blocker(s, corner);
    set_rank(s, corner, RANK_EAR);
}

/* The rank of a corner that may be an ear, or one but for rounding, which is asked only where there
 * is no other; adds to *work what that took. Notes who is in its way. */
static corner_rank ask(splitter *s, corner_rank wanted, abut_index corner, abut_index *work)
{
    ear e = ear_of(s, corner, wanted == RANK_EAR ? s->rounding : 0.0);
    ++*work;
    if (corner_area(s->normal, e.at[0], e.at[1], e.at[2]) >= 0.0) {
        *work += look_around(&e, &s->outline[corner]);
        if (e.blocker == NONE) {
            return wanted;
        }
        clear_blocker(s, corner);
        set_blocker(s, corner, e.blocker);
        if (!e.is_inside) {
            return RANK_CLOSE;
        }
    }
    return is_thin(s, corner) ? RANK_THIN : RANK_OTHER;
}

/* ---- clipping ---- */

static void remove_corner(splitter *s, abut_index corner)
{
    const outline_corner *own = &s->outline[corner];
    s->outline[own->before].after = own->after;
    s->outline[own->after].before = own->before;
    s->left--;
    forget(s, own->before);
    forget(s, own->after);
    while (own->first_blocked != NONE) {
        forget(s, own->first_blocked);
    }
    forget(s, corner);
    set_rank(s, corner, RANK_GONE);
}

/* The corner that goes next, or NONE. */
static abut_status find_ear(splitter *s, parallel_job *job, abut_index *corner)
{
    abut_status status = ABUT_OK;
    while (!status && s->ranks[1] <= RANK_CLOSE) {
        const corner_rank wanted = (corner_rank)s->ranks[1];
        abut_index work = 0;
        *corner = best_corner(s);
        const corner_rank rank = ask(s, wanted, *corner, &work);
        status = parallel_report(job, work);
        if (rank == wanted) {
            return status;
        }
        set_rank(s, *corner, rank);
    }
    *corner = s->ranks[1] == RANK_THIN ? best_corner(s) : NONE;
    return status;
}

static abut_status begin(splitter *s, const polygon *p, vec3 normal, double rounding)
{
    const abut_index count = p->count;
    s->left = count, s->normal = normal, s->rounding = rounding;
    for (s->leaf_count = 1; s->leaf_count < count;) {
        s->leaf_count *= 2;
    }
    s->corners = memory_reserve(&s->corner_block, count, sizeof *s->corners);
    s->outline = memory_reserve(&s->outline_block, count, sizeof *s->outline);
    s->ranks = memory_reserve(&s->rank_block, 2 * s->leaf_count, sizeof *s->ranks);
    if (!s->corners || !s->outline || !s->ranks) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index i = 0; i < count; i++) {
        s->corners[i] = polygon_corner(p, i);
        s->outline[i] = (outline_corner){.before = i > 0 ? i - 1 : count - 1,
                                         .after = i + 1 < count ? i + 1 : 0,
                                         .blocker = NONE,
                                         .first_blocked = NONE};
    }
    reset_ranks(s);
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
        const outline_corner *own = &s->outline[corner];
        const abut_index corners[3] = {own->before, corner, own->after};
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
