#include "pool.h"

#include "memory.h"

pooled *pool_take(pool *p)
{
    for (int i = 0; i < POOL_SLOTS; i++) {
        /* a load finds empty slots in far less time than an exchange */
        pooled *item = atomic_load(&p->slots[i]) ? atomic_exchange(&p->slots[i], NULL) : NULL;
        if (item) {
            return item;
        }
    }
    return NULL;
}

void *pool_provide(pool *p, size_t size, void (*destroy)(pooled *self))
{
    pooled *item = pool_take(p);
    item = item ? item : memory_alloc_zeroed(1, size);
    if (item) {
        item->destroy = destroy;
    }
    return item;
}

void pool_give(pool *p, pooled *item)
{
    for (int i = 0; i < POOL_SLOTS; i++) {
        pooled *none = NULL;
        if (atomic_compare_exchange_strong(&p->slots[i], &none, item)) {
            return;
        }
    }
    item->destroy(item);
}

void pool_empty(pool *p)
{
    for (pooled *item = pool_take(p); item; item = pool_take(p)) {
        item->destroy(item);
    }
}
