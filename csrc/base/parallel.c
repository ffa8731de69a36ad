/* pthread_sigmask and clock_gettime in <signal.h> and <time.h> */
#define _POSIX_C_SOURCE 200809L

#include "parallel.h"

#include <stdatomic.h>
#include <stdbool.h>

#if defined(_OPENMP)
#include <omp.h>
#endif
#if defined(_OPENMP) && (defined(__unix__) || defined(__APPLE__))
#define HAS_POSIX_THREADS
#include <pthread.h>
#include <signal.h>
#include <time.h>
#endif

/* More threads than this many a core gain nothing. */
#define WORKERS_PER_CORE 4

#ifdef HAS_POSIX_THREADS
/* What the helpers of a run know of it; under the pool's lock. */
typedef struct helper_crew {
    bool is_listed;
    int wanted_count;            /* helpers that may yet join */
    int busy_count;              /* those that did and have not left */
    pthread_cond_t none_busy;    /* when busy_count falls to 0 */
    struct parallel_state *next; /* run of the pool's list */
} helper_crew;
#endif

/* What the threads of one run share. */
typedef struct parallel_state {
    abut_index chunk_count;
    parallel_body body;
    void *context;
    abut_interrupted interrupted;
    void *interrupted_data;
    atomic_intptr_t next_chunk;
    atomic_int status; /* the first failure */
#ifdef HAS_POSIX_THREADS
    helper_crew crew;
#endif
} parallel_state;

struct parallel_job {
    parallel_state *state;
    bool is_caller;           /* whether this is the thread that called parallel_run */
    abut_index work_to_check; /* until `interrupted` is asked again */
    abut_index work_to_clock; /* until the caller looks again whether helpers are worth while */
    abut_index done_count;    /* chunks */
    int helper_limit;
    int called_count; /* helpers called so far */
    int64_t begin;    /* by clock_time */
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

/* A run that is to end is not asked about again: who was told of an interruption may rely on it
 * that this was the last question. */
static void ask_whether_interrupted(parallel_state *state)
{
    if (status_of(state) == ABUT_OK && state->interrupted != NULL &&
        state->interrupted(state->interrupted_data)) {
        fail(state, ABUT_INTERRUPTED);
    }
}

static void consider_help(parallel_job *job);

/* Work between two looks at the clock within one chunk: about 20 us. */
#define WORK_PER_CLOCK 2000

abut_status parallel_report(parallel_job *job, abut_index work)
{
    job->work_to_check -= work;
    job->work_to_clock -= work;
    if (job->is_caller && job->work_to_clock <= 0) {
        job->work_to_clock = WORK_PER_CLOCK;
        consider_help(job);
    }
    if (job->is_caller && job->work_to_check <= 0) {
        job->work_to_check = PARALLEL_WORK_PER_CHECK;
        ask_whether_interrupted(job->state);
    }
    return status_of(job->state);
}

static void do_chunks(parallel_job *job)
{
    parallel_state *state = job->state;
    while (status_of(state) == ABUT_OK) {
        abut_index chunk = atomic_fetch_add(&state->next_chunk, 1);
        if (chunk >= state->chunk_count) {
            return;
        }
        abut_status status = state->body(state->context, chunk, job);
        if (status != ABUT_OK) {
            fail(state, status);
        }
        job->done_count++;
        consider_help(job);
    }
}

static parallel_job job_of(parallel_state *state, bool is_caller)
{
    return (parallel_job){
        .state = state,
        .is_caller = is_caller,
        .work_to_check = PARALLEL_WORK_PER_CHECK,
        .work_to_clock = WORK_PER_CLOCK,
    };
}

#ifdef HAS_POSIX_THREADS
/* ---- helpers: threads of the library that sleep between runs ----
 *
 * Not a team of OpenMP's, which begins and ends together: its threads spin between two runs, which
 * takes the cores from whoever needs them, and where other programs keep a core busy, the caller
 * waits at the end for a thread that has not even begun, a time slice of the system or several.
 * Here the caller begins alone, calls helpers when it sees that there is work for them, and at the
 * end waits only for those that are inside a chunk. */

/* Most queries of few spheres are over by then, and have touched no lock. */
#define TIME_ALONE 20000 /* ns */

/* The work, in the caller's own time, that each helper is called for. To wake one costs the caller
 * about 10 us; the helper is there 10 to 20 us later, but now and then only after another program's
 * time slice of some ms, and at the end the caller may wait for its last chunk, typically 100 us.
 * With helpers for 100 us of work, two threads took up to 1.3 times as long as one where other
 * programs kept all cores busy; with this, about as long. */
#define TIME_FOR_HELPER 500000 /* ns */

/* Between two questions of a caller that waits. */
#define TIME_PER_CHECK 20000000 /* ns */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work;   /* when a run wants helpers */
    parallel_state *first; /* runs that called helpers */
    int wanted_count;      /* by all of them */
    int idle_count;        /* helpers that are in no run */
    int count;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER};

static int64_t clock_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static parallel_state *run_that_wants_help(void)
{
    parallel_state *run = pool.first;
    while (run && run->crew.wanted_count == 0) {
        run = run->crew.next;
    }
    return run;
}

/* A helper's life; it ends with the process. */
static void *help(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        parallel_state *run = run_that_wants_help();
        if (!run) {
            pthread_cond_wait(&pool.work, &pool.lock);
            continue;
        }
        parallel_job job = job_of(run, false);
        pool.wanted_count--, run->crew.wanted_count--;
        pool.idle_count--, run->crew.busy_count++;
        pthread_mutex_unlock(&pool.lock);
        do_chunks(&job);
        pthread_mutex_lock(&pool.lock);
        pool.idle_count++;
        if (--run->crew.busy_count == 0) {
            pthread_cond_signal(&run->crew.none_busy);
        }
    }
    return NULL;
}

