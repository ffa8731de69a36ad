/* How far facets are off the planes that they are meant to lie in.
 *
 * What most walks say of deviations of a size, in parts of their triangles', decides whether these
 * are noise or shape; where too few walks arrive, whether small deviations stand apart from larger
 * ones. */
#include "noise.h"

#include <string.h>

#include "../base/memory.h"
#include "tolerance.h"
#include "walks.h"

/* Deviations are noise where no more than one walk in so many says otherwise, of at least as many
 * as are enough. */
enum { NOISE_TO_SHAPE = 3, ENOUGH_WALKS = 8 };

/* Where too few walks tell, deviations are noise that stand apart: so many powers of two above them
 * have no more than one in CLUSTER_TO_GAP as many. The four least of numbers that are spread evenly
 * do so by chance once in 4,000 meshes; fewer count where there are hardly more. */
enum { GAP_POWERS = 3, CLUSTER_TO_GAP = 10, ENOUGH_EDGES = 4, ENOUGH_PART = 8 };

/* Nearly all deviations that stand together must be small enough for noise; where fewer than half
 * are of nearly coplanar triangles, they are shape. */
enum { ALL_TO_LARGE = 10, ALL_TO_FLAT = 2 };

/* How far noise spreads over facets whose deviations digits explain: in a grid that is turned about
 * one of its axes some columns in a row may be so by chance, of two facets each. */
enum { HOPS = 8 };

/* Edges between facets that digits do not explain, by steepness. */
typedef struct steepness_counts {
    abut_index all[STEEPNESS_COUNT + GAP_POWERS], tiny[STEEPNESS_COUNT], flat[STEEPNESS_COUNT], sum;
} steepness_counts;

/* What deviations of a steepness are. */
typedef enum meaning {
    MEANS_DOUBT,
    MEANS_NOISE, /* by what walks say */
    MEANS_SMALL, /* noise where it is no more than what coordinates are rounded by */
    MEANS_SHAPE
} meaning;

typedef struct measuring {
    deviations deviations;
    double *of_triangles; /* the largest accepted deviation of each */
    meaning of_steepness[STEEPNESS_COUNT];
    double level; /* the largest deviation that is noise by what walks said */
} measuring;

/* ---- noise and shape ---- */

static steepness_counts count_edges(const measuring *m)
{
    steepness_counts counts = {.sum = 0};
    for (abut_index e = 0; e < m->deviations.near.edge_count; e++) {
        const edge_measure *edge = &m->deviations.edges[e];
        if (deviations_joins_facets(&m->deviations, e) && !(edge->is & EDGE_EXPLAINED)) {
            counts.all[edge->steepness]++;
            counts.tiny[edge->steepness] += (edge->is & EDGE_TINY) != 0;
            counts.flat[edge->steepness] += edge_is_in_question(edge);
            counts.sum++;
        }
    }
    return counts;
}

/* Deviations whose number is small beside that of all below it end a cluster. */
static bool is_gap(const steepness_counts *counts, int steepness, abut_index below)
{
    abut_index above = 0;
    for (int s = steepness; s < steepness + GAP_POWERS; s++) {
        above += counts->all[s];
    }
    return CLUSTER_TO_GAP * above <= below;
}

/* Noise ends at the gap where the walks before say noise by the largest majority. */
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

/* Beyond noise shape begins where enough walks say so. */
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

/* Deviations that stand together mean the same. */
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

/* Decide what deviations of each steepness are: clusters between gaps mean one thing. */
static void find_meanings(measuring *m)
{
    const steepness_counts counts = count_edges(m);
    const walk_votes votes = walks_judge(&m->deviations);
    const int noise_end = find_noise_end(&votes, &counts);
    const int shape_begin = find_shape_begin(&votes, noise_end);
    abut_index below = 0;
    for (int s = 0; s < noise_end; s++) {
        m->of_steepness[s] = MEANS_NOISE;
    }
    for (int s = noise_end, first = s; s < STEEPNESS_COUNT; s++) {
        below += counts.all[s];
        if (below > 0 && is_gap(&counts, s + 1, below)) {
            const meaning found =
                shape_begin <= s ? MEANS_SHAPE : meaning_of(&counts, first, s + 1);
            for (; first <= s; first++) {
                m->of_steepness[first] = found;
            }
            below = 0;
        }
    }
}

