#define _POSIX_C_SOURCE 200809L /* fork */

#include "base/parallel.h"

#include "check.h"

#include <stdatomic.h>

#if defined(__unix__) || defined(__APPLE__)
#define HAS_FORK
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#define CHUNK_COUNT 1000

typedef struct work_log {
    atomic_int times[CHUNK_COUNT];
    atomic_int total;
    int fails_at; /* this chunk fails */
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
    CHECK_INT(parallel_run(CHUNK_COUNT, workers, log_chunk, &log, NULL, NULL), ABUT_OK);
    for (int chunk = 0; chunk < CHUNK_COUNT; chunk++) {
        CHECK_INT(log.times[chunk], 1);
    }
}

static void check_that_a_failure_ends_the_run(int workers)
{
    static work_log log;
    log = (work_log){.fails_at = 0};
    CHECK_INT(parallel_run(CHUNK_COUNT, workers, log_chunk, &log, NULL, NULL), ABUT_BAD_RADIUS);
    CHECK(log.total < CHUNK_COUNT || workers > 1);
}

/* Each thread has its own. */
static _Thread_local char own;

typedef struct thread_log {
    const char *caller;
    atomic_int other_count; /* chunks that other threads did */
} thread_log;

static abut_status note_thread(void *context, abut_index chunk, parallel_job *job)
{
    (void)chunk;
    thread_log *log = context;
    atomic_fetch_add(&log->other_count, &own != log->caller);
    return parallel_report(job, PARALLEL_WORK_PER_CHECK);
}

static void check_that_the_caller_works_alone(void)
{
    thread_log log = {.caller = &own};
    CHECK_INT(parallel_run(CHUNK_COUNT, 4, note_thread, &log, NULL, NULL), ABUT_OK);
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
    CHECK_INT(parallel_run(100, workers, work_until_told_to_end, NULL, say_yes, &asked),
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
    CHECK_INT(parallel_run(20, 1, do_half_a_check, NULL, say_no, &asked), ABUT_OK);
    CHECK_INT(asked, 10);
}

/* One chunk ends at once, the other only when told to; whichever thread has which, the caller asks.
 */
static abut_status work_on_one_chunk_only(void *context, abut_index chunk, parallel_job *job)
{
    return chunk == 0 ? ABUT_OK : work_until_told_to_end(context, chunk, job);
}

static void check_that_an_idle_caller_still_asks(void)
{
    for (int i = 0; i < 20; i++) {
        int asked = 0;
        CHECK_INT(parallel_run(2, 2, work_on_one_chunk_only, NULL, say_yes, &asked),
                  ABUT_INTERRUPTED);
    }
}

/* Each of two chunks waits for the other to begin, or until it has waited for long. */
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
        CHECK_INT(parallel_run(2, 2, wait_for_the_other, &begun, NULL, NULL), ABUT_OK);
    }
}

#ifdef HAS_FORK
/* The parent has used threads by now; a child that hangs is ended by its alarm. */
static void check_that_a_forked_child_works(void)
{
    pid_t child = fork();
    if (child == 0) {
        static work_log log;
        log.fails_at = -1;
        alarm(20);
        int failed = parallel_run(CHUNK_COUNT, 2, log_chunk, &log, NULL, NULL) != ABUT_OK;
        _exit(failed || log.total != CHUNK_COUNT);
    }
    int end = -1;
    CHECK(waitpid(child, &end, 0) == child);
    CHECK_INT(end, 0);
}
#endif

void test_parallel(void)
{
    CHECK_INT(parallel_run(0, 4, must_not_run, NULL, NULL, NULL), ABUT_OK);
    for (int workers = 1; workers <= 4; workers++) {
        check_that_each_chunk_is_done_once(workers);
        check_that_a_failure_ends_the_run(workers);
        check_that_an_interruption_ends_the_run(workers);
    }
    check_that_each_chunk_is_done_once(1000000);
    check_how_often_is_asked();
    check_that_an_idle_caller_still_asks();
    if (abut_has_openmp()) {
        check_that_two_threads_work_at_once();
    } else {
        check_that_the_caller_works_alone();
    }
#ifdef HAS_FORK
    check_that_a_forked_child_works();
#endif
}
