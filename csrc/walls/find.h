/* All spheres: chunks of them over threads, each chunk with its own buffer, joined in order. */
#ifndef WALLS_FIND_H
#define WALLS_FIND_H

#include "hierarchy.h"
#include "place.h"
#include "sharing.h"
#include "weights.h"

/* Spheres of a chunk: enough to make starting one cheap, few enough to share out and to interrupt.
 */
enum { CHUNK_SPHERES = 1024 };

/* A contact of a sphere, but for the weights, which are computed when it is written. */
typedef struct contact {
    force_point at; /* in the mesh's frame */
    vec3 normal;    /* along the world's axes, as is the rest */
    double overlap, share, tilt;
    abut_index sphere;
    int32_t mesh;
    int32_t image[3];
} contact;

/* The contacts of a chunk's spheres. */
typedef struct contact_buffer {
    contact *items;
    abut_index count, capacity;
    abut_index node_count;
} contact_buffer;

struct abut_contacts {
    placement placement;
    contact_buffer *buffers; /* one a chunk */
    abut_index chunk_count;
    abut_index *firsts;      /* chunk_count + 1: the row of each chunk's first contact */
    abut_index *first_nodes; /* chunk_count + 1: likewise for nodes */
    abut_index sphere_count;
    abut_weights weights;
    int workers;
};

/* The first and the last + 1 of a chunk's spheres. */
typedef struct sphere_range {
    abut_index begin, end;
} sphere_range;

static inline sphere_range chunk_spheres(abut_index chunk, abut_index sphere_count)
{
    abut_index begin = chunk * CHUNK_SPHERES, end = begin + CHUNK_SPHERES;
    return (sphere_range){begin, end < sphere_count ? end : sphere_count};
}

#endif
