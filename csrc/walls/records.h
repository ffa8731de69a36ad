/* The contacts of a chunk of spheres as records, in the order of search; and what becomes of them.
 */
#ifndef WALLS_RECORDS_H
#define WALLS_RECORDS_H

#include "candidates.h"
#include "sharing.h"

/* Spheres of a chunk: enough to make starting one cheap, few enough to share out and to interrupt.
 */
enum { CHUNK_SPHERES = BATCH_SPHERES };

/* The first and the last + 1 of some spheres. */
typedef struct sphere_range {
    abut_index begin, end;
} sphere_range;

static inline sphere_range chunk_spheres(abut_index chunk, abut_index sphere_count)
{
    abut_index begin = chunk * CHUNK_SPHERES, end = begin + CHUNK_SPHERES;
    return (sphere_range){begin, end < sphere_count ? end : sphere_count};
}

static inline abut_index chunk_count_of(abut_index sphere_count)
{
    return (sphere_count + CHUNK_SPHERES - 1) / CHUNK_SPHERES;
}

/* A mesh that is seen at an image other than 0. */
typedef struct seen_image {
    int32_t mesh;
    int32_t image[3];
} seen_image;

typedef struct records {
    contact *items;
    abut_index count, capacity;
    double *shares; /* SHARING: of each item */
    abut_index share_capacity;
    seen_image *images;
    abut_index image_count, image_capacity;
    abut_index node_count;
} records;

/* Begin a chunk: no records, in the memory that there is. */
void records_clear(records *r);
void records_free(records *r);

/* Each gets what the other has, with its memory. */
static inline void records_swap(records *a, records *b)
{
    const records other = *a;
    *a = *b;
    *b = other;
}

/* What becomes of a chunk's records: called by the thread that has searched its spheres, with
 * chunks in any order. It may leave other memory in the place of theirs. */
typedef abut_status records_take(void *context, abut_index chunk, records *of, parallel_job *job);

typedef struct records_sink {
    records_take *take;
    void *context;
} records_sink;

/* How the facets that a sphere touches become its contacts: what the query says of it. */
typedef struct resolution {
    abut_resolution kind;
    double flat_tilt; /* sin(flat_angle / 2) */
    double exponent;
    bool keeps_zero; /* contacts whose share is 0 */
} resolution;

/* What shares are computed in. Zero-initialize, free with share_scratch_free. */
typedef struct share_scratch {
    sharing solver;
    vec3 *normals;
    double *overlaps, *shares; /* shares: of what was resolved last */
    int32_t *items;            /* of a sphere that has some across a gap */
    abut_index normal_capacity, overlap_capacity, share_capacity, item_capacity;
} share_scratch;

void share_scratch_free(share_scratch *scratch);

/* What records are made with. */
typedef struct record_task {
    resolution resolution;
    abut_index surface_count;
    share_scratch shares;
    parallel_job *job;
} record_task;

/* Append what is left of the candidates' spheres from number `from` to `end` - 1, whose batch
 * begins with sphere number `first_sphere` of the chunk. ABUT_OK, or why the job is to end. */
abut_status records_append(records *r, record_task *task, kept *k, int32_t from, int32_t end,
                           int32_t first_sphere);

#endif
