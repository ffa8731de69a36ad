/* A contact becomes a row: the columns of a caller are written from the records of a search. */
#ifndef WALLS_CONTACT_ROWS_H
#define WALLS_CONTACT_ROWS_H

#include "query_contacts.h"

/* Contacts written in one go, column by column: what is computed on the way stays in the first
 * cache. */
enum { ROWS = 64 };

/* Which mesh, and where. */
typedef struct mesh_place {
    const placed_mesh *placed;
    const abut_mesh *mesh;
    const half_space *half_space; /* NULL: it is a mesh */
    abut_index number;
    const int32_t *image;
    bool is_plain;     /* neither turned nor shifted */
    bool is_triangles; /* every facet is one */
} mesh_place;

/* The place of a contact, whose record among a chunk's has this mesh_image. */
mesh_place rows_find_place(const abut_contacts *contacts, const records *of, int32_t mesh_image);

/* Contacts with one mesh at one place that follow one another, at most ROWS, and where they go. */
typedef struct contact_block {
    const abut_contacts *contacts;
    const contact *items;
    const double *shares; /* of the items; NULL: all are 1 */
    abut_index count;
    abut_index node;         /* where those of the first item go */
    abut_index first_sphere; /* the items' spheres are counted from here */
    mesh_place at;
    abut_columns to; /* from the first's row and node on */
} contact_block;

/* Where columns are written that the caller leaves out, and nobody reads. */
typedef struct unwanted_rows {
    abut_index indices[ROWS];
    uint8_t types[ROWS];
    double numbers[3 * ROWS];
} unwanted_rows;

/* Columns from a row and a node on, for one block; those that the caller does without are written
 * elsewhere, or not at all. */
abut_columns rows_columns(const abut_columns *columns, abut_index row, abut_index node,
                          unwanted_rows *unwanted);

/* Fetch what rows_write will read: to be called while the block before is written. */
void rows_fetch(const contact_block *r);

/* Write all columns but the spheres' offsets. Returns the node after the last. */
abut_index rows_write(const contact_block *r);

/* ---- while others are searched ---- */

/* Rows are written while spheres are searched, where the caller has room for them already: a sink.
 *
 * A chunk's rows follow those of the chunks before, so it is written as soon as all of them have
 * been searched, by whoever finds that out: mostly the thread that has just searched it, and still
 * has its contacts in the cache, which its next chunk's contacts then never leave. */
typedef struct early {
    abut_contacts *contacts;
    atomic_flag is_locked; /* a thread that does not get it goes on without */
    abut_index counted; /* so many chunks, the first ones, know where the rows after them begin */
    abut_index taken;   /* so many of these are written, or being written */
    bool is_full;       /* the next one had no room */
} early;

/* Begin, for contacts in the caller's order with room; the sink that writes on the way. */
records_sink early_begin(early *e, abut_contacts *contacts);

/* All have been searched: tell where all rows begin, and which of them are written. */
void early_end(early *e);

#endif
