/* Finds how far facets are off the planes that they should lie in.
 *
 * Deviations are grouped by steepness: their size, divided by the size of their triangles. In each
 * group, the majority of walks (walks.h) decides whether deviations are noise or shape. If too few
 * walks arrive, small deviations are noise if there is a gap between them and larger ones. */
#include "noise.h"

#include <string.h>

#include "../base/memory.h"
#include "tolerance.h"
#include "walks.h"

/* Deviations are noise if the number of walks that find noise is larger than NOISE_TO_SHAPE times
 * the number that find shape, by at least ENOUGH_WALKS. */
enum { NOISE_TO_SHAPE = 3, ENOUGH_WALKS = 8 };

/* If too few walks arrive, a cluster of deviations may be noise if there is a gap above it: the
 * GAP_POWERS powers of two above it have at most 1 / CLUSTER_TO_GAP as many deviations. Four evenly
 * spread numbers have such a gap by chance in one of 4,000 meshes. The cluster must have
 * ENOUGH_EDGES edges, or 1 / ENOUGH_PART of all. */
enum { GAP_POWERS = 3, CLUSTER_TO_GAP = 10, ENOUGH_EDGES = 4, ENOUGH_PART = 8 };

/* Such a cluster is noise if at most 1 / ALL_TO_LARGE of its deviations are larger than rounding to
 * single precision. It is shape if less than 1 / ALL_TO_FLAT of them are in question. A deviation
 * is in question if it is as small as that rounding, or if its triangles are nearly coplanar. */
enum { ALL_TO_LARGE = 10, ALL_TO_FLAT = 2 };

/* Noise spreads over this many facets, across edges with deviations that digits explain. In a grid
 * turned about one of its axes, several columns in a row may be flat by chance, with two facets
 * each. */
enum { HOPS = 8 };

/* Numbers of edges between facets, by steepness, if digits do not explain their deviation. The last
 * GAP_POWERS entries of `all` are 0. `flat` counts edges in question (edge_is_in_question). */
typedef struct steepness_counts {
    abut_index all[STEEPNESS_COUNT + GAP_POWERS], tiny[STEEPNESS_COUNT], flat[STEEPNESS_COUNT], sum;
} steepness_counts;

/* What deviations of a steepness mean. */
typedef enum meaning {
    MEANS_DOUBT,
    MEANS_NOISE, /* noise, by the majority of walks */
    MEANS_SMALL, /* noise if they are no larger than rounding to single precision */
    MEANS_SHAPE
} meaning;

typedef struct measuring {
    deviations deviations;
    double *worst; /* for each triangle, the largest deviation that is noise */
    meaning meanings[STEEPNESS_COUNT];
    double largest_noise; /* the largest deviation that is noise by the majority of walks */
} measuring;

/* ---- noise and shape ---- */

static steepness_counts count_edges(const measuring *m)
{
    steepness_counts counts = {.sum = 0};
    for (abut_index e = 0; e < m->deviations.near.edge_count; e++) {
        const edge_measure *edge = &m->deviations.edges[e];
        if (deviations_joins_facets(&m->deviations, e) && !(edge->flags & EDGE_EXPLAINED)) {
            counts.all[edge->steepness]++;
            counts.tiny[edge->steepness] += (edge->flags & EDGE_TINY) != 0;
            counts.flat[edge->steepness] += edge_is_in_question(edge);
            counts.sum++;
        }
    }
    return counts;
}

/* Whether a cluster of `below` deviations ends below this steepness: few are just above. */
static bool is_gap(const steepness_counts *counts, int steepness, abut_index below)
{
    abut_index above = 0;
    for (int s = steepness; s < steepness + GAP_POWERS; s++) {
        above += counts->all[s];
    }
    return CLUSTER_TO_GAP * above <= below;
}

