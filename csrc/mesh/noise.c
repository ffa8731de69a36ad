/* How far facets are off the planes that they are meant to lie in.
 *
 * Two triangles at an edge have four corners. The least error of corners that puts the four in one
 * plane is their *deviation*: the volume that they span over the areas that they span. If they were
 * meant to lie in one plane, it is a part of their noise; else it is shape. Noise stays the same
 * however far apart the four corners are, and shape does not: along a fold it grows with the
 * distance, along a curved surface with its square. So from triangles whose neighbors are almost
 * coplanar one walks away from each of their edges, and compares the deviations of the corners that
 * are reached with those of the edges that were crossed. What most walks say of deviations of a
 * size, in parts of their triangles', decides; where too few walks arrive, whether small deviations
 * stand apart from larger ones. */
#include "noise.h"

#include <string.h>

#include "../base/memory.h"
#include "neighbors.h"
#include "tolerance.h"

/* A walk arrives after so many heights of its triangle, and goes on to as many as it can of twice
 * as many, over so many edges. */
#define WALK_HEIGHTS 3.0
enum { WALK_EDGES = 64 };

/* Noise grows by no more than this, on nearly every walk; shape on most. */
#define NOISE_GROWTH 2.5

/* A walk across an edge whose deviation is noise meets others: digits explain at most so many of
 * four. Beyond a slight fold they explain all. */
enum { EXPLAINED_OF_FOUR = 3 };

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

/* Triangles from which one walks: so many tell as much as all. */
enum { SAMPLE = 4096 };

/* How far noise spreads over facets whose deviations digits explain: in a grid that is turned about
 * one of its axes some columns in a row may be so by chance, of two facets each. */
enum { HOPS = 8 };

/* What an edge is, all that is so. */
enum {
    EDGE_EXPLAINED = 1, /* digits explain its deviation */
    EDGE_FLAT = 2,      /* its triangles are nearly coplanar */
    EDGE_TINY = 4,      /* its deviation is what coordinates are rounded by in single precision */
    EDGE_THIN = 8,      /* its triangles would be nearly coplanar if they were less thin */
    EDGE_INSIDE = 16,   /* of a polygon, which may be bent */
    EDGE_NOISY = 32,    /* its deviation is noise */
    EDGE_COPLANAR = EDGE_EXPLAINED | EDGE_FLAT | EDGE_TINY
};

/* Steepness is the power of two of a deviation in parts of its triangles' size. */
enum { STEEPNESS_COUNT = 64 };

typedef struct edge_measure {
    double deviation;
    double assumed; /* the larger noise along the normal of its triangles, by their digits */
    double spread;  /* the larger deviation of its triangles that is noise */
    uint8_t is;
    uint8_t steepness; /* STEEPNESS_COUNT - 1: as large as the triangles */
} edge_measure;

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
    const abut_mesh *mesh;
    neighbors near;
    edge_measure *edges;
    double *of_triangles; /* the largest accepted deviation of each */
    abut_index noise[STEEPNESS_COUNT], shape[STEEPNESS_COUNT]; /* what walks said */
    meaning of_steepness[STEEPNESS_COUNT];
    double level; /* the largest deviation that is noise by what walks said */
} measuring;

/* ---- deviations ---- */

static void swap_if_greater(vec3 *a, vec3 *b)
{
    if (vec3_compare(*a, *b) > 0) {
        vec3 c = *a;
        *a = *b;
        *b = c;
    }
}

/* In one order, so that nothing depends on how facets are written down. */
static void sort_four(vec3 p[4])
{
    swap_if_greater(&p[0], &p[1]);
    swap_if_greater(&p[2], &p[3]);
    swap_if_greater(&p[0], &p[2]);
    swap_if_greater(&p[1], &p[3]);
    swap_if_greater(&p[1], &p[2]);
}

/* The least by which some of four points, sorted, have to move so that all are in one plane: moving
 * one by a length changes six times their volume by that times twice the area of the others.
 * What rounding may make of points in one plane is taken off. */
