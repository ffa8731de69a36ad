/* Triangles in place of a polygon that is not convex or not planar. */
#ifndef WALLS_SPLIT_H
#define WALLS_SPLIT_H

#include "facet.h"

/* Clip ears off a simple polygon: fill triangles[3 * (count - 2)] with vertex numbers, return how
 * many triangles there are. Fewer than count - 2, and what is left of the polygon has no ear: it
 * crosses itself. `noise`: of its coordinates. `ring[count]` is scratch. */
abut_index split_polygon(const polygon *p, const facet_shape *shape, double noise, abut_index *ring,
                         abut_index *triangles);

#endif
