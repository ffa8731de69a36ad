/* The only place that knows threads: chunks of work over several, or one after the other where the
 * library is built without OpenMP. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include "../abut.h"

/* Work between two questions whether the query should end: about 50 ms. */
#define PARALLEL_WORK_PER_CHECK 5000000

/* One thread's part of one run. */
typedef struct parallel_job parallel_job;

/* Does chunk `chunk` of the work; a status other than ABUT_OK ends the run. */
typedef abut_status (*parallel_body)(void *context, abut_index chunk, parallel_job *job);

/* Run `body` for the chunks 0 ... chunk_count - 1 on up to `workers` threads, no more than the work
 * is worth; whoever is free takes the next chunk. Returns the failure that happened first, or
 * ABUT_OK: then every chunk has been done. After a failure chunks that have not begun are left out.
 * `interrupted` may be NULL. */
abut_status parallel_run(abut_index chunk_count, int workers, parallel_body body, void *context,
                         abut_interrupted interrupted, void *interrupted_data);

/* Called by a body now and then: `work` more has been done, in units of about 10 ns (one
 * candidate). On the thread that called parallel_run this asks `interrupted` every
 * PARALLEL_WORK_PER_CHECK units, and calls other threads once it is worth while. Other than
 * ABUT_OK: the run is to end, and the body should return that status. Cheap enough to call for each
 * sphere. */
abut_status parallel_report(parallel_job *job, abut_index work);

#endif
