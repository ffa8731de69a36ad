/* The only file that uses threads. It runs chunks of work on several threads, or one after the
 * other where the library is built without OpenMP. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "../abut/base.h"

/* The work between two calls of `interrupted`: about 50 ms. */
#define PARALLEL_WORK_PER_CHECK 5000000

/* What one thread does of a run. */
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

/* How many chunks of `size` items there are, and the end of the one that begins at `begin`. */
static inline abut_index parallel_chunk_count(abut_index count, abut_index size)
{
    return (count + size - 1) / size;
}

static inline abut_index parallel_chunk_end(abut_index begin, abut_index size, abut_index count)
{
    return count - begin < size ? count : begin + size;
}

/* Runs `body` for the chunks 0 ... chunk_count - 1 on as many threads as the work is worth; a
 * thread that is free takes the next chunk. Returns ABUT_OK after all chunks, or the failure that
 * happened first: then chunks that had not begun are not done. */
abut_status parallel_run(const parallel_plan *plan, parallel_body body, void *context);

/* Does items begin ... end - 1 of a loop. */
typedef void (*parallel_stretch)(void *context, abut_index begin, abut_index end);

/* Runs `body` for all items of a loop, at most `size` at a time. It is for loops that cannot fail
 * and are short, since `interrupted` is not called. `work` is that of all items. */
void parallel_loop(int workers, abut_index count, abut_index size, abut_index work,
                   parallel_stretch body, void *context);

/* A reduction over all items of a loop, for example a sum. Each part of the loop makes its own
 * result, and these are joined in order. Where parts begin and end depends only on the number of
 * items, so sums have the same bits with any number of threads. */
typedef struct parallel_folding {
    void (*add)(const void *context, abut_index begin, abut_index end, void *part);
    void (*join)(void *total, const void *part); /* NULL: parts are doubles, which are added */
    const void *context;
    const void *none; /* initial value of each part but the first; NULL: zeros */
    size_t size;      /* of a part, at most PARALLEL_PART_SIZE */
} parallel_folding;

enum { PARALLEL_PART_SIZE = 128 };

/* Folds all items into `total`; the first part begins with the value that `total` has. */
void parallel_fold(int workers, abut_index count, abut_index work, const parallel_folding *folding,
                   void *total);

/* Calls `function(context)`; all runs inside of it share one team of threads. Gathering threads
 * once for all runs of a query takes less time than once for each. `work` is that of all runs. The
 * function runs on the calling thread, and the other threads take its rounding mode. Inside of
 * another parallel_together it just calls the function. */
void parallel_together(int workers, abut_index work, void (*function)(void *context),
                       void *context);

/* A body calls this now and then: `work` more has been done, in units of about 10 ns (one
 * candidate). On the thread that called parallel_run it calls `interrupted` every
 * PARALLEL_WORK_PER_CHECK units. If it does not return ABUT_OK, the run is ending, and the body
 * should return that status. It is cheap enough to call for each sphere. */
abut_status parallel_report(parallel_job *job, abut_index work);

/* Lowers *first to `number` if that is less, or if *first is -1, which means that no number was
 * found so far. The result does not depend on the order of the threads. */
void parallel_keep_first(atomic_intptr_t *first, abut_index number);

/* In builds for tests (ABUT_TESTING): whether every report calls `interrupted`. */
void parallel_ask_always(bool always);

/* From now on all chunks run on the calling thread, and their times are written to this file; NULL
 * closes it. Only builds with ABUT_RECORD_CHUNKS have this function. */
void parallel_record(const char *path);

#endif
