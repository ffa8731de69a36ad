/* Objects for reuse: they are taken from a pool when needed, and given back afterwards. Any number
 * of threads may do so at the same time. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdatomic.h>
#include <stddef.h>

/* The first member of every struct that is pooled. */
typedef struct pooled {
    void (*destroy)(struct pooled *self);
} pooled;

/* The largest number of objects that a pool keeps: about the usual number of threads. */
enum { POOL_SLOTS = 16 };

/* A pool, which must be zero-initialized. */
typedef struct pool {
    _Atomic(pooled *) slots[POOL_SLOTS];
} pool;

/* Takes an object that was given back; NULL: there is none. */
pooled *pool_take(pool *p);

/* Takes an object that was given back, or makes one of `size` bytes, all 0. NULL: no memory. */
void *pool_provide(pool *p, size_t size, void (*destroy)(pooled *self));

/* Keeps an object for later, or destroys it if POOL_SLOTS objects are kept already. */
void pool_give(pool *p, pooled *item);

/* Destroys all objects that are kept. No thread may use the pool meanwhile. */
void pool_empty(pool *p);

#endif
