/* A hint that the cache line at an address will soon be read. Invalid addresses do no harm. */
#ifndef BASE_PREFETCH_H
#define BASE_PREFETCH_H

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch((const void *)(address))
#else
#define PREFETCH(address) ((void)(address))
#endif

#endif
