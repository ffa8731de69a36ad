/* Contacts become columns: chunk by chunk, in the caller's order of spheres. */
#include "contact_rows.h"

#include <string.h>

#include "../base/columns.h"
#include "../base/parallel.h"
#include "../base/prefetch.h"

typedef struct writing {
    const abut_contacts *contacts;
    const abut_columns *columns;
} writing;

/* The shares of a buffer's contacts from contact `first` on; NULL: all are 1. */
static const double *find_shares(const abut_contacts *contacts, const records *buffer,
                                 abut_index first)
{
    return contacts->now.query.resolution == ABUT_SHARING ? buffer->shares + first : NULL;
}

/* Contacts of one block, copied from the buffers of a search by position. */
typedef struct gathered {
    contact items[ROWS];
    double shares[ROWS];
    const records *buffer; /* the buffer of the first item */
    abut_index count;
} gathered;

/* The source of a chunk's blocks: the chunk's own records or, after a search by position, those of
 * any chunk. */
typedef struct source {
    const abut_contacts *contacts;
    abut_index chunk;
    abut_index next; /* the next contact of the buffer, or of the sphere */
    abut_index sphere;
    gathered *gathered; /* two: of the current block and of the next one */
    int filled;         /* which of the two is filled next */
} source;

/* Takes consecutive contacts of the chunk's buffer as a block. */
static void take_block(source *from, contact_block *r)
{
    const records *buffer = &from->contacts->chunks[from->chunk].records;
    abut_index remaining = buffer->count - from->next, limit = remaining < ROWS ? remaining : ROWS,
               count = 0;
    const contact *items = remaining > 0 ? buffer->items + from->next : NULL;
    while (count < limit && items[count].mesh_image == items[0].mesh_image) {
        count++;
    }
    r->count = count;
    if (count > 0) {
        r->items = items;
        r->shares = find_shares(from->contacts, buffer, from->next);
        r->at = rows_find_place(from->contacts, buffer, items[0].mesh_image);
    }
    from->next += count;
}

/* Records of spheres are prefetched this far ahead: about a block. */
enum { SPHERES_AHEAD = ROWS };

static void fetch_sphere(const abut_contacts *contacts, abut_index sphere)
{
    if (sphere < contacts->now.query.sphere_count) {
        const location *at = &contacts->order.locations[sphere];
        if (at->count > 0) {
            const contact *first = contacts->chunks[at->chunk].records.items + at->first;
            PREFETCH(first);
            PREFETCH((const char *)(first + 1) - 1);
        }
    }
}

/* Gathers contacts of the source's sphere. Returns false if the block is full, or if the next
 * contact is with another surface or image. */
static bool gather_sphere(source *from, gathered *g)
{
    const abut_contacts *contacts = from->contacts;
    const location *at = &contacts->order.locations[from->sphere];
    const records *buffer = &contacts->chunks[at->chunk].records;
    for (; from->next < at->count; from->next++) {
        abut_index k = at->first + from->next;
        const contact *c = &buffer->items[k];
        g->buffer = g->count > 0 ? g->buffer : buffer;
        bool is_image = c->mesh_image >= scene_surface_count(&contacts->now.scene);
        if (g->count == ROWS || (g->count > 0 && c->mesh_image != g->items[0].mesh_image) ||
            (is_image && buffer != g->buffer)) {
            return false;
        }
        g->items[g->count] = *c;
        g->items[g->count].sphere = (uint16_t)(from->sphere % CHUNK_SPHERES);
        const double *share = find_shares(contacts, buffer, k);
        g->shares[g->count++] = share ? *share : 1.0;
    }
    return true;
}

/* Takes the contacts of consecutive spheres as a block, gathered from their buffers. */
static void gather_block(source *from, contact_block *r)
{
    abut_index end = chunk_spheres(from->chunk, from->contacts->now.query.sphere_count).end;
    gathered *g = &from->gathered[from->filled];
    g->count = 0;
    while (from->sphere < end && gather_sphere(from, g)) {
        fetch_sphere(from->contacts, from->sphere + SPHERES_AHEAD);
        from->sphere++;
        from->next = 0;
    }
    from->filled = 1 - from->filled;
    r->items = g->items;
    r->shares = g->shares;
    r->count = g->count;
    if (g->count > 0) {
        r->at = rows_find_place(from->contacts, g->buffer, g->items[0].mesh_image);
    }
}

static void next_block(source *from, contact_block *r)
{
    if (from->contacts->order.is_by_place) {
        gather_block(from, r);
    } else {
        take_block(from, r);
    }
}

static void write_rows(const writing *w, abut_index chunk)
{
    unwanted_rows unwanted;
    gathered apart[2];
    source from = {.contacts = w->contacts,
                   .chunk = chunk,
                   .sphere = chunk * CHUNK_SPHERES,
                   .gathered = apart};
    contact_block blocks[2];
    abut_index row = w->contacts->firsts[chunk], node = w->contacts->first_nodes[chunk];
    for (int k = 0; k < 2; k++) {
        blocks[k].contacts = w->contacts;
        blocks[k].first_sphere = chunk * CHUNK_SPHERES;
    }
    next_block(&from, &blocks[0]);
    for (int now = 0; blocks[now].count > 0; now = 1 - now) {
        next_block(&from, &blocks[1 - now]);
        rows_fetch(&blocks[1 - now]);
        blocks[now].node = node;
        blocks[now].to = rows_columns(w->columns, row, node, &unwanted);
        node = rows_write(&blocks[now]);
        row += blocks[now].count;
    }
}