static double deviation_of(const vec3 p[4])
{
    const vec3 a = vec3_sub(p[1], p[0]), b = vec3_sub(p[2], p[0]), c = vec3_sub(p[3], p[0]);
    const vec3 ab = vec3_cross(a, b);
    const double areas = vec3_length(ab) + vec3_length(vec3_cross(a, c)) +
                         vec3_length(vec3_cross(b, c)) +
                         vec3_length(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
    const double rounding = VOLUME_ROUNDING * vec3_length(a) * vec3_length(b) * vec3_length(c);
    const double volume = fabs(vec3_dot(ab, c)) - rounding;
    return volume > 0.0 && areas > 0.0 ? volume / areas : 0.0;
}

static double longest_distance(const vec3 p[4])
{
    double longest = 0.0;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < i; j++) {
            longest = larger(longest, vec3_norm_sq(vec3_sub(p[i], p[j])));
        }
    }
    return sqrt(longest);
}

/* The smaller height of the two triangles over the edge. */
static double least_height(const measuring *m, const neighbor_edge *edge)
{
    const vec3 start = neighbors_point(&m->near, edge->ends[0]);
    const vec3 along = vec3_sub(neighbors_point(&m->near, edge->ends[1]), start);
    double areas[2];
    for (int i = 0; i < 2; i++) {
        const vec3 to = vec3_sub(neighbors_point(&m->near, edge->across[i]), start);
        areas[i] = vec3_length(vec3_cross(along, to));
    }
    const double length = vec3_length(along);
    return length > 0.0 ? (areas[0] < areas[1] ? areas[0] : areas[1]) / length : 0.0;
}

/* The four corners of the triangles at an edge, sorted. */
static void load_four(const measuring *m, const neighbor_edge *edge, vec3 p[4])
{
    for (int i = 0; i < 2; i++) {
        p[i] = neighbors_point(&m->near, edge->ends[i]);
        p[i + 2] = neighbors_point(&m->near, edge->across[i]);
    }
    sort_four(p);
}

/* The largest of their coordinates. */
static double largest_coordinate(const vec3 p[4])
{
    return larger(larger(vec3_max_abs(p[0]), vec3_max_abs(p[1])),
                  larger(vec3_max_abs(p[2]), vec3_max_abs(p[3])));
}

/* The power of two of a part of a whole, as a steepness. */
static uint8_t steepness_of(double part, double whole)
{
    const int power = ilogb(part / whole);
    return (uint8_t)(power > -STEEPNESS_COUNT ? power + STEEPNESS_COUNT - 1 : 0);
}

/* What digits explain is not looked at any closer. */
static void measure_edge(measuring *m, abut_index number)
{
    const neighbor_edge *edge = &m->near.items[number];
    edge_measure *to = &m->edges[number];
    vec3 p[4];
    load_four(m, edge, p);
    to->deviation = deviation_of(p);
    if (to->deviation <= EXPLAINED_NOISES * to->assumed) {
        to->is |= EDGE_EXPLAINED;
        return;
    }
    const double longest = longest_distance(p);
    to->steepness = steepness_of(to->deviation, longest);
    to->is |= to->deviation <= SINGLE_ROUNDING * largest_coordinate(p) ? EDGE_TINY : 0;
    if (to->deviation <= NEARLY_FLAT * longest) {
        to->is |= EDGE_THIN;
        to->is |= to->deviation <= NEARLY_FLAT * least_height(m, edge) ? EDGE_FLAT : 0;
    }
}

static const triangle *triangle_at(const measuring *m, abut_index number)
{
    return &m->mesh->triangles[number];
}

/* Edge `side % 3` of triangle `side / 3`; NULL from a point to itself. */
static edge_measure *edge_of(const measuring *m, abut_index side)
{
    const int32_t number = m->near.edges[side];
    return number >= 0 ? &m->edges[number] : NULL;
}

