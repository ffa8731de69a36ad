/* Things that are used again: who needs one takes it, who is done gives it back. Any number of
 * threads may do so at once. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdatomic.h>
#include <stddef.h>

/* What begins everything that is pooled. */
typedef struct pooled {
    void (*destroy)(struct pooled *self);
} pooled;

/* As many are kept as threads usually run. */
enum { POOL_SLOTS = 16 };

/* Zero-initialize. */
typedef struct pool {
    _Atomic(pooled *) slots[POOL_SLOTS];
} pool;

/* Something that was given back, or NULL. */
pooled *pool_take(pool *p);

/* Takes what was given back, or makes a new one of `size` bytes, all 0. NULL: there is no memory.
 */
void *pool_provide(pool *p, size_t size, void (*destroy)(pooled *self));

/* Keep it for later, or destroy it where POOL_SLOTS are kept already. */
void pool_give(pool *p, pooled *item);

/* Destroy all; nobody may use the pool now. */
void pool_empty(pool *p);

#endif
