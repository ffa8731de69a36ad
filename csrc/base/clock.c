#include "clock.h"

#if defined(_WIN32)
#include <windows.h>

/* mingw-w64 has no timespec_get. */
double clock_seconds(void)
{
    LARGE_INTEGER ticks, each_second;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&each_second);
    return (double)ticks.QuadPart / (double)each_second.QuadPart;
}
#else
#include <time.h>

double clock_seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
#endif
