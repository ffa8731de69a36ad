/* Rows are written while spheres are searched, where the caller has room for them already.
 *
 * A chunk's rows follow those of the chunks before, so it is written as soon as all of them have
 * been searched, by whoever finds that out: mostly the thread that has just searched it, and still
 * has its contacts in the cache. Its buffer is used again by the next chunk, and so never leaves
 * the cache. */
#ifndef WALLS_EARLY_H
#define WALLS_EARLY_H

#include "contacts.h"

/* Buffers of chunks that have been written: about as many as there are threads. */
enum { EARLY_BUFFERS = 16 };

typedef struct early {
    abut_contacts *contacts;
    bool is_on;
    atomic_flag is_locked; /* whoever does not get it goes on without */
    abut_index counted; /* so many chunks, the first ones, know where the rows after them begin */
    abut_index taken;   /* so many of these are written, or being written */
    bool is_full;       /* the next one had no room */
    abut_index free_buffers[EARLY_BUFFERS]; /* chunks */
    int free_count;
} early;

/* For contacts whose order is known. */
void early_begin(early *e, abut_contacts *contacts);

/* A chunk is about to be searched. */
void early_lend_buffer(early *e, abut_index chunk);

/* A chunk has been searched. */
void early_hand_in(early *e, abut_index chunk);

/* All have been searched: tell where all rows begin, and which of them are written. */
void early_end(early *e);

#endif
