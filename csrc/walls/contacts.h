/* The contacts of a query: chunks of spheres, each with its own buffer, joined in order. */
#ifndef WALLS_CONTACTS_H
#define WALLS_CONTACTS_H

#include <stdatomic.h>

#include "../base/pool.h"
#include "contact.h"
#include "order.h"

/* Spheres of a chunk: enough to make starting one cheap, few enough to share out and to interrupt.
 */
enum { CHUNK_SPHERES = 4 * BATCH_SPHERES };

/* A mesh that is seen at an image other than 0. */
typedef struct seen_image {
    int32_t mesh;
    int32_t image[3];
} seen_image;

/* The contacts of a chunk's spheres. */
typedef struct contact_buffer {
    contact *items;
    abut_index count, capacity;
    double *shares; /* SHARING: of each item */
    abut_index share_capacity;
    seen_image *images;
    abut_index image_count, image_capacity;
    abut_index node_count;
    atomic_bool is_complete; /* its spheres have been searched */
} contact_buffer;

struct abut_contacts {
    pooled pooled;
    const abut_finder *finder;
    abut_query query;
    placement placement;
    sphere_order order;
    contact_buffer *buffers; /* one a chunk of spheres in the order of search */
    abut_index chunk_count, buffer_count;
    abut_index *firsts;      /* chunk_count + 1: the row of the first contact of each chunk of
                                spheres in the caller's order */
    abut_index *first_nodes; /* chunk_count + 1: likewise for nodes */
    abut_index first_capacity, first_node_capacity;
    abut_index written_count; /* so many chunks, the first ones, are in the query's columns, and no
                                 longer in their buffers */
};

/* For a query, with empty buffers, those of the finder's last contacts where there are some; NULL
 * where there is no memory. */
abut_contacts *contacts_make(const abut_finder *finder, const abut_query *query);

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
