/* What walks over nearly coplanar triangles say of their deviations.
 *
 * If four corners were meant to lie in one plane, their deviation is a part of their noise; else it
 * is shape. Noise stays the same however far apart the corners are, and shape does not: along a
 * fold it grows with the distance, along a curved surface with its square. So from triangles whose
 * neighbors are almost coplanar one walks away from each of their edges, and compares the
 * deviations of the corners that are reached with those of the edges that were crossed. */
#include "walks.h"

#include "tolerance.h"

/* A walk arrives where it is so many heights of its first triangle away. It goes on from there, up
 * to twice as far, and crosses no more than so many edges. */
#define WALK_HEIGHTS 3.0
enum { WALK_EDGES = 64 };

/* Noise grows by no more than this, on nearly every walk; shape on most. */
#define NOISE_GROWTH 2.5

/* A walk across an edge whose deviation is noise meets others: digits explain at most so many of
 * four. Beyond a slight fold they explain all. */
enum { EXPLAINED_OF_FOUR = 3 };

/* Triangles from which one walks: so many tell as much as all. */
enum { SAMPLE = 4096 };

/* Straight on across an edge, in the plane of the triangle that one comes from. */
typedef struct course {
    int32_t low, high, from; /* the next edge, and the corner of the triangle before it */
    vec3 start, along, out;  /* the first edge's lexicographically smaller end; directions */
    double middle, goal;     /* how far along and out, times the length of these */
} course;

static course set_course(const deviations *d, abut_index number, int side)
{
    const neighbors *near = &d->near;
    const int32_t *corner = near->corners + 3 * number;
    course c = {corner[side], corner[(side + 1) % 3], corner[(side + 2) % 3], .goal = 0.0};
    if (vec3_compare(neighbors_point(near, c.low), neighbors_point(near, c.high)) > 0) {
        c.low = c.high, c.high = corner[side];
    }
    c.start = neighbors_point(near, c.low);
    c.along = vec3_sub(neighbors_point(near, c.high), c.start);
    c.out = vec3_cross(c.along, deviations_triangle(d, number)->normal);
    const double inside = vec3_dot(c.out, vec3_sub(neighbors_point(near, c.from), c.start));
    c.out = inside > 0.0 ? vec3_scale(c.out, -1.0) : c.out;
    c.goal = WALK_HEIGHTS * fabs(inside);
    c.middle = 0.5 * vec3_norm_sq(c.along);
    return c;
}

/* Walk into the triangle behind the edge, whose third corner is `point`: it takes the place of that
 * end of the edge which is on its side. Returns the edge that is ahead then. */
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
static bool walk(const deviations *d, course c, int32_t edge, int32_t *arrival,
                 crossed_edges *crossed)
{
    double farthest = 0.0;
    for (int step = 0; step < WALK_EDGES && edge >= 0; step++) {
        if (!(d->edges[edge].is & EDGE_COPLANAR) || farthest >= 2.0 * c.goal) {
            break;
        }
        const int32_t *across = d->near.items[edge].across;
        const int32_t next = across[0] == c.from ? across[1] : across[0];
        const double far = vec3_dot(c.out, vec3_sub(neighbors_point(&d->near, next), c.start));
        cross_edge(crossed, &d->edges[edge]);
        if (far > farthest) {
            farthest = far, *arrival = next;
        }
        edge = pass(&d->near, &c, next);
    }
    return farthest > 0.0 && farthest >= c.goal;
}

/* Walk the other way, back through the triangle. */
static bool walk_back(const deviations *d, course c, int32_t *arrival, crossed_edges *crossed)
{
    c.out = vec3_scale(c.out, -1.0);
    return walk(d, c, pass(&d->near, &c, c.from), arrival, crossed);
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
            largest = larger(largest, deviations_of_four(p));
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

/* Walk straight across a side of the triangle and, where that arrives, back through it, and note
 * what was found. */
static void explore(const deviations *d, abut_index number, int side, findings *f)
{
    const course c = set_course(d, number, side);
    const edge_measure *edge = deviations_edge(d, 3 * number + side);
    const bool is_asked = edge_is_in_question(edge);
    crossed_edges crossed = {.count = 0}, back = {.count = 0};
    int32_t arrival = -1, behind = -1;
    if (walk(d, c, d->near.edges[3 * number + side], &arrival, &crossed)) {
        f->points[f->count++] = neighbors_point(&d->near, arrival);
        f->across += is_asked;
        /* rounding may leave whole rows of a grid in one plane */
        f->is_exact |= is_asked && !((edge->is & EDGE_TINY) && (edge->is & EDGE_FLAT)) &&
                       4 * crossed.explained > EXPLAINED_OF_FOUR * crossed.count;
        if (walk_back(d, c, &behind, &back)) {
            vec3 p[4] = {c.start, neighbors_point(&d->near, c.high),
                         neighbors_point(&d->near, arrival), neighbors_point(&d->near, behind)};
            f->reached = larger(f->reached, deviations_of_four(p));
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
static void judge_triangle(const deviations *d, abut_index number, walk_votes *votes)
{
    findings f = {.count = 3};
    for (int k = 0; k < 3; k++) {
        f.points[k] = neighbors_point(&d->near, d->near.corners[3 * number + k]);
    }
    for (int k = 0; k < 3; k++) {
        explore(d, number, k, &f);
    }
    if (f.count >= 5 && f.across > 0) {
        const double reached = larger(f.reached, largest_deviation(f.points, f.count));
        bool grows = reached > NOISE_GROWTH * f.crossed;
        (f.is_exact || grows ? votes->shape : votes->noise)[f.steepness]++;
    }
}

static bool triangle_in_question(const deviations *d, abut_index number)
{
    return edge_is_in_question(deviations_edge(d, 3 * number)) ||
           edge_is_in_question(deviations_edge(d, 3 * number + 1)) ||
           edge_is_in_question(deviations_edge(d, 3 * number + 2));
}

/* Let some of many triangles be judged; which ones depends on where their corners are alone. */
walk_votes walks_judge(const deviations *d)
{
    walk_votes votes = {.noise = {0}};
    abut_index count = 0;
    for (abut_index t = 0; t < d->near.triangle_count; t++) {
        count += triangle_in_question(d, t);
    }
    uint64_t mask = 0;
    while (count >> 1 > SAMPLE) {
        count >>= 1, mask = 2 * mask + 1;
    }
    for (abut_index t = 0; t < d->near.triangle_count; t++) {
        if (triangle_in_question(d, t) && !(neighbors_hash(&d->near, t) & mask)) {
            judge_triangle(d, t, &votes);
        }
    }
    return votes;
}
