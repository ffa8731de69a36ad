/* The contacts of a query: chunks of spheres with a buffer of records each, joined in order. */
#ifndef WALLS_QUERY_CONTACTS_H
#define WALLS_QUERY_CONTACTS_H

#include <stdatomic.h>

#include "../base/pool.h"
#include "search_order.h"
#include "records.h"

typedef struct chunk_records {
    records records;
    atomic_bool is_complete; /* the chunk's spheres have been searched */
} chunk_records;

/* A query and its progress. */
typedef struct contact_query {
    abut_query query;
    scene scene;
    const facet_list *list; /* the facets that spheres may touch; NULL: bins are searched */
    abut_room room;         /* the caller's memory: rows go into it during the search */
    bool has_room;
    abut_index chunk_count;
    abut_index written_count; /* number of chunks, from the first on, whose rows are in the caller's
                                 memory and no longer in their records */
} contact_query;

struct abut_contacts {
    pooled pooled;
    const abut_finder *finder;
    contact_query now;

    /* memory that the next query uses again */
    sphere_order order;
    chunk_records *chunks; /* one for each chunk, in the order of search */
    abut_index chunk_capacity;
    memory_block first_block, first_node_block;
    scene_room scene_room;
    abut_index *firsts;      /* chunk_count + 1: the first row of each chunk of spheres in the
                                caller's order */
    abut_index *first_nodes; /* chunk_count + 1: each chunk's first node */
};

/* Makes the contacts of a query, with empty chunks. Uses the memory of the finder's last contacts,
 * if there is some. `room` may be NULL. Returns NULL if there is no memory. */
abut_contacts *contacts_make(const abut_finder *finder, const abut_query *query,
                             const facet_list *list, const abut_room *room);

/* Stores a chunk's records, and leaves other memory in `found`. */
void contacts_keep(abut_contacts *contacts, abut_index chunk, records *found);

/* A sink that stores all records. */
records_sink contacts_sink(abut_contacts *contacts);

/* Sets where the rows of each chunk begin, once all records are stored. Returns ABUT_OK or the
 * status that ends the query. */
abut_status contacts_number_rows(abut_contacts *contacts);

#endif
