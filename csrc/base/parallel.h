/* The only file that uses threads. It runs chunks of work on several threads, or one after the
 * other where the library is built without OpenMP. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "../abut/base.h"

/* The work between two calls of `interrupted`, in units of about 10 ns: about 50 ms. */
#define PARALLEL_WORK_PER_CHECK 5000000

/* One thread's share of a run, and how much work it has reported. */
typedef struct parallel_job parallel_job;

/* Does chunk `chunk` of the work; a status other than ABUT_OK ends the run. */
typedef abut_status (*parallel_body)(void *context, abut_index chunk, parallel_job *job);

/* A run: its chunks, its work and its threads. */
typedef struct parallel_plan {
    abut_index chunk_count;
    abut_index work;              /* estimate for all chunks, in the units of parallel_report */
    int workers;                  /* the largest number of threads */
    abut_interrupted interrupted; /* may be NULL */
    void *interrupted_data;
} parallel_plan;

/* The number of chunks into which `count` items are divided, with `size` items in each. */
static inline abut_index parallel_chunk_count(abut_index count, abut_index size)
{
    return (count + size - 1) / size;
}

/* The end of the chunk that begins with item `begin`. */
static inline abut_index parallel_chunk_end(abut_index begin, abut_index size, abut_index count)
{
    return count - begin < size ? count : begin + size;
}

/* Runs `body` for the chunks 0 ... chunk_count - 1, on as many threads as the work is worth. A
 * thread that is free takes the next chunk. Returns ABUT_OK after all chunks, or the first failure.
 * After a failure, no more chunks are begun. */
abut_status parallel_run(const parallel_plan *plan, parallel_body body, void *context);

/* Does items begin ... end - 1 of a loop. */
typedef void (*parallel_stretch)(void *context, abut_index begin, abut_index end);

/* Runs `body` for all items of a loop, at most `size` at a time. The loop must be short, since
 * `interrupted` is not called. The loop cannot fail. `work` is the work of all items. */
void parallel_loop(int workers, abut_index count, abut_index size, abut_index work,
                   parallel_stretch body, void *context);

/* A reduction over all items of a loop, for example a sum. Each part of the loop makes a result of
 * its own, and these results are joined in order. The parts depend only on the number of items, so
 * sums have the same bits with any number of threads. */
typedef struct parallel_folding {
    void (*add)(const void *context, abut_index begin, abut_index end, void *part);
    void (*join)(void *total, const void *part); /* NULL: parts are doubles, which are added */
    const void *context;
    const void *none; /* initial value of each part but the first; NULL: zeros */
    size_t size;      /* of a part's result, at most PARALLEL_PART_SIZE bytes */
} parallel_folding;

enum { PARALLEL_PART_SIZE = 320 };

/* Folds all items into `total`. The first part begins with the value of `total` before the call. */
void parallel_fold(int workers, abut_index count, abut_index work, const parallel_folding *folding,
                   void *total);

/* Calls `function(context)` on the calling thread. All runs inside of it use the same threads: to
 * gather them once for all runs of a query takes less time than once for each run. `work` is the
 * work of all these runs. The other threads use the caller's rounding mode. Inside of another
 * parallel_together, this only calls the function. */
void parallel_together(int workers, abut_index work, void (*function)(void *context),
                       void *context);

/* Reports that a body has done `work` more units. A unit is about 10 ns, the time for one
 * candidate. On the caller's thread, this function calls `interrupted` every
 * PARALLEL_WORK_PER_CHECK units. A return value other than ABUT_OK means that the run is ending;
 * the body should return that value. A call takes so little time that it may be made for every
 * sphere. */
abut_status parallel_report(parallel_job *job, abut_index work);

/* Sets *first to `number` if that is smaller, or if *first is -1, which means that there was no
 * number yet. The final value does not depend on the order of the threads. */
void parallel_keep_first(atomic_intptr_t *first, abut_index number);

/* Sets whether every report calls `interrupted`. It exists only in builds with ABUT_TESTING. */
void parallel_ask_always(bool always);

/* Makes all chunks run on the calling thread from now on, and writes their times to this file. NULL
 * closes it. Only builds with ABUT_RECORD_CHUNKS have this function. */
void parallel_record(const char *path);

#endif
