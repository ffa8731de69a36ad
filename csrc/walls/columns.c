/* Contacts become columns: chunk by chunk, in the caller's order of spheres. */
#include "columns.h"

#include <string.h>

#include "../base/parallel.h"
#include "../base/prefetch.h"
#include "rows.h"

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
    gathered *gathered; /* two: of this run and the next */
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
    gathered runs_apart[2];
    source from = {.contacts = w->contacts,
                   .chunk = chunk,
                   .sphere = chunk * CHUNK_SPHERES,
                   .gathered = runs_apart};
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

void columns_write_chunk(const abut_contacts *contacts, const abut_columns *columns,
                         abut_index chunk)
{
    const writing w = {contacts, columns};
    if (contacts->order.is_by_place) {
        sum_offsets(&w, chunk);
    } else {
        write_offsets(&w, chunk);
    }
    write_rows(&w, chunk);
}

void columns_begin(const abut_columns *columns)
{
    columns->offsets[0] = 0;
    columns->node_offsets[0] = 0;
}

/* ---- all of them ---- */

/* Those that are not written yet. */
static abut_status write_chunk(void *context, abut_index number, parallel_job *job)
{
    (void)job;
    const writing *w = context;
    columns_write_chunk(w->contacts, w->columns, w->contacts->written_count + number);
    return ABUT_OK;
}

/* Columns may be left out. */
static void copy_rows(void *to, const void *from, abut_index count, size_t size)
{
    if (to && from && count > 0) {
        memcpy(to, from, (size_t)count * size);
    }
}

/* What is in the query's columns. */
static void copy_written(const abut_contacts *contacts, const abut_columns *to)
{
    const abut_columns *from = contacts->query.columns;
    const abut_index chunk = contacts->written_count, rows = contacts->firsts[chunk],
                     nodes = contacts->first_nodes[chunk];
    const abut_index spheres = chunk_spheres(chunk - 1, contacts->query.sphere_count).end;
    copy_rows(to->sphere, from->sphere, rows, sizeof *to->sphere);
    copy_rows(to->mesh, from->mesh, rows, sizeof *to->mesh);
    copy_rows(to->facet, from->facet, rows, sizeof *to->facet);
    copy_rows(to->type, from->type, rows, sizeof *to->type);
    copy_rows(to->feature, from->feature, rows, sizeof *to->feature);
    copy_rows(to->point, from->point, rows, 3 * sizeof *to->point);
    copy_rows(to->normal, from->normal, rows, 3 * sizeof *to->normal);
    copy_rows(to->overlap, from->overlap, rows, sizeof *to->overlap);
    copy_rows(to->share, from->share, rows, sizeof *to->share);
    copy_rows(to->tilt, from->tilt, rows, sizeof *to->tilt);
    copy_rows(to->image, from->image, rows, 3 * sizeof *to->image);
    copy_rows(to->offsets, from->offsets, spheres + 1, sizeof *to->offsets);
    copy_rows(to->node, from->node, nodes, sizeof *to->node);
    copy_rows(to->weight, from->weight, nodes, sizeof *to->weight);
    copy_rows(to->node_offsets, from->node_offsets, rows + 1, sizeof *to->node_offsets);
}

void abut_contacts_write(const abut_contacts *contacts, const abut_columns *columns)
{
    writing w = {contacts, columns};
    if (contacts->written_count == 0) {
        columns_begin(columns);
    } else if (memcmp(columns, contacts->query.columns, sizeof *columns) != 0) {
        copy_written(contacts, columns);
    }
    const parallel_plan plan = {.chunk_count = contacts->chunk_count - contacts->written_count,
                                .work = 8 * abut_contacts_count(contacts),
                                .workers = contacts->query.workers};
    parallel_run(&plan, write_chunk, &w);
}
