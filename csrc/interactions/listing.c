/* Threads write the candidates, and then their buckets, by chunks of first spheres. A first pass
 * counts the items of each chunk. Sums of these counts give where each chunk begins, and a second
 * pass writes. */
#include "listing.h"

#include <string.h>

#include "../base/span.h"
#include "../spheres/grid.h"

/* Columns of pairs that the search has found. */
typedef struct found_pairs {
    abut_index *second, *image, *offsets;
} found_pairs;

/* The numbers of candidates and outline pairs in a chunk, or in all chunks before it. */
typedef struct list_part {
    int32_t candidates, outlines;
} list_part;

typedef struct bucket_part {
    int32_t buckets, entries;
} bucket_part;

typedef struct listing {
    neighbor_list *list;
    const neighbor_spheres *spheres;
    found_pairs found;
    list_part *parts; /* by chunk: its counts; later those of all chunks before it */
    bool writes;      /* the second pass, which writes; false: the first pass, which counts */
} listing;

static void *reserve(neighbor_list *l, int block, abut_index count, size_t size)
{
    return memory_reserve(&l->blocks[block], count, size);
}

/* ---- candidates ---- */

bool listing_has_several_images(const neighbor_spheres *s, double reach)
{
    return 2.0 * reach * (1.0 + LIST_ROUNDING) >= lattice_width(s->lattice);
}

static bool has_own_images(const listing *g, abut_index i, abut_index pair)
{
    const neighbor_spheres *s = g->spheres;
    const abut_index j = g->found.second[pair];
    return g->found.image && listing_has_several_images(
                                 s, (1.0 + g->list->pace.stretch) *
                                        (s->radii[i] + s->radii[j] + neighbor_pair_reach(s, i, j)));
}

/* Whether this pair has the same two spheres as the pair before it. */
static bool repeats_pair(const found_pairs *f, abut_index i, abut_index pair)
{
    return pair > f->offsets[i] && f->second[pair] == f->second[pair - 1];
}

/* Whether a found pair becomes a candidate. Two spheres that can touch only at their nearest image
 * are one candidate, even if several images were found. Other spheres are one candidate for each
 * image. */
static bool is_candidate(const listing *g, abut_index i, abut_index pair)
{
    return !neighbor_is_one_body(g->spheres->clusters, i, g->found.second[pair]) &&
           (!repeats_pair(&g->found, i, pair) || has_own_images(g, i, pair));
}

/* Whether a found pair of outlines is listed: once, even if several images were found. */
static bool is_outline_pair(const listing *g, abut_index i, abut_index pair)
{
    return i != g->found.second[pair] && !repeats_pair(&g->found, i, pair);
}

/* Converts the images of a sphere's pairs. They were relative to centers, and become relative to
 * places in the box. */
static void wrap_images(const listing *g, abut_index i)
{
    const neighbor_spheres *s = g->spheres;
    const found_pairs *f = &g->found;
    for (abut_index pair = f->offsets[i]; f->image && pair < f->offsets[i + 1]; pair++) {
        double from[3], to[3];
        memcpy(from, neighbor_center(s, i), sizeof from);
        memcpy(to, neighbor_center(s, f->second[pair]), sizeof to);
        const vec3 of_i = lattice_wrap_point(s->lattice, from);
        const vec3 wraps = vec3_sub(lattice_wrap_point(s->lattice, to), of_i);
        f->image[3 * pair] += (abut_index)wraps.x;
        f->image[3 * pair + 1] += (abut_index)wraps.y;
        f->image[3 * pair + 2] += (abut_index)wraps.z;
    }
}

/* ---- chunks ---- */

/* The first spheres of a chunk. Outlines are in a last chunk, behind those of spheres. */
static row_span firsts_of(const listing *g, abut_index chunk)
{
    const neighbor_list *l = g->list;
    if (chunk == neighbor_list_chunk_count(l)) {
        return (row_span){g->spheres->count, g->spheres->outlines.count};
    }
    const abut_index begin = chunk * NEIGHBOR_CHUNK;
    return (row_span){begin, neighbor_chunk_end(l, chunk) - begin};
}

