/* Lists the entrances of many pairs. */
#include <string.h>

#include "../abut/contacts.h"
#include "../base/span.h"
#include "entrances.h"
#include "convex_rows.h"
#include "convex_finder.h"

/* The work for the entrances of a pair, in the units of parallel_report. */
enum { WORK_OF_PAIR = 300 };

/* The number of pairs in a chunk, which one thread works on in one go. */
enum { CHUNK_PAIRS = 64 };

/* Entrances of a chunk's pairs. Normals are in the world's frame. */
typedef struct entrance_chunk {
    entrance *all;
    abut_index count, capacity;
    abut_index ends[CHUNK_PAIRS]; /* where each pair's entrances end */
    abut_index first;             /* number of the chunk's first entrance in the query */
    entrance *before;             /* scratch: entrances of a pair in the last step */
    abut_index before_capacity;
} entrance_chunk;

struct abut_entrances {
    struct entrance_memory *memory;
    const abut_convex_finder *finder;
    entrance_chunk *chunks;
    abut_index chunk_count, pair_count;
    abut_index count;
    int workers;
};

/* Memory of a query, which a later query uses again. */
typedef struct entrance_memory {
    pooled pooled;
    abut_entrances entrances; /* set anew for each query */
    convex_places places;
    body_pairs pairs;
    entrance_chunk *chunks;
    abut_index chunk_capacity;
} entrance_memory;

typedef struct entering {
    const abut_convex_query *query;
    const abut_entrances_before *before;
    const abut_convex_finder *finder;
    const placed_body *bodies;
    const body_pairs *pairs;
    entrance_chunk *chunks;
} entering;

/* ---- memory ---- */

static void destroy(pooled *self)
{
    entrance_memory *memory = (entrance_memory *)self;
    places_free(&memory->places);
    candidates_free(&memory->pairs);
    for (abut_index k = 0; k < memory->chunk_capacity; k++) {
        memory_free(memory->chunks[k].all);
        memory_free(memory->chunks[k].before);
    }
    memory_free(memory->chunks);
    memory_free(memory);
}

static abut_entrances *make_entrances(const abut_convex_finder *finder,
                                      const abut_convex_query *query)
{
    entrance_memory *memory = pool_provide(&finder->leftovers->entrances, sizeof *memory, destroy);
    if (!memory) {
        return NULL;
    }
    memory->entrances = (abut_entrances){.memory = memory,
                                         .finder = finder,
                                         .pair_count = query->pair_count,
                                         .workers = query->workers};
    return &memory->entrances;
}

void abut_entrances_free(abut_entrances *entrances)
{
    if (entrances) {
        pool_give(&entrances->finder->leftovers->entrances, &entrances->memory->pooled);
    }
}

abut_index abut_entrances_count(const abut_entrances *entrances)
{
    return entrances->count;
}

static abut_status reserve_chunks(abut_entrances *entrances, abut_index count)
{
    entrance_memory *memory = entrances->memory;
    if (memory_fit_zeroed(&memory->chunks, count, &memory->chunk_capacity,
                          sizeof *memory->chunks)) {
        return ABUT_NO_MEMORY;
    }
    entrances->chunks = memory->chunks;
    entrances->chunk_count = count;
    return ABUT_OK;
}

/* ---- the last step ---- */

static abut_status check_before(const abut_entrances_before *before, abut_index pairs,
                                abut_error *error)
{
    if (before->pair_count == 0 && before->row_count == 0) {
        return ABUT_OK;
    }
    const bool has_pairs = before->pair_count == pairs;
    const abut_index wrong =
        has_pairs ? span_find_wrong(before->offsets, pairs, before->row_count) : 0;
    return wrong < 0 ? ABUT_OK : error_set(error, ABUT_BAD_ENTRANCE_ROWS, wrong, pairs, 0.0);
}

static int32_t feature_count(const abut_shape *shape, uint8_t type)
{
    const int32_t counts[] = {[ABUT_FACET] = shape->facet_count,
                              [ABUT_EDGE] = shape->edge_count,
                              [ABUT_VERTEX] = shape->vertex_count};
    return type <= ABUT_VERTEX ? counts[type] : 0;
}

