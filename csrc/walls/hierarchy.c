/* Distance hierarchy: which of the touching facets become contacts. The rule that drops contacts is
 * only here. Before, hierarchy_kernel.c and feet_kernel.c leave out what this rule surely drops:
 * what the nearest contact eliminates, and facets of one plane away from the foot (mesh/planes.h).
 *
 * A facet's contact is its closest point P with the contact vector V = C - P; the contact type
 * hierarchy (table 3) has chosen it already. Neighboring facets that a sphere touches partly repeat
 * each other: a sphere over one facet of a plane also overlaps the edges of the next. Table 4:
 * contact j eliminates i if the projection of V_i on V_j is as long as V_j. Then P_i is not in
 * front of the tangent plane at P_j of the sphere around C:
 *
 *            C
 *           /|                 n_j . (P_i - P_j) <= 0 : P_i is eliminated, as P_j replaces it
 *      V_i / | V_j             n_j . (P_i - P_j) >  0 : P_i is on another wall and is kept
 *         /  |
 *     ---P_i-P_j-------
 *
 * The relation is not transitive, so the result of table 4 as printed depends on the order of the
 * facets. Here contacts are taken nearest first, and only a kept contact eliminates others: one
 * sweep, one result.
 *
 * Coplanar facets are not exactly so, in the last digits of their coordinates. From the noise of
 * both facets follows how far a point may be in front of a tangent plane (docs/method.md,
 * section 3):
 * - it is off by a few eps_n along the normal;
 * - a bump of height eps_n on a plane moves the closest point sideways by sqrt(2 eps_n d), which
 *   tilts V_j by sqrt(2 eps_n / d); a crack at a T-junction tilts it by eps / d.
 *
 * A half space is an infinite facet. Noise does not tilt it, as its normal is given. Its distance
 * is the height of the center, which is negative inside the solid: what lies behind its plane is
 * inside the solid, and eliminated. */
#include "hierarchy.h"

#include <string.h>

#include "../mesh/tolerance.h"
#include "tangent_tree.h"

/* ---- the canonical order ---- */

static int compare_numbers(int32_t a, int32_t b)
{
    return (a > b) - (a < b);
}

/* Orders facets that give the same contact by their place in the mesh, not by their number. */
static int compare_places(const kept *k, int32_t a, int32_t b)
{
    const mesh_view *of_a = candidate_view(k->candidates, a),
                    *of_b = candidate_view(k->candidates, b);
    int order = compare_numbers(of_a->number, of_b->number);
    for (int i = 0; !order && i < 3; i++) {
        order = vec3_compare(candidate_triangle(k->candidates, a)->corner[i],
                             candidate_triangle(k->candidates, b)->corner[i]);
    }
    for (int i = 0; !order && i < 3; i++) {
        order = compare_numbers(of_a->image[i], of_b->image[i]);
    }
    return order ? order
                 : compare_numbers(candidate_triangle(k->candidates, a)->facet,
                                   candidate_triangle(k->candidates, b)->facet);
}

/* Orders contacts at one distance: 0 if they are the same. */
static int compare_contacts(const kept *k, int32_t a, int32_t b)
{
    const int order = vec3_compare(closest_offset(k->closest, a), closest_offset(k->closest, b));
    return order || !kept_is_at_center(k, a)
               ? order
               : vec3_compare(kept_facet_normal(k, a), kept_facet_normal(k, b));
}

static int compare_ties(const kept *k, int32_t a, int32_t b)
{
    if (closest_type(k->closest, a) != closest_type(k->closest, b)) {
        return closest_type(k->closest, a) < closest_type(k->closest, b) ? -1 : 1;
    }
    const int order = compare_contacts(k, a, b);
    return order ? order : compare_places(k, a, b);
}

static inline bool comes_before(const kept *k, int32_t a, int32_t b)
{
    double from_a = k->distance[a], from_b = k->distance[b];
    return from_a < from_b || (from_a == from_b && compare_ties(k, a, b) < 0);
}

/* Merges the sorted halves items[0] ... items[middle - 1] and the rest. */
static void merge(const kept *k, int32_t *items, int32_t middle, int32_t count)
{
    int32_t *first = k->spare, a = 0, b = middle;
    memcpy(first, items, (size_t)middle * sizeof *items);
    for (int32_t n = 0; a < middle; n++) {
        bool takes_second = b < count && comes_before(k, items[b], first[a]);
        items[n] = takes_second ? items[b++] : first[a++];
    }
}

static void insertion_sort(const kept *k, int32_t *items, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        int32_t item = items[i], to = i;
        for (; to > 0 && comes_before(k, item, items[to - 1]); to--) {
            items[to] = items[to - 1];
        }
        items[to] = item;
    }
}

