/* One facet: its shape, its fan of triangles, and the point that was found closest on one.
 *
 * What a facet computes does not depend on how it is written down: its fan starts at its
 * lexicographically smallest corner, and an edge is evaluated from its lexicographically smaller
 * end, so both facets at it find the same point. */
#ifndef MESH_FACET_H
#define MESH_FACET_H

#include "../abut/contacts.h"
#include "../abut/mesh.h"
#include "../base/vec3.h"

/* The corners of a facet, where they stand in the mesh. */
typedef struct polygon {
    const double *vertices;
    const abut_index *indices;
    abut_index count;
} polygon;

static inline vec3 polygon_corner(const polygon *p, abut_index i)
{
    return vec3_load(p->vertices + 3 * p->indices[i]);
}

/* What the corners say of the facet as a whole. */
typedef struct facet_shape {
    vec3 normal; /* Newell's, unit; 0 where the area is */
    double area;
    double
        diagonal; /* the longest distance of two corners; beyond 32 corners, of 32 of them to any */
    double off_plane; /* the largest distance of a corner from the plane of the mean corner and the
                         normal */
    abut_index off_plane_corner;
    abut_index start; /* the lexicographically smallest corner */
} facet_shape;

facet_shape facet_measure(const polygon *p);

/* ABUT_OK, ABUT_FACET_ZERO_AREA, _NOT_CONVEX or _NOT_PLANAR, with detail and value.
 * `noise`: of its coordinates. */
abut_status facet_check(const polygon *p, const facet_shape *shape, double noise,
                        abut_error *error);

/* How far rounding may have moved a straight corner inside of its neighbors' chord. */
double facet_reflex_limit(const polygon *p, double noise);

/* Whether rounding may have made the polygon cross itself. */
bool facet_is_thin(const polygon *p, const facet_shape *shape, double noise);

/* Set flat[i] to 1 for the corners that lie on their neighbors' chord to within noise, or inside of
 * it; at least three stay 0. Returns how many are not flat. */
abut_index facet_mark_flat(const polygon *p, const facet_shape *shape, double noise, uint8_t *flat);

/* Whether the polygon acts as its fan because it is off its plane by more than noise. */
bool facet_is_bent(const polygon *p, const facet_shape *shape, double noise);

/* An edge of a triangle that is no edge of its facet. */
enum { EDGE_DIAGONAL = -1, EDGE_IGNORED = -2 };

/* What a triangle is marked with. Only edges 0 and 2, which meet in the fan's start, may be other
 * than an edge of the facet. */
enum {
    MARK_INSIDE = 1, /* has a normal, and so an inside */
    MARK_EDGE_0_DIAGONAL = 2,
    MARK_EDGE_0_IGNORED = 4,
    MARK_EDGE_2_DIAGONAL = 8,
    MARK_EDGE_2_IGNORED = 16,
    MARK_EDGE_1_FROM_END = 32,   /* is evaluated from its end, the lexicographically smaller one */
    MARK_EDGE_2_FROM_START = 64, /* from its start: corners 0 and 2 coincide */
    MARK_THIRD_IS_FIRST = 128    /* corner 2 is the facet's corner 0 */
};

/* One triangle of a facet's fan, corners in the facet's sense of rotation. 128 bytes: kernels read
 * it as 16 doubles. */
typedef struct triangle {
    vec3 corner[3];             /* the first is the fan's start, the lexicographically smallest */
    vec3 normal;                /* unit; 0 where the triangle is too flat to have an inside */
    double noise, normal_noise; /* of the facet: eps and eps_n of docs/method.md, section 3 */
    int32_t facet;
    int32_t start;  /* the facet's number of corner 0 */
    int32_t second; /* and of corner 1; corner 2 is the next */
    uint32_t marks;
} triangle;

/* The vector from corner k to the next. */
static inline vec3 triangle_edge(const triangle *t, int k)
{
    return vec3_sub(t->corner[(k + 1) % 3], t->corner[k]);
}

static inline double triangle_edge_sq(const triangle *t, int k)
{
    return vec3_norm_sq(triangle_edge(t, k));
}

static inline double triangle_area(const triangle *t)
{
    return 0.5 * sqrt(vec3_norm_sq(vec3_cross(triangle_edge(t, 0), triangle_edge(t, 1))));
}

static inline int triangle_longest_edge(const triangle *t)
{
    int longest = triangle_edge_sq(t, 1) > triangle_edge_sq(t, 0) ? 1 : 0;
    return triangle_edge_sq(t, 2) > triangle_edge_sq(t, longest) ? 2 : longest;
}

/* The facet's number of corner k. */
static inline int32_t triangle_corner_number(const triangle *t, int k)
{
    if (k == 2) {
        return t->marks & MARK_THIRD_IS_FIRST ? 0 : t->second + 1;
    }
    return k == 0 ? t->start : t->second;
}

/* The facet's number of the edge from corner k to the next, or EDGE_DIAGONAL, EDGE_IGNORED. */
static inline int32_t triangle_edge_number(const triangle *t, int k)
{
    static const uint32_t diagonal[3] = {MARK_EDGE_0_DIAGONAL, 0, MARK_EDGE_2_DIAGONAL};
    static const uint32_t ignored[3] = {MARK_EDGE_0_IGNORED, 0, MARK_EDGE_2_IGNORED};
    if (t->marks & diagonal[k]) {
        return EDGE_DIAGONAL;
    }
    return t->marks & ignored[k] ? EDGE_IGNORED : triangle_corner_number(t, k);
}

/* Whether edge k is evaluated from its end. */
static inline bool triangle_edge_from_end(const triangle *t, int k)
{
    static const uint32_t marks[3] = {0, MARK_EDGE_1_FROM_END, MARK_EDGE_2_FROM_START};
    return k == 2 ? !(t->marks & marks[2]) : (t->marks & marks[k]) != 0;
}

/* Fill triangles[count - 2] with the fan of a facet, of which `common` says what is the same for
 * all of them: the facet's number, normal and noise. */
void facet_fan(const polygon *p, const facet_shape *shape, const uint8_t *flat,
               const triangle *common, triangle *triangles);

/* The point of a triangle that is closest to a center. */
typedef struct closest {
    vec3 offset;        /* center - point, the paper's contact vector V */
    double distance_sq; /* infinite: farther than the plane's distance allows, or left to the
                           neighbor triangle */
    double along; /* EDGE: 0 ... 1 from the edge's lexicographically smaller end to the other */
    abut_type type;
    int32_t local; /* the triangle's number of the edge or the corner */
} closest;

/* The contact point: on the facet's plane to within its own coordinates' rounding even where the
 * sphere is far larger; along the plane, and so past the border, as far as the center's rounds. */
vec3 triangle_point(const triangle *t, const closest *c, vec3 center);

/* EDGE: how far along edge k the point closest to a center is, 0 ... 1 from the edge's
 * lexicographically smaller end to the other. */
double triangle_along(const triangle *t, int k, vec3 center);

/* The facet's number of the edge or corner; 0 for FACET. */
int32_t triangle_feature(const triangle *t, const closest *c);

#endif
