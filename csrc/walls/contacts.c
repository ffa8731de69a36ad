/* The contacts of a query: made and counted. */
#include "contacts.h"

#include <string.h>

#include "../base/memory.h"

/* ---- memory ---- */

static void free_buffer(contact_buffer *buffer)
{
    memory_free(buffer->items);
    memory_free(buffer->shares);
    memory_free(buffer->images);
    *buffer = (contact_buffer){0};
}

static void destroy_contacts(pooled *item)
{
    abut_contacts *contacts = (abut_contacts *)item;
    for (abut_index k = 0; k < contacts->buffer_count; k++) {
        free_buffer(&contacts->buffers[k]);
    }
    placement_free(&contacts->placement);
    order_free(&contacts->order);
    memory_free(contacts->buffers);
    memory_free(contacts->firsts);
    memory_free(contacts->first_nodes);
    memory_free(contacts);
}

/* What was used last is used again by the next query of the finder. */
void abut_contacts_free(abut_contacts *contacts)
{
    if (contacts) {
        placement_free(&contacts->placement);
        pool_give(&contacts->finder->leftovers->contacts, &contacts->pooled);
    }
}

static abut_contacts *take_contacts(const abut_finder *finder)
{
    abut_contacts *contacts = (abut_contacts *)pool_take(&finder->leftovers->contacts);
    if (!contacts) {
        contacts = memory_alloc_zeroed(1, sizeof *contacts);
        if (!contacts) {
            return NULL;
        }
        contacts->pooled.destroy = destroy_contacts;
        contacts->finder = finder;
    }
    return contacts;
}

/* As many empty buffers as chunks; those that a far larger query left are freed. */
static bool prepare_buffers(abut_contacts *contacts)
{
    abut_index count = contacts->chunk_count;
    abut_index keep = contacts->buffer_count / 4 > count ? count : contacts->buffer_count;
    for (abut_index k = keep; k < contacts->buffer_count; k++) {
        free_buffer(&contacts->buffers[k]);
    }
    if (count > contacts->buffer_count) {
        abut_index capacity = contacts->buffer_count;
        contact_buffer *buffers = memory_grow(contacts->buffers, count, &capacity, sizeof *buffers);
        if (!buffers) {
            return false;
        }
        memset(buffers + contacts->buffer_count, 0,
               (size_t)(capacity - contacts->buffer_count) * sizeof *buffers);
        contacts->buffers = buffers;
        contacts->buffer_count = capacity;
    }
    for (abut_index k = 0; k < count; k++) {
        contacts->buffers[k].count = contacts->buffers[k].node_count = 0;
        contacts->buffers[k].image_count = 0;
        atomic_store(&contacts->buffers[k].is_complete, false);
    }
    return true;
}

static bool prepare_firsts(abut_contacts *contacts)
{
    abut_index count = contacts->chunk_count + 1;
    abut_index *firsts =
        memory_grow(contacts->firsts, count, &contacts->first_capacity, sizeof *firsts);
    contacts->firsts = firsts ? firsts : contacts->firsts;
    abut_index *nodes =
        memory_grow(contacts->first_nodes, count, &contacts->first_node_capacity, sizeof *nodes);
    contacts->first_nodes = nodes ? nodes : contacts->first_nodes;
    return firsts && nodes;
}

abut_contacts *contacts_make(const abut_finder *finder, const abut_query *query)
{
    abut_contacts *contacts = take_contacts(finder);
    if (!contacts) {
        return NULL;
    }
    contacts->query = *query;
    contacts->written_count = 0;
    contacts->chunk_count = (query->sphere_count + CHUNK_SPHERES - 1) / CHUNK_SPHERES;
    if (!prepare_buffers(contacts) || !prepare_firsts(contacts)) {
        abut_contacts_free(contacts);
        return NULL;
    }
    return contacts;
}

abut_index abut_contacts_count(const abut_contacts *contacts)
{
    return contacts->firsts[contacts->chunk_count];
}

abut_index abut_contacts_node_count(const abut_contacts *contacts)
{
    return contacts->first_nodes[contacts->chunk_count];
}

int abut_contacts_are_in_order(const abut_contacts *contacts)
{
    return !contacts->order.is_by_place;
}
