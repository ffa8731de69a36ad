/* A hint: fetch the cache line at an address, which soon will be read. The address may be any. */
#ifndef BASE_PREFETCH_H
#define BASE_PREFETCH_H

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch((const void *)(address))
#else
#define PREFETCH(address) ((void)(address))
#endif

#endif
