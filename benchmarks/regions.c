/* The cost of threads: the best and the median time of parallel runs without work, in us. It
 * determines the smallest work that justifies a second thread (WORK_PER_THREAD in base/parallel.c).
 *
 *     build/c/abut_regions [PAUSE [THREADS]]
 *
 * PAUSE is the time between two runs in us, for other work of a caller; the default is 2 threads.
 */
#include "base/clock.h"
#include "base/parallel.h"

#include <stdio.h>
#include <stdlib.h>

enum { REPEATS = 2000 };

static double now(void)
{
    return clock_seconds() * 1e6;
}

static void pass_time(double duration)
{
    for (const double end = now() + duration; now() < end;) {
    }
}

static abut_status do_nothing(void *context, abut_index chunk, parallel_job *job)
{
    (void)context, (void)chunk;
    return parallel_report(job, 1);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The times of runs with one chunk for each thread. */
typedef struct measurement {
    int workers;
    double pause;
    double times[REPEATS];
} measurement;

static void measure_runs(void *context)
{
    measurement *m = context;
    const parallel_plan plan = {
        .chunk_count = m->workers, .work = PARALLEL_WORK_PER_CHECK, .workers = m->workers};
    for (int k = 0; k < REPEATS; k++) {
        const double begin = now();
        parallel_run(&plan, do_nothing, NULL);
        m->times[k] = now() - begin;
        pass_time(m->pause);
    }
}

static void print(const char *what, measurement *m)
{
    qsort(m->times, REPEATS, sizeof *m->times, compare);
    printf("%-32s %8.2f %8.2f %8.2f\n", what, m->times[0], m->times[REPEATS / 2],
           m->times[REPEATS * 9 / 10]);
}

int main(int count, char **words)
{
    static measurement m;
    m.pause = count > 1 ? atof(words[1]) : 0.0;
    printf("%-32s %8s %8s %8s\n", "us", "best", "median", "9 of 10");
    m.workers = 1;
    measure_runs(&m);
    print("one thread", &m);
    m.workers = count > 2 ? atoi(words[2]) : 2;
    measure_runs(&m);
    print("a region", &m);
    parallel_together(m.workers, PARALLEL_WORK_PER_CHECK, measure_runs, &m);
    print("a run inside of a region", &m);
    return 0;
}