static void write_candidate(const listing *g, abut_index i, abut_index pair, int32_t at)
{
    neighbor_list *l = g->list;
    const found_pairs *f = &g->found;
    const bool has_own = has_own_images(g, i, pair);
    l->firsts[at] = (int32_t)i, l->seconds[at] = (int32_t)f->second[pair];
    for (int axis = 0; l->images && axis < 3; axis++) {
        l->images[at][axis] = has_own ? (int32_t)f->image[3 * pair + axis] : (int32_t)NEAREST_IMAGE;
    }
    l->has_images[i / NEIGHBOR_CHUNK] |= has_own;
}

/* Counts a sphere's pairs; in the second pass also writes them. */
static void list_sphere(const listing *g, abut_index i, list_part *at)
{
    const abut_index spheres = g->spheres->count;
    const found_pairs *f = &g->found;
    for (abut_index pair = f->offsets[i]; pair < f->offsets[i + 1]; pair++) {
        const abut_index second = f->second[pair];
        const bool is_outline = second >= spheres;
        if (!(is_outline ? is_outline_pair(g, i, pair) : is_candidate(g, i, pair))) {
            continue;
        }
        if (g->writes && is_outline) {
            g->list->outline_pairs[at->outlines] =
                (outline_pair){(int32_t)(second - spheres), (int32_t)i};
        } else if (g->writes) {
            write_candidate(g, i, pair, at->candidates);
        }
        at->outlines += is_outline, at->candidates += !is_outline;
    }
}

static abut_status list_chunk(void *context, abut_index chunk, parallel_job *job)
{
    const listing *g = context;
    neighbor_list *l = g->list;
    const row_span firsts = firsts_of(g, chunk);
    const abut_index *offsets = g->found.offsets + firsts.first;
    list_part at = g->writes ? g->parts[chunk] : (list_part){0};
    if (g->writes && chunk < neighbor_list_chunk_count(l)) {
        l->has_images[chunk] = 0;
    }
    for (abut_index i = firsts.first; i < firsts.first + firsts.count; i++) {
        if (i < g->spheres->count) {
            l->begins[i] = at.candidates;
        }
        if (!g->writes) {
            wrap_images(g, i);
        }
        list_sphere(g, i, &at);
    }
    if (!g->writes) {
        g->parts[chunk] = at;
    }
    return parallel_report(job, (firsts.count + offsets[firsts.count] - offsets[0]) / 3);
}

/* Replaces the counts of each chunk by the sums over all chunks before it. Returns the totals. */
static list_part sum_up(const listing *g, abut_index chunks)
{
    list_part sum = {0};
    for (abut_index chunk = 0; chunk < chunks; chunk++) {
        const list_part own = g->parts[chunk];
        g->parts[chunk] = sum;
        sum.candidates += own.candidates, sum.outlines += own.outlines;
    }
    return sum;
}

/* ---- buckets ---- */

typedef struct bucketing {
    neighbor_list *list;
    bucket_part *parts; /* by chunk: its counts; later the counts of all chunks before it */
} bucketing;

/* Allocates a number for each chunk, -1 at first; NULL: no memory. */
static int32_t *alloc_numbers(const neighbor_list *l)
{
    const abut_index chunks = neighbor_list_chunk_count(l);
    int32_t *numbers = memory_alloc(chunks, sizeof *numbers);
    if (numbers) {
        memset(numbers, -1, (size_t)chunks * sizeof *numbers);
    }
    return numbers;
}

/* The candidates with the first sphere in this chunk. */
static row_span candidates_of(const neighbor_list *l, abut_index chunk)
{
    const int32_t begin = l->begins[chunk * NEIGHBOR_CHUNK];
    return (row_span){begin, l->begins[neighbor_chunk_end(l, chunk)] - begin};
}