static bool read_end(const abut_shape *shape, uint8_t type, abut_index feature, convex_end *end)
{
    *end = (convex_end){type, (int32_t)feature};
    return feature >= 0 && feature < feature_count(shape, type);
}

/* The rows of a pair in the last step. */
static row_span rows_before(const abut_entrances_before *before, abut_index pair)
{
    return before->pair_count == 0 ? (row_span){0, 0}
                                   : span_at(before->offsets, pair, before->row_count);
}

/* Reads a pair's entrances of the last step, except those with features that the shapes do not
 * have. Returns the number of entrances. */
static abut_index read_before(const entering *e, row_span rows, const convex_pair *pair,
                              entrance *to)
{
    abut_index kept = 0;
    for (abut_index row = rows.first; row < rows.first + rows.count; row++) {
        const uint8_t *type = e->before->type + 2 * row;
        const abut_index *feature = e->before->feature + 2 * row;
        if (read_end(pair->a.shape, type[0], feature[0], &to[kept].ends[0]) &&
            read_end(pair->b.shape, type[1], feature[1], &to[kept].ends[1])) {
            kept++;
        }
    }
    return kept;
}

/* ---- pairs ---- */

/* Turns the normals of a pair's entrances into the world's frame, and subtracts the rounding of
 * both bodies from the gaps. */
static void place_entrances(entrance *all, abut_index count, const convex_pair *pair,
                            const pose *at)
{
    const double radius = body_rounding(&pair->a) + body_rounding(&pair->b);
    for (abut_index k = 0; k < count; k++) {
        all[k].normal = pose_turn(at, all[k].normal);
        all[k].gap -= radius;
    }
}

static abut_status enter_pair(const entering *e, abut_index k, entrance_chunk *chunk)
{
    const placed_body *a = &e->bodies[e->pairs->i[k]], *b = &e->bodies[e->pairs->j[k]];
    const vec3 shift = candidates_shift(e->pairs, k, e->finder->dimension);
    convex_pair pair;
    places_pair(a, b, shift, &pair);
    const abut_index limit = entrances_limit(&pair);
    const row_span earlier = rows_before(e->before, k);
    abut_status status =
        memory_fit(&chunk->all, chunk->count + limit, &chunk->capacity, sizeof *chunk->all);
    status = status ? status
                    : memory_fit(&chunk->before, earlier.count, &chunk->before_capacity,
                                 sizeof *chunk->before);
    if (!status) {
        entrance *all = chunk->all + chunk->count;
        const abut_index kept = read_before(e, earlier, &pair, chunk->before);
        const abut_index found = entrances_all(&pair, chunk->before, kept, all);
        place_entrances(all, found, &pair, &a->at);
        chunk->count += found;
    }
    return status;
}

static abut_status enter_chunk(void *context, abut_index number, parallel_job *job)
{
    const entering *e = context;
    entrance_chunk *chunk = &e->chunks[number];
    const abut_index begin = number * CHUNK_PAIRS, remaining = e->pairs->count - begin;
    const abut_index count = remaining < CHUNK_PAIRS ? remaining : CHUNK_PAIRS;
    abut_status status = ABUT_OK;
    chunk->count = 0;
    for (abut_index k = 0; !status && k < count; k++) {
        status = enter_pair(e, begin + k, chunk);
        chunk->ends[k] = chunk->count;
    }
    return status ? status : parallel_report(job, WORK_OF_PAIR * count);
}

static void join(abut_entrances *entrances)
{
    entrances->count = 0;
    for (abut_index k = 0; k < entrances->chunk_count; k++) {
        entrances->chunks[k].first = entrances->count;
        entrances->count += entrances->chunks[k].count;
    }
}

