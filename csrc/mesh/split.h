/* Triangles in place of a polygon that is not convex or not planar. */
#ifndef MESH_SPLIT_H
#define MESH_SPLIT_H

#include "../base/memory.h"
#include "../base/parallel.h"
#include "facet.h"

/* What is left of a polygon, and scratch; serves one polygon after the other. Zero-initialize, free
 * with splitter_free. */
typedef struct splitter {
    vec3 normal;
    double rounding; /* of the polygon's coordinates */
    vec3 *corners;
    struct outline_corner *outline; /* count */
    uint8_t *ranks;                 /* count: what is known of each corner */
    abut_index count, left;         /* all corners, and those that have not gone */
    memory_block corner_block, outline_block, rank_block;
} splitter;

/* Clip ears off a simple polygon: fill triangles[3 * (count - 2)] with vertex numbers; *done is how
 * many triangles there are. Fewer than count - 2, and what is left of the polygon has no ear: it
 * crosses itself. `noise`: of its coordinates. ABUT_OK, ABUT_NO_MEMORY, or why the job is to end.
 */
abut_status split_polygon(splitter *s, const polygon *p, const facet_shape *shape, double noise,
                          parallel_job *job, abut_index *triangles, abut_index *done);

void splitter_free(splitter *s);

#endif
