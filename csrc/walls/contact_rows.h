/* Contacts become rows: the records of a search are written to the caller's columns. */
#ifndef WALLS_CONTACT_ROWS_H
#define WALLS_CONTACT_ROWS_H

#include "query_contacts.h"

/* Contacts written together, column by column: intermediate results stay in the first cache. */
enum { ROWS = 64 };

/* The surface that contacts are with, and its image. */
typedef struct mesh_place {
    const placed_mesh *placed;
    const abut_mesh *mesh;
    const half_space *half_space; /* NULL for a mesh */
    abut_index number;
    const int32_t *image;
    bool is_plain;     /* neither turned nor shifted */
    bool is_triangles; /* every facet is one triangle */
} mesh_place;

/* Finds the place of a contact from the mesh_image of its record, in a chunk's records. */
mesh_place rows_find_place(const abut_contacts *contacts, const records *buffer,
                           int32_t mesh_image);

/* At most ROWS consecutive contacts with one surface at one place, and where their rows go. */
typedef struct contact_block {
    const abut_contacts *contacts;
    const contact *items;
    const double *shares; /* shares of the items; NULL: all are 1 */
    abut_index count;
    abut_index node;         /* index of the first item's nodes */
    abut_index first_sphere; /* the caller's number of the chunk's first sphere; the items' spheres
                                are counted from it */
    mesh_place at;
    abut_columns to; /* columns from the first item's row and node on */
} contact_block;

/* Scratch memory in place of columns that the caller leaves out. */
typedef struct unwanted_rows {
    abut_index indices[ROWS];
    uint8_t types[ROWS];
    double numbers[3 * ROWS];
} unwanted_rows;

/* The columns from a row and a node on. Columns left out are scratch memory, or NULL. */
abut_columns rows_columns(const abut_columns *columns, abut_index row, abut_index node,
                          unwanted_rows *unwanted);

/* Prefetches what rows_write will read. Call it while another block is written. */
void rows_fetch(const contact_block *r);

/* Writes all columns except the spheres' offsets. Returns the index after the block's last node. */
abut_index rows_write(const contact_block *r);

/* ---- rows written during the search ---- */

/* A sink that writes rows during the search, if the caller has given memory for them.
 *
 * The rows of a chunk follow those of all chunks before, so it can be written once all of these
 * have been searched. Mostly the thread that has just searched the chunk writes it, and still has
 * its contacts in the cache. */
typedef struct early {
    abut_contacts *contacts;
    atomic_flag is_locked; /* a thread that does not get the lock continues with its search */
    abut_index counted;    /* number of chunks, from the first on, for which the end of the rows is
                              known */
    abut_index taken;      /* number of chunks, from the first on, that are written, or being
                              written */
    bool is_full;          /* the caller's memory is too small for the next chunk */
} early;

/* Prepares `contacts` and returns the sink. The search must be in the caller's order, and the
 * caller must have given memory for rows. */
records_sink early_begin(early *e, abut_contacts *contacts);

/* Call it after the search. Sets where all rows begin, and which chunks are written. */
void early_end(early *e);

#endif