/* Runs are sorted by insertion, then merged in pairs until one remains. */
void hierarchy_sort(touching *q)
{
    enum { RUN = 16 };
    for (int32_t begin = 0; begin < q->count; begin += RUN) {
        int32_t remaining = q->count - begin;
        insertion_sort(q->kept, q->items + begin, remaining < RUN ? remaining : RUN);
    }
    for (int64_t run = RUN; run < q->count; run *= 2) {
        for (int64_t begin = 0; begin + run < q->count; begin += 2 * run) {
            int64_t remaining = q->count - begin;
            merge(q->kept, q->items + begin, (int32_t)run,
                  (int32_t)(remaining < 2 * run ? remaining : 2 * run));
        }
    }
}

/* ---- elimination ---- */

/* Returns a normal of the tangent plane at P_j, and sets its length. */
static vec3 tangent_axis(const kept *k, int32_t j, double *length)
{
    const bool has_own = kept_has_own_normal(k, j);
    *length = has_own ? 1.0 : k->distance[j];
    return has_own ? kept_facet_normal(k, j) : closest_offset(k->closest, j);
}

/* P_i - P_j, from the contact vectors: they are relative to the center and rounded least. */
static vec3 apart(const kept *k, int32_t j, int32_t i)
{
    return vec3_sub(closest_offset(k->closest, j), closest_offset(k->closest, i));
}

/* Whether P_i is in front of the tangent plane at P_j by no more than noise explains. Nearly all
 * points pass or fail the first test, without roots. */
static bool eliminates(const kept *k, int32_t j, int32_t i, double flat_tilt)
{
    double axis_length;
    vec3 axis = tangent_axis(k, j, &axis_length), from_j = apart(k, j, i);
    double in_front = vec3_dot(axis, from_j); /* times the length of the axis, as the limits
                                                 below */
    double normal_noise = larger(k->normal_noise[i], k->normal_noise[j]);
    double limit = FRONT_NOISES * normal_noise * axis_length;
    if (in_front <= limit) {
        return true;
    }
    double noise = larger(k->noise[i], k->noise[j]);
    double tilt = candidate_half_space(k->candidates, j)
                      ? flat_tilt
                      : tangent_tilt(noise, normal_noise, k->distance[j], flat_tilt);
    return in_front <= limit + tilt * axis_length * sqrt(vec3_norm_sq(from_j));
}

static bool is_same_contact(const kept *k, int32_t a, int32_t b)
{
    return k->distance[a] == k->distance[b] && compare_contacts(k, a, b) == 0;
}

static void take_noise(kept *k, int32_t to, int32_t from)
{
    k->noise[to] = larger(k->noise[to], k->noise[from]);
    k->normal_noise[to] = larger(k->normal_noise[to], k->normal_noise[from]);
}

/* Merges contacts that are the same to the bit into one, as noisy as the noisiest. In canonical
 * order, such contacts of one type are neighbors. */
static void merge_same(touching *q)
{
    kept *k = q->kept;
    int32_t last = 0;
    for (int32_t n = 1; n < q->count; n++) {
        int32_t a = q->items[n], b = q->items[last];
        if (closest_type(k->closest, a) == closest_type(k->closest, b) &&
            is_same_contact(k, a, b)) {
            take_noise(k, b, a);
        } else {
            q->items[++last] = a;
        }
    }
    q->count = q->count > 0 ? last + 1 : 0;
}

/* Sets the noise of contacts that two sorted lists have in common to the larger one. The lists have
 * contacts of two types at one distance. */
static void share_noise_of(kept *k, const int32_t *some, int32_t some_count, const int32_t *others,
                           int32_t other_count)
{
    for (int32_t a = 0, b = 0; a < some_count && b < other_count;) {
        const int order = compare_contacts(k, some[a], others[b]);
        if (order == 0) {
            take_noise(k, some[a], others[b]);
            take_noise(k, others[b], some[a]);
        }
        a += order <= 0;
        b += order >= 0;
    }
}

/* The index after the contacts, from `first` on, that have the distance and the type of contact
 * `first`. */
static int32_t end_of_alike(const touching *q, int32_t first)
{
    const kept *k = q->kept;
    const int32_t a = q->items[first];
    int32_t n = first + 1;
    while (n < q->count && k->distance[q->items[n]] == k->distance[a] &&
           closest_type(k->closest, q->items[n]) == closest_type(k->closest, a)) {
        n++;
    }
    return n;
}

/* Sets the noise of contacts that are the same except for their type, as at a T-junction, to the
 * largest one. They are at one distance but not neighbors. */
static void share_noise(touching *q)
{
    kept *k = q->kept;
    for (int32_t first = 0, end; first < q->count; first = end) {
        end = end_of_alike(q, first);
        for (int32_t next = end, next_end; next < q->count; next = next_end) {
            if (k->distance[q->items[next]] != k->distance[q->items[first]]) {
                break;
            }
            next_end = end_of_alike(q, next);
            share_noise_of(k, q->items + first, end - first, q->items + next, next_end - next);
        }
    }
}

/* From TREE_FROM kept contacts on, a tree of them is faster than comparing all. TREE_WORK is the
 * work of one search in it, in the units of parallel_report. */
enum { TREE_FROM = 128, TREE_WORK = 100 };

