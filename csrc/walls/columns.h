/* Contacts become columns: chunk by chunk, in the caller's order of spheres. */
#ifndef WALLS_COLUMNS_H
#define WALLS_COLUMNS_H

#include "contacts.h"

/* Write what stands before the first row. */
void columns_begin(const abut_columns *columns);

/* Write the rows of one chunk of spheres, and their offsets. Where its rows go has to be known, no
 * more. */
void columns_write_chunk(const abut_contacts *contacts, const abut_columns *columns,
                         abut_index chunk);

#endif