/* Returns the steepness where noise ends: the gap below which the majority for noise is largest. */
static int find_noise_end(const walk_votes *votes, const steepness_counts *counts)
{
    abut_index sum = 0, best = ENOUGH_WALKS - 1, below = 0;
    int end = 0;
    for (int s = 0; s < STEEPNESS_COUNT; s++) {
        sum += votes->noise[s] - NOISE_TO_SHAPE * votes->shape[s];
        below += counts->all[s];
        if (sum > best && is_gap(counts, s + 1, below)) {
            best = sum, end = s + 1;
        }
    }
    return end;
}

/* Returns the steepness where shape begins: the first one at which enough walks find shape, of all
 * walks from the end of noise up to this steepness. */
static int find_shape_begin(const walk_votes *votes, int noise_end)
{
    abut_index sum = 0;
    for (int s = noise_end; s < STEEPNESS_COUNT; s++) {
        sum += votes->noise[s] - NOISE_TO_SHAPE * votes->shape[s];
        if (sum <= -ENOUGH_WALKS) {
            return s;
        }
    }
    return STEEPNESS_COUNT;
}

/* The meaning of a cluster of deviations, decided without walks. */
static meaning meaning_of(const steepness_counts *counts, int first, int end)
{
    abut_index all = 0, tiny = 0, flat = 0;
    for (int s = first; s < end; s++) {
        all += counts->all[s], tiny += counts->tiny[s], flat += counts->flat[s];
    }
    if (ALL_TO_FLAT * flat < all) {
        return MEANS_SHAPE;
    }
    bool are_enough = all >= ENOUGH_EDGES || ENOUGH_PART * all >= counts->sum;
    return are_enough && ALL_TO_LARGE * (all - tiny) <= all ? MEANS_SMALL : MEANS_DOUBT;
}

/* Decides what deviations of each steepness mean. All deviations of a cluster, which lies between
 * two gaps, mean the same. */
static void find_meanings(measuring *m)
{
    const steepness_counts counts = count_edges(m);
    const walk_votes votes = walks_judge(&m->deviations);
    const int noise_end = find_noise_end(&votes, &counts);
    const int shape_begin = find_shape_begin(&votes, noise_end);
    abut_index below = 0;
    for (int s = 0; s < noise_end; s++) {
        m->meanings[s] = MEANS_NOISE;
    }
    for (int s = noise_end, first = s; s < STEEPNESS_COUNT; s++) {
        below += counts.all[s];
        if (below > 0 && is_gap(&counts, s + 1, below)) {
            const meaning found =
                shape_begin <= s ? MEANS_SHAPE : meaning_of(&counts, first, s + 1);
            for (; first <= s; first++) {
                m->meanings[first] = found;
            }
            below = 0;
        }
    }
}

/* Finds the largest deviation that is noise by the majority of walks. */
static void find_largest_noise(measuring *m)
{
    for (abut_index e = 0; e < m->deviations.near.edge_count; e++) {
        const edge_measure *edge = &m->deviations.edges[e];
        if (edge_is_in_question(edge) && m->meanings[edge->steepness] == MEANS_NOISE) {
            m->largest_noise = larger(m->largest_noise, edge->deviation);
        }
    }
}

/* Whether the deviation of an edge is noise, by the meaning of its steepness. The deviation of thin
 * triangles is also noise if it is no larger than the largest noise. */
static bool is_noise(const measuring *m, const edge_measure *edge)
{
    const meaning means = m->meanings[edge->steepness];
    if (edge_is_explained(edge)) {
        return false;
    }
    if (((edge->flags & EDGE_FLAT) && means == MEANS_NOISE) ||
        ((edge->flags & EDGE_TINY) && (means == MEANS_NOISE || means == MEANS_SMALL))) {
        return true;
    }
    return (edge->flags & EDGE_THIN) && edge->deviation <= m->largest_noise;
}