static bool is_eliminated(const touching *stay, const tangent_tree *tree, int32_t i,
                          double flat_tilt)
{
    if (tree->count > 0) {
        return tangent_tree_eliminates(tree, i, flat_tilt, eliminates);
    }
    for (int32_t n = 0; n < stay->count; n++) {
        if (eliminates(stay->kept, stay->items[n], i, flat_tilt)) {
            return true;
        }
    }
    return false;
}

/* Builds the tree of the kept contacts and of those not yet decided. */
static abut_status grow_tree(tangent_tree *tree, const touching *stay, const touching *coming)
{
    abut_status status = tangent_tree_build(tree, stay, coming);
    for (int32_t n = 0; !status && n < stay->count; n++) {
        tangent_tree_keep(tree, n);
    }
    return status;
}

/* Adds those of the sorted contacts that no kept one eliminates to the kept ones. */
static abut_status sweep(touching *stay, touching *next, double flat_tilt, parallel_job *job)
{
    tangent_tree tree = {.count = 0};
    abut_index rank = 0;
    merge_same(next);
    share_noise(next);
    abut_status status = parallel_report(job, next->count);
    for (int32_t n = 0; !status && n < next->count; n++, rank++) {
        if (tree.count == 0 && stay->count >= TREE_FROM) {
            const touching coming = {next->kept, next->items + n, next->count - n};
            rank = stay->count;
            status = grow_tree(&tree, stay, &coming);
        }
        if (!status && !is_eliminated(stay, &tree, next->items[n], flat_tilt)) {
            stay->items[stay->count++] = next->items[n];
            if (tree.count > 0) {
                tangent_tree_keep(&tree, rank);
            }
        }
        status = status ? status
                        : parallel_report(job, tree.count > 0 ? TREE_WORK : 1 + stay->count / 2);
    }
    tangent_tree_free(&tree);
    return status;
}

/* ---- many contacts ----
 *
 * Sorting thousands of contacts takes longest, and the few nearest eliminate most of them. So the
 * nearest are decided first, before the rest is sorted. What they eliminate with their own noise
 * alone is removed: with the noise of others, too, they could only eliminate more. Contacts that
 * are the same are removed together, since only their place matters here. */

/* Up to MANY contacts are sorted together, which is faster. With more, the nearest are decided
 * first, in up to ROUNDS rounds and while at most MANY contacts are kept. In each round up to
 * ROUNDS contacts remove others. */
enum { MANY = 48, ROUNDS = 12 };

/* Moves all contacts at the smallest distance to the front; returns how many there are. */
static int32_t take_nearest(touching *remaining)
{
    const kept *k = remaining->kept;
    double nearest = INFINITY;
    for (int32_t n = 0; n < remaining->count; n++) {
        const double distance = k->distance[remaining->items[n]];
        nearest = distance < nearest ? distance : nearest;
    }
    int32_t count = 0;
    for (int32_t n = 0; n < remaining->count; n++) {
        const int32_t item = remaining->items[n];
        if (k->distance[item] == nearest) {
            remaining->items[n] = remaining->items[count];
            remaining->items[count++] = item;
        }
    }
    return count;
}

/* Removes the contacts that contact j eliminates with its own noise. */
static void strike_out(touching *remaining, int32_t j)
{
    const kept *k = remaining->kept;
    double axis_length;
    const vec3 axis = tangent_axis(k, j, &axis_length);
    const double limit = FRONT_NOISES * k->normal_noise[j] * axis_length;
    int32_t left = 0;
    for (int32_t n = 0; n < remaining->count; n++) {
        const int32_t item = remaining->items[n];
        remaining->items[left] = item;
        left += !(vec3_dot(axis, apart(k, j, item)) <= limit);
    }
    remaining->count = left;
}

/* Decides about the nearest contacts. Removes them, and what they eliminate, from `remaining`. */
static abut_status take_round(touching *stay, touching *remaining, double flat_tilt,
                              parallel_job *job)
{
    const int32_t before = stay->count, count = take_nearest(remaining);
    touching nearest = {remaining->kept, remaining->items, count};
    hierarchy_sort(&nearest);
    abut_status status = sweep(stay, &nearest, flat_tilt, job);
    remaining->items += count;
    remaining->count -= count;
    for (int32_t n = before; !status && n < stay->count && n < before + ROUNDS; n++) {
        strike_out(remaining, stay->items[n]);
        status = parallel_report(job, remaining->count);
    }
    return status;
}

abut_status hierarchy_eliminate(touching *q, double flat_tilt, parallel_job *job)
{
    touching stay = {q->kept, q->items, 0}, remaining = *q;
    abut_status status = ABUT_OK;
    for (int round = 0; !status && remaining.count > MANY && round < ROUNDS && stay.count <= MANY;
         round++) {
        status = take_round(&stay, &remaining, flat_tilt, job);
    }
    if (!status) {
        hierarchy_sort(&remaining);
        status = sweep(&stay, &remaining, flat_tilt, job);
    }
    q->count = stay.count;
    return status;
}
