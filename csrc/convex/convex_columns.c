/* Writes rows into the caller's columns. */
#include <string.h>

#include "convex_rows.h"
#include "convex_finder.h"

typedef struct writing {
    const abut_convex_contacts *contacts;
    const abut_convex_columns *columns;
} writing;

/* ---- columns of a row ---- */

static void write_names(const convex_row *from, abut_index row, const abut_convex_columns *to)
{
    if (to->i) {
        to->i[row] = from->first;
    }
    if (to->j) {
        to->j[row] = from->second;
    }
    if (to->mesh) {
        to->mesh[row] = from->mesh;
    }
    if (to->facet) {
        to->facet[row] = from->second;
    }
}

static void write_kinds(const convex_row *from, abut_index row, const abut_convex_columns *to)
{
    if (to->status) {
        to->status[row] = from->status;
    }
    if (to->iterations) {
        to->iterations[row] = from->iterations;
    }
    if (to->before) {
        to->before[row] = from->before;
    }
    for (int k = 0; to->type && k < 2; k++) {
        to->type[2 * row + k] = from->types[k];
    }
    for (int k = 0; to->feature && k < 2; k++) {
        to->feature[2 * row + k] = from->features[k];
    }
}

/* Writes normal, overlap and error. Signs change by subtraction from 0, which never gives -0. */
static void write_gap(const convex_row *from, abut_index row, int dimension,
                      const abut_convex_columns *to)
{
    if (to->normal) {
        vec3_put(to->normal + dimension * row, dimension,
                 vec3_sub((vec3){0.0, 0.0, 0.0}, from->normal));
    }
    if (to->overlap) {
        to->overlap[row] = 0.0 - from->gap;
    }
    if (to->error) {
        to->error[row] = from->error;
    }
}

static void write_link(const convex_row *from, abut_index row, int dimension,
                       const abut_convex_columns *to)
{
    if (to->link) {
        vec3_put(to->link + dimension * (2 * row), dimension, from->p);
        vec3_put(to->link + dimension * (2 * row + 1), dimension, from->q);
    }
    if (to->point) {
        vec3_put(to->point + dimension * row, dimension,
                 vec3_scale(vec3_add(from->p, from->q), 0.5));
    }
    if (to->state) {
        memcpy(to->state + ABUT_CONVEX_STATE * row, from->state, sizeof from->state);
    }
}

static void write_row(const writing *w, const convex_row *from, abut_index row)
{
    const abut_convex_columns *to = w->columns;
    const int dimension = w->contacts->finder->dimension;
    write_names(from, row, to);
    write_kinds(from, row, to);
    write_gap(from, row, dimension, to);
    write_link(from, row, dimension, to);
    for (int axis = 0; w->contacts->has_images && to->image && axis < dimension; axis++) {
        to->image[dimension * row + axis] = from->image[axis];
    }
}

/* ---- spots ---- */

static void write_spot(const convex_spot *from, abut_index spot, int dimension,
                       const abut_convex_columns *to)
{
    if (to->spot) {
        vec3_put(to->spot + dimension * spot, dimension, from->point);
    }
    if (to->spot_overlap) {
        to->spot_overlap[spot] = 0.0 - from->gap;
    }
    for (int k = 0; to->spot_type && k < 2; k++) {
        to->spot_type[2 * spot + k] = (uint8_t)from->ends[k].type;
    }
    for (int k = 0; to->spot_feature && k < 2; k++) {
        to->spot_feature[2 * spot + k] = from->ends[k].feature;
    }
}

static void write_spots(const writing *w, const convex_chunk *chunk)
{
    const int dimension = w->contacts->finder->dimension;
    for (abut_index k = 0; k < chunk->spot_count; k++) {
        write_spot(&chunk->spots[k], chunk->first_spot + k, dimension, w->columns);
    }
}

/* Writes where each row's spots end. */
static void write_spot_offsets(const convex_chunk *chunk, abut_index *offsets)
{
    abut_index end = chunk->first_spot;
    for (abut_index k = 0; k < chunk->row_count; k++) {
        end += chunk->rows[k].spot_count;
        offsets[chunk->first_row + k + 1] = end;
    }
}

/* ---- offsets ---- */

/* The first body of the last row before a chunk; -1: there is no row before it. */
static int32_t body_before(const abut_convex_contacts *contacts, abut_index chunk)
{
    while (chunk > 0) {
        const convex_chunk *before = &contacts->chunks[--chunk];
        if (before->row_count > 0) {
            return before->rows[before->row_count - 1].first;
        }
    }
    return -1;
}

/* Writes where the rows of each body begin, for bodies with their first row in this chunk. Bodies
 * without rows get the offset of the next body with rows. */
static void write_offsets(const writing *w, abut_index number)
{
    const convex_chunk *chunk = &w->contacts->chunks[number];
    int32_t body = body_before(w->contacts, number);
    for (abut_index k = 0; k < chunk->row_count; k++) {
        while (body < chunk->rows[k].first) {
            w->columns->offsets[++body] = chunk->first_row + k;
        }
    }
}

/* Writes the offsets of the bodies after the last one with rows, and the end of all rows. */
static void end_offsets(const abut_convex_contacts *contacts, abut_index *offsets)
{
    const abut_index bodies = contacts->finder->body_count;
    for (abut_index body = body_before(contacts, contacts->chunk_count) + 1; body <= bodies;
         body++) {
        offsets[body] = contacts->row_count;
    }
}

/* ---- all columns ---- */

static abut_status write_chunk(void *context, abut_index number, parallel_job *job)
{
    const writing *w = context;
    const convex_chunk *chunk = &w->contacts->chunks[number];
    for (abut_index k = 0; k < chunk->row_count; k++) {
        write_row(w, &chunk->rows[k], chunk->first_row + k);
    }
    write_spots(w, chunk);
    if (w->columns->spot_offsets) {
        write_spot_offsets(chunk, w->columns->spot_offsets);
    }
    if (w->columns->offsets) {
        write_offsets(w, number);
    }
    return parallel_report(job, 4 * chunk->row_count);
}

void abut_convex_contacts_write(const abut_convex_contacts *contacts,
                                const abut_convex_columns *columns)
{
    writing w = {.contacts = contacts, .columns = columns};
    abut_convex_columns written = *columns;
    written.offsets = contacts->is_sorted ? columns->offsets : NULL;
    w.columns = &written;
    if (written.spot_offsets) {
        written.spot_offsets[0] = 0;
    }
    if (written.offsets) {
        end_offsets(contacts, written.offsets);
    }
    const parallel_plan plan = {.chunk_count = contacts->chunk_count,
                                .work = 4 * contacts->row_count,
                                .workers = contacts->workers};
    parallel_run(&plan, write_chunk, &w);
}