/* Signals are for the threads of the program. */
static bool start_helper(void)
{
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool is_started = pthread_create(&thread, NULL, help, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (is_started) {
        pthread_detach(thread);
        pool.count++, pool.idle_count++;
    }
    return is_started;
}

/* Where the system has no more threads, those that there are do. */
static void start_helpers(void)
{
    if (pool.idle_count >= pool.wanted_count) {
        return;
    }
    int most = WORKERS_PER_CORE * omp_get_num_procs() - 1;
    while (pool.idle_count < pool.wanted_count && pool.count < most && start_helper()) {
    }
}

static void call_helpers(parallel_state *run, int count)
{
    pthread_mutex_lock(&pool.lock);
    if (!run->crew.is_listed) {
        run->crew.is_listed = true;
        run->crew.next = pool.first;
        pool.first = run;
    }
    run->crew.wanted_count += count, pool.wanted_count += count;
    start_helpers();
    for (int k = 0; k < count && k < pool.idle_count; k++) {
        pthread_cond_signal(&pool.work);
    }
    pthread_mutex_unlock(&pool.lock);
}

/* Call as many helpers as the work is worth that is left, judged by the chunks so far. */
static void consider_help(parallel_job *job)
{
    if (job->called_count >= job->helper_limit) {
        return;
    }
    int64_t elapsed = clock_time() - job->begin;
    abut_index left = job->state->chunk_count - atomic_load(&job->state->next_chunk);
    if (elapsed < TIME_ALONE || left <= 0) {
        return;
    }
    abut_index done = job->done_count > 0 ? job->done_count : 1;
    double helpers = (double)elapsed / (double)done * (double)left / TIME_FOR_HELPER;
    double most = (double)(left < job->helper_limit ? left : job->helper_limit);
    int worth = (int)(helpers < most ? helpers : most);
    if (worth > job->called_count) {
        call_helpers(job->state, worth - job->called_count);
        job->called_count = worth;
    }
}

/* Helpers that have not begun are not waited for. */
static void dismiss_helpers(parallel_state *run)
{
    parallel_state **link = &pool.first;
    while (*link != run) {
        link = &(*link)->crew.next;
    }
    *link = run->crew.next;
    pool.wanted_count -= run->crew.wanted_count;
    run->crew.wanted_count = 0;
}

/* By the clock that POSIX has for conditions everywhere; were it set back, only the next question
 * would come late. */
static struct timespec time_of_next_check(void)
{
    struct timespec then;
    clock_gettime(CLOCK_REALTIME, &then);
    then.tv_nsec += TIME_PER_CHECK;
    if (then.tv_nsec >= 1000000000) {
        then.tv_nsec -= 1000000000;
        then.tv_sec++;
    }
    return then;
}

/* The caller, out of chunks, sleeps while others work, but goes on asking. */
static void wait_for_helpers(parallel_state *run)
{
    pthread_mutex_lock(&pool.lock);
    dismiss_helpers(run);
    while (run->crew.busy_count > 0) {
        struct timespec then = time_of_next_check();
        if (pthread_cond_timedwait(&run->crew.none_busy, &pool.lock, &then) != 0) {
            pthread_mutex_unlock(&pool.lock);
            ask_whether_interrupted(run);
            pthread_mutex_lock(&pool.lock);
        }
    }
    pthread_mutex_unlock(&pool.lock);
}

/* Helpers do not come along into a forked child, which then works alone. */
static atomic_bool is_child;

static void note_child(void)
{
    atomic_store(&is_child, true);
}

static void guard_forks(void)
{
    pthread_atfork(NULL, NULL, note_child);
}

static bool may_have_helpers(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, guard_forks);
    return !atomic_load(&is_child);
}

static void do_chunks_with_threads(parallel_state *state, int workers)
{
    parallel_job job = job_of(state, true);
    job.helper_limit = may_have_helpers() ? workers - 1 : 0;
    job.begin = clock_time();
    pthread_cond_init(&state->crew.none_busy, NULL);
    do_chunks(&job);
    if (job.called_count > 0) {
        wait_for_helpers(state);
    }
    pthread_cond_destroy(&state->crew.none_busy);
}
#else
static void consider_help(parallel_job *job)
{
    (void)job;
}

/* A team of OpenMP's, where there is OpenMP but no POSIX; else the caller alone. */
static void do_chunks_with_threads(parallel_state *state, int workers)
{
#if defined(_OPENMP)
    int most = WORKERS_PER_CORE * omp_get_num_procs();
    workers = workers < most ? workers : most;
#pragma omp parallel num_threads(workers)
    {
        parallel_job job = job_of(state, omp_get_thread_num() == 0);
        do_chunks(&job);
    }
#else
    (void)workers;
    parallel_job job = job_of(state, true);
    do_chunks(&job);
#endif
}
#endif

int abut_has_openmp(void)
{
#if defined(_OPENMP)
    return 1;
#else
    return 0;
#endif
}

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
    workers = workers < chunk_count ? workers : (int)chunk_count;
    if (workers > 1) {
        do_chunks_with_threads(&state, workers);
    } else {
        parallel_job job = job_of(&state, true);
        do_chunks(&job);
    }
    return status_of(&state);
}
