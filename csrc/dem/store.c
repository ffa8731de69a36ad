/* Columns of spheres: memory, and moving spheres to other places. */
#include "store.h"

#include <string.h>

#include "../base/parallel.h"

/* The offset of a column's pointer in `store`, and the bytes per sphere. */
typedef struct column {
    size_t offset, size;
} column;

#define COLUMN(type, name, numbers) {offsetof(store, name), (numbers) * sizeof(type)},

/* All columns except `movers`, which is aligned to cache lines. */
static const column columns[] = {STORE_COLUMNS(COLUMN)};

static void **pointer_of(store *s, const column *c)
{
    return (void **)(void *)((char *)s + c->offset);
}

/* Reserves memory of `movers`. If it grows, it at least doubles: many small additions stay fast. */
static bool reserve_movers(store *s, abut_index count)
{
    if (count <= s->mover_capacity) {
        return true;
    }
    const abut_index capacity = count > 2 * s->mover_capacity ? count : 2 * s->mover_capacity;
    void *made = memory_alloc(capacity + 1, sizeof(mover));
    if (!made) {
        return false;
    }
    mover *movers = memory_first_line(made);
    if (s->count > 0) {
        memcpy(movers, s->movers, (size_t)s->count * sizeof *movers);
    }
    memory_free(s->mover_memory);
    s->mover_memory = made, s->movers = movers, s->mover_capacity = capacity;
    return true;
}

abut_status store_reserve(store *s, abut_index count)
{
    for (int k = 0; k < STORE_COLUMN_COUNT; k++) {
        void **pointer = pointer_of(s, &columns[k]);
        void *grown = memory_grow(*pointer, count + 1, &s->capacities[k], columns[k].size);
        if (!grown) {
            return ABUT_NO_MEMORY;
        }
        *pointer = grown;
    }
    const bool is_done =
        reserve_movers(s, count) && memory_reserve(&s->scratch, count + 1, sizeof(mover));
    return is_done ? ABUT_OK : ABUT_NO_MEMORY;
}

void store_append(store *s, abut_index count)
{
    const abut_index first = s->count;
    s->count += count;
    for (int k = 0; count > 0 && k < STORE_COLUMN_COUNT; k++) {
        const size_t size = columns[k].size;
        memset((char *)*pointer_of(s, &columns[k]) + (size_t)first * size, 0, (size_t)count * size);
    }
    for (abut_index place = first; place < s->count; place++) {
        s->movers[place] = (mover){.mass = 0.0};
        s->rows[place] = s->places[place] = (int32_t)place;
        s->clusters[place] = -1;
    }
}

void store_free(store *s)
{
    for (int k = 0; k < STORE_COLUMN_COUNT; k++) {
        memory_free(*pointer_of(s, &columns[k]));
    }
    memory_free(s->mover_memory);
    memory_free(s->scratch.data);
    *s = (store){0};
}

abut_index store_bytes(const store *s)
{
    abut_index sum = s->mover_capacity * (abut_index)sizeof(mover) + s->scratch.byte_count;
    for (int k = 0; k < STORE_COLUMN_COUNT; k++) {
        sum += s->capacities[k] * (abut_index)columns[k].size;
    }
    return sum;
}

/* A column that is reordered. source: the old place of each new place; NULL: all unchanged. */
typedef struct gathering {
    char *to;
    const char *from;
    const int32_t *source;
    size_t size;
} gathering;

static void gather_stretch(void *context, abut_index begin, abut_index end)
{
    const gathering *g = context;
    const size_t size = g->size, first = (size_t)begin * size;
    if (!g->source) {
        memcpy(g->to + first, g->from + first, (size_t)(end - begin) * size);
        return;
    }
    for (abut_index k = begin; k < end; k++) {
        memcpy(g->to + (size_t)k * size, g->from + (size_t)g->source[k] * size, size);
    }
}

/* Spheres per task. */
enum { STRETCH = 4096 };

static void gather_column(store *s, void *data, const int32_t *source, abut_index count,
                          size_t size, int workers)
{
    gathering there = {s->scratch.data, data, source, size};
    gathering back = {data, s->scratch.data, NULL, size};
    parallel_loop(workers, count, STRETCH, count / 2, gather_stretch, &there);
    parallel_loop(workers, count, STRETCH, count / 4, gather_stretch, &back);
}

void store_gather(store *s, const int32_t *source, abut_index count, int workers)
{
    for (int k = 0; k < STORE_COLUMN_COUNT; k++) {
        gather_column(s, *pointer_of(s, &columns[k]), source, count, columns[k].size, workers);
    }
    gather_column(s, s->movers, source, count, sizeof(mover), workers);
    s->count = count;
}

static void move_spheres(void *data, size_t size, abut_index to, abut_index from, abut_index count)
{
    char *bytes = data;
    memmove(bytes + (size_t)to * size, bytes + (size_t)from * size, (size_t)count * size);
}

void store_shorten(store *s, const int32_t *source, abut_index count)
{
    abut_index run;
    for (abut_index place = 0; place < count; place += run) {
        const abut_index from = source[place];
        for (run = 1; place + run < count && source[place + run] == from + run;) {
            run++;
        }
        for (int number = 0; number < STORE_COLUMN_COUNT && from > place; number++) {
            const column *c = &columns[number];
            move_spheres(*pointer_of(s, c), c->size, place, from, run);
        }
        move_spheres(s->movers, sizeof *s->movers, place, from, run);
    }
    s->count = count;
}

void store_find_places(store *s)
{
    for (abut_index place = 0; place < s->count; place++) {
        s->places[s->rows[place]] = (int32_t)place;
    }
}
