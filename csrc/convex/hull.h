/* From the caller's arrays to the facets of a shape: checked, and those in one plane merged.
 *
 * Of a polygon the facets are its sides. What two facets share is a ridge: of a polyhedron an edge,
 * of a polygon a vertex. Facet f has as many ridges as corners: ridge k of a polyhedron's facet
 * runs from corner k to the next one, that of a polygon's side is its corner k. */
#ifndef CONVEX_HULL_H
#define CONVEX_HULL_H

#include "../abut/convex.h"
#include "../base/error.h"
#include "../base/vec3.h"

/* Facets as lists of corners, as in abut_shape_input; a corner is the number of a vertex. */
typedef struct loops {
    int32_t facet_count, corner_count;
    int32_t *offsets; /* facet_count + 1 */
    int32_t *corners; /* corner_count */
    int32_t *source;  /* of each facet the first of the input's facets in it */
} loops;

/* The input's vertices, and the facets that are left. */
typedef struct hull {
    int dimension;
    int32_t vertex_count;
    double *vertices; /* vertex_count x 3, as in the input; of a polygon z is 0 */
    vec3 middle;      /* of the bounds of the vertices that the input's facets name */
    double size;      /* and half their diagonal */
    double tolerance; /* what is nearer than this to a plane is in it */
    loops given;      /* the input's facets, */
    double *areas;    /* their areas; of sides lengths */
    loops merged;     /* the facets that are left, with the vertices' numbers in the input */
    int32_t *twins;   /* of each of their ridges (of the given ones', until they are merged) the
                         corner whose ridge in another facet is the same */
    int32_t kept_count, *kept; /* the vertices that are their corners, which ascend */
} hull;

static inline vec3 hull_vertex(const hull *h, int32_t vertex)
{
    return vec3_load(h->vertices + 3 * (size_t)vertex);
}

/* Check the input and find the facets. Zero-initialize the hull; free it whatever comes out. */
abut_status hull_make(const abut_shape_input *input, hull *h, abut_error *error);
void hull_free(hull *h);

/* The area of a facet and its outward normal, which is 0 where the area is; the same to the bit
 * wherever its list of corners begins. */
typedef struct loop_plane {
    vec3 normal;
    double area;
} loop_plane;

loop_plane hull_plane(const hull *h, const loops *l, int32_t facet);

/* Merge facets that are in one plane to within a tolerance, and leave out corners that are then on
 * a straight line: `given` becomes `merged` (merge.c). */
abut_status hull_merge(hull *h, double tolerance, abut_error *error);
void loops_free(loops *l);

#endif
