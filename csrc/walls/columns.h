/* Contacts become columns: chunk by chunk, in the caller's order of spheres. */
#ifndef WALLS_COLUMNS_H
#define WALLS_COLUMNS_H

#include "contacts.h"

/* Rows are written while spheres are searched, where the caller has room for them already: a sink.
 *
 * A chunk's rows follow those of the chunks before, so it is written as soon as all of them have
 * been searched, by whoever finds that out: mostly the thread that has just searched it, and still
 * has its contacts in the cache, which its next chunk's contacts then never leave. */
typedef struct early {
    abut_contacts *contacts;
    atomic_flag is_locked; /* whoever does not get it goes on without */
    abut_index counted; /* so many chunks, the first ones, know where the rows after them begin */
    abut_index taken;   /* so many of these are written, or being written */
    bool is_full;       /* the next one had no room */
} early;

/* For contacts in the caller's order with room. */
records_sink early_begin(early *e, abut_contacts *contacts);

/* All have been searched: tell where all rows begin, and which of them are written. */
void early_end(early *e);

#endif
