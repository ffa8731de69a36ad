/* Writes pairs into the caller's columns. */
#include <math.h>
#include <string.h>

#include "../base/parallel.h"
#include "row_images.h"

/* The number of pairs in a block; the number of pairs and spheres in a chunk. */
enum { BLOCK_PAIRS = 256, CHUNK_ITEMS = 8192 };

/* The row of a pair's second sphere is fetched into the cache this many pairs before it is read. */
enum { FETCHED_AHEAD = 128 };

/* Chunks begin at multiples of this many pairs, where each column begins a cache line. */
enum { LINE_PAIRS = MEMORY_LINE / sizeof(double) };

/* Memory for columns that the caller does not want. It is written here and never read. */
typedef struct spare_columns {
    abut_index numbers[BLOCK_PAIRS];
    double normal[3 * BLOCK_PAIRS], overlap[BLOCK_PAIRS], point[3 * BLOCK_PAIRS];
} spare_columns;

typedef struct writing {
    const abut_pairs *pairs;
    const abut_pair_columns *columns;
    abut_index chunk_count;
    bool has_vectors; /* normals, points or overlaps are wanted, so the spheres must be read */
} writing;

/* Spheres, images and shifts of some pairs. Entries behind the last pair are valid numbers, too,
 * since vector code reads them. */
typedef struct pair_numbers {
    int32_t firsts[BLOCK_PAIRS + GRID_PADDING], seconds[BLOCK_PAIRS + GRID_PADDING];
    vec3 images[BLOCK_PAIRS];
    double shifts[3][BLOCK_PAIRS + GRID_PADDING];
} pair_numbers;

/* Sets the second sphere of each pair. Entries behind the last pair are sphere 0. */
static void set_seconds(const abut_pairs *pairs, abut_index row, int32_t count, pair_numbers *n)
{
    memcpy(n->seconds, pairs->seconds + row, (size_t)count * sizeof *n->seconds);
    for (int32_t k = count; k < count + GRID_PADDING; k++) {
        n->firsts[k] = n->seconds[k] = 0;
    }
}

/* Sets the image of each pair, and the vector to it from image 0. */
static void set_images(const abut_pairs *pairs, abut_index row, int32_t count, pair_numbers *n)
{
    memset(n->shifts, 0, sizeof n->shifts);
    row_images_find(pairs, row, count, n->firsts, n->seconds, n->images);
    for (int32_t k = 0; k < count; k++) {
        const vec3 shift = lattice_shift(&pairs->finder->lattice, n->images[k]);
        n->shifts[0][k] = shift.x, n->shifts[1][k] = shift.y, n->shifts[2][k] = shift.z;
    }
}

/* Whether the caller's center differs from `place`, which is in the box. */
static bool is_moved(const double *center, const double *place, int dimension)
{
    bool is_same = true;
    for (int axis = 0; axis < dimension; axis++) {
        is_same &= center[axis] == place[axis];
    }
    return !is_same;
}

/* Moves points of pairs from the first sphere's place in the box to the caller's center, if that is
 * outside of the box. */
static void move_points(const row_set *own, const pair_block *block)
{
    const int dimension = block->dimension;
    for (int32_t k = 0; k < block->count; k++) {
        const abut_index i = block->firsts[k], at = dimension * k;
        const double *center = own->centers + dimension * i;
        if (is_moved(center, own->rows[i].place, dimension)) {
            const double inward = own->radii[i] - 0.5 * block->overlap[k];
            for (int axis = 0; axis < dimension; axis++) {
                block->point[at + axis] = center[axis] - block->normal[at + axis] * inward;
            }
        }
    }
}

/* Makes images relative to the caller's centers of both spheres, as the caller's period counts
 * them. */
static void name_images(const abut_pairs *pairs, int32_t count, pair_numbers *n)
{
    const bool is_inside = !pairs->own.bounds.is_outside && !pairs->second_set->bounds.is_outside;
    for (int32_t k = 0; !is_inside && k < count; k++) {
        const vec3 of_first = gather_wraps(pairs, &pairs->own, n->firsts[k]);
        const vec3 of_second = gather_wraps(pairs, pairs->second_set, n->seconds[k]);
        n->images[k] = vec3_add(n->images[k], vec3_sub(of_first, of_second));
    }
    for (int32_t k = 0; pairs->finder->has_other_basis && k < count; k++) {
        n->images[k] = row_images_given(pairs, n->images[k]);
    }
}

static void write_images(const writing *w, abut_index row, int32_t count, pair_numbers *n)
{
    const int dimension = w->pairs->finder->dimension;
    abut_index *to = w->columns->image + dimension * row;
    name_images(w->pairs, count, n);
    for (int32_t k = 0; k < count; k++) {
        lattice_put_image(to + dimension * k, dimension, n->images[k]);
    }
}

/* The second spheres to fetch while the pairs from row `row` on are computed: those of later pairs,
 * or at the end those of the same pairs. */
static const int32_t *next_seconds(const abut_pairs *pairs, abut_index row, int32_t count,
                                   const pair_numbers *n)
{
    const abut_index next = row + FETCHED_AHEAD;
    return next + count > pairs->count ? n->seconds : pairs->seconds + next;
}

/* Writes i and j only, without reading spheres. */
static void write_numbers(const abut_pair_columns *to, abut_index row, int32_t count,
                          const pair_numbers *n)
{
    for (int32_t k = 0; to->i && k < count; k++) {
        to->i[row + k] = n->firsts[k];
    }
    for (int32_t k = 0; to->j && k < count; k++) {
        to->j[row + k] = n->seconds[k];
    }
}

