/* The checks of tests/c/check.h for fuzzers: a failure aborts, and the fuzzer keeps the input. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int end_unless(int holds, const char *what, const char *file, int line)
{
    if (!holds) {
        fprintf(stderr, "%s:%d: %s\n", file, line, what);
        abort();
    }
    return holds;
}

int check_that(int holds, const char *condition, const char *file, int line)
{
    return end_unless(holds, condition, file, line);
}

int check_int(long long actual, long long expected, const char *what, const char *file, int line)
{
    if (actual != expected) {
        fprintf(stderr, "%lld is not %lld\n", actual, expected);
    }
    return end_unless(actual == expected, what, file, line);
}

int check_near(double actual, double expected, double tolerance, const char *what, const char *file,
               int line)
{
    const int holds = fabs(actual - expected) <= tolerance;
    if (!holds) {
        fprintf(stderr, "%.17g is not %.17g to %.3g\n", actual, expected, tolerance);
    }
    return end_unless(holds, what, file, line);
}
