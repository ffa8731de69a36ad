/* Meshes with their bins, and what queries leave to those after them. */
#ifndef WALLS_CONTACT_FINDER_H
#define WALLS_CONTACT_FINDER_H

#include <stdatomic.h>

#include "../abut/contacts.h"
#include "../base/parallel.h"
#include "../base/pool.h"

typedef struct binned_mesh binned_mesh;     /* bins/sets.h */
typedef struct reach_profile reach_profile; /* bins/sets.h */
typedef struct vicinity vicinity;           /* bins/bins.h */

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

/* Meshes of each of which only a part is in bins: what spheres elsewhere touch is not found.
 * `near`: mesh_count, or NULL: all of them. ABUT_OK or ABUT_NO_MEMORY; numbers of facets are the
 * meshes'. */
abut_status finder_build_near(const abut_mesh *const *meshes, const vicinity *near,
                              abut_index mesh_count, abut_finder **finder);

/* A run of a query over so many chunks. */
static inline parallel_plan query_plan(const abut_query *query, abut_index chunk_count,
                                       abut_index work)
{
    return (parallel_plan){.chunk_count = chunk_count,
                           .work = work,
                           .workers = query->workers,
                           .interrupted = query->interrupted,
                           .interrupted_data = query->interrupted_data};
}

/* How a query's reaches are distributed. False: a radius is none. */
bool query_profile(const abut_query *query, reach_profile *profile);

#endif
