/* Splits polygons that are not convex or not planar into triangles. */
#ifndef MESH_SPLIT_H
#define MESH_SPLIT_H

#include "../base/memory.h"
#include "../base/parallel.h"
#include "facet.h"

/* The part of a polygon that is not yet split, with scratch memory. Several polygons can use it,
 * one after the other. Zero-initialize it and free it with splitter_free. */
typedef struct splitter {
    vec3 normal;
    double rounding; /* the distance by which rounding may have moved a corner */
    vec3 *corners;
    struct outline_corner *outline; /* count: the neighbors of each corner */
    uint8_t *ranks;                 /* count: the corner_rank of each corner */
    abut_index count, left;         /* numbers of all corners, and of those not yet removed */
    memory_block corner_block, outline_block, rank_block;
} splitter;

/* Clips ears off a simple polygon. Writes vertex numbers to triangles[3 * (count - 2)] and the
 * number of triangles to *done. If *done is less than count - 2, the rest has no ear: the polygon
 * crosses itself. `noise` is the noise of the coordinates. Returns ABUT_OK, ABUT_NO_MEMORY or the
 * status that ends the job. */
abut_status split_polygon(splitter *s, const polygon *p, const facet_shape *shape, double noise,
                          parallel_job *job, abut_index *triangles, abut_index *done);

void splitter_free(splitter *s);

#endif