/* Edges that no two triangles share, or more do, say nothing. */
static void measure_edges(measuring *m)
{
    for (abut_index i = 0; i < 3 * m->near.triangle_count; i++) {
        edge_measure *edge = edge_of(m, i);
        if (edge) {
            const triangle *t = triangle_at(m, i / 3);
            edge->assumed = larger(edge->assumed, t->normal_noise);
            edge->is |= triangle_edge_number(t, (int)(i % 3)) < 0 ? EDGE_INSIDE : 0;
        }
    }
    for (abut_index e = 0; e < m->near.edge_count; e++) {
        if (m->near.items[e].across_count == 2) {
            measure_edge(m, e);
        }
    }
}

/* Whether the edge has a facet on either side. */
static bool joins_facets(const measuring *m, abut_index number)
{
    return m->near.items[number].across_count == 2 && !(m->edges[number].is & EDGE_INSIDE);
}

/* ---- walks ---- */

/* Whether digits, or a polygon's bend, explain the deviation of an edge. */
static bool is_explained(const edge_measure *edge)
{
    return edge->is & (EDGE_EXPLAINED | EDGE_INSIDE);
}

/* Whether the edge is nearly flat, and nothing explains that it is not quite. */
static bool is_in_question(const edge_measure *edge)
{
    return edge && (edge->is & EDGE_COPLANAR) && !is_explained(edge);
}

/* Straight on across an edge, in the plane of the triangle that one comes from. */
typedef struct course {
    int32_t low, high, from; /* the next edge, and the corner of the triangle before it */
    vec3 start, along, out;  /* the first edge's lexicographically smaller end; directions */
    double middle, goal;     /* how far along and out, times the length of these */
} course;

static course set_course(const measuring *m, abut_index number, int side)
{
    const neighbors *near = &m->near;
    const int32_t *corner = near->corners + 3 * number;
    course c = {corner[side], corner[(side + 1) % 3], corner[(side + 2) % 3], .goal = 0.0};
    if (vec3_compare(neighbors_point(near, c.low), neighbors_point(near, c.high)) > 0) {
        c.low = c.high, c.high = corner[side];
    }
    c.start = neighbors_point(near, c.low);
    c.along = vec3_sub(neighbors_point(near, c.high), c.start);
    c.out = vec3_cross(c.along, triangle_at(m, number)->normal);
    const double inside = vec3_dot(c.out, vec3_sub(neighbors_point(near, c.from), c.start));
    c.out = inside > 0.0 ? vec3_scale(c.out, -1.0) : c.out;
    c.goal = WALK_HEIGHTS * fabs(inside);
    c.middle = 0.5 * vec3_norm_sq(c.along);
    return c;
}

/* Go on behind a point: it takes the place of the edge's end on its side. Returns the edge there.
 */
static int32_t pass(const neighbors *near, course *c, int32_t point)
{
    const vec3 to = vec3_sub(neighbors_point(near, point), c->start);
    int32_t *end = vec3_dot(c->along, to) < c->middle ? &c->low : &c->high;
    c->from = *end;
    *end = point;
    return neighbors_edge(near, c->low, c->high);
}

/* The edges that walks have crossed. */
typedef struct crossed_edges {
    int count, explained;
    double largest; /* deviation */
} crossed_edges;

static void cross_edge(crossed_edges *crossed, const edge_measure *edge)
{
    crossed->count++;
    crossed->explained += (edge->is & EDGE_EXPLAINED) != 0;
    crossed->largest = larger(crossed->largest, edge->deviation);
}

/* Whether a walk across an edge arrives, over edges that are nearly flat; then at which point. */
static bool walk(const measuring *m, course c, int32_t edge, int32_t *arrival,
                 crossed_edges *crossed)
{
    double farthest = 0.0;
    for (int step = 0; step < WALK_EDGES && edge >= 0; step++) {
        if (!(m->edges[edge].is & EDGE_COPLANAR) || farthest >= 2.0 * c.goal) {
            break;
        }
        const int32_t *across = m->near.items[edge].across;
        const int32_t next = across[0] == c.from ? across[1] : across[0];
        const double far = vec3_dot(c.out, vec3_sub(neighbors_point(&m->near, next), c.start));
        cross_edge(crossed, &m->edges[edge]);
        if (far > farthest) {
            farthest = far, *arrival = next;
        }
        edge = pass(&m->near, &c, next);
    }
    return farthest > 0.0 && farthest >= c.goal;
}

