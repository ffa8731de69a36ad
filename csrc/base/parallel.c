/* Threads come from OpenMP. parallel_together opens a region: there the calling thread does one run
 * after the other, while the other threads, its helpers, wait for runs. One store of an atomic
 * variable publishes a run, and helpers take its chunks until there are none left. A run waits only
 * for helpers that take part in it. So if another program keeps the cores of all helpers busy, the
 * caller does all chunks itself. */
#if defined(__unix__) || defined(__APPLE__)
#define HAS_POSIX
#define _POSIX_C_SOURCE 200809L /* sched_yield, nanosleep */
#endif

#include "parallel.h"

#include <fenv.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#ifdef ABUT_TESTING
static abut_index work_per_check = PARALLEL_WORK_PER_CHECK;

void parallel_ask_always(bool always)
{
    work_per_check = always ? 0 : PARALLEL_WORK_PER_CHECK;
}
#else
static const abut_index work_per_check = PARALLEL_WORK_PER_CHECK;
#endif

/* The data of a run that all its threads use. */
typedef struct shared_run {
    const parallel_plan *plan;
    parallel_body body;
    void *context;
    int thread_count; /* the largest number of threads */
    atomic_intptr_t next_chunk;
    atomic_int status; /* the first failure, or ABUT_OK */
} shared_run;

struct parallel_job {
    shared_run *run;
    bool is_caller;
    abut_index work_to_check; /* units of work until `interrupted` is called again */
};

static abut_status status_of(shared_run *run)
{
    return (abut_status)atomic_load_explicit(&run->status, memory_order_relaxed);
}

/* Records a failure of a run, unless there was one: later failures often follow from the first. */
static void fail(shared_run *run, abut_status status)
{
    int none = ABUT_OK;
    atomic_compare_exchange_strong(&run->status, &none, (int)status);
}

/* Calls `interrupted`, and ends the run if it returns true. It is not called for a run that is
 * ending: once it has returned true, it is never called again for this run. */
static void ask_whether_interrupted(shared_run *run)
{
    const parallel_plan *plan = run->plan;
    if (status_of(run) == ABUT_OK && plan->interrupted != NULL &&
        plan->interrupted(plan->interrupted_data)) {
        fail(run, ABUT_INTERRUPTED);
    }
}

abut_status parallel_report(parallel_job *job, abut_index work)
{
    job->work_to_check -= work;
    if (job->is_caller && job->work_to_check <= 0) {
        job->work_to_check = work_per_check;
        ask_whether_interrupted(job->run);
    }
    return status_of(job->run);
}

/* Does all chunks on the calling thread. */
static void do_alone(shared_run *run)
{
    parallel_job job = {.run = run, .is_caller = true, .work_to_check = work_per_check};
    abut_status status = ABUT_OK;
    for (abut_index k = 0; k < run->plan->chunk_count && status == ABUT_OK; k++) {
        status = run->body(run->context, k, &job);
        if (status != ABUT_OK) {
            fail(run, status);
        }
        status = status_of(run);
    }
}

#if defined(_OPENMP)
#include <omp.h>
#if defined(HAS_POSIX)
#include <pthread.h>
#include <sched.h>
#include <time.h>
#elif defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#endif

/* The largest number of threads for each core: more threads gain nothing. */
#define WORKERS_PER_CORE 4

/* The smallest work for each thread of a region: 100 us. Opening and closing a region of two
 * threads takes 3 us if the second thread polls for work, and 60 us if it sleeps.
 * benchmarks/regions.c measures these times. */
#define WORK_PER_THREAD 10000

/* The smallest work for each thread of a run with threads that are gathered already
 * (parallel_together): 10 us. Distributing such a run takes 1 us. */
#define WORK_PER_TASK 1000

/* Seconds between two calls of `interrupted` while the caller waits for helpers. */
#define TIME_PER_CHECK 0.02

/* ---- chunks on several threads: a thread that is free takes the next chunk ---- */

static void do_chunks(shared_run *run, bool is_caller)
{
    parallel_job job = {.run = run, .is_caller = is_caller, .work_to_check = work_per_check};
    while (status_of(run) == ABUT_OK) {
        const abut_index chunk = atomic_fetch_add(&run->next_chunk, 1);
        if (chunk >= run->plan->chunk_count) {
            return;
        }
        const abut_status status = run->body(run->context, chunk, &job);
        if (status != ABUT_OK) {
            fail(run, status);
        }
    }
}

