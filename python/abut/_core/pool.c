#include "pool.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "core.h"

/* Largest number of kept blocks. Two results have about as many columns: the last one, and the one
 * before, with which a simulation compares it. */
enum { SLOT_COUNT = 32 };

/* Smallest size of blocks that are kept. Smaller blocks come from pages that are in use already. */
#define KEPT_SIZE ((size_t)64 * 1024)

/* Number of queries for which an unused block is kept. */
enum { KEPT_QUERIES = 4 };

/* Alignment of data, which is a cache line. */
enum { ALIGNMENT = 64 };

/* The head of a block, before its data. */
typedef struct block {
    void *origin;    /* address that the source returned */
    size_t taken;    /* bytes from `origin` on */
    size_t capacity; /* bytes of data */
    unsigned query;  /* number of the pool's query in which the block was returned */
} block;

_Static_assert(sizeof(block) <= ALIGNMENT, "a block's head and data need two lines of room");

struct core_pool {
    core_pool_source source;
    atomic_uint query;
    atomic_bool closed;
    _Atomic(block *) slots[SLOT_COUNT];
};

static void *data_of(block *b)
{
    return b + 1;
}

static block *block_of(void *data)
{
    return (block *)data - 1;
}

/* ---- blocks and their source ---- */

/* The size with a reserve: results grow a little between steps, and unused pages cost nothing. */
static size_t room_for(size_t size)
{
    return size < KEPT_SIZE ? size : size + size / 8;
}

static block *place_block(void *origin, size_t capacity)
{
    if (!origin) {
        return NULL;
    }
    const uintptr_t begin = (uintptr_t)origin + sizeof(block) + ALIGNMENT - 1;
    block *b = block_of((char *)origin + (begin / ALIGNMENT * ALIGNMENT - (uintptr_t)origin));
    *b = (block){.origin = origin, .taken = capacity + 2 * ALIGNMENT, .capacity = capacity};
    return b;
}

static block *make_block(const core_pool_source *source, size_t size)
{
    const size_t capacity = room_for(size);
    return place_block(source->take(source->context, capacity + 2 * ALIGNMENT), capacity);
}

static block *make_zeros(const core_pool_source *source, size_t size)
{
    const size_t capacity = room_for(size);
    return place_block(source->take_zeros(source->context, capacity + 2 * ALIGNMENT, 1), capacity);
}

static void free_block(core_pool *self, block *b)
{
    self->source.give(self->source.context, b->origin, b->taken);
}

/* ---- slots ---- */

/* Takes the block out of a slot, or returns NULL. No other thread can then use or free the block. A
 * thread that finds the slot empty meanwhile allocates a new block. */
static block *empty_slot(core_pool *self, int slot)
{
    return atomic_load(&self->slots[slot]) ? atomic_exchange(&self->slots[slot], NULL) : NULL;
}

/* Puts a block into a free slot; if there is none, frees it. */
static void keep_block(core_pool *self, block *b)
{
    for (int slot = 0; slot < SLOT_COUNT; slot++) {
        block *none = NULL;
        if (atomic_compare_exchange_strong(&self->slots[slot], &none, b)) {
            return;
        }
    }
    free_block(self, b);
}

static void free_kept(core_pool *self)
{
    for (int slot = 0; slot < SLOT_COUNT; slot++) {
        block *b = empty_slot(self, slot);
        if (b) {
            free_block(self, b);
        }
    }
}

/* Whether a block is large enough, and at most about twice as large as a new one. */
static int fits(const block *b, size_t size)
{
    return size <= b->capacity && b->capacity / 2 <= room_for(size);
}

/* The smallest kept block that fits, or NULL. */
static block *take_kept(core_pool *self, size_t size)
{
    block *best = NULL;
    for (int slot = 0; size >= KEPT_SIZE && slot < SLOT_COUNT; slot++) {
        block *other = empty_slot(self, slot);
        if (other && fits(other, size) && (!best || other->capacity < best->capacity)) {
            block *fitting = other;
            other = best;
            best = fitting;
        }
        if (other) {
            keep_block(self, other);
        }
    }
    return best;
}

/* ---- the pool ---- */

core_pool *core_pool_new(const core_pool_source *source)
{
    core_pool *self = PyMem_Calloc(1, sizeof *self);
    if (self) {
        self->source = *source;
    }
    return self;
}

void core_pool_free(core_pool *self)
{
    if (self) {
        free_kept(self);
        PyMem_Free(self);
    }
}

void core_pool_close(core_pool *self)
{
    atomic_store(&self->closed, 1);
    free_kept(self);
}

void core_pool_age(core_pool *self)
{
    const unsigned query = atomic_fetch_add(&self->query, 1) + 1;
    for (int slot = 0; slot < SLOT_COUNT; slot++) {
        block *b = empty_slot(self, slot);
        if (b && query - b->query > KEPT_QUERIES) {
            free_block(self, b);
        } else if (b) {
            keep_block(self, b);
        }
    }
}

void *core_pool_take(void *self, size_t size)
{
    core_pool *own = self;
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    block *b = take_kept(own, size);
    if (!b) {
        b = make_block(&own->source, size);
    }
    if (!b) { /* out of memory: try again without kept blocks */
        free_kept(own);
        b = make_block(&own->source, size);
    }
    return b ? data_of(b) : NULL;
}

void *core_pool_take_zeros(void *self, size_t count, size_t size)
{
    core_pool *own = self;
    if (size && count > SIZE_MAX / 2 / size) {
        return NULL;
    }
    block *b = take_kept(own, count * size);
    if (b) {
        return memset(data_of(b), 0, count * size);
    }
    b = make_zeros(&own->source, count * size);
    return b ? data_of(b) : NULL;
}

void *core_pool_resize(void *self, void *data, size_t size)
{
    if (!data) {
        return core_pool_take(self, size);
    }
    const block *b = block_of(data);
    if (fits(b, size)) {
        return data;
    }
    void *moved = core_pool_take(self, size);
    if (moved) {
        memcpy(moved, data, size < b->capacity ? size : b->capacity);
        core_pool_give(self, data, b->capacity);
    }
    return moved;
}

void core_pool_give(void *self, void *data, size_t size)
{
    (void)size; /* the block stores its own size */
    if (!data) {
        return;
    }
    core_pool *own = self;
    block *b = block_of(data);
    if (b->capacity < KEPT_SIZE || atomic_load(&own->closed)) {
        free_block(own, b);
        return;
    }
    b->query = atomic_load(&own->query);
    keep_block(own, b);
    /* if the pool was closed meanwhile, no other code frees this block */
    if (atomic_load(&own->closed)) {
        free_kept(own);
    }
}