/* The same the other way, through the triangle. */
static bool walk_back(const measuring *m, course c, int32_t *arrival, crossed_edges *crossed)
{
    c.out = vec3_scale(c.out, -1.0);
    return walk(m, c, pass(&m->near, &c, c.from), arrival, crossed);
}

/* The largest deviation of four of so many points, at most six. */
static double largest_deviation(const vec3 *points, int count)
{
    double largest = 0.0;
    for (int set = 0; set < 1 << count; set++) {
        vec3 p[4];
        int chosen = 0;
        for (int i = 0; i < count && chosen <= 4; i++) {
            if (set >> i & 1) {
                p[chosen < 4 ? chosen : 0] = points[i];
                chosen++;
            }
        }
        if (chosen == 4) {
            sort_four(p);
            largest = larger(largest, deviation_of(p));
        }
    }
    return largest;
}

/* What walks from a triangle have found. */
typedef struct findings {
    vec3 points[6]; /* its corners, and where walks arrived */
    int count;
    int steepness;  /* of its edges in question, the largest */
    int across;     /* walks that arrived, across edges in question */
    double crossed; /* largest deviation of edges that were crossed, or are in question */
    double reached; /* of points where walks to either side arrived, with the edge between */
    bool is_exact;  /* a walk came to where digits explain all */
} findings;

/* Both ways straight across a side. */
static void explore(const measuring *m, abut_index number, int side, findings *f)
{
    const course c = set_course(m, number, side);
    const edge_measure *edge = edge_of(m, 3 * number + side);
    const bool is_asked = is_in_question(edge);
    crossed_edges crossed = {.count = 0}, back = {.count = 0};
    int32_t arrival = -1, behind = -1;
    if (walk(m, c, m->near.edges[3 * number + side], &arrival, &crossed)) {
        f->points[f->count++] = neighbors_point(&m->near, arrival);
        f->across += is_asked;
        /* rounding may leave whole rows of a grid in one plane */
        f->is_exact |= is_asked && !((edge->is & EDGE_TINY) && (edge->is & EDGE_FLAT)) &&
                       4 * crossed.explained > EXPLAINED_OF_FOUR * crossed.count;
        if (walk_back(m, c, &behind, &back)) {
            vec3 p[4] = {c.start, neighbors_point(&m->near, c.high),
                         neighbors_point(&m->near, arrival), neighbors_point(&m->near, behind)};
            sort_four(p);
            f->reached = larger(f->reached, deviation_of(p));
        }
    }
    f->crossed = larger(f->crossed, larger(crossed.largest, back.largest));
    if (is_asked) {
        f->crossed = larger(f->crossed, edge->deviation);
        f->steepness = edge->steepness > f->steepness ? edge->steepness : f->steepness;
    }
}

/* Count what walks from the triangle say; nothing where fewer than two arrive, or none across an
 * edge in question. */
static void judge_triangle(measuring *m, abut_index number)
{
    findings f = {.count = 3};
    for (int k = 0; k < 3; k++) {
        f.points[k] = neighbors_point(&m->near, m->near.corners[3 * number + k]);
    }
    for (int k = 0; k < 3; k++) {
        explore(m, number, k, &f);
    }
    if (f.count >= 5 && f.across > 0) {
        const double reached = larger(f.reached, largest_deviation(f.points, f.count));
        bool grows = reached > NOISE_GROWTH * f.crossed;
        (f.is_exact || grows ? m->shape : m->noise)[f.steepness]++;
    }
}

static bool triangle_in_question(const measuring *m, abut_index number)
{
    return is_in_question(edge_of(m, 3 * number)) || is_in_question(edge_of(m, 3 * number + 1)) ||
           is_in_question(edge_of(m, 3 * number + 2));
}