/* ---- forks ---- */

#if defined(HAS_POSIX)
/* True in a forked child process, which then uses one thread: it has none of OpenMP's threads, and
 * GCC's library would wait for them forever. parallel_record sets it, too. */
static atomic_bool is_alone;

static void note_child(void)
{
    atomic_store(&is_alone, true);
}

static void guard_forks(void)
{
    pthread_atfork(NULL, NULL, note_child);
}

static bool may_have_threads(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, guard_forks);
    return !atomic_load(&is_alone);
}
#else
static bool may_have_threads(void)
{
    return true;
}
#endif

/* ---- waiting ---- */

/* A waiting thread polls LOOKS times (about 10 us), then yields its core LOOKS_GIVING_WAY times
 * (about 1 ms), then sleeps between polls. */
enum { LOOKS = 300, LOOKS_GIVING_WAY = 2000 };

/* Lets the core's other hardware thread compute. */
static void pause_shortly(void)
{
#if defined(__SSE2__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#if defined(HAS_POSIX)
/* Lets another thread run on this core. */
static void give_way(void)
{
    sched_yield();
}

/* Sleeps for about 50 us. */
static void sleep_shortly(void)
{
    const struct timespec duration = {.tv_nsec = 50000};
    nanosleep(&duration, NULL);
}
#elif defined(_WIN32)
static void give_way(void)
{
    SwitchToThread();
}

static void sleep_shortly(void)
{
    Sleep(1);
}
#else
static void give_way(void)
{
    pause_shortly();
}

static void sleep_shortly(void)
{
    pause_shortly();
}
#endif

/* ---- how many threads ---- */

/* Returns the number of threads to use: each has at least `work_each` of the work. */
static int threads_worth(int workers, abut_index work, abut_index work_each)
{
    const abut_index worth = work / work_each;
    const int threads = worth < workers ? (int)worth : workers;
    if (threads <= 1 || !may_have_threads()) {
        return 1;
    }
    const int most = WORKERS_PER_CORE * omp_get_num_procs();
    return threads < most ? threads : most;
}

/* ---- regions, and runs inside of them ---- */

/* The rounding mode and the treatment of subnormal numbers. On x86-64, their register is read and
 * set directly, since fesetenv of mingw-w64 sets other values. */
#if defined(__SSE2__)
typedef unsigned rounding;

static rounding rounding_of_thread(void)
{
    return __builtin_ia32_stmxcsr();
}

static void round_as(rounding mode)
{
    __builtin_ia32_ldmxcsr(mode);
}
#else
typedef fenv_t rounding;

static rounding rounding_of_thread(void)
{
    rounding mode;
    fegetenv(&mode);
    return mode;
}

static void round_as(rounding mode)
{
    fesetenv(&mode);
}
#endif

/* The threads of a region. Members that different threads write have cache lines of their own. */
typedef struct team {
    /* MOST_THREADS times the number of the latest run, plus its number of threads; ENDED: no more
     * runs will come */
    _Alignas(64) atomic_int_least64_t call;
    _Atomic(shared_run *) run;          /* the present run; NULL: there is none */
    _Alignas(64) atomic_int busy_count; /* the number of helpers that take chunks */
} team;

enum { MOST_THREADS = 1 << 14, ENDED = -1 };

/* The region that this thread has opened. NULL: it has opened none, or it is doing a chunk at the
 * moment. So a run that is started inside of a chunk uses only the chunk's thread. */
static _Thread_local team *open_team;

/* Takes chunks of the present run, if there still is one. The run waits until busy_count is 0. */
static void help(team *t, int number)
{
    atomic_fetch_add(&t->busy_count, 1);
    shared_run *run = atomic_load(&t->run);
    if (run != NULL && number < run->thread_count) {
        do_chunks(run, false);
    }
    atomic_fetch_sub(&t->busy_count, 1);
}

static int64_t wait_for_call(team *t, int64_t last)
{
    int64_t call = atomic_load(&t->call);
    for (int look = 0; call == last; call = atomic_load(&t->call)) {
        if (look < LOOKS) {
            pause_shortly();
        } else if (look < LOOKS + LOOKS_GIVING_WAY) {
            give_way();
        } else {
            sleep_shortly();
        }
        look += look < LOOKS + LOOKS_GIVING_WAY;
    }
    return call;
}

/* What thread `number` of a team does: it takes part in each run, until the region ends. */
static void serve(team *t, int number)
{
    int64_t call = 0;
    while ((call = wait_for_call(t, call)) != ENDED) {
        if (number < call % MOST_THREADS) {
            help(t, number);
        }
    }
}

static void lead(team *t, void (*function)(void *context), void *context)
{
    open_team = t;
    function(context);
    open_team = NULL;
    atomic_store(&t->call, ENDED);
}

void parallel_together(int workers, abut_index work, void (*function)(void *context), void *context)
{
    const int threads = omp_in_parallel() ? 1 : threads_worth(workers, work, WORK_PER_THREAD);
    if (threads == 1) {
        function(context);
        return;
    }
    team opened = {.call = 0};
    /* A helper keeps the rounding mode, and the treatment of subnormal numbers, from one region to
     * the next. So in each region it takes those of the caller. */
    const rounding mode = rounding_of_thread();
#pragma omp parallel num_threads(threads)
    if (omp_get_thread_num() == 0) {
        lead(&opened, function, context);
    } else {
        round_as(mode);
        serve(&opened, omp_get_thread_num());
    }
}

/* Waits for helpers that still do chunks, and calls `interrupted` from time to time. */
static void wait_for_helpers(team *t, shared_run *run)
{
    for (int look = 0; atomic_load(&t->busy_count) > 0 && look < LOOKS; look++) {
        pause_shortly();
    }
    double next_check = omp_get_wtime() + TIME_PER_CHECK;
    while (atomic_load(&t->busy_count) > 0) {
        give_way();
        if (omp_get_wtime() > next_check) {
            next_check += TIME_PER_CHECK;
            ask_whether_interrupted(run);
        }
    }
}

static void share_chunks(team *t, shared_run *run)
{
    const int64_t last = atomic_load_explicit(&t->call, memory_order_relaxed) / MOST_THREADS;
    atomic_store(&t->run, run);
    atomic_store(&t->call, (last + 1) * MOST_THREADS + run->thread_count);
    open_team = NULL;
    do_chunks(run, true);
    open_team = t;
    atomic_store(&t->run, NULL);
    wait_for_helpers(t, run);
}

static void do_run(void *context)
{
    shared_run *run = context;
    team *t = open_team;
    t != NULL ? share_chunks(t, run) : do_alone(run);
}

#if defined(ABUT_RECORD_CHUNKS)
#include "clock.h"

#include <stdio.h>

/* ---- times of chunks, for benchmarks/scaling.py ---- */

/* The file has rows of two doubles. The row of a run has the number of threads that its work is
 * worth, at least 1, and the seconds since the row before. The rows of its chunks follow: 0, and
 * the seconds that the chunk took. */
static struct recording {
    FILE *file;
    double last_row;
    /* a chunk is being timed: runs that it starts count as part of it and get no rows */
    bool is_in_chunk;
    parallel_body body;
    void *context;
} recording;

static void record_row(double threads)
{
    const double row[] = {threads, clock_lap(&recording.last_row)};
    fwrite(row, sizeof row, 1, recording.file);
}

static abut_status record_chunk(void *context, abut_index chunk, parallel_job *job)
{
    (void)context;
    recording.is_in_chunk = true;
    const abut_status status = recording.body(recording.context, chunk, job);
    recording.is_in_chunk = false;
    record_row(0.0);
    return status;
}

static void record_run(shared_run *run)
{
    if (recording.file != NULL && !recording.is_in_chunk) {
        recording.body = run->body;
        recording.context = run->context;
        run->body = record_chunk;
        const abut_index worth = run->plan->work / WORK_PER_TASK;
        record_row(worth > 1 ? (double)worth : 1.0);
    }
}

/* Records times to a file until the next call; NULL ends the recording. Meanwhile, the calling
 * thread does all chunks. */
__attribute__((visibility("default"))) void parallel_record(const char *path)
{
    if (recording.file != NULL) {
        record_row(1.0);
        fclose(recording.file);
    }
    recording.file = path == NULL ? NULL : fopen(path, "wb");
    atomic_store(&is_alone, recording.file != NULL);
    clock_lap(&recording.last_row);
}
#endif

/* Does a run on as many threads as its work is worth. May open a region for it. */
static void do_run_with_threads(shared_run *run)
{
#if defined(ABUT_RECORD_CHUNKS)
    record_run(run);
#endif
    const abut_index chunks = run->plan->chunk_count;
    const int workers = run->plan->workers < chunks ? run->plan->workers : (int)chunks;
    run->thread_count = threads_worth(workers, run->plan->work, WORK_PER_TASK);
    if (run->thread_count == 1) {
        do_alone(run);
    } else {
        parallel_together(run->thread_count, run->plan->work, do_run, run);
    }
}

#else
void parallel_together(int workers, abut_index work, void (*function)(void *context), void *context)
{
    (void)workers, (void)work;
    function(context);
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

abut_status parallel_run(const parallel_plan *plan, parallel_body body, void *context)
{
    shared_run run = {.plan = plan, .body = body, .context = context};
#if defined(_OPENMP)
    do_run_with_threads(&run);
#else
    do_alone(&run);
#endif
    return status_of(&run);
}

/* ---- loops ---- */

typedef struct loop {
    abut_index count, size;
    parallel_stretch body;
    void *context;
} loop;

static abut_status do_stretch(void *context, abut_index chunk, parallel_job *job)
{
    const loop *l = context;
    const abut_index begin = chunk * l->size;
    (void)job;
    l->body(l->context, begin, parallel_chunk_end(begin, l->size, l->count));
    return ABUT_OK;
}

void parallel_loop(int workers, abut_index count, abut_index size, abut_index work,
                   parallel_stretch body, void *context)
{
    loop l = {count, size, body, context};
    const parallel_plan plan = {
        .chunk_count = parallel_chunk_count(count, size), .work = work, .workers = workers};
    parallel_run(&plan, do_stretch, &l);
}

/* The largest number of parts of a fold, and the smallest number of items in a part. */
enum { MOST_PARTS = 64, FEWEST_ITEMS = 512 };

typedef struct fold_part {
    _Alignas(16) unsigned char bytes[PARALLEL_PART_SIZE];
} fold_part;

typedef struct fold {
    const parallel_folding *folding;
    abut_index size;
    fold_part parts[MOST_PARTS];
} fold;

static void fold_stretch(void *context, abut_index begin, abut_index end)
{
    fold *f = context;
    const parallel_folding *folding = f->folding;
    fold_part *part = &f->parts[begin / f->size];
    if (begin > 0) {
        memset(part, 0, folding->size);
    }
    if (begin > 0 && folding->none) {
        memcpy(part, folding->none, folding->size);
    }
    folding->add(folding->context, begin, end, part);
}

static void join_parts(const parallel_folding *folding, void *total, const void *part)
{
    double *sums = total;
    const double *added = part;
    if (folding->join) {
        folding->join(total, part);
    }
    for (size_t k = 0; !folding->join && k < folding->size / sizeof *sums; k++) {
        sums[k] += added[k];
    }
}

void parallel_fold(int workers, abut_index count, abut_index work, const parallel_folding *folding,
                   void *total)
{
    const abut_index even = parallel_chunk_count(count, MOST_PARTS);
    fold f = {.folding = folding, .size = even > FEWEST_ITEMS ? even : FEWEST_ITEMS};
    if (count == 0) {
        return;
    }
    memcpy(&f.parts[0], total, folding->size);
    parallel_loop(workers, count, f.size, work, fold_stretch, &f);
    memcpy(total, &f.parts[0], folding->size);
    for (abut_index k = 1; k < parallel_chunk_count(count, f.size); k++) {
        join_parts(folding, total, &f.parts[k]);
    }
}

void parallel_keep_first(atomic_intptr_t *first, abut_index number)
{
    intptr_t kept = atomic_load(first);
    while ((kept < 0 || number < kept) && !atomic_compare_exchange_weak(first, &kept, number)) {
    }
}
