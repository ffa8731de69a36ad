/* What walks over nearly coplanar triangles say of their deviations. */
#ifndef MESH_WALKS_H
#define MESH_WALKS_H

#include "deviations.h"

/* How many walks say noise, and how many shape, of deviations of a steepness. */
typedef struct walk_votes {
    abut_index noise[STEEPNESS_COUNT], shape[STEEPNESS_COUNT];
} walk_votes;

walk_votes walks_judge(const deviations *d);

#endif
