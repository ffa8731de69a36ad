#define _POSIX_C_SOURCE 200809L /* fork */

#include "base/parallel.h"

#include "check.h"

#include <fenv.h>
#include <float.h>
#include <stdatomic.h>

#if defined(__unix__) || defined(__APPLE__)
#define HAS_FORK
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#define CHUNK_COUNT 1000

/* Runs chunks with enough work for the requested number of threads. */
static abut_status run_chunks(abut_index chunk_count, int workers, parallel_body body,
                              void *context, abut_interrupted interrupted, void *interrupted_data)
{
    const parallel_plan plan = {.chunk_count = chunk_count,
                                .work = PTRDIFF_MAX,
                                .workers = workers,
                                .interrupted = interrupted,
                                .interrupted_data = interrupted_data};
    return parallel_run(&plan, body, context);
}

typedef struct work_log {
    atomic_int times[CHUNK_COUNT];
    atomic_int total;
    int fails_at; /* number of the chunk that fails */
} work_log;

static abut_status log_chunk(void *context, abut_index chunk, parallel_job *job)
{
    work_log *log = context;
    atomic_fetch_add(&log->times[chunk], 1);
    atomic_fetch_add(&log->total, 1);
    return chunk == log->fails_at ? ABUT_BAD_RADIUS : parallel_report(job, 1);
}

static void check_that_each_chunk_is_done_once(int workers)
{
    static work_log log;
    log = (work_log){.fails_at = -1};
    CHECK_INT(run_chunks(CHUNK_COUNT, workers, log_chunk, &log, NULL, NULL), ABUT_OK);
    for (int chunk = 0; chunk < CHUNK_COUNT; chunk++) {
        CHECK_INT(log.times[chunk], 1);
    }
}

static void log_stretch(void *context, abut_index begin, abut_index end)
{
    work_log *log = context;
    CHECK(end - begin <= 7);
    for (abut_index item = begin; item < end; item++) {
        atomic_fetch_add(&log->times[item], 1);
    }
}

static void check_that_each_item_is_done_once(int workers)
{
    static work_log log;
    log = (work_log){.fails_at = -1};
    parallel_loop(workers, CHUNK_COUNT, 7, PTRDIFF_MAX, log_stretch, &log);
    for (int item = 0; item < CHUNK_COUNT; item++) {
        CHECK_INT(log.times[item], 1);
    }
}

static void check_that_a_failure_ends_the_run(int workers)
{
    static work_log log;
    log = (work_log){.fails_at = 0};
    CHECK_INT(run_chunks(CHUNK_COUNT, workers, log_chunk, &log, NULL, NULL), ABUT_BAD_RADIUS);
    CHECK(log.total < CHUNK_COUNT || workers > 1);
}

/* Its address identifies the thread. */
static _Thread_local char own;

typedef struct thread_log {
    const char *caller;
    atomic_int other_count; /* number of chunks on other threads */
} thread_log;

static abut_status note_thread(void *context, abut_index chunk, parallel_job *job)
{
    (void)chunk;
    thread_log *log = context;
    atomic_fetch_add(&log->other_count, &own != log->caller);
    return parallel_report(job, PARALLEL_WORK_PER_CHECK);
}

static void check_that_the_caller_works_alone(abut_index work)
{
    thread_log log = {.caller = &own};
    const parallel_plan plan = {.chunk_count = CHUNK_COUNT, .work = work, .workers = 4};
    CHECK_INT(parallel_run(&plan, note_thread, &log), ABUT_OK);
    CHECK_INT(log.other_count, 0);
}

static abut_status must_not_run(void *context, abut_index chunk, parallel_job *job)
{
    (void)context, (void)chunk, (void)job;
    return ABUT_NO_MEMORY;
}

static int say_yes(void *data)
{
    ++*(int *)data;
    return 1;
}

static int say_no(void *data)
{
    ++*(int *)data;
    return 0;
}

static abut_status work_until_told_to_end(void *context, abut_index chunk, parallel_job *job)
{
    (void)context, (void)chunk;
    abut_status status = ABUT_OK;
    while (status == ABUT_OK) {
        status = parallel_report(job, 1000);
    }
    return status;
}

static void check_that_an_interruption_ends_the_run(int workers)
{
    int asked = 0;
    CHECK_INT(run_chunks(100, workers, work_until_told_to_end, NULL, say_yes, &asked),
              ABUT_INTERRUPTED);
    CHECK_INT(asked, 1);
}

