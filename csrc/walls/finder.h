/* Meshes with their bins, and what queries leave to those after them. */
#ifndef WALLS_FINDER_H
#define WALLS_FINDER_H

#include <stdatomic.h>

#include "../base/pool.h"
#include "../bins/sets.h"

/* What the last query did. */
typedef struct query_counts {
    atomic_intptr_t spheres, candidates, tests, touches, contacts;
} query_counts;

/* What queries, for which the finder is const, leave to those after them. */
typedef struct leftovers {
    pool workers;  /* of threads */
    pool contacts; /* that were freed, with their memory */
    query_counts counts;
} leftovers;

struct abut_finder {
    binned_mesh *meshes;
    abut_index mesh_count;
    leftovers *leftovers;
};

#endif
