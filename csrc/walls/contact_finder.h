/* A finder: meshes with their bins, and memory that queries leave for later ones. */
#ifndef WALLS_CONTACT_FINDER_H
#define WALLS_CONTACT_FINDER_H

#include <stdatomic.h>

#include "../abut/contacts.h"
#include "../base/parallel.h"
#include "../base/pool.h"

typedef struct binned_mesh binned_mesh;     /* bins/sets.h */
typedef struct reach_profile reach_profile; /* bins/sets.h */
typedef struct vicinity vicinity;           /* bins/bins.h */

/* Counts of the last query. */
typedef struct query_counts {
    atomic_intptr_t spheres, candidates, tests, touches, contacts;
} query_counts;

/* Data that queries leave for later ones; the finder itself is const for them. */
typedef struct leftovers {
    pool workers;  /* memory of threads */
    pool contacts; /* freed contacts, with their memory */
    query_counts counts;
} leftovers;

struct abut_finder {
    binned_mesh *meshes;
    abut_index mesh_count;
    leftovers *leftovers;
};

/* Builds a finder that has only a part of each mesh in its bins: contacts elsewhere are not found.
 * `near` has mesh_count vicinities; NULL: all of each mesh. Facets keep their numbers. Returns
 * ABUT_OK or ABUT_NO_MEMORY. */
abut_status finder_build_near(const abut_mesh *const *meshes, const vicinity *near,
                              abut_index mesh_count, abut_finder **finder);

/* The plan of a parallel run of a query over chunks. */
static inline parallel_plan query_plan(const abut_query *query, abut_index chunk_count,
                                       abut_index work)
{
    return (parallel_plan){.chunk_count = chunk_count,
                           .work = work,
                           .workers = query->workers,
                           .interrupted = query->interrupted,
                           .interrupted_data = query->interrupted_data};
}

/* Finds the distribution of a query's reaches. Returns false if a radius is invalid. */
bool query_profile(const abut_query *query, reach_profile *profile);

#endif
