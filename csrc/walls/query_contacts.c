/* The contacts of a query: memory, records and counts. */
#include "query_contacts.h"

#include <string.h>

#include "../base/memory.h"
#include "../base/prefetch.h"
#include "contact_finder.h"

/* ---- memory ---- */

static void destroy_contacts(pooled *item)
{
    abut_contacts *contacts = (abut_contacts *)item;
    for (abut_index k = 0; k < contacts->chunk_capacity; k++) {
        records_free(&contacts->chunks[k].records);
    }
    order_free(&contacts->order);
    memory_free(contacts->chunks);
    memory_free(contacts->first_block.data);
    memory_free(contacts->first_node_block.data);
    memory_free(contacts->scene_room.mesh_block.data);
    memory_free(contacts->scene_room.half_space_block.data);
    memory_free(contacts);
}

/* Keeps the memory, which the next query of the finder uses again. */
void abut_contacts_free(abut_contacts *contacts)
{
    if (contacts) {
        pool_give(&contacts->finder->leftovers->contacts, &contacts->pooled);
    }
}

static abut_contacts *take_contacts(const abut_finder *finder)
{
    abut_contacts *contacts =
        pool_provide(&finder->leftovers->contacts, sizeof *contacts, destroy_contacts);
    if (contacts) {
        contacts->finder = finder;
        contacts->now = (contact_query){0};
    }
    return contacts;
}

/* The memory of this many chunks is always kept. */
enum { FEW_CHUNKS = 16 };

/* Empties as many chunks as the query has. Frees the records that a far larger query has left. */
static bool prepare_chunks(abut_contacts *contacts)
{
    const abut_index count = contacts->now.chunk_count, before = contacts->chunk_capacity;
    const abut_index keep = before / 4 > count && before > FEW_CHUNKS ? count : before;
    for (abut_index k = keep; k < before; k++) {
        records_free(&contacts->chunks[k].records);
    }
    if (memory_fit_zeroed(&contacts->chunks, count, &contacts->chunk_capacity,
                          sizeof *contacts->chunks)) {
        return false;
    }
    for (abut_index k = 0; k < count; k++) {
        records_clear(&contacts->chunks[k].records);
        atomic_store(&contacts->chunks[k].is_complete, false);
    }
    return true;
}

abut_contacts *contacts_make(const abut_finder *finder, const abut_query *query,
                             const facet_list *list, const abut_room *room)
{
    abut_contacts *contacts = take_contacts(finder);
    if (!contacts) {
        return NULL;
    }
    contact_query *now = &contacts->now;
    now->query = *query;
    now->list = list;
    now->chunk_count = chunk_count_of(query->sphere_count);
    now->has_room = room != NULL;
    now->room = room ? *room : (abut_room){.rows = 0};
    const abut_index count = now->chunk_count + 1;
    contacts->firsts = memory_reserve(&contacts->first_block, count, sizeof *contacts->firsts);
    contacts->first_nodes =
        memory_reserve(&contacts->first_node_block, count, sizeof *contacts->first_nodes);
    if (!prepare_chunks(contacts) || !contacts->firsts || !contacts->first_nodes) {
        abut_contacts_free(contacts);
        return NULL;
    }
    return contacts;
}

abut_index abut_contacts_count(const abut_contacts *contacts)
{
    return contacts->firsts[contacts->now.chunk_count];
}

abut_index abut_contacts_node_count(const abut_contacts *contacts)
{
    return contacts->first_nodes[contacts->now.chunk_count];
}

/* ---- records ---- */

void contacts_keep(abut_contacts *contacts, abut_index chunk, records *found)
{
    chunk_records *stored = &contacts->chunks[chunk];
    records_swap(&stored->records, found);
    atomic_store(&stored->is_complete, true);
}

static abut_status keep(void *context, abut_index chunk, records *found, parallel_job *job)
{
    (void)job;
    contacts_keep(context, chunk, found);
    return ABUT_OK;
}

/* The number of reads that are under way at the same time. */
enum { FETCHED_AHEAD = 16 };

/* Stores a chunk's records, and where the contacts of each of its spheres are. */
static abut_status keep_located(void *context, abut_index chunk, records *found, parallel_job *job)
{
    (void)job;
    abut_contacts *contacts = context;
    const int32_t *spheres = contacts->order.spheres + chunk * CHUNK_SPHERES;
    location *locations = contacts->order.locations;
    for (int32_t k = 0; k < found->count; k++) {
        if (k + FETCHED_AHEAD < found->count) {
            PREFETCH(&locations[spheres[found->items[k + FETCHED_AHEAD].sphere]]);
        }
        location *at = &locations[spheres[found->items[k].sphere]];
        if (at->count++ == 0) {
            at->chunk = (int32_t)chunk;
            at->first = k;
        }
        at->node_count += found->items[k].node_count;
    }
    contacts_keep(contacts, chunk, found);
    return ABUT_OK;
}

records_sink contacts_sink(abut_contacts *contacts)
{
    return (records_sink){contacts->order.is_by_place ? keep_located : keep, contacts};
}

/* ---- counting ---- */

/* Counts the contacts and nodes of a chunk of spheres in the caller's order. */
static abut_status count_chunk(void *context, abut_index chunk, parallel_job *job)
{
    abut_contacts *contacts = context;
    sphere_range spheres = chunk_spheres(chunk, contacts->now.query.sphere_count);
    abut_index rows = 0, nodes = 0;
    for (abut_index i = spheres.begin; i < spheres.end; i++) {
        rows += contacts->order.locations[i].count;
        nodes += contacts->order.locations[i].node_count;
    }
    contacts->firsts[chunk] = rows;
    contacts->first_nodes[chunk] = nodes;
    return parallel_report(job, CHUNK_SPHERES);
}

static abut_status count_chunks(abut_contacts *contacts)
{
    const abut_query *query = &contacts->now.query;
    if (contacts->order.is_by_place) {
        const parallel_plan plan =
            query_plan(query, contacts->now.chunk_count, query->sphere_count);
        return parallel_run(&plan, count_chunk, contacts);
    }
    for (abut_index k = 0; k < contacts->now.chunk_count; k++) {
        contacts->firsts[k] = contacts->chunks[k].records.count;
        contacts->first_nodes[k] = contacts->chunks[k].records.node_count;
    }
    return ABUT_OK;
}

abut_status contacts_number_rows(abut_contacts *contacts)
{
    abut_status status = count_chunks(contacts);
    if (!status) {
        sort_sum_up(contacts->firsts, contacts->now.chunk_count);
        sort_sum_up(contacts->first_nodes, contacts->now.chunk_count);
    }
    return status;
}