/* Counts the buckets of a chunk's candidates, and numbers them from 0 on. */
static abut_status count_buckets(void *context, abut_index chunk, parallel_job *job)
{
    const bucketing *b = context;
    neighbor_list *l = b->list;
    const row_span all = candidates_of(l, chunk);
    int32_t *numbers = alloc_numbers(l);
    bucket_part part = {0};
    for (abut_index c = all.first; numbers && c < all.first + all.count; c++) {
        const int32_t target = l->seconds[c] / NEIGHBOR_CHUNK;
        if (target != chunk && numbers[target] < 0) {
            numbers[target] = part.buckets++;
        }
        l->buckets[c] = numbers[target];
        part.entries += target != chunk;
    }
    b->parts[chunk] = part;
    memory_free(numbers);
    return numbers ? parallel_report(job, all.count / 3) : ABUT_NO_MEMORY;
}

/* Fills the buckets of a chunk. Their numbers follow those of the buckets of earlier chunks. */
static abut_status fill_buckets(void *context, abut_index chunk, parallel_job *job)
{
    const bucketing *b = context;
    neighbor_list *l = b->list;
    const row_span all = candidates_of(l, chunk);
    const int32_t first = l->bucket_begins[chunk], end = l->bucket_begins[chunk + 1];
    int32_t entry = b->parts[chunk].entries;
    memset(l->all_buckets + first, 0, (size_t)(end - first) * sizeof *l->all_buckets);
    for (abut_index c = all.first; c < all.first + all.count; c++) {
        if (l->buckets[c] >= 0) {
            l->buckets[c] += first;
            sum_bucket *of = &l->all_buckets[l->buckets[c]];
            of->target = l->seconds[c] / NEIGHBOR_CHUNK;
            of->count++;
        }
    }
    for (int32_t k = first; k < end; k++) {
        sum_bucket *of = &l->all_buckets[k];
        of->begin = entry, entry += of->count, of->count = 0;
    }
    return parallel_report(job, all.count / 3);
}

/* Lists the buckets of each second chunk, by a counting sort. */
static void list_incoming(neighbor_list *l)
{
    const abut_index chunks = neighbor_list_chunk_count(l), count = l->bucket_begins[chunks];
    int32_t *begins = l->incoming_begins;
    memset(begins, 0, (size_t)(chunks + 2) * sizeof *begins);
    for (abut_index k = 0; k < count; k++) {
        begins[l->all_buckets[k].target + 2]++;
    }
    for (abut_index chunk = 0; chunk < chunks; chunk++) {
        begins[chunk + 2] += begins[chunk + 1];
    }
    for (abut_index k = 0; k < count; k++) {
        l->incoming[begins[l->all_buckets[k].target + 1]++] = (int32_t)k;
    }
}

/* Sums up the counts of chunks, and reserves memory for buckets. Returns whether there is
 * memory. */
static bool reserve_buckets(const bucketing *b)
{
    neighbor_list *l = b->list;
    const abut_index chunks = neighbor_list_chunk_count(l);
    bucket_part sum = {0};
    for (abut_index chunk = 0; chunk < chunks; chunk++) {
        const bucket_part own = b->parts[chunk];
        l->bucket_begins[chunk] = sum.buckets, b->parts[chunk] = sum;
        sum.buckets += own.buckets, sum.entries += own.entries;
    }
    l->bucket_begins[chunks] = sum.buckets;
    l->all_buckets = reserve(l, 22, sum.buckets, sizeof *l->all_buckets);
    l->incoming = reserve(l, 23, sum.buckets, sizeof *l->incoming);
    l->entries = reserve(l, 24, sum.entries, sizeof *l->entries);
    l->entry_spheres = reserve(l, 25, sum.entries, sizeof *l->entry_spheres);
    return l->all_buckets && l->incoming && l->entries && l->entry_spheres;
}

