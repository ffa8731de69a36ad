/* Pairs that a search has found, on their way from vector code to a list. */
#ifndef SPHERES_QUEUE_H
#define SPHERES_QUEUE_H

#include "grid.h"

typedef struct pair_queue pair_queue;

struct pair_queue {
    int32_t *firsts;  /* who looked */
    int32_t *seconds; /* whom it found: places in the grid */
    int32_t count, capacity;
    abut_index distance_count; /* distances computed so far */

    /* Take what is there, and make room for `room` more; false: the search is to end. */
    bool (*drain)(pair_queue *queue, abut_index room);
    void *context;
};

/* Spheres of the grid that may be near, one after the other. */
typedef struct sphere_run {
    int32_t begin, end;
} sphere_run;

/* Runs that are looked through in one go. */
enum { RUN_LIMIT = 128 };

#endif
