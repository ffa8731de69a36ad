/* A pool that keeps the memory of dropped results for later ones. Without it, the first access to
 * new pages would take longer than the search that fills them.
 *
 * Any number of threads may take and return blocks at the same time, with the interpreter's lock or
 * without it. */
#ifndef ABUT_CORE_POOL_H
#define ABUT_CORE_POOL_H

#include <stddef.h>

/* The functions from which a pool gets its memory. */
typedef struct core_pool_source {
    void *context;
    void *(*take)(void *context, size_t size);
    void *(*take_zeros)(void *context, size_t count, size_t size);
    void (*give)(void *context, void *data, size_t size);
} core_pool_source;

typedef struct core_pool core_pool;

/* Makes a pool; NULL if there is no memory. */
core_pool *core_pool_new(const core_pool_source *source);

/* Frees a pool with its kept blocks; all blocks must have been returned. */
void core_pool_free(core_pool *self);

/* Closes a pool: frees its kept blocks, and later each block that is returned. */
void core_pool_close(core_pool *self);

/* Starts a query: frees the blocks that the last few queries have not used. */
void core_pool_age(core_pool *self);

/* NumPy's memory functions; `self` is a pool. NULL if there is no memory. Sizes are not 0. */
void *core_pool_take(void *self, size_t size);
void *core_pool_take_zeros(void *self, size_t count, size_t size);
void *core_pool_resize(void *self, void *data, size_t size);
void core_pool_give(void *self, void *data, size_t size);

#endif