/* A part of the triangles that depends on their corners alone. */
static void judge_sample(measuring *m)
{
    abut_index count = 0;
    for (abut_index t = 0; t < m->near.triangle_count; t++) {
        count += triangle_in_question(m, t);
    }
    uint64_t mask = 0;
    while (count >> 1 > SAMPLE) {
        count >>= 1, mask = 2 * mask + 1;
    }
    for (abut_index t = 0; t < m->near.triangle_count; t++) {
        if (triangle_in_question(m, t) && !(neighbors_hash(&m->near, t) & mask)) {
            judge_triangle(m, t);
        }
    }
}

/* ---- noise and shape ---- */

static steepness_counts count_edges(const measuring *m)
{
    steepness_counts counts = {.sum = 0};
    for (abut_index e = 0; e < m->near.edge_count; e++) {
        const edge_measure *edge = &m->edges[e];
        if (joins_facets(m, e) && !(edge->is & EDGE_EXPLAINED)) {
            counts.all[edge->steepness]++;
            counts.tiny[edge->steepness] += (edge->is & EDGE_TINY) != 0;
            counts.flat[edge->steepness] += is_in_question(edge);
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
static int find_noise_end(const measuring *m, const steepness_counts *counts)
{
    abut_index sum = 0, best = ENOUGH_WALKS - 1, below = 0;
    int end = 0;
    for (int s = 0; s < STEEPNESS_COUNT; s++) {
        sum += m->noise[s] - NOISE_TO_SHAPE * m->shape[s];
        below += counts->all[s];
        if (sum > best && is_gap(counts, s + 1, below)) {
            best = sum, end = s + 1;
        }
    }
    return end;
}

/* Beyond noise shape begins where enough walks say so. */
static int find_shape_begin(const measuring *m, int noise_end)
{
    abut_index sum = 0;
    for (int s = noise_end; s < STEEPNESS_COUNT; s++) {
        sum += m->noise[s] - NOISE_TO_SHAPE * m->shape[s];
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

static void find_meanings(measuring *m)
{
    const steepness_counts counts = count_edges(m);
    const int noise_end = find_noise_end(m, &counts);
    const int shape_begin = find_shape_begin(m, noise_end);
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

static void find_level(measuring *m)
{
    for (abut_index e = 0; e < m->near.edge_count; e++) {
        const edge_measure *edge = &m->edges[e];
        if (is_in_question(edge) && m->of_steepness[edge->steepness] == MEANS_NOISE) {
            m->level = larger(m->level, edge->deviation);
        }
    }
}

static bool is_noise(const measuring *m, const edge_measure *edge)
{
    const meaning means = m->of_steepness[edge->steepness];
    if (is_explained(edge)) {
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
    const abut_index sides = 3 * m->near.triangle_count;
    for (abut_index i = 0; i < sides; i++) {
        edge_measure *edge = edge_of(m, i);
        if (edge && (edge->is & kinds)) {
            edge->spread = larger(edge->spread, m->of_triangles[i / 3]);
        }
    }
    for (abut_index i = 0; i < sides; i++) {
        const edge_measure *edge = edge_of(m, i);
        if (edge) {
            m->of_triangles[i / 3] = larger(m->of_triangles[i / 3], edge->spread);
        }
    }
}

/* A triangle has the noise of its edges, and as much as its coplanar neighbors: its own corners may
 * be off by chance in a way that does not show. */
static void spread(measuring *m, double *measured)
{
    const abut_index sides = 3 * m->near.triangle_count;
    bool is_noisy = false;
    for (abut_index i = 0; i < sides; i++) {
        edge_measure *edge = edge_of(m, i);
        if (edge && is_noise(m, edge)) {
            m->of_triangles[i / 3] = larger(m->of_triangles[i / 3], edge->deviation);
            edge->is |= EDGE_NOISY;
            is_noisy = true;
        }
    }
    for (int hop = 0; is_noisy && hop < HOPS; hop++) {
        spread_over(m, hop == 0 ? EDGE_COPLANAR | EDGE_NOISY : EDGE_EXPLAINED);
    }
    for (abut_index t = 0; t < m->near.triangle_count; t++) {
        double *to = &measured[triangle_at(m, t)->facet];
        *to = larger(*to, NOISES_OF_DEVIATION * m->of_triangles[t]);
    }
}

/* ---- what is told ---- */

static bool is_doubtful(const measuring *m, const edge_measure *edge)
{
    return is_in_question(edge) && m->of_steepness[edge->steepness] != MEANS_SHAPE &&
           !is_noise(m, edge);
}

static void find_doubt(const measuring *m, abut_noise_doubt *doubt)
{
    *doubt = (abut_noise_doubt){.facet = -1};
    for (abut_index e = 0; e < m->near.edge_count; e++) {
        doubt->neighbor_count += joins_facets(m, e);
        if (is_doubtful(m, &m->edges[e])) {
            doubt->count++;
            doubt->noise = larger(doubt->noise, NOISES_OF_DEVIATION * m->edges[e].deviation);
        }
    }
    for (abut_index i = 0; doubt->count > 0 && doubt->facet < 0; i++) {
        const edge_measure *edge = edge_of(m, i);
        if (edge && is_doubtful(m, edge)) {
            doubt->facet = triangle_at(m, i / 3)->facet;
        }
    }
}

/* The edges and their deviations. */
static abut_status begin(measuring *m, const abut_mesh *mesh)
{
    m->mesh = mesh;
    if (neighbors_find(mesh, &m->near)) {
        return ABUT_NO_MEMORY;
    }
    m->edges = memory_alloc_zeroed(m->near.edge_count, sizeof *m->edges);
    if (!m->edges) {
        return ABUT_NO_MEMORY;
    }
    measure_edges(m);
    return ABUT_OK;
}

static void end(measuring *m)
{
    neighbors_free(&m->near);
    memory_free(m->edges);
    memory_free(m->of_triangles);
}

static bool is_too_large(const abut_mesh *mesh)
{
    return mesh->fans[mesh->view.facet_count] > NEIGHBORS_LIMIT ||
           mesh->view.vertex_count > INT32_MAX;
}

static abut_status measure(measuring *m, const abut_mesh *mesh, double *measured,
                           abut_noise_doubt *doubt)
{
    if (begin(m, mesh)) {
        return ABUT_NO_MEMORY;
    }
    m->of_triangles = memory_alloc_zeroed(m->near.triangle_count, sizeof *m->of_triangles);
    if (!m->of_triangles) {
        return ABUT_NO_MEMORY;
    }
    judge_sample(m);
    find_meanings(m);
    find_level(m);
    spread(m, measured);
    find_doubt(m, doubt);
    return ABUT_OK;
}

abut_status noise_measure(const abut_mesh *mesh, double *measured, abut_noise_doubt *doubt)
{
    measuring m = {.level = 0.0};
    memset(measured, 0, (size_t)mesh->view.facet_count * sizeof *measured);
    *doubt = (abut_noise_doubt){.facet = -1};
    abut_status status = is_too_large(mesh) ? ABUT_OK : measure(&m, mesh, measured, doubt);
    end(&m);
    return status;
}

/* The place of a deviation among the counts of abut_mesh_deviations. */
static int decade_of(const measuring *m, abut_index number)
{
    vec3 p[4];
    load_four(m, &m->near.items[number], p);
    const double part = m->edges[number].deviation / largest_coordinate(p);
    const double decade = part > 0.0 ? -ceil(log10(part)) : ABUT_DEVIATION_COUNT;
    return decade < ABUT_DEVIATION_COUNT - 1 ? (int)larger(decade, 0.0) : ABUT_DEVIATION_COUNT - 1;
}

abut_status abut_mesh_deviations(const abut_mesh *mesh, abut_index counts[ABUT_DEVIATION_COUNT])
{
    measuring m = {.level = 0.0};
    memset(counts, 0, ABUT_DEVIATION_COUNT * sizeof *counts);
    abut_status status = is_too_large(mesh) ? ABUT_TOO_MANY_FACETS : begin(&m, mesh);
    for (abut_index e = 0; !status && e < m.near.edge_count; e++) {
        if (joins_facets(&m, e)) {
            counts[decade_of(&m, e)]++;
        }
    }
    end(&m);
    return status;
}
