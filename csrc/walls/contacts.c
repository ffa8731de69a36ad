/* The contacts of a query: made, counted, and written into the caller's columns. */
#include <string.h>

#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/prefetch.h"
#include "rows.h"

/* ---- memory ---- */

static void free_buffer(contact_buffer *buffer)
{
    memory_free(buffer->items);
    memory_free(buffer->shares);
    memory_free(buffer->images);
    *buffer = (contact_buffer){0};
}

static void destroy_contacts(pooled *item)
{
    abut_contacts *contacts = (abut_contacts *)item;
    for (abut_index k = 0; k < contacts->buffer_count; k++) {
        free_buffer(&contacts->buffers[k]);
    }
    placement_free(&contacts->placement);
    order_free(&contacts->order);
    memory_free(contacts->buffers);
    memory_free(contacts->firsts);
    memory_free(contacts->first_nodes);
    memory_free(contacts);
}

/* What was used last is used again by the next query of the finder. */
void abut_contacts_free(abut_contacts *contacts)
{
    if (contacts) {
        placement_free(&contacts->placement);
        pool_give(&contacts->finder->leftovers->contacts, &contacts->pooled);
    }
}

static abut_contacts *take_contacts(const abut_finder *finder)
{
    abut_contacts *contacts = (abut_contacts *)pool_take(&finder->leftovers->contacts);
    if (!contacts) {
        contacts = memory_alloc_zeroed(1, sizeof *contacts);
        if (!contacts) {
            return NULL;
        }
        contacts->pooled.destroy = destroy_contacts;
        contacts->finder = finder;
    }
    return contacts;
}

/* As many empty buffers as chunks; those that a far larger query left are freed. */
static bool prepare_buffers(abut_contacts *contacts)
{
    abut_index count = contacts->chunk_count;
    abut_index keep = contacts->buffer_count / 4 > count ? count : contacts->buffer_count;
    for (abut_index k = keep; k < contacts->buffer_count; k++) {
        free_buffer(&contacts->buffers[k]);
    }
    if (count > contacts->buffer_count) {
        abut_index capacity = contacts->buffer_count;
        contact_buffer *buffers = memory_grow(contacts->buffers, count, &capacity, sizeof *buffers);
        if (!buffers) {
            return false;
        }
        memset(buffers + contacts->buffer_count, 0,
               (size_t)(capacity - contacts->buffer_count) * sizeof *buffers);
        contacts->buffers = buffers;
        contacts->buffer_count = capacity;
    }
    for (abut_index k = 0; k < count; k++) {
        contacts->buffers[k].count = contacts->buffers[k].node_count = 0;
        contacts->buffers[k].image_count = 0;
    }
    return true;
}

static bool prepare_firsts(abut_contacts *contacts)
{
    abut_index count = contacts->chunk_count + 1;
    abut_index *firsts =
        memory_grow(contacts->firsts, count, &contacts->first_capacity, sizeof *firsts);
    contacts->firsts = firsts ? firsts : contacts->firsts;
    abut_index *nodes =
        memory_grow(contacts->first_nodes, count, &contacts->first_node_capacity, sizeof *nodes);
    contacts->first_nodes = nodes ? nodes : contacts->first_nodes;
    return firsts && nodes;
}

abut_contacts *contacts_make(const abut_finder *finder, const abut_query *query)
{
    abut_contacts *contacts = take_contacts(finder);
    if (!contacts) {
        return NULL;
    }
    contacts->query = *query;
    contacts->chunk_count = (query->sphere_count + CHUNK_SPHERES - 1) / CHUNK_SPHERES;
    if (!prepare_buffers(contacts) || !prepare_firsts(contacts)) {
        abut_contacts_free(contacts);
        return NULL;
    }
    return contacts;
}

abut_index abut_contacts_count(const abut_contacts *contacts)
{
    return contacts->firsts[contacts->chunk_count];
}

abut_index abut_contacts_node_count(const abut_contacts *contacts)
{
    return contacts->first_nodes[contacts->chunk_count];
}

/* ---- writing ---- */

typedef struct writing {
    const abut_contacts *contacts;
    const abut_columns *columns;
} writing;

/* Shares of a buffer's contacts from one on; NULL: 1. */
static const double *find_shares(const abut_contacts *contacts, const contact_buffer *buffer,
                                 abut_index first)
{
    return contacts->query.resolution == ABUT_SHARING ? buffer->shares + first : NULL;
}

/* A run's contacts that stood apart. */
typedef struct gathered {
    contact items[ROWS];
    double shares[ROWS];
    const contact_buffer *buffer; /* of the first */
    abut_index count;
} gathered;

