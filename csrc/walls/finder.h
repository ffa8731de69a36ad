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

/* How a query's reaches are distributed. False: a radius is none. */
bool query_profile(const abut_query *query, reach_profile *profile);

#endif
