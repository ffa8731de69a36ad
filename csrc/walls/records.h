/* Records, which hold the contacts of one chunk in the order of search, and sinks for them. */
#ifndef WALLS_RECORDS_H
#define WALLS_RECORDS_H

#include "candidates.h"
#include "sharing.h"

/* The number of spheres in a chunk: enough that starting a chunk costs little, and few enough that
 * threads can share the work and interrupt it. */
enum { CHUNK_SPHERES = BATCH_SPHERES };

/* Spheres from `begin` to `end` - 1. */
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

/* A mesh at an image other than 0. */
typedef struct seen_image {
    int32_t mesh;
    int32_t image[3];
} seen_image;

typedef struct records {
    contact *items;
    abut_index count, capacity;
    double *shares; /* the share of each item, for ABUT_SHARING */
    abut_index share_capacity;
    seen_image *images;
    abut_index image_count, image_capacity;
    abut_index node_count;
} records;

/* Removes all records and keeps the memory. */
void records_clear(records *r);
void records_free(records *r);

/* Exchanges the records and their memory. */
static inline void records_swap(records *a, records *b)
{
    const records other = *a;
    *a = *b;
    *b = other;
}

/* What is done with a chunk's records. The thread that has searched the chunk calls this function;
 * chunks come in any order. The function may exchange the memory of `found` for other memory. */
typedef abut_status records_take(void *context, abut_index chunk, records *found,
                                 parallel_job *job);

typedef struct records_sink {
    records_take *take;
    void *context;
} records_sink;

/* The query's choice of how the facets that a sphere touches become its contacts. */
typedef struct resolution {
    abut_resolution kind;
    double flat_tilt; /* sin(flat_angle / 2) */
    double exponent;
    bool keeps_zero; /* whether contacts with a share of 0 are kept */
} resolution;

/* Scratch memory for shares. Zero-initialize, free with share_scratch_free. */
typedef struct share_scratch {
    sharing solver;
    vec3 *normals;
    double *overlaps, *shares; /* shares: results for the last sphere */
    int32_t *items;            /* contacts of a sphere with facets across a gap */
    abut_index normal_capacity, overlap_capacity, share_capacity, item_capacity;
} share_scratch;

void share_scratch_free(share_scratch *scratch);

/* How records are made. */
typedef struct record_task {
    resolution resolution;
    abut_index surface_count;
    share_scratch shares;
    parallel_job *job;
} record_task;

/* Appends records of the candidates' spheres from number `from` to `end` - 1. The batch begins with
 * sphere number `first_sphere` of the chunk. Returns ABUT_OK or the status that ends the job. */
abut_status records_append(records *r, record_task *task, kept *k, int32_t from, int32_t end,
                           int32_t first_sphere);

#endif
