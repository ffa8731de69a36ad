/* The only place that knows threads: chunks of work over several, or one after the other where the
 * library is built without OpenMP. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "../abut/base.h"

/* Work between two questions whether the query should end: about 50 ms. */
#define PARALLEL_WORK_PER_CHECK 5000000

/* One thread's part of one run. */
typedef struct parallel_job parallel_job;

/* Does chunk `chunk` of the work; a status other than ABUT_OK ends the run. */
typedef abut_status (*parallel_body)(void *context, abut_index chunk, parallel_job *job);

/* What a run is to do. */
typedef struct parallel_plan {
    abut_index chunk_count;
    abut_index work;              /* of all chunks, about, as parallel_report counts it */
    int workers;                  /* threads at most */
    abut_interrupted interrupted; /* may be NULL */
    void *interrupted_data;
} parallel_plan;

/* How many chunks there are of `count` items, and where one of them ends, which begins at `begin`.
 */
static inline abut_index parallel_chunk_count(abut_index count, abut_index size)
{
    return (count + size - 1) / size;
}

static inline abut_index parallel_chunk_end(abut_index begin, abut_index size, abut_index count)
{
    return count - begin < size ? count : begin + size;
}

/* Run `body` for the chunks 0 ... chunk_count - 1 on as many threads as the work is worth; whoever
 * is free takes the next chunk. Returns the failure that happened first, or ABUT_OK: then every
 * chunk has been done. After a failure chunks that have not begun are left out. */
abut_status parallel_run(const parallel_plan *plan, parallel_body body, void *context);

/* Does the items begin ... end - 1 of a loop. */
typedef void (*parallel_stretch)(void *context, abut_index begin, abut_index end);

/* Run `body` for all items of a loop, at most `size` at a time, where nothing can fail, and nobody
 * waits for long. `work` is that of all items. */
void parallel_loop(int workers, abut_index count, abut_index size, abut_index work,
                   parallel_stretch body, void *context);

/* What is found over all items of a loop, as a sum: parts of the loop find theirs, which are joined
 * in their order. Where parts begin and end depends on the number of items alone, and so do the
 * bits of sums. */
typedef struct parallel_folding {
    void (*add)(const void *context, abut_index begin, abut_index end, void *part);
    void (*join)(void *total, const void *part); /* NULL: parts are doubles, which are added */
    const void *context;
    const void *none; /* how each part but the first begins; NULL: with zeros */
    size_t size;      /* of a part, at most PARALLEL_PART_SIZE */
} parallel_folding;

enum { PARALLEL_PART_SIZE = 128 };

/* Fold all items into `total`, with which the first part begins. */
void parallel_fold(int workers, abut_index count, abut_index work, const parallel_folding *folding,
                   void *total);

/* Call `function(context)`, whose runs share one team of threads: to gather threads once for all
 * runs of a query takes less than to do so for each. `work` is that of all runs. The function runs
 * on the calling thread, whose rounding mode all others take. Inside of another such call this just
 * calls it. */
void parallel_together(int workers, abut_index work, void (*function)(void *context),
                       void *context);

/* Called by a body now and then: `work` more has been done, in units of about 10 ns (one
 * candidate). On the thread that called parallel_run this asks `interrupted` every
 * PARALLEL_WORK_PER_CHECK units. Other than ABUT_OK: the run is to end, and the body should return
 * that status. Cheap enough to call for each sphere. */
abut_status parallel_report(parallel_job *job, abut_index work);

/* Keep the smallest of all numbers that threads find, whichever of them comes first; -1: none was
 * found so far. */
void parallel_keep_first(atomic_intptr_t *first, abut_index number);

/* Of a build for tests, ABUT_TESTING: ask in each report, or as seldom as above. */
void parallel_ask_always(bool always);

/* Does all chunks on the calling thread from now on, and writes their times to this file; NULL
 * closes it. This function is in builds with ABUT_RECORD_CHUNKS alone. */
void parallel_record(const char *path);

#endif
