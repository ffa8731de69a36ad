/* A hint to fetch the cache line at an address that will soon be read. An address that must not be
 * read does no harm. */
#ifndef BASE_PREFETCH_H
#define BASE_PREFETCH_H

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch((const void *)(address))
#else
#define PREFETCH(address) ((void)(address))
#endif

#endif
