/* The rows of a query: records in chunks, each with its own buffer, joined in order. */
#ifndef CONVEX_CONVEX_ROWS_H
#define CONVEX_CONVEX_ROWS_H

#include "../base/parallel.h"
#include "../base/pool.h"
#include "solve.h"
#include "states.h"

/* All that the columns of one row are computed from; vectors are the world's. */
typedef struct convex_row {
    double state[ABUT_CONVEX_STATE];
    vec3 normal; /* n, from the first body to the second */
    vec3 p, q;   /* ends of the link, on the first and on the second */
    double gap, error;
    int32_t first, second; /* bodies; of walls the second is the facet */
    int32_t mesh;          /* of walls */
    int32_t spot_count, iterations;
    int32_t features[2];
    uint8_t types[2], status;
    abut_index image[3];
    abut_index before; /* the row of the step before that it began with, or -1 */
} convex_row;

/* Rows that one thread has found in one go; points of spots are the world's. */
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
    abut_convex_contacts contacts; /* the query that uses it, or used it last: begins anew */
    convex_places places;
    body_pairs pairs;
    earlier_rows earlier;
    convex_chunk *chunks;
    abut_index chunk_capacity;
} convex_memory;

/* Contacts for a query, without chunks yet; NULL where there is no memory. */
abut_convex_contacts *convex_rows_make(const abut_convex_finder *finder,
                                       const abut_convex_query *query);

/* Make so many empty chunks. ABUT_OK or ABUT_NO_MEMORY. */
abut_status convex_rows_reserve_chunks(abut_convex_contacts *contacts, abut_index count);

/* Room for one row more, and for so many spots. ABUT_OK or ABUT_NO_MEMORY. */
abut_status convex_rows_reserve(convex_chunk *chunk, int32_t spots);

/* Where the spots of the row that is added next belong. */
static inline convex_spot *convex_rows_spots(const convex_chunk *chunk)
{
    return chunk->spots + chunk->spot_count;
}

/* How a row is called, and where its points are: those of a result are in the frame `at`, and move
 * by `shift` in the world. */
typedef struct row_place {
    int32_t first, second, mesh;
    bool is_swapped; /* the solver's body B is the row's first one */
    const pose *at;
    vec3 shift;
    abut_index image[3];
    abut_index before; /* the row of the step before that it begins with, or -1 */
} row_place;

/* Add what was found, with its spots at convex_rows_spots: there is room. */
void convex_rows_add(convex_chunk *chunk, const row_place *place, const solved *result);

/* All chunks are filled: tell where each begins in the whole. */
void convex_rows_join(abut_convex_contacts *contacts);

#endif
