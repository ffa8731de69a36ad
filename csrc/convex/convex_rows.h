/* The rows of a query: records in chunks, numbered chunk after chunk. Each chunk has its own
 * memory. */
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
    int32_t first, second; /* numbers of both bodies; at a wall, second is the facet */
    int32_t mesh;          /* number of the mesh, for contacts with walls */
    int32_t spot_count, iterations;
    int32_t features[2];
    uint8_t types[2], status;
    abut_index image[3];
    abut_index before; /* the row of the last step with which its search began, or -1 */
} convex_row;

/* Rows that one thread has found in one go. Points of spots are in the world's frame. */
typedef struct convex_chunk {
    convex_row *rows;
    convex_spot *spots;
    abut_index row_count, spot_count;
    abut_index row_capacity, spot_capacity;
    abut_index first_row, first_spot; /* numbers of the first row and spot in the whole query */
} convex_chunk;

struct abut_convex_contacts {
    struct convex_memory *memory;
    const abut_convex_finder *finder;
    convex_chunk *chunks;
    abut_index chunk_count;
    abut_index row_count, spot_count;
    int workers;
    bool has_images; /* there is a period */
    bool is_sorted;  /* rows are sorted by first body */
};

/* Memory of a query, which a later query uses again. */
typedef struct convex_memory {
    pooled pooled;
    abut_convex_contacts contacts; /* of the last query that used this memory */
    convex_places places;
    body_pairs pairs;
    earlier_rows earlier;
    convex_chunk *chunks;
    abut_index chunk_capacity;
} convex_memory;

/* Returns contacts for a query, without chunks, or NULL if there is no memory. */
abut_convex_contacts *convex_rows_make(const abut_convex_finder *finder,
                                       const abut_convex_query *query);

/* Makes `count` empty chunks. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status convex_rows_reserve_chunks(abut_convex_contacts *contacts, abut_index count);

/* Reserves memory for one more row and `spots` more spots. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status convex_rows_reserve(convex_chunk *chunk, int32_t spots);

/* Where the spots of the next row are written, before that row is added. */
static inline convex_spot *convex_rows_spots(const convex_chunk *chunk)
{
    return chunk->spots + chunk->spot_count;
}

/* The partners of a row, and the frame of its points. The points of a result are in the frame of
 * the pose `at`. In the world they are then shifted by `shift`. */
typedef struct row_place {
    int32_t first, second, mesh;
    bool is_swapped; /* body B of the solver is the row's first body */
    const pose *at;
    vec3 shift;
    abut_index image[3];
    abut_index before; /* the row of the last step with which its search begins, or -1 */
} row_place;

/* Adds a result as a row. Its spots are at convex_rows_spots already, and memory is reserved. */
void convex_rows_add(convex_chunk *chunk, const row_place *place, const solved *result);

/* Sets the numbers of each chunk's first row and spot. All chunks must be filled. */
void convex_rows_join(abut_convex_contacts *contacts);

#endif