static abut_status enter_all(abut_entrances *entrances, const abut_convex_query *query,
                             const abut_entrances_before *before, abut_error *error)
{
    const entrance_memory *memory = entrances->memory;
    const abut_index count = memory->pairs.count;
    const parallel_plan plan = finder_plan(query, count, CHUNK_PAIRS, WORK_OF_PAIR);
    abut_status status = reserve_chunks(entrances, plan.chunk_count);
    if (!status) {
        entering e = {.query = query,
                      .before = before,
                      .finder = entrances->finder,
                      .bodies = memory->places.bodies,
                      .pairs = &memory->pairs,
                      .chunks = entrances->chunks};
        status = parallel_run(&plan, enter_chunk, &e);
    }
    if (!status) {
        join(entrances);
    }
    return error_set_status(error, status);
}

static abut_status find_entrances(abut_entrances *entrances, const abut_convex_query *query,
                                  const abut_entrances_before *before, abut_error *error)
{
    const abut_convex_finder *finder = entrances->finder;
    entrance_memory *memory = entrances->memory;
    abut_status status = check_before(before, query->pair_count, error);
    status = status ? status : places_make(finder, query, &memory->places, error);
    status =
        status ? status : candidates_make(finder, query, &memory->places, &memory->pairs, error);
    return status ? status : enter_all(entrances, query, before, error);
}

abut_status abut_entrances_find(const abut_convex_finder *finder, const abut_convex_query *query,
                                const abut_entrances_before *before, abut_entrances **entrances,
                                abut_error *error)
{
    static const abut_index none[1];
    abut_convex_query copy = *query;
    const abut_entrances_before before_copy = *before;
    *entrances = NULL;
    if (!copy.i) {
        copy.i = copy.j = none;
        copy.pair_count = 0;
    }
    error_set_status(error, ABUT_OK);
    abut_entrances *made = make_entrances(finder, &copy);
    if (!made) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    const abut_status status = find_entrances(made, &copy, &before_copy, error);
    if (status) {
        abut_entrances_free(made);
    } else {
        *entrances = made;
    }
    return status;
}

/* ---- columns ---- */

static void write_entrance(const entrance *from, abut_index row, int dimension,
                           const abut_entrance_columns *to)
{
    const double normal[3] = {0.0 - from->normal.x, 0.0 - from->normal.y, 0.0 - from->normal.z};
    for (int axis = 0; to->normal && axis < dimension; axis++) {
        to->normal[dimension * row + axis] = normal[axis];
    }
    for (int k = 0; to->type && k < 2; k++) {
        to->type[2 * row + k] = (uint8_t)from->ends[k].type;
    }
    for (int k = 0; to->feature && k < 2; k++) {
        to->feature[2 * row + k] = from->ends[k].feature;
    }
    if (to->overlap) {
        to->overlap[row] = 0.0 - from->gap;
    }
}

/* Writes the pair of each entrance of a chunk, and where each pair's entrances end. */
static void write_pairs(const abut_entrances *entrances, abut_index number,
                        const abut_entrance_columns *to)
{
    const entrance_chunk *chunk = &entrances->chunks[number];
    const abut_index first = number * CHUNK_PAIRS, remaining = entrances->pair_count - first;
    abut_index row = 0;
    for (abut_index k = 0; k < (remaining < CHUNK_PAIRS ? remaining : CHUNK_PAIRS); k++) {
        for (; row < chunk->ends[k]; row++) {
            if (to->pair) {
                to->pair[chunk->first + row] = first + k;
            }
        }
        if (to->offsets) {
            to->offsets[first + k + 1] = chunk->first + chunk->ends[k];
        }
    }
}

void abut_entrances_write(const abut_entrances *entrances, const abut_entrance_columns *columns)
{
    const int dimension = entrances->finder->dimension;
    if (columns->offsets) {
        columns->offsets[0] = 0;
    }
    for (abut_index number = 0; number < entrances->chunk_count; number++) {
        const entrance_chunk *chunk = &entrances->chunks[number];
        for (abut_index k = 0; k < chunk->count; k++) {
            write_entrance(&chunk->all[k], chunk->first + k, dimension, columns);
        }
        write_pairs(entrances, number, columns);
    }
}
