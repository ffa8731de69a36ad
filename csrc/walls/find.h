/* All spheres: chunks of them over threads, each chunk with its own buffer, joined in order. */
#ifndef WALLS_FIND_H
#define WALLS_FIND_H

#include "finder.h"
#include "hierarchy.h"
#include "weights.h"

/* A contact of a sphere, but for the weights, which are computed when it is written. */
typedef struct contact {
    force_point at;
    vec3 normal;
    double overlap;
    abut_index sphere;
} contact;

/* The contacts of a chunk's spheres. */
typedef struct contact_buffer {
    contact *items;
    abut_index count, capacity;
    abut_index node_count;
} contact_buffer;

struct abut_contacts {
    const abut_mesh *mesh;
    contact_buffer *buffers; /* one a chunk */
    abut_index chunk_count;
    abut_index *firsts;      /* chunk_count + 1: the row of each chunk's first contact */
    abut_index *first_nodes; /* chunk_count + 1: likewise for nodes */
    abut_index sphere_count;
    abut_weights weights;
    int workers;
};

#endif