/* Find the largest deviation that is noise by what walks say. */
static void find_level(measuring *m)
{
    for (abut_index e = 0; e < m->deviations.near.edge_count; e++) {
        const edge_measure *edge = &m->deviations.edges[e];
        if (edge_is_in_question(edge) && m->of_steepness[edge->steepness] == MEANS_NOISE) {
            m->level = larger(m->level, edge->deviation);
        }
    }
}

/* Whether the deviation of an edge is noise: by what deviations of its steepness are, or since its
 * triangles are thin and others have as much. */
static bool is_noise(const measuring *m, const edge_measure *edge)
{
    const meaning means = m->of_steepness[edge->steepness];
    if (edge_is_explained(edge)) {
        return false;
    }
    if (((edge->is & EDGE_FLAT) && means == MEANS_NOISE) ||
        ((edge->is & EDGE_TINY) && (means == MEANS_NOISE || means == MEANS_SMALL))) {
        return true;
    }
    return (edge->is & EDGE_THIN) && edge->deviation <= m->level;
}

/* Triangles at edges of these kinds have as much noise as each other. */
static void spread_over(measuring *m, int kinds)
{
    const abut_index sides = 3 * m->deviations.near.triangle_count;
    for (abut_index i = 0; i < sides; i++) {
        edge_measure *edge = deviations_edge(&m->deviations, i);
        if (edge && (edge->is & kinds)) {
            edge->spread = larger(edge->spread, m->of_triangles[i / 3]);
        }
    }
    for (abut_index i = 0; i < sides; i++) {
        const edge_measure *edge = deviations_edge(&m->deviations, i);
        if (edge) {
            m->of_triangles[i / 3] = larger(m->of_triangles[i / 3], edge->spread);
        }
    }
}

/* A triangle has the noise of its edges, and as much as its coplanar neighbors: its own corners may
 * be off by chance in a way that does not show. */
static void spread(measuring *m, double *measured)
{
    const abut_index sides = 3 * m->deviations.near.triangle_count;
    bool is_noisy = false;
    for (abut_index i = 0; i < sides; i++) {
        edge_measure *edge = deviations_edge(&m->deviations, i);
        if (edge && is_noise(m, edge)) {
            m->of_triangles[i / 3] = larger(m->of_triangles[i / 3], edge->deviation);
            edge->is |= EDGE_NOISY;
            is_noisy = true;
        }
    }
    for (int hop = 0; is_noisy && hop < HOPS; hop++) {
        spread_over(m, hop == 0 ? EDGE_COPLANAR | EDGE_NOISY : EDGE_EXPLAINED);
    }
    for (abut_index t = 0; t < m->deviations.near.triangle_count; t++) {
        double *to = &measured[deviations_triangle(&m->deviations, t)->facet];
        *to = larger(*to, NOISES_OF_DEVIATION * m->of_triangles[t]);
    }
}

/* ---- what is told ---- */

static bool is_doubtful(const measuring *m, const edge_measure *edge)
{
    return edge_is_in_question(edge) && m->of_steepness[edge->steepness] != MEANS_SHAPE &&
           !is_noise(m, edge);
}

/* Count the edges of which nothing tells whether they are noise or shape, and find their first
 * facet. */
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
    m->of_triangles =
        memory_alloc_zeroed(m->deviations.near.triangle_count, sizeof *m->of_triangles);
    if (!m->of_triangles) {
        return ABUT_NO_MEMORY;
    }
    find_meanings(m);
    find_level(m);
    spread(m, measured);
    find_doubt(m, doubt);
    memory_free(m->of_triangles);
    return ABUT_OK;
}

abut_status noise_measure(const abut_mesh *mesh, double *measured, abut_noise_doubt *doubt)
{
    measuring m = {.level = 0.0};
    memset(measured, 0, (size_t)mesh->view.facet_count * sizeof *measured);
    *doubt = (abut_noise_doubt){.facet = -1};
    abut_status status = deviations_find(mesh, &m.deviations);
    status = status ? status : measure(&m, measured, doubt);
    deviations_free(&m.deviations);
    return status == ABUT_TOO_MANY_FACETS ? ABUT_OK : status;
}
