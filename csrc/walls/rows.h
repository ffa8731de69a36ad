/* A contact becomes a row: the columns of a caller are written from the records of a search. */
#ifndef WALLS_ROWS_H
#define WALLS_ROWS_H

#include "contacts.h"

/* Contacts written in one go, column by column: what is computed on the way stays in the first
 * cache. */
enum { ROWS = 64 };

/* Which mesh, and where. */
typedef struct mesh_place {
    const placed_mesh *placed;
    const abut_mesh *mesh;
    abut_index number;
    const int32_t *image;
    bool is_plain;     /* neither turned nor shifted */
    bool is_triangles; /* every facet is one */
} mesh_place;

/* Of a contact among a chunk's records. */
mesh_place rows_find_place(const abut_contacts *contacts, const records *of, int32_t mesh_image);

/* Contacts with one mesh at one place that follow one another, at most ROWS, and where they go. */
typedef struct row_block {
    const abut_contacts *contacts;
    const contact *items;
    const double *shares; /* of the items; NULL: 1 */
    abut_index count;
    abut_index node;         /* of the first */
    abut_index first_sphere; /* the items' spheres are counted from here */
    mesh_place at;
    abut_columns to; /* from the first's row and node on */
} row_block;

/* What is written for nobody. */
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
void rows_fetch(const row_block *r);

/* Write all columns but the spheres' offsets. Returns the node after the last. */
abut_index rows_write(const row_block *r);

#endif
