/* A contact becomes a row: the columns of a caller are written from the records of a search. */
#ifndef WALLS_ROWS_H
#define WALLS_ROWS_H

#include "contacts.h"

/* Contacts written in one go, column by column: what is computed on the way stays in the first
 * cache. */
enum { ROWS = 64 };

/* Which mesh, and where. */
typedef struct seat {
    const placed_mesh *placed;
    const abut_mesh *mesh;
    abut_index number;
    const int32_t *image;
    bool is_plain;     /* neither turned nor shifted */
    bool is_triangles; /* every facet is one */
} seat;

/* The seat of a contact in a buffer. */
seat rows_find_seat(const abut_contacts *contacts, const contact_buffer *buffer, int32_t place);

/* Contacts in the same seat that follow one another, at most ROWS, and where they go. */
typedef struct run {
    const abut_contacts *contacts;
    const abut_columns *columns;
    const contact *items;
    const double *shares; /* of the items; NULL: 1 */
    abut_index count;
    abut_index row, node;    /* of the first */
    abut_index first_sphere; /* the items' spheres are counted from here */
    seat at;
} run;

/* Fetch what rows_write will read: to be called while the run before is written. */
void rows_fetch(const run *r);

/* Write all columns but the spheres' offsets. Returns the node after the run's last. */
abut_index rows_write(const run *r);

#endif
