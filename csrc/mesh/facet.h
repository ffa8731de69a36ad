/* One facet: its shape, its fan of triangles, and the closest point on a triangle.
 *
 * Results do not depend on the order of a facet's corners. Its fan starts at the lexicographically
 * smallest corner. An edge is evaluated from its lexicographically smaller end, so that both facets
 * at the edge find the same point. */
#ifndef MESH_FACET_H
#define MESH_FACET_H

#include "../abut/contacts.h"
#include "../abut/mesh.h"
#include "../base/vec3.h"

/* The corners of a facet: numbers of vertices in the mesh. */
typedef struct polygon {
    const double *vertices;
    const abut_index *indices;
    abut_index count;
} polygon;

static inline vec3 polygon_corner(const polygon *p, abut_index i)
{
    return vec3_load(p->vertices + 3 * p->indices[i]);
}

/* Properties of a facet as a whole. */
typedef struct facet_shape {
    vec3 normal; /* Newell's, of unit length; 0 if the area is 0 */
    double area;
    double diagonal; /* the longest distance between two corners; with more than 32 corners, between
                        any corner and one of up to 32 of them */
    double off_plane; /* the largest distance of a corner from the mean plane */
    abut_index off_plane_corner;
    abut_index start; /* the lexicographically smallest corner */
} facet_shape;

facet_shape facet_measure(const polygon *p);

/* Returns ABUT_OK, ABUT_FACET_ZERO_AREA, _NOT_CONVEX or _NOT_PLANAR, with the error's detail and
 * value. `noise` is the noise of the coordinates. */
abut_status facet_check(const polygon *p, const facet_shape *shape, double noise,
                        abut_error *error);

/* The largest distance by which rounding may move a straight corner inside its neighbors' chord. */
double facet_reflex_limit(const polygon *p, double noise);

/* Whether the polygon is so thin that rounding may have made it cross itself. */
bool facet_is_thin(const polygon *p, const facet_shape *shape, double noise);

/* Sets flat[i] to 1 if corner i is flat: it lies on, or inside, the chord of its neighbors to
 * within noise. At least three entries are 0. Returns the number of corners that are not flat. */
abut_index facet_mark_flat(const polygon *p, const facet_shape *shape, double noise, uint8_t *flat);

/* Whether a corner is off the plane by more than noise. The polygon then acts as its triangles. */
bool facet_is_bent(const polygon *p, const facet_shape *shape, double noise);

/* Two values that replace the number of an edge that is no edge of the facet: EDGE_DIAGONAL for a
 * diagonal of the facet, EDGE_IGNORED for a diagonal on its border (fan_limit in facet.c). */
enum { EDGE_DIAGONAL = -1, EDGE_IGNORED = -2 };

/* Bits of triangle.marks. Only edges 0 and 2, which meet in the fan's start, may be diagonals. */
enum {
    MARK_INSIDE = 1, /* the triangle has a normal, so that points may lie inside */
    MARK_EDGE_0_DIAGONAL = 2,
    MARK_EDGE_0_IGNORED = 4,
    MARK_EDGE_2_DIAGONAL = 8,
    MARK_EDGE_2_IGNORED = 16,
    MARK_EDGE_1_FROM_END = 32,   /* edge 1 ends at its lexicographically smaller corner */
    MARK_EDGE_2_FROM_START = 64, /* edge 2 is evaluated from its start: corners 0 and 2 coincide */
    MARK_THIRD_IS_FIRST = 128    /* corner 2 is the facet's corner 0 */
};

/* One triangle of a facet's fan, in the facet's order. Kernels read its 128 bytes as 16 doubles. */
typedef struct triangle {
    vec3 corner[3];             /* the first is the fan's start */
    vec3 normal;                /* of unit length; 0 if the triangle is too flat to have one */
    double noise, normal_noise; /* eps and eps_n of the facet (docs/method.md, section 3) */
    int32_t facet;
    int32_t start;  /* number of corner 0 in the facet */
    int32_t second; /* number of corner 1 in the facet; corner 2 is the next corner */
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

/* The number of corner k in the facet. */
static inline int32_t triangle_corner_number(const triangle *t, int k)
{
    if (k == 2) {
        return t->marks & MARK_THIRD_IS_FIRST ? 0 : t->second + 1;
    }
    return k == 0 ? t->start : t->second;
}

/* The number in the facet of the edge from corner k to the next, or EDGE_DIAGONAL or
 * EDGE_IGNORED. */
static inline int32_t triangle_edge_number(const triangle *t, int k)
{
    static const uint32_t diagonal[3] = {MARK_EDGE_0_DIAGONAL, 0, MARK_EDGE_2_DIAGONAL};
    static const uint32_t ignored[3] = {MARK_EDGE_0_IGNORED, 0, MARK_EDGE_2_IGNORED};
    if (t->marks & diagonal[k]) {
        return EDGE_DIAGONAL;
    }
    return t->marks & ignored[k] ? EDGE_IGNORED : triangle_corner_number(t, k);
}

/* Whether edge k is evaluated from its end, the lexicographically smaller corner. */
static inline bool triangle_edge_from_end(const triangle *t, int k)
{
    static const uint32_t marks[3] = {0, MARK_EDGE_1_FROM_END, MARK_EDGE_2_FROM_START};
    return k == 2 ? !(t->marks & marks[2]) : (t->marks & marks[k]) != 0;
}

/* Fills triangles[count - 2] with the fan of a facet. `common` has the fields that all of them
 * share: the facet's number and noises. */
void facet_fan(const polygon *p, const facet_shape *shape, const uint8_t *flat,
               const triangle *common, triangle *triangles);

/* The point of a triangle that is closest to a center. */
typedef struct closest {
    vec3 offset;  /* center - point: the contact vector V of docs/method.md */
    double along; /* on an edge: 0 ... 1 from its lexicographically smaller end */
    abut_type type;
    int32_t local; /* number of the edge or corner in the triangle */
} closest;

/* The contact point. Its error across the facet's plane is at most the rounding of the facet's own
 * coordinates, even if the sphere is far larger. Its error along the plane may be the rounding of
 * the center, so that it may lie past the border. */
vec3 triangle_point(const triangle *t, const closest *c, vec3 center);

/* The position of the point on edge k that is closest to a center, for contacts of type EDGE: 0 ...
 * 1 from the edge's lexicographically smaller end. */
double triangle_along(const triangle *t, int k, vec3 center);

/* The number of the edge or corner in the facet; 0 for FACET. */
int32_t triangle_feature(const triangle *t, const closest *c);

#endif
