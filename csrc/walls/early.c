/* Rows are written while spheres are searched. */
#include "early.h"

#include "columns.h"

/* Nobody waits: what one leaves out the next one does. */
static bool try_lock(early *e)
{
    return !atomic_flag_test_and_set(&e->is_locked);
}

static void unlock(early *e)
{
    atomic_flag_clear(&e->is_locked);
}

/* Where the rows of a chunk end those of the next one begin. */
static void count_chunks(early *e)
{
    abut_contacts *contacts = e->contacts;
    for (; e->counted < contacts->now.chunk_count; e->counted++) {
        const chunk_records *chunk = &contacts->chunks[e->counted];
        if (!atomic_load(&chunk->is_complete)) {
            return;
        }
        contacts->firsts[e->counted + 1] = contacts->firsts[e->counted] + chunk->records.count;
        contacts->first_nodes[e->counted + 1] =
            contacts->first_nodes[e->counted] + chunk->records.node_count;
    }
}

/* Whether the next chunk can be written; then it is `*chunk`. */
static bool take_chunk(early *e, abut_index *chunk)
{
    const abut_contacts *contacts = e->contacts;
    const abut_room *room = &contacts->now.room;
    const abut_index next = e->taken;
    count_chunks(e);
    if (e->is_full || next == e->counted) {
        return false;
    }
    e->is_full =
        contacts->firsts[next + 1] > room->rows || contacts->first_nodes[next + 1] > room->nodes;
    e->taken += !e->is_full;
    *chunk = next;
    return !e->is_full;
}

/* Chunks that one thread writes in one go: where others wait for a slow one, more may be ready than
 * one thread should write. What is left is written in the end, by all. */
enum { CHUNKS_AT_ONCE = 2 };

/* Keep the chunk's records; write those whose turn it is, and go on in their memory. */
static abut_status take(void *context, abut_index chunk, records *of, parallel_job *job)
{
    (void)job;
    early *e = context;
    contacts_keep(e->contacts, chunk, of);
    for (int k = 0; k < CHUNKS_AT_ONCE && try_lock(e); k++) {
        const bool is_taken = take_chunk(e, &chunk);
        unlock(e);
        if (!is_taken) {
            break;
        }
        records *written = &e->contacts->chunks[chunk].records;
        columns_write_chunk(e->contacts, &e->contacts->now.room.columns, chunk);
        const records other = *of;
        *of = *written;
        *written = other;
    }
    return ABUT_OK;
}

records_sink early_begin(early *e, abut_contacts *contacts)
{
    *e = (early){.contacts = contacts, .is_locked = ATOMIC_FLAG_INIT};
    columns_begin(&contacts->now.room.columns);
    contacts->firsts[0] = contacts->first_nodes[0] = 0;
    return (records_sink){take, e};
}

void early_end(early *e)
{
    count_chunks(e);
    e->contacts->now.written_count = e->taken;
}
