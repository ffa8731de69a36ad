/* Walks over nearly coplanar triangles, which separate noise from shape.
 *
 * If four corners should lie in one plane, their deviation is part of their noise; otherwise it is
 * shape. Noise does not depend on the distance between the corners. Shape grows with it: linearly
 * along a fold, with its square along a curved surface. So walks lead away from each edge of a
 * triangle with almost coplanar neighbors. They compare the deviations of the corners that they
 * reach with those of the edges that they crossed. */
#include "walks.h"

#include "tolerance.h"

/* A walk arrives once it is WALK_HEIGHTS heights of its first triangle away. It continues up to
 * twice as far, over at most WALK_EDGES edges. */
#define WALK_HEIGHTS 3.0
enum { WALK_EDGES = 64 };

/* On nearly all walks over noise, deviations grow by at most this factor. On most walks over shape,
 * they grow by more. */
#define NOISE_GROWTH 2.5

/* A walk over noise crosses other noisy edges. The rounding of digits explains at most this many
 * deviations in four. Behind a slight fold between exact facets, it explains all deviations. */
enum { EXPLAINED_OF_FOUR = 3 };

/* Walks start from a sample of at most about twice this many triangles: enough to decide. */
enum { SAMPLE = 4096 };

/* The state of a walk, straight across an edge in the plane of the triangle before it. */
typedef struct course {
    int32_t low, high, from; /* the next edge's ends; third corner of the triangle before */
    vec3 start, along, out;  /* the first edge's lexicographically smaller end; directions along and
                                across it */
    double middle, goal; /* the position of the first edge's middle, times the length of `along`;
                            the distance that the walk must reach, times the length of `out` */
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

/* Walks into the triangle behind the edge, with the third corner `point`. This corner replaces the
 * end of the edge that is on its side. Returns the number of the next edge, or -1. */
static int32_t pass(const neighbors *near, course *c, int32_t point)
{
    const vec3 to = vec3_sub(neighbors_point(near, point), c->start);
    int32_t *end = vec3_dot(c->along, to) < c->middle ? &c->low : &c->high;
    c->from = *end;
    *end = point;
    return neighbors_edge(near, c->low, c->high);
}

/* The edges that a walk has crossed. */
typedef struct crossed_edges {
    int count, explained; /* explained: by digits (EDGE_EXPLAINED) */
    double largest;       /* the largest deviation of a crossed edge */
} crossed_edges;

static void cross_edge(crossed_edges *crossed, const edge_measure *edge)
{
    crossed->count++;
    crossed->explained += (edge->flags & EDGE_EXPLAINED) != 0;
    crossed->largest = larger(crossed->largest, edge->deviation);
}

/* Walks across an edge, over edges that are nearly flat. Returns whether the walk arrives, and sets
 * the farthest point that it reached. */
static bool walk(const deviations *d, course c, int32_t edge, int32_t *arrival,
                 crossed_edges *crossed)
{
    double farthest = 0.0;
    for (int step = 0; step < WALK_EDGES && edge >= 0; step++) {
        if (!(d->edges[edge].flags & EDGE_COPLANAR) || farthest >= 2.0 * c.goal) {
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

/* Walks in the opposite direction, back through the triangle. */
static bool walk_back(const deviations *d, course c, int32_t *arrival, crossed_edges *crossed)
{
    c.out = vec3_scale(c.out, -1.0);
    return walk(d, c, pass(&d->near, &c, c.from), arrival, crossed);
}

/* The largest deviation of any four of the points, which are at most six. */
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

/* The findings of the walks from a triangle. An edge is open if edge_is_in_question. */
typedef struct findings {
    vec3 points[6]; /* the triangle's corners, and the points where walks arrived */
    int count;
    int steepness;  /* the largest steepness of its open edges */
    int across;     /* number of walks across open edges that arrived */
    double crossed; /* the largest deviation of crossed or open edges */
    double reached; /* the largest deviation of an edge's ends and the points where walks in both
                       directions from it arrived */
    bool is_exact;  /* the deviations of edges on a walk are mostly explained by digits */
} findings;

/* Walks straight across a side of the triangle and, if that arrives, back through the triangle. */
static void explore(const deviations *d, abut_index number, int side, findings *f)
{
    const course c = set_course(d, number, side);
    const edge_measure *edge = deviations_edge(d, 3 * number + side);
    const bool in_question = edge_is_in_question(edge);
    crossed_edges crossed = {.count = 0}, back = {.count = 0};
    int32_t arrival = -1, behind = -1;
    if (walk(d, c, d->near.edges[3 * number + side], &arrival, &crossed)) {
        f->points[f->count++] = neighbors_point(&d->near, arrival);
        f->across += in_question;
        /* tiny flat edges prove nothing: rounding may leave whole rows of a grid in one plane */
        f->is_exact |= in_question && !((edge->flags & EDGE_TINY) && (edge->flags & EDGE_FLAT)) &&
                       4 * crossed.explained > EXPLAINED_OF_FOUR * crossed.count;
        if (walk_back(d, c, &behind, &back)) {
            vec3 p[4] = {c.start, neighbors_point(&d->near, c.high),
                         neighbors_point(&d->near, arrival), neighbors_point(&d->near, behind)};
            f->reached = larger(f->reached, deviations_of_four(p));
        }
    }
    f->crossed = larger(f->crossed, larger(crossed.largest, back.largest));
    if (in_question) {
        f->crossed = larger(f->crossed, edge->deviation);
        f->steepness = edge->steepness > f->steepness ? edge->steepness : f->steepness;
    }
}

/* Counts the vote of a triangle's walks. There is none if fewer than two walks arrive, or if none
 * arrives across an edge in question (edge_is_in_question). */
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

/* Counts the votes of a sample of triangles, which depends only on the places of corners. */
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