/* Writes i, j, normals, overlaps and points of pairs row ... row + count - 1. */
static void compute_block(const writing *w, abut_index row, int32_t count, const pair_numbers *n)
{
    const abut_pairs *pairs = w->pairs;
    const abut_pair_columns *to = w->columns;
    spare_columns spare;
    const abut_pair_finder *finder = pairs->finder;
    const row_set *own = &pairs->own, *second = pairs->second_set;
    const abut_index at = finder->dimension * row;
    pair_block block = {.count = count,
                        .firsts = n->firsts,
                        .seconds = n->seconds,
                        .next_seconds = next_seconds(pairs, row, count, n),
                        .first_rows = own->rows,
                        .second_rows = second->rows,
                        .first_radii = own->radii == own->reaches ? NULL : own->radii,
                        .second_radii = second->radii == second->reaches ? NULL : second->radii,
                        .dimension = finder->dimension,
                        .i = to->i ? to->i + row : spare.numbers,
                        .j = to->j ? to->j + row : spare.numbers,
                        .normal = to->normal ? to->normal + at : spare.normal,
                        .overlap = to->overlap ? to->overlap + row : spare.overlap,
                        .point = to->point ? to->point + at : spare.point};
    for (int axis = 0; finder->lattice.is_periodic && axis < 3; axis++) {
        block.shifts[axis] = n->shifts[axis];
    }
    pair_kernels_take()->pairs_compute(&block);
    if (own->bounds.is_outside) {
        move_points(own, &block);
    }
}

/* Writes the columns of pairs row ... row + count - 1. Their first spheres are known. */
static void write_block(const writing *w, abut_index row, int32_t count, pair_numbers *n)
{
    const bool has_images =
        w->pairs->finder->lattice.is_periodic && (w->has_vectors || w->columns->image);
    set_seconds(w->pairs, row, count, n);
    if (has_images) {
        set_images(w->pairs, row, count, n);
    }
    if (w->has_vectors) {
        compute_block(w, row, count, n);
    } else {
        write_numbers(w->columns, row, count, n);
    }
    if (has_images && w->columns->image) {
        write_images(w, row, count, n);
    }
}

/* set_firsts writes this many numbers for each sphere without a check, since most spheres are the
 * first of few pairs. The next sphere's numbers overwrite those that are too many. */
enum { FEW = 4 };

/* Sets the first spheres of pairs row ... row + count - 1. `sphere` is the first sphere of pair
 * `row`, or a sphere before that. Returns the first sphere of the last pair. */
static abut_index set_firsts(const abut_index *offsets, abut_index sphere, abut_index row,
                             int32_t count, int32_t *firsts)
{
    for (int32_t k = 0;; sphere++) {
        const abut_index pairs_end = offsets[sphere + 1] - row;
        const int32_t end = pairs_end < count ? (int32_t)pairs_end : count;
        for (int32_t t = k; t < k + FEW; t++) {
            firsts[t] = (int32_t)sphere;
        }
        for (int32_t t = k + FEW; t < end; t++) {
            firsts[t] = (int32_t)sphere;
        }
        k = end;
        if (k >= count) {
            return sphere;
        }
    }
}

/* The first sphere of pair `row`. */
static abut_index sphere_of(const abut_pairs *pairs, abut_index row)
{
    abut_index sphere = 0, last = pairs->own.count - 1;
    while (sphere < last) {
        const abut_index middle = sphere + (last - sphere) / 2;
        const bool is_before = pairs->offsets[middle + 1] <= row;
        sphere = is_before ? middle + 1 : sphere;
        last = is_before ? last : middle;
    }
    return sphere;
}

/* The index at which a chunk begins, among `count` items that are divided among all chunks. */
static abut_index first_of(const writing *w, abut_index count, abut_index chunk)
{
    const abut_index first = count / w->chunk_count * chunk / LINE_PAIRS * LINE_PAIRS;
    return chunk < w->chunk_count ? first : count;
}

static void write_offsets(const writing *w, abut_index chunk)
{
    const abut_pairs *pairs = w->pairs;
    const abut_index begin = first_of(w, pairs->own.count, chunk);
    const abut_index end = first_of(w, pairs->own.count, chunk + 1);
    if (w->columns->offsets) {
        memcpy(w->columns->offsets + begin, pairs->offsets + begin,
               (size_t)(end - begin) * sizeof *pairs->offsets);
    }
}

/* Writes a chunk's pairs and offsets. */
static abut_status write_chunk(void *context, abut_index chunk, parallel_job *job)
{
    const writing *w = context;
    const abut_pairs *pairs = w->pairs;
    const abut_index first = first_of(w, pairs->count, chunk);
    const abut_index last = first_of(w, pairs->count, chunk + 1);
    pair_numbers numbers;
    abut_index sphere = first < last ? sphere_of(pairs, first) : 0;
    for (abut_index row = first; row < last; row += BLOCK_PAIRS) {
        const int32_t count = last - row < BLOCK_PAIRS ? (int32_t)(last - row) : BLOCK_PAIRS;
        sphere = set_firsts(pairs->offsets, sphere, row, count, numbers.firsts);
        write_block(w, row, count, &numbers);
    }
    write_offsets(w, chunk);
    return parallel_report(job, 2 * (last - first));
}

void abut_pairs_write(const abut_pairs *pairs, const abut_pair_columns *columns)
{
    writing w = {.pairs = pairs, .columns = columns};
    w.has_vectors = columns->normal || columns->overlap || columns->point;
    w.chunk_count = (pairs->count + pairs->own.count) / CHUNK_ITEMS + 1;
    if (columns->offsets) {
        columns->offsets[pairs->own.count] = pairs->count;
    }
    const parallel_plan plan = {.chunk_count = w.chunk_count,
                                .work = 2 * pairs->count + pairs->own.count / 8,
                                .workers = pairs->query.workers};
    parallel_run(&plan, write_chunk, &w);
}
