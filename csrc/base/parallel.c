/* nanosleep and sched_yield in <time.h> and <sched.h> */
#define _POSIX_C_SOURCE 200809L

#include "parallel.h"

#include <stdatomic.h>

#if defined(_OPENMP)
#include <omp.h>
#endif
#if defined(_OPENMP) && (defined(__unix__) || defined(__APPLE__))
#define HAS_POSIX_THREADS
#include <pthread.h>
#include <sched.h>
#include <time.h>
#endif

/* More threads than this many a core gain nothing, and libgomp ends the process
 * where it cannot start one. */
#define WORKERS_PER_CORE 4

/* What the threads of one run share. */
typedef struct parallel_state {
    abut_index chunk_count;
    parallel_body body;
    void *context;
    abut_interrupted interrupted;
    void *interrupted_data;
    atomic_intptr_t next_chunk;
    atomic_int busy_count; /* threads that may be inside body */
    atomic_int status;     /* the first failure */
} parallel_state;

struct parallel_job {
    parallel_state *state;
    int is_caller;            /* whether this is the thread that called parallel_run */
    abut_index work_to_check; /* until `interrupted` is asked again */
};

static abut_status status_of(parallel_state *state)
{
    return (abut_status)atomic_load_explicit(&state->status, memory_order_relaxed);
}

/* Later failures, mostly answers to the first one, change nothing. */
static void fail(parallel_state *state, abut_status status)
{
    int none = ABUT_OK;
    atomic_compare_exchange_strong(&state->status, &none, (int)status);
}

static void ask_whether_interrupted(parallel_state *state)
{
    if (state->interrupted != NULL && state->interrupted(state->interrupted_data)) {
        fail(state, ABUT_INTERRUPTED);
    }
}

abut_status parallel_report(parallel_job *job, abut_index work)
{
    job->work_to_check -= work;
    if (job->is_caller && job->work_to_check <= 0) {
        job->work_to_check = PARALLEL_WORK_PER_CHECK;
        ask_whether_interrupted(job->state);
    }
    return status_of(job->state);
}

static void do_chunks(parallel_state *state, int is_caller)
{
    parallel_job job = {state, is_caller, PARALLEL_WORK_PER_CHECK};
    while (status_of(state) == ABUT_OK) {
        abut_index chunk = atomic_fetch_add(&state->next_chunk, 1);
        if (chunk >= state->chunk_count) {
            return;
        }
        abut_status status = state->body(state->context, chunk, &job);
        if (status != ABUT_OK) {
            fail(state, status);
        }
    }
}

#ifdef HAS_POSIX_THREADS
/* libgomp's threads do not come along into a forked child, which then waits for them forever. */
static atomic_int is_child_of_threads;

static void note_child(void)
{
    atomic_store(&is_child_of_threads, 1);
}

static void guard_forks(void)
{
    pthread_atfork(NULL, NULL, note_child);
}

static int may_use_threads(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (atomic_load(&is_child_of_threads)) {
        return 0;
    }
    pthread_once(&once, guard_forks);
    return 1;
}

/* The caller, out of chunks, goes on asking while others work: OpenMP's own barrier would not.
 * Short waits are spent yielding, since a sleep takes longer than most chunks. */
static void wait_for_others(parallel_state *state)
{
    const struct timespec pause = {0, 100000};
    for (int round = 1; atomic_load(&state->busy_count) > 0; round++) {
        if (round < 256) {
            sched_yield();
        } else {
            nanosleep(&pause, NULL);
        }
        if (round % 256 == 0) {
            ask_whether_interrupted(state);
        }
    }
}
#elif defined(_OPENMP)
static int may_use_threads(void)
{
    return 1;
}

static void wait_for_others(parallel_state *state)
{
    (void)state;
}
#endif

#if defined(_OPENMP)
static void do_chunks_with_threads(parallel_state *state, int workers)
{
#pragma omp parallel num_threads(workers)
    {
        /* counted before the first chunk is taken, so that nobody misses who took the last one */
        int is_caller = omp_get_thread_num() == 0;
        atomic_fetch_add(&state->busy_count, 1);
        do_chunks(state, is_caller);
        atomic_fetch_sub(&state->busy_count, 1);
        if (is_caller) {
            wait_for_others(state);
        }
    }
}

static int usable_workers(abut_index chunk_count, int workers)
{
    workers = workers < chunk_count ? workers : (int)chunk_count;
    /* to count the cores takes a call of the system, longer than the search of a sphere */
    if (workers <= 1 || !may_use_threads()) {
        return 1;
    }
    int most = WORKERS_PER_CORE * omp_get_num_procs();
    return workers < most ? workers : most;
}

int abut_has_openmp(void)
{
    return 1;
}
#else
static void do_chunks_with_threads(parallel_state *state, int workers)
{
    (void)workers;
    do_chunks(state, 1);
}

static int usable_workers(abut_index chunk_count, int workers)
{
    (void)chunk_count, (void)workers;
    return 1;
}

int abut_has_openmp(void)
{
    return 0;
}
#endif

abut_status parallel_run(abut_index chunk_count, int workers, parallel_body body, void *context,
                         abut_interrupted interrupted, void *interrupted_data)
{
    parallel_state state = {
        .chunk_count = chunk_count,
        .body = body,
        .context = context,
        .interrupted = interrupted,
        .interrupted_data = interrupted_data,
    };
    int threads = usable_workers(chunk_count, workers);
    if (threads > 1) {
        do_chunks_with_threads(&state, threads);
    } else {
        do_chunks(&state, 1);
    }
    return status_of(&state);
}
