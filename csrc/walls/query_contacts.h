/* The contacts of a query: chunks of spheres, each with its own buffer, joined in order. */
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

/* What one query asks, and how far it is. */
typedef struct contact_query {
    abut_query query;
    scene scene;
    const facet_list *list; /* of what spheres may touch; NULL: bins tell it */
    abut_room room; /* the caller's room: rows are written into it while other spheres are searched;
                       without columns there is none */
    bool has_room;
    abut_index chunk_count;
    abut_index written_count; /* so many chunks, from the first one on, are in the room, and no
                                 longer in their records */
} contact_query;

struct abut_contacts {
    pooled pooled;
    const abut_finder *finder;
    contact_query now;

    /* memory that the next query uses again */
    sphere_order order;
    chunk_records *chunks; /* one a chunk of spheres in the order of search */
    abut_index chunk_capacity;
    memory_block first_block, first_node_block;
    scene_room scene_room;
    abut_index *firsts;      /* chunk_count + 1: the row of the first contact of each chunk of
                                spheres in the caller's order */
    abut_index *first_nodes; /* chunk_count + 1: likewise for nodes */
};

/* Make contacts for a query, with empty chunks, in the memory of the finder's last ones where there
 * are some; room: NULL for none. NULL where there is no memory. */
abut_contacts *contacts_make(const abut_finder *finder, const abut_query *query,
                             const facet_list *list, const abut_room *room);

/* Keep a chunk's records, for others in their place. */
void contacts_keep(abut_contacts *contacts, abut_index chunk, records *of);

/* A sink that keeps all records. */
records_sink contacts_sink(abut_contacts *contacts);

/* All records are kept: tell where the rows of each chunk begin. ABUT_OK, or why the query is to
 * end.
 */
abut_status contacts_number_rows(abut_contacts *contacts);

#endif