static abut_status do_half_a_check(void *context, abut_index chunk, parallel_job *job)
{
    (void)context, (void)chunk;
    return parallel_report(job, PARALLEL_WORK_PER_CHECK / 2);
}

static void check_how_often_is_asked(void)
{
    int asked = 0;
    CHECK_INT(run_chunks(20, 1, do_half_a_check, NULL, say_no, &asked), ABUT_OK);
    CHECK_INT(asked, 10);
}

/* One chunk ends immediately, the other waits to be ended; the caller asks with either of them. */
static abut_status work_on_one_chunk_only(void *context, abut_index chunk, parallel_job *job)
{
    return chunk == 0 ? ABUT_OK : work_until_told_to_end(context, chunk, job);
}

static void check_that_an_idle_caller_still_asks(void)
{
    for (int i = 0; i < 20; i++) {
        int asked = 0;
        CHECK_INT(run_chunks(2, 2, work_on_one_chunk_only, NULL, say_yes, &asked),
                  ABUT_INTERRUPTED);
    }
}

/* Each of two chunks waits until the other begins, or for a limited time. */
static abut_status wait_for_the_other(void *context, abut_index chunk, parallel_job *job)
{
    (void)chunk;
    atomic_int *begun = context;
    atomic_fetch_add(begun, 1);
    abut_status status = ABUT_OK;
    for (int k = 0; !status && atomic_load(begun) < 2 && k < 1000000000; k++) {
        status = parallel_report(job, 1);
    }
    return status ? status : atomic_load(begun) < 2 ? ABUT_NO_MEMORY : ABUT_OK;
}

static void check_that_two_threads_work_at_once(void)
{
    for (int i = 0; i < 20; i++) {
        atomic_int begun = 0;
        CHECK_INT(run_chunks(2, 2, wait_for_the_other, &begun, NULL, NULL), ABUT_OK);
    }
}

/* ---- runs inside of others ---- */

enum { TOGETHER_COUNT = 50 };

typedef struct together_log {
    const char *caller;
    int workers;
    int call_count, wrong_count;
} together_log;

/* Consecutive runs with few chunks and with many, and one that fails. */
static void run_many(void *context)
{
    together_log *log = context;
    log->call_count++;
    log->wrong_count += &own != log->caller;
    for (int k = 0; k < TOGETHER_COUNT; k++) {
        static work_log chunks;
        chunks = (work_log){.fails_at = k == TOGETHER_COUNT / 2 ? 0 : -1};
        const int count = k % 2 ? 3 : CHUNK_COUNT;
        const abut_status status = run_chunks(count, log->workers, log_chunk, &chunks, NULL, NULL);
        log->wrong_count += status != (chunks.fails_at == 0 ? ABUT_BAD_RADIUS : ABUT_OK);
        log->wrong_count += chunks.fails_at != 0 && chunks.total != count;
    }
}

static void run_many_again(void *context)
{
    together_log *log = context;
    parallel_together(log->workers, PTRDIFF_MAX, run_many, log);
}

static void check_runs_that_share_their_threads(int workers, void (*function)(void *context))
{
    together_log log = {.caller = &own, .workers = workers};
    parallel_together(workers, PTRDIFF_MAX, function, &log);
    CHECK_INT(log.call_count, 1);
    CHECK_INT(log.wrong_count, 0);
}

static void be_interrupted(void *asked)
{
    CHECK_INT(run_chunks(2, 2, work_on_one_chunk_only, NULL, say_yes, asked), ABUT_INTERRUPTED);
    CHECK_INT(run_chunks(100, 2, work_until_told_to_end, NULL, say_yes, asked), ABUT_INTERRUPTED);
}

static void check_that_shared_threads_are_interrupted(void)
{
    int asked = 0;
    parallel_together(2, PTRDIFF_MAX, be_interrupted, &asked);
    CHECK_INT(asked, 2);
}

typedef struct nested_log {
    work_log inner;
    atomic_int is_done;
} nested_log;

/* Chunk 0 starts an inner run, and chunk 1 works until that has ended. An inner run that waited for
 * other threads or executed outer chunks would never end. */
static abut_status run_inside(void *context, abut_index chunk, parallel_job *job)
{
    nested_log *log = context;
    abut_status status = ABUT_OK;
    if (chunk == 0) {
        status = run_chunks(CHUNK_COUNT, 2, log_chunk, &log->inner, NULL, NULL);
        atomic_store(&log->is_done, 1);
    }
    while (!status && !atomic_load(&log->is_done)) {
        status = parallel_report(job, 1);
    }
    return status;
}

