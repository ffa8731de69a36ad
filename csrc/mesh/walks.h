/* Walks over nearly coplanar triangles, which separate noise from shape. */
#ifndef MESH_WALKS_H
#define MESH_WALKS_H

#include "deviations.h"

/* For each steepness, how many walks found that such deviations are noise, and how many shape. */
typedef struct walk_votes {
    abut_index noise[STEEPNESS_COUNT], shape[STEEPNESS_COUNT];
} walk_votes;

walk_votes walks_judge(const deviations *d);

#endif