/* Sets the noise of both triangles at edges of these kinds to the larger one. */
static void spread_over(measuring *m, int kinds)
{
    const abut_index sides = 3 * m->deviations.near.triangle_count;
    for (abut_index i = 0; i < sides; i++) {
        edge_measure *edge = deviations_edge(&m->deviations, i);
        if (edge && (edge->flags & kinds)) {
            edge->spread = larger(edge->spread, m->worst[i / 3]);
        }
    }
    for (abut_index i = 0; i < sides; i++) {
        const edge_measure *edge = deviations_edge(&m->deviations, i);
        if (edge) {
            m->worst[i / 3] = larger(m->worst[i / 3], edge->spread);
        }
    }
}

/* Sets each triangle's noise to the largest one of its edges and of its coplanar neighbors. The
 * corners of a triangle may have errors that cause no deviation at its own edges. */
static void spread(measuring *m, double *measured)
{
    const abut_index sides = 3 * m->deviations.near.triangle_count;
    bool is_noisy = false;
    for (abut_index i = 0; i < sides; i++) {
        edge_measure *edge = deviations_edge(&m->deviations, i);
        if (edge && is_noise(m, edge)) {
            m->worst[i / 3] = larger(m->worst[i / 3], edge->deviation);
            edge->flags |= EDGE_NOISY;
            is_noisy = true;
        }
    }
    for (int hop = 0; is_noisy && hop < HOPS; hop++) {
        spread_over(m, hop == 0 ? EDGE_COPLANAR | EDGE_NOISY : EDGE_EXPLAINED);
    }
    for (abut_index t = 0; t < m->deviations.near.triangle_count; t++) {
        double *to = &measured[deviations_triangle(&m->deviations, t)->facet];
        *to = larger(*to, NOISES_OF_DEVIATION * m->worst[t]);
    }
}

/* ---- edges in doubt ---- */

static bool is_doubtful(const measuring *m, const edge_measure *edge)
{
    return edge_is_in_question(edge) && m->meanings[edge->steepness] != MEANS_SHAPE &&
           !is_noise(m, edge);
}

/* Counts the edges with a deviation that may be noise or shape; finds the first facet with one. */
static void find_doubt(const measuring *m, abut_noise_doubt *doubt)
{
    *doubt = (abut_noise_doubt){.facet = -1};
    for (abut_index e = 0; e < m->deviations.near.edge_count; e++) {
        doubt->neighbor_count += deviations_joins_facets(&m->deviations, e);
        if (is_doubtful(m, &m->deviations.edges[e])) {
            doubt->count++;
            doubt->noise =
                larger(doubt->noise, NOISES_OF_DEVIATION * m->deviations.edges[e].deviation);
        }
    }
    for (abut_index i = 0; doubt->count > 0 && doubt->facet < 0; i++) {
        const edge_measure *edge = deviations_edge(&m->deviations, i);
        if (edge && is_doubtful(m, edge)) {
            doubt->facet = deviations_triangle(&m->deviations, i / 3)->facet;
        }
    }
}

static abut_status measure(measuring *m, double *measured, abut_noise_doubt *doubt)
{
    m->worst = memory_alloc_zeroed(m->deviations.near.triangle_count, sizeof *m->worst);
    if (!m->worst) {
        return ABUT_NO_MEMORY;
    }
    find_meanings(m);
    find_largest_noise(m);
    spread(m, measured);
    find_doubt(m, doubt);
    memory_free(m->worst);
    return ABUT_OK;
}

abut_status noise_measure(const abut_mesh *mesh, double *measured, abut_noise_doubt *doubt)
{
    measuring m = {.largest_noise = 0.0};
    memset(measured, 0, (size_t)mesh->view.facet_count * sizeof *measured);
    *doubt = (abut_noise_doubt){.facet = -1};
    abut_status status = deviations_find(mesh, &m.deviations);
    status = status ? status : measure(&m, measured, doubt);
    deviations_free(&m.deviations);
    return status == ABUT_TOO_MANY_FACETS ? ABUT_OK : status;
}