/* Where a chunk's runs come from: from its buffer, or from any where it was searched by place. */
typedef struct source {
    const abut_contacts *contacts;
    abut_index chunk;
    abut_index next; /* contact of the buffer, or of the sphere */
    abut_index sphere;
    gathered gathered[2]; /* this run and the next */
    int filled;
} source;

/* The contacts that follow one another in the chunk's buffer. */
static void take_run(source *from, run *r)
{
    const contact_buffer *buffer = &from->contacts->buffers[from->chunk];
    abut_index rest = buffer->count - from->next, limit = rest < ROWS ? rest : ROWS, count = 0;
    const contact *items = buffer->items + from->next;
    while (count < limit && items[count].place == items[0].place) {
        count++;
    }
    r->items = items;
    r->shares = find_shares(from->contacts, buffer, from->next);
    r->count = count;
    if (count > 0) {
        r->at = rows_find_seat(from->contacts, buffer, items[0].place);
    }
    from->next += count;
}

/* Records of spheres so far ahead are fetched: about a run. */
enum { SPHERES_AHEAD = ROWS };

static void fetch_sphere(const abut_contacts *contacts, abut_index sphere)
{
    if (sphere < contacts->query.sphere_count) {
        const location *at = &contacts->order.locations[sphere];
        const contact *first = contacts->buffers[at->chunk].items + at->first;
        if (at->count > 0) {
            PREFETCH(first);
            PREFETCH((const char *)(first + 1) - 1);
        }
    }
}

/* Gather contacts of the source's sphere. False: the run is full, or the next one is in another
 * seat. */
static bool gather_sphere(source *from, gathered *g)
{
    const abut_contacts *contacts = from->contacts;
    const location *at = &contacts->order.locations[from->sphere];
    const contact_buffer *buffer = &contacts->buffers[at->chunk];
    for (; from->next < at->count; from->next++) {
        abut_index k = at->first + from->next;
        const contact *c = &buffer->items[k];
        g->buffer = g->count > 0 ? g->buffer : buffer;
        bool is_image = c->place >= contacts->placement.mesh_count;
        if (g->count == ROWS || (g->count > 0 && c->place != g->items[0].place) ||
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

/* The contacts of spheres that follow one another. */
static void gather_run(source *from, run *r)
{
    abut_index end = chunk_spheres(from->chunk, from->contacts->query.sphere_count).end;
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
        r->at = rows_find_seat(from->contacts, g->buffer, g->items[0].place);
    }
}

static void next_run(source *from, run *r)
{
    if (from->contacts->order.is_by_place) {
        gather_run(from, r);
    } else {
        take_run(from, r);
    }
}

static void write_rows(const writing *w, abut_index chunk)
{
    source from = {.contacts = w->contacts, .chunk = chunk, .sphere = chunk * CHUNK_SPHERES};
    run runs[2];
    abut_index row = w->contacts->firsts[chunk], node = w->contacts->first_nodes[chunk];
    for (int k = 0; k < 2; k++) {
        runs[k].contacts = w->contacts;
        runs[k].columns = w->columns;
        runs[k].first_sphere = chunk * CHUNK_SPHERES;
    }
    next_run(&from, &runs[0]);
    for (int now = 0; runs[now].count > 0; now = 1 - now) {
        next_run(&from, &runs[1 - now]);
        rows_fetch(&runs[1 - now]);
        runs[now].row = row;
        runs[now].node = node;
        node = rows_write(&runs[now]);
        row += runs[now].count;
    }
}

/* offsets[i + 1] of the chunk's spheres: the row after their last contact. */
static void write_offsets(const writing *w, abut_index chunk)
{
    const contact_buffer *buffer = &w->contacts->buffers[chunk];
    sphere_range spheres = chunk_spheres(chunk, w->contacts->query.sphere_count);
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

/* Likewise, of spheres that were searched by place. */
static void sum_offsets(const writing *w, abut_index chunk)
{
    sphere_range spheres = chunk_spheres(chunk, w->contacts->query.sphere_count);
    abut_index row = w->contacts->firsts[chunk];
    for (abut_index sphere = spheres.begin; sphere < spheres.end; sphere++) {
        row += w->contacts->order.locations[sphere].count;
        w->columns->offsets[sphere + 1] = row;
    }
}

static abut_status write_chunk(void *context, abut_index chunk, parallel_job *job)
{
    (void)job;
    const writing *w = context;
    if (w->contacts->order.is_by_place) {
        sum_offsets(w, chunk);
    } else {
        write_offsets(w, chunk);
    }
    write_rows(w, chunk);
    return ABUT_OK;
}

void abut_contacts_write(const abut_contacts *contacts, const abut_columns *columns)
{
    writing w = {contacts, columns};
    columns->offsets[0] = 0;
    columns->node_offsets[0] = 0;
    parallel_run(contacts->chunk_count, contacts->query.workers, write_chunk, &w, NULL, NULL);
}
