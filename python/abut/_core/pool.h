/* The memory of results that the caller has dropped, kept for the next ones: the first touch of
 * fresh pages takes longer than the search that fills them.
 *
 * Blocks may be taken and given by any number of threads at once, with the interpreter's lock or
 * without it. */
#ifndef ABUT_CORE_POOL_H
#define ABUT_CORE_POOL_H

#include <stddef.h>

/* Whom a pool has its memory from. */
typedef struct core_pool_source {
    void *context;
    void *(*take)(void *context, size_t size);
    void *(*take_zeros)(void *context, size_t count, size_t size);
    void (*give)(void *context, void *data, size_t size);
} core_pool_source;

typedef struct core_pool core_pool;

/* NULL where there is no memory. */
core_pool *core_pool_new(const core_pool_source *source);

/* Free it and all that it keeps; every block must have been given back. */
void core_pool_free(core_pool *self);

/* Keep nothing from now on. */
void core_pool_close(core_pool *self);

/* A query begins: free what the last few have not used. */
void core_pool_age(core_pool *self);

/* As NumPy calls them; `self` is a pool. NULL where there is no memory. Sizes are not 0. */
void *core_pool_take(void *self, size_t size);
void *core_pool_take_zeros(void *self, size_t count, size_t size);
void *core_pool_resize(void *self, void *data, size_t size);
void core_pool_give(void *self, void *data, size_t size);

#endif
