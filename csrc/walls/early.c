/* Rows are written while spheres are searched. */
#include "early.h"

#include "columns.h"

void early_begin(early *e, abut_contacts *contacts)
{
    *e = (early){.contacts = contacts,
                 .is_on = contacts->query.columns && !contacts->order.is_by_place,
                 .is_locked = ATOMIC_FLAG_INIT};
    if (e->is_on) {
        columns_begin(contacts->query.columns);
        contacts->firsts[0] = contacts->first_nodes[0] = 0;
    }
}

/* Nobody waits: what one leaves out the next one does. */
static bool try_lock(early *e)
{
    return !atomic_flag_test_and_set(&e->is_locked);
}

static void unlock(early *e)
{
    atomic_flag_clear(&e->is_locked);
}

/* Each keeps what it knows of its own chunk. */
static void swap_memory(contact_buffer *a, contact_buffer *b)
{
    contact_buffer other = *a;
    a->items = b->items, a->capacity = b->capacity;
    a->shares = b->shares, a->share_capacity = b->share_capacity;
    a->images = b->images, a->image_capacity = b->image_capacity;
    b->items = other.items, b->capacity = other.capacity;
    b->shares = other.shares, b->share_capacity = other.share_capacity;
    b->images = other.images, b->image_capacity = other.image_capacity;
}

void early_lend_buffer(early *e, abut_index chunk)
{
    if (!e->is_on || !try_lock(e)) {
        return;
    }
    if (e->free_count > 0) {
        contact_buffer *buffers = e->contacts->buffers;
        swap_memory(&buffers[chunk], &buffers[e->free_buffers[--e->free_count]]);
    }
    unlock(e);
}

/* Where the rows of a chunk end those of the next one begin. */
static void count_chunks(early *e)
{
    abut_contacts *contacts = e->contacts;
    for (; e->counted < contacts->chunk_count; e->counted++) {
        const contact_buffer *buffer = &contacts->buffers[e->counted];
        if (!atomic_load(&buffer->is_complete)) {
            return;
        }
        contacts->firsts[e->counted + 1] = contacts->firsts[e->counted] + buffer->count;
        contacts->first_nodes[e->counted + 1] =
            contacts->first_nodes[e->counted] + buffer->node_count;
    }
}

/* Whether the next chunk can be written; then it is `*chunk`. */
static bool take_chunk(early *e, abut_index *chunk)
{
    const abut_contacts *contacts = e->contacts;
    const abut_index next = e->taken;
    count_chunks(e);
    if (e->is_full || next == e->counted) {
        return false;
    }
    e->is_full = contacts->firsts[next + 1] > contacts->query.row_room ||
                 contacts->first_nodes[next + 1] > contacts->query.node_room;
    e->taken += !e->is_full;
    *chunk = next;
    return !e->is_full;
}

static void offer_buffer(early *e, abut_index chunk)
{
    if (try_lock(e)) {
        if (e->free_count < EARLY_BUFFERS) {
            e->free_buffers[e->free_count++] = chunk;
        }
        unlock(e);
    }
}

/* Chunks that one thread writes in one go: where others wait for a slow one, more may be ready than
 * one thread should write. What is left is written in the end, by all. */
enum { EARLY_CHUNKS = 2 };

void early_hand_in(early *e, abut_index chunk)
{
    atomic_store(&e->contacts->buffers[chunk].is_complete, true);
    for (int k = 0; e->is_on && k < EARLY_CHUNKS && try_lock(e); k++) {
        bool is_taken = take_chunk(e, &chunk);
        unlock(e);
        if (!is_taken) {
            break;
        }
        columns_write_chunk(e->contacts, e->contacts->query.columns, chunk);
        offer_buffer(e, chunk);
    }
}

void early_end(early *e)
{
    if (e->is_on) {
        count_chunks(e);
        e->contacts->written_count = e->taken;
    }
}
