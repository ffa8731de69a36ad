/* Runs the tests that are named, or all: abut_tests [test_NOUN ...] */
#include "check.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

typedef struct named_test {
    const char *name;
    void (*run)(void);
} named_test;

static const named_test tests[] = {
#define TEST(name) {#name, name},
#include "list_of_tests.inc"
#undef TEST
};
static const int test_count = (int)(sizeof tests / sizeof tests[0]);

/* Chunks that several threads do check, too. */
static atomic_long check_count, failure_count;

static int count_check(int holds, const char *file, int line)
{
    atomic_fetch_add(&check_count, 1);
    if (!holds) {
        atomic_fetch_add(&failure_count, 1);
        printf("%s:%d: ", file, line);
    }
    return holds;
}

int check_that(int holds, const char *condition, const char *file, int line)
{
    if (!count_check(holds, file, line)) {
        printf("%s does not hold\n", condition);
    }
    return holds;
}

int check_int(long long actual, long long expected, const char *what, const char *file, int line)
{
    int holds = count_check(actual == expected, file, line);
    if (!holds) {
        printf("%s is %lld, not %lld\n", what, actual, expected);
    }
    return holds;
}

int check_text(const char *actual, const char *expected, const char *what, const char *file,
               int line)
{
    int holds = count_check(strcmp(actual, expected) == 0, file, line);
    if (!holds) {
        printf("%s is\n    %s\nnot\n    %s\n", what, actual, expected);
    }
    return holds;
}

int check_near(double actual, double expected, double tolerance, const char *what, const char *file,
               int line)
{
    int holds = count_check(fabs(actual - expected) <= tolerance, file, line);
    if (!holds) {
        printf("%s is %.17g, not %.17g within %g\n", what, actual, expected, tolerance);
    }
    return holds;
}

static int is_asked_for(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], name) == 0) {
            return 1;
        }
    }
    return argc == 1;
}

int main(int argc, char **argv)
{
    int run_count = 0;
    for (int i = 0; i < test_count; i++) {
        if (is_asked_for(tests[i].name, argc, argv)) {
            tests[i].run();
            run_count++;
        }
    }
    const long checks = atomic_load(&check_count), failures = atomic_load(&failure_count);
    printf("%d tests, %ld checks, %ld failed\n", run_count, checks, failures);
    return failures > 0 || checks == 0;
}
