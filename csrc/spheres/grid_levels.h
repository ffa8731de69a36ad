/* Chooses a grid's levels from the sizes of its spheres. */
#ifndef SPHERES_GRID_LEVELS_H
#define SPHERES_GRID_LEVELS_H

#include "../abut/pairs.h"
#include "../base/memory.h"

#include <stdbool.h>

/* The levels of a set of spheres. */
typedef struct level_set {
    double sizes[ABUT_LEVEL_LIMIT];
    double reaches[ABUT_LEVEL_LIMIT]; /* reach of each level's largest sphere; 0: no spheres */
    abut_index populations[ABUT_LEVEL_LIMIT];
    int32_t count;
} level_set;

/* The input for a choice of levels. */
typedef struct level_task {
    const double *reaches; /* half the diameters, gap included, > 0 */
    abut_index count;
    int dimension;
    double volume_fraction; /* the part of space that spheres fill, > 0 */
    abut_search search;
    double overhead;   /* work of reading a cell; the work of testing a pair is 1 */
    abut_index wanted; /* the number of levels; 0: the number with the least expected work */
    int workers;
} level_task;

/* Memory that is used again for each choice of levels. */
typedef struct level_memory {
    struct histogram *histograms; /* one for each stretch of spheres */
    abut_index histogram_capacity;
    memory_block tallies, bins;
} level_memory;

/* Chooses levels with equal numbers of spheres per cell: section 5.2.3 of D. Krijgsman, V. Ogarko,
 * S. Luding, "Optimal parameters for a hierarchical grid data structure", Computational Particle
 * Mechanics 1 (2014), doi:10.1007/s40571-014-0020-9.
 *
 * Sizes ascend; the last one is the largest diameter. If there are fewer different sizes than
 * wanted levels, there are fewer levels. Without spheres there is one level of size 1. The order of
 * the spheres does not matter. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status levels_choose(const level_task *task, level_memory *memory, level_set *levels);

/* Frees the memory, which must be zero-initialized before its first use. */
void level_memory_free(level_memory *memory);

/* Spheres for which levels are chosen. */
typedef struct level_input {
    const double *reaches;
    abut_index count;
    int workers;
    level_memory *memory;
} level_input;

#endif