abut_status listing_make_buckets(neighbor_list *l, const parallel_plan *plan)
{
    const abut_index chunks = neighbor_list_chunk_count(l);
    bucketing b = {.list = l, .parts = reserve(l, 17, chunks, sizeof *b.parts)};
    parallel_plan own = *plan;
    own.chunk_count = chunks, own.work = l->candidate_count / 3;
    l->buckets = reserve(l, 9, l->candidate_count, sizeof *l->buckets);
    l->bucket_begins = reserve(l, 4, chunks + 1, sizeof *l->bucket_begins);
    l->incoming_begins = reserve(l, 18, chunks + 2, sizeof *l->incoming_begins);
    if (!b.parts || !l->buckets || !l->bucket_begins || !l->incoming_begins) {
        return ABUT_NO_MEMORY;
    }
    abut_status status = parallel_run(&own, count_buckets, &b);
    if (!status && !reserve_buckets(&b)) {
        return ABUT_NO_MEMORY;
    }
    status = status ? status : parallel_run(&own, fill_buckets, &b);
    if (!status) {
        list_incoming(l);
        l->has_buckets = true;
    }
    return status;
}

/* ---- the list and its buckets ---- */

static bool reserve_part(neighbor_list *l, const list_part *all, bool has_images)
{
    l->images = has_images ? reserve(l, 13, all->candidates, sizeof *l->images) : NULL;
    l->outline_pairs = reserve(l, 21, all->outlines, sizeof *l->outline_pairs);
    return (l->images || !has_images) && l->outline_pairs &&
           neighbor_list_candidate_room(l, all->candidates, memory_reserve);
}

void listing_end(neighbor_list *l, abut_index candidate_count)
{
    l->candidate_count = candidate_count;
    l->has_buckets = false;
    l->begins[l->sphere_count] = (int32_t)candidate_count;
    /* vector code reads some candidates behind the last one */
    memset(l->firsts + candidate_count, 0, GRID_PADDING * sizeof *l->firsts);
    memset(l->seconds + candidate_count, 0, GRID_PADDING * sizeof *l->seconds);
}

static abut_status make(listing *g, bool has_images, const parallel_plan *plan)
{
    neighbor_list *l = g->list;
    const abut_index count = neighbor_count(g->spheres);
    parallel_plan own = *plan;
    own.chunk_count = neighbor_list_chunk_count(l) + (g->spheres->outlines.count > 0);
    own.work = (count + g->found.offsets[count]) / 3;
    g->parts = reserve(l, 17, own.chunk_count, sizeof *g->parts);
    abut_status status = g->parts ? parallel_run(&own, list_chunk, g) : ABUT_NO_MEMORY;
    if (status) {
        return status;
    }
    const list_part all = sum_up(g, own.chunk_count);
    if (!reserve_part(l, &all, has_images)) {
        return ABUT_NO_MEMORY;
    }
    g->writes = true;
    status = parallel_run(&own, list_chunk, g);
    listing_end(l, all.candidates);
    l->outline_pair_count = all.outlines;
    return status;
}

abut_status listing_take(neighbor_list *l, const neighbor_spheres *s, const abut_pairs *found,
                         bool has_images, const parallel_plan *plan)
{
    const abut_index count = abut_pairs_count(found);
    found_pairs f = {.image = NULL};
    if (count > INT32_MAX / 2) {
        return ABUT_NO_MEMORY;
    }
    f.second = reserve(l, 14, count, sizeof *f.second);
    f.offsets = reserve(l, 15, neighbor_count(s) + 1, sizeof *f.offsets);
    f.image = has_images ? reserve(l, 16, 3 * count, sizeof *f.image) : NULL;
    if (!f.second || !f.offsets || (has_images && !f.image)) {
        return ABUT_NO_MEMORY;
    }
    const abut_pair_columns columns = {.j = f.second, .image = f.image, .offsets = f.offsets};
    listing g = {.list = l, .spheres = s, .found = f};
    abut_pairs_write(found, &columns);
    return make(&g, has_images, plan);
}
