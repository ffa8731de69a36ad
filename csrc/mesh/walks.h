/* Walks over nearly coplanar triangles, which separate noise from shape. */
#ifndef MESH_WALKS_H
#define MESH_WALKS_H

#include "deviations.h"

/* For each steepness: how many triangles have walks that find noise, or walks that find shape. */
typedef struct walk_votes {
    abut_index noise[STEEPNESS_COUNT], shape[STEEPNESS_COUNT];
} walk_votes;

walk_votes walks_judge(const deviations *d);

#endif