static void check_that_a_chunk_may_run_others(void)
{
    for (int i = 0; i < 20; i++) {
        static nested_log log;
        log = (nested_log){.inner = {.fails_at = -1}};
        CHECK_INT(run_chunks(2, 2, run_inside, &log, NULL, NULL), ABUT_OK);
        CHECK_INT(log.inner.total, CHUNK_COUNT);
    }
}

static void check_that_the_first_is_kept(void)
{
    static const abut_index numbers[] = {7, 9, 7, 3, 5};
    atomic_intptr_t first = -1;
    for (int k = 0; k < 5; k++) {
        parallel_keep_first(&first, numbers[k]);
        CHECK_INT(atomic_load(&first), k < 3 ? 7 : 3);
    }
}

#ifdef HAS_FORK
/* The parent has used threads before the fork; an alarm ends a child that hangs. */
static void check_that_a_forked_child_works(void)
{
    pid_t child = fork();
    if (child == 0) {
        static work_log log;
        log.fails_at = -1;
        alarm(20);
        int failed = run_chunks(CHUNK_COUNT, 2, log_chunk, &log, NULL, NULL) != ABUT_OK;
        _exit(failed || log.total != CHUNK_COUNT);
    }
    int end = -1;
    CHECK(waitpid(child, &end, 0) == child);
    CHECK_INT(end, 0);
}
#endif

/* Returns whether the calling thread's arithmetic gives these two results. */
static bool is_rounded_alike(double third, double subnormal)
{
    volatile double one = 1.0, least = DBL_MIN;
    return one / 3.0 == third && 0.5 * least == subnormal;
}

typedef struct rounding_log {
    double third, subnormal; /* results of the calling thread */
    atomic_int others;       /* number of chunks with another rounding */
} rounding_log;

static abut_status log_rounding(void *context, abut_index chunk, parallel_job *job)
{
    rounding_log *log = context;
    volatile double busy = 0.0;
    for (int k = 0; k < 3000; k++) {
        busy = busy + (double)chunk;
    }
    atomic_fetch_add(&log->others, !is_rounded_alike(log->third, log->subnormal));
    return parallel_report(job, 1);
}

static void check_rounding_of_the_caller(void)
{
    volatile double one = 1.0, least = DBL_MIN;
    rounding_log log = {.third = one / 3.0, .subnormal = 0.5 * least};
    CHECK_INT(run_chunks(CHUNK_COUNT, 3, log_rounding, &log, NULL, NULL), ABUT_OK);
    CHECK_INT(log.others, 0);
}

static void check_that_all_threads_round_as_the_caller(void)
{
    check_rounding_of_the_caller();
#if defined(__SSE2__)
    /* rounding upward, then subnormal numbers as 0, as in programs built with -ffast-math */
    const unsigned usual = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(usual | 0x4000);
    check_rounding_of_the_caller();
    __builtin_ia32_ldmxcsr(usual | 0x8040);
    check_rounding_of_the_caller();
    __builtin_ia32_ldmxcsr(usual);
#elif defined(FE_UPWARD)
    fesetround(FE_UPWARD);
    check_rounding_of_the_caller();
    fesetround(FE_TONEAREST);
#endif
    check_rounding_of_the_caller();
}

void test_parallel(void)
{
    CHECK_INT(run_chunks(0, 4, must_not_run, NULL, NULL, NULL), ABUT_OK);
    for (int workers = 1; workers <= 4; workers++) {
        check_that_each_chunk_is_done_once(workers);
        check_that_each_item_is_done_once(workers);
        check_that_a_failure_ends_the_run(workers);
        check_that_an_interruption_ends_the_run(workers);
        check_runs_that_share_their_threads(workers, run_many);
        check_runs_that_share_their_threads(workers, run_many_again);
    }
    check_that_each_chunk_is_done_once(1000000);
    check_how_often_is_asked();
    check_that_the_first_is_kept();
    check_that_an_idle_caller_still_asks();
    check_that_shared_threads_are_interrupted();
    check_that_a_chunk_may_run_others();
    check_that_the_caller_works_alone(100);
    if (abut_has_openmp()) {
        check_that_two_threads_work_at_once();
    } else {
        check_that_the_caller_works_alone(PTRDIFF_MAX);
    }
    check_that_all_threads_round_as_the_caller();
#ifdef HAS_FORK
    check_that_a_forked_child_works();
#endif
}
