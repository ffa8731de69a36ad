/* The rows of a query: records in chunks, each with its own buffer, joined in order. */
#ifndef CONVEX_CONVEX_ROWS_H
#define CONVEX_CONVEX_ROWS_H

#include "../base/parallel.h"
#include "../base/pool.h"
#include "solve.h"
#include "states.h"

/* The record from which the columns of one row are computed. Vectors are in the world's frame. */
typedef struct convex_row {
    double state[ABUT_CONVEX_STATE];
    vec3 normal; /* n, from the first body to the second */
    vec3 p, q;   /* ends of the link, on the first and on the second body */
    double gap, error;
    int32_t first, second; /* bodies; with a wall the second is the facet */
    int32_t mesh;          /* with a wall */
    int32_t spot_count, iterations;
    int32_t features[2];
    uint8_t types[2], status;
    abut_index image[3];
    abut_index before; /* the row of the step before with which it began, or -1 */
} convex_row;

/* Rows that one thread has found in one go. Points of spots are in the world's frame. */
typedef struct convex_chunk {
    convex_row *rows;
    convex_spot *spots;
    abut_index row_count, spot_count;
    abut_index row_capacity, spot_capacity;
    abut_index first_row, first_spot; /* their numbers in the whole query */
} convex_chunk;

struct abut_convex_contacts {
    struct convex_memory *memory;
    const abut_convex_finder *finder;
    convex_chunk *chunks;
    abut_index chunk_count;
    abut_index row_count, spot_count;
    int workers;
    bool has_images; /* there is a period */
    bool is_sorted;  /* by first body, since no pairs were given */
};

/* Memory that one query after the other uses. */
typedef struct convex_memory {
    pooled pooled;
    abut_convex_contacts contacts; /* the query that uses this memory, or used it last */
    convex_places places;
    body_pairs pairs;
    earlier_rows earlier;
    convex_chunk *chunks;
    abut_index chunk_capacity;
} convex_memory;

/* Makes contacts for a query, without chunks yet; NULL: there is no memory. */
abut_convex_contacts *convex_rows_make(const abut_convex_finder *finder,
                                       const abut_convex_query *query);

/* Makes `count` empty chunks. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status convex_rows_reserve_chunks(abut_convex_contacts *contacts, abut_index count);

/* Makes room for one more row, and for `spots` more spots. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status convex_rows_reserve(convex_chunk *chunk, int32_t spots);

/* The place for the spots of the row that is added next. */
static inline convex_spot *convex_rows_spots(const convex_chunk *chunk)
{
    return chunk->spots + chunk->spot_count;
}

/* The partners of a row, and the place of its points. Points of a result are in the frame `at`,
 * shifted by `shift` in the world. */
typedef struct row_place {
    int32_t first, second, mesh;
    bool is_swapped; /* the solver's body B is the row's first one */
    const pose *at;
    vec3 shift;
    abut_index image[3];
    abut_index before; /* the row of the step before with which it begins, or -1 */
} row_place;

/* Adds a result as a row. Its spots are at convex_rows_spots already, and there is room. */
void convex_rows_add(convex_chunk *chunk, const row_place *place, const solved *result);

/* Sets where each chunk begins in the whole query. All chunks must be filled. */
void convex_rows_join(abut_convex_contacts *contacts);

#endif
