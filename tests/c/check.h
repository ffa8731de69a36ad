/* The checks of the C tests. A file tests/c/test_NOUN.c has one function `void test_NOUN(void)`,
 * which main.c finds by the file's name. */
#ifndef ABUT_CHECK_H
#define ABUT_CHECK_H

/* The list of all tests, written by CMake. */
#define TEST(name) void name(void);
#include "list_of_tests.inc"
#undef TEST

/* Returns whether the condition holds. A failure is printed and counted; the test continues. */
#define CHECK(condition) check_that((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
#define CHECK_INT(actual, expected)                                                                \
    check_int((long long)(actual), (long long)(expected), #actual, __FILE__, __LINE__)
#define CHECK_TEXT(actual, expected) check_text(actual, expected, #actual, __FILE__, __LINE__)
/* Checks |actual - expected| <= tolerance; NaN fails. */
#define CHECK_NEAR(actual, expected, tolerance)                                                    \
    check_near(actual, expected, tolerance, #actual, __FILE__, __LINE__)

int check_that(int holds, const char *condition, const char *file, int line);
int check_int(long long actual, long long expected, const char *what, const char *file, int line);
int check_text(const char *actual, const char *expected, const char *what, const char *file,
               int line);
int check_near(double actual, double expected, double tolerance, const char *what, const char *file,
               int line);

#endif
