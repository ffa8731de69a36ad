/* Makes records of rows, and keeps the memory of queries. */
#include "convex_rows.h"

#include <string.h>

#include "convex_finder.h"

/* ---- memory ---- */

static void destroy(pooled *self)
{
    convex_memory *memory = (convex_memory *)self;
    places_free(&memory->places);
    candidates_free(&memory->pairs);
    states_free(&memory->earlier);
    for (abut_index k = 0; k < memory->chunk_capacity; k++) {
        memory_free(memory->chunks[k].rows);
        memory_free(memory->chunks[k].spots);
    }
    memory_free(memory->chunks);
    memory_free(memory);
}

abut_convex_contacts *convex_rows_make(const abut_convex_finder *finder,
                                       const abut_convex_query *query)
{
    convex_memory *memory = pool_provide(&finder->leftovers->contacts, sizeof *memory, destroy);
    if (!memory) {
        return NULL;
    }
    abut_convex_contacts *contacts = &memory->contacts;
    *contacts =
        (abut_convex_contacts){.memory = memory, .finder = finder, .workers = query->workers};
    return contacts;
}

void abut_convex_contacts_free(abut_convex_contacts *contacts)
{
    if (contacts) {
        pool_give(&contacts->finder->leftovers->contacts, &contacts->memory->pooled);
    }
}

abut_index abut_convex_contacts_count(const abut_convex_contacts *contacts)
{
    return contacts->row_count;
}

abut_index abut_convex_contacts_spot_count(const abut_convex_contacts *contacts)
{
    return contacts->spot_count;
}

/* ---- chunks ---- */

abut_status convex_rows_reserve_chunks(abut_convex_contacts *contacts, abut_index count)
{
    convex_memory *memory = contacts->memory;
    if (memory_fit_zeroed(&memory->chunks, count, &memory->chunk_capacity,
                          sizeof *memory->chunks)) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index k = 0; k < count; k++) {
        memory->chunks[k].row_count = memory->chunks[k].spot_count = 0;
    }
    contacts->chunks = memory->chunks;
    contacts->chunk_count = count;
    return ABUT_OK;
}

abut_status convex_rows_reserve(convex_chunk *chunk, int32_t spots)
{
    const abut_status status =
        memory_fit(&chunk->rows, chunk->row_count + 1, &chunk->row_capacity, sizeof *chunk->rows);
    return status ? status
                  : memory_fit(&chunk->spots, chunk->spot_count + spots, &chunk->spot_capacity,
                               sizeof *chunk->spots);
}

/* ---- rows ---- */

static inline vec3 point_of(const row_place *place, vec3 p)
{
    return vec3_add(pose_to_world(place->at, p), place->shift);
}

static void set_ends(convex_row *row, const convex_end ends[2], bool is_swapped)
{
    for (int k = 0; k < 2; k++) {
        const convex_end *end = &ends[is_swapped ? 1 - k : k];
        row->types[k] = (uint8_t)end->type;
        row->features[k] = end->feature;
    }
}

static void place_spots(convex_spot *spots, int32_t count, const row_place *place)
{
    for (int32_t k = 0; k < count; k++) {
        spots[k].point = point_of(place, spots[k].point);
        if (place->is_swapped) {
            const convex_end end = spots[k].ends[0];
            spots[k].ends[0] = spots[k].ends[1];
            spots[k].ends[1] = end;
        }
    }
}

/* Sets a row's vectors and gap. Writes each vector directly into the row, which saves copies. */
static void place_link(convex_row *row, const row_place *place, const solved *result)
{
    vec3 *first = place->is_swapped ? &row->q : &row->p;
    vec3 *second = place->is_swapped ? &row->p : &row->q;
    *first = point_of(place, result->p);
    *second = point_of(place, result->q);
    const vec3 normal = pose_turn(place->at, result->core.normal);
    const double sign = place->is_swapped ? -1.0 : 1.0;
    row->normal = vec3_scale(normal, sign);
    row->gap = result->gap;
    row->error = result->error;
}

void convex_rows_add(convex_chunk *chunk, const row_place *place, const solved *result)
{
    convex_row *row = &chunk->rows[chunk->row_count++];
    link_pack(&result->core, row->state);
    place_link(row, place, result);
    row->first = place->first, row->second = place->second, row->mesh = place->mesh;
    row->before = place->before;
    row->iterations = result->core.iterations;
    row->status = (uint8_t)result->status;
    set_ends(row, result->core.ends, place->is_swapped);
    for (int axis = 0; axis < 3; axis++) {
        row->image[axis] = place->image[axis];
    }
    row->spot_count = result->spot_count;
    place_spots(convex_rows_spots(chunk), row->spot_count, place);
    chunk->spot_count += row->spot_count;
}

void convex_rows_join(abut_convex_contacts *contacts)
{
    contacts->row_count = contacts->spot_count = 0;
    for (abut_index k = 0; k < contacts->chunk_count; k++) {
        convex_chunk *chunk = &contacts->chunks[k];
        chunk->first_row = contacts->row_count;
        chunk->first_spot = contacts->spot_count;
        contacts->row_count += chunk->row_count;
        contacts->spot_count += chunk->spot_count;
    }
}