/* Writes offsets[i + 1] of the chunk's spheres: the row after their last contact. */
static void write_offsets(const writing *w, abut_index chunk)
{
    const records *buffer = &w->contacts->chunks[chunk].records;
    sphere_range spheres = chunk_spheres(chunk, w->contacts->now.query.sphere_count);
    abut_index first = w->contacts->firsts[chunk];
    abut_index sphere = spheres.begin;
    for (abut_index k = 0; k < buffer->count; k++) {
        for (; sphere < spheres.begin + buffer->items[k].sphere; sphere++) {
            w->columns->offsets[sphere + 1] = first + k;
        }
    }
    for (; sphere < spheres.end; sphere++) {
        w->columns->offsets[sphere + 1] = first + buffer->count;
    }
}

/* Writes the same offsets as write_offsets, after a search by place. */
static void sum_offsets(const writing *w, abut_index chunk)
{
    sphere_range spheres = chunk_spheres(chunk, w->contacts->now.query.sphere_count);
    abut_index row = w->contacts->firsts[chunk];
    for (abut_index sphere = spheres.begin; sphere < spheres.end; sphere++) {
        row += w->contacts->order.locations[sphere].count;
        w->columns->offsets[sphere + 1] = row;
    }
}

static void write_chunk_rows(const abut_contacts *contacts, const abut_columns *columns,
                             abut_index chunk)
{
    const writing w = {contacts, columns};
    if (columns->offsets && contacts->order.is_by_place) {
        sum_offsets(&w, chunk);
    } else if (columns->offsets) {
        write_offsets(&w, chunk);
    }
    write_rows(&w, chunk);
}

/* Writes what precedes the first row. */
static void begin_rows(const abut_columns *columns)
{
    if (columns->offsets) {
        columns->offsets[0] = 0;
    }
    if (columns->node_offsets) {
        columns->node_offsets[0] = 0;
    }
}

/* ---- all rows ---- */

/* Writes one of the chunks that were not written during the search. */
static abut_status write_chunk(void *context, abut_index number, parallel_job *job)
{
    (void)job;
    const writing *w = context;
    write_chunk_rows(w->contacts, w->columns, w->contacts->now.written_count + number);
    return ABUT_OK;
}

/* Copies rows that are in the caller's memory already to other columns. */
static void copy_written(const abut_contacts *contacts, const abut_columns *to)
{
    const abut_index chunk = contacts->now.written_count, rows = contacts->firsts[chunk];
    const abut_index spheres = chunk_spheres(chunk - 1, contacts->now.query.sphere_count).end;
    const abut_index counts[] = {[ABUT_COLUMN_ROWS] = rows,
                                 [ABUT_COLUMN_ENTRIES] = contacts->first_nodes[chunk],
                                 [ABUT_COLUMN_ENTRY_OFFSETS] = rows + 1,
                                 [ABUT_COLUMN_OFFSETS] = spheres + 1};
    columns_copy(ABUT_CONTACT_TABLE, to, &contacts->now.room.columns, counts);
}

void abut_contacts_write(const abut_contacts *contacts, const abut_columns *columns)
{
    writing w = {contacts, columns};
    if (contacts->now.written_count == 0) {
        begin_rows(columns);
    } else if (memcmp(columns, &contacts->now.room.columns, sizeof *columns) != 0) {
        copy_written(contacts, columns);
    }
    const parallel_plan plan = {.chunk_count =
                                    contacts->now.chunk_count - contacts->now.written_count,
                                .work = 8 * abut_contacts_count(contacts),
                                .workers = contacts->now.query.workers};
    parallel_run(&plan, write_chunk, &w);
}

/* ---- rows written during the search ---- */

/* Tries to take the lock. A thread that does not get it continues its search without writing. */
static bool try_lock(early *e)
{
    return !atomic_flag_test_and_set(&e->is_locked);
}

static void unlock(early *e)
{
    atomic_flag_clear(&e->is_locked);
}

/* Sums up where the rows of searched chunks end, which is where those of the next chunk begin. */
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

/* Whether the next chunk can be written; sets its number. */
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

/* The largest number of chunks that one thread writes after searching one. If others wait for a
 * slow thread, more may be ready; all threads write those in the end. */
enum { CHUNKS_AT_ONCE = 2 };

/* Stores the chunk's records and writes up to CHUNKS_AT_ONCE chunks that are ready. Then `found`
 * has the memory of the last one written. */
static abut_status take(void *context, abut_index chunk, records *found, parallel_job *job)
{
    (void)job;
    early *e = context;
    contacts_keep(e->contacts, chunk, found);
    for (int k = 0; k < CHUNKS_AT_ONCE && try_lock(e); k++) {
        const bool is_taken = take_chunk(e, &chunk);
        unlock(e);
        if (!is_taken) {
            break;
        }
        write_chunk_rows(e->contacts, &e->contacts->now.room.columns, chunk);
        records_swap(&e->contacts->chunks[chunk].records, found);
    }
    return ABUT_OK;
}

records_sink early_begin(early *e, abut_contacts *contacts)
{
    *e = (early){.contacts = contacts, .is_locked = ATOMIC_FLAG_INIT};
    begin_rows(&contacts->now.room.columns);
    contacts->firsts[0] = contacts->first_nodes[0] = 0;
    return (records_sink){take, e};
}

void early_end(early *e)
{
    count_chunks(e);
    e->contacts->now.written_count = e->taken;
}
