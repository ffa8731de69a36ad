#include "copies.h"

#include <math.h>
#include <string.h>

#include "../base/error.h"
#include "../base/parallel.h"

/* Limits of a query in which a sphere may touch several images of another: these numbers of copies
 * and pairs, and COUNT_EACH more for each sphere. A copy or a pair takes about 150 bytes, so the
 * limits are 1.5 GB, and 77 kB for each sphere. Small spheres near a sphere that is five periods
 * wide need no more. Larger numbers usually come from wrong units. */
#define COPIES_AT_LEAST 0x1p20
#define PAIRS_AT_LEAST 0x1p23
#define COUNT_EACH 256.0

enum { CHUNK_SPHERES = 4096 };

/* The copies of a chunk's spheres: their number, and bounds of their places. */
typedef struct chunk_copies {
    double count;
    int32_t border_count; /* how many of the chunk's spheres may have copies */
    abut_index first;     /* how many copies the chunks before it have */
    row_bounds bounds;
} chunk_copies;

/* A sphere that may have copies, with their images as bits (lattice.h); 0: there may be others. */
typedef struct border_sphere {
    int32_t sphere;
    uint32_t bits;
} border_sphere;

typedef struct copying {
    const abut_pairs *pairs;
    const lattice *lattice;
    row_set *set;
    double farthest;   /* an upper bound of the coordinates of copies */
    double most_count; /* the largest number of copies */
    chunk_copies *chunks;
    border_sphere *border; /* by chunk */
    sphere_row *rows;      /* of all items */
    sphere_copy *copies;
} copying;

abut_status copies_report_many(const abut_pairs *pairs, abut_error *error)
{
    const lattice *l = &pairs->finder->lattice;
    const int narrowest = lattice_narrowest(l);
    return error_set(error, ABUT_PERIOD_TOO_SHORT, narrowest, 0, l->widths[narrowest]);
}

abut_index copies_pair_limit(const abut_pairs *pairs)
{
    const double spheres = (double)pairs->own.count + (double)pairs->others.count;
    return (abut_index)(PAIRS_AT_LEAST + COUNT_EACH * spheres);
}

/* ---- which copies find a pair ---- */

/* The largest reach of the octave of a reach: the largest reach of all spheres, divided by a power
 * of 2. */
static double octave_reach(const abut_pairs *pairs, double reach)
{
    const double part = reach * pairs->inv_most_reach; /* below 1 */
    uint64_t bits;
    double power;
    memcpy(&bits, &part, sizeof bits);
    bits &= UINT64_C(0xfff) << 52; /* the largest power of 2 that is not above the part */
    memcpy(&power, &bits, sizeof power);
    return 2.0 * power * pairs->most_reach;
}

bool copies_are_of_first(const abut_pairs *pairs, const sphere_row *first, const sphere_row *second,
                         vec3 image)
{
    const double own = octave_reach(pairs, first->reach);
    const double other = octave_reach(pairs, second->reach);
    return own != other ? own > other : !lattice_is_positive(image);
}

/* The largest reach of partners of a copy; `own` is the largest reach of its sphere's octave. */
static double partner_reach(const abut_pairs *pairs, double own, bool is_positive)
{
    const double most = (is_positive ? own : 0.5 * own) * (1.0 + GRID_ROUNDING);
    return most >= pairs->least_reach ? most : 0.0;
}

double copies_partner_reach(const abut_pairs *pairs, double reach, vec3 image)
{
    return partner_reach(pairs, octave_reach(pairs, reach), lattice_is_positive(image));
}

/* ---- the images of one sphere ---- */

/* The largest reaches of partners of a sphere's copies, at images after image 0 and before it. */
typedef struct partner_reaches {
    double after, before;
} partner_reaches;

static partner_reaches partner_reaches_of(const copying *c, const sphere_row *row)
{
    const double own = octave_reach(c->pairs, row->reach);
    return (partner_reaches){partner_reach(c->pairs, own, true),
                             partner_reach(c->pairs, own, false)};
}

/* The images of a sphere that become copies, as bits. IMAGE_0: there are none. 0: there may be
 * others than these. */
static uint32_t bits_of(const copying *c, const sphere_row *row)
{
    const uint32_t own_image = UINT32_C(1) << IMAGE_0;
    const vec3 fractions = lattice_fractions(c->lattice, vec3_load(row->place));
    /* copies are at most three reaches away from their partners: most spheres have none */
    if (lattice_bits_of_ball(c->lattice, fractions, 3.0 * row->reach) == own_image) {
        return own_image;
    }
    const partner_reaches most = partner_reaches_of(c, row);
    uint32_t positive = own_image, negative = own_image;
    if (most.after > 0.0) {
        positive = lattice_bits_of_ball(c->lattice, fractions, row->reach + most.after);
    }
    if (most.before > 0.0) {
        negative = lattice_bits_of_ball(c->lattice, fractions, row->reach + most.before);
    }
    const uint32_t bits = (positive & ~(own_image - 1)) | (negative & (own_image - 1));
    return positive == 0 || negative == 0 ? 0 : bits | own_image;
}

/* The images of a sphere that may be copies, where bits are not enough. */
typedef struct copy_range {
    /* for images after image 0, which includes all others, and for images before it */
    image_range positive, negative;
    vec3 image;
    bool is_done;
} copy_range;

static copy_range range_of(const copying *c, const sphere_row *row)
{
    const vec3 place = vec3_load(row->place), none = {0.0, 0.0, 0.0};
    const partner_reaches most = partner_reaches_of(c, row);
    copy_range range = {.negative = {none, none}};
    range.positive = lattice_images_of_ball(c->lattice, place, row->reach + most.after);
    if (most.before > 0.0) {
        range.negative = lattice_images_of_ball(c->lattice, place, row->reach + most.before);
    }
    range.image = range.positive.first;
    range.is_done = most.after == 0.0 || !(image_range_count(&range.positive) <= c->most_count);
    return range;
}

static bool is_copy(const copy_range *range, vec3 image)
{
    const vec3 low = range->negative.first, high = range->negative.last;
    const bool is_near = image.x >= low.x && image.x <= high.x && image.y >= low.y &&
                         image.y <= high.y && image.z >= low.z && image.z <= high.z;
    const bool is_zero = image.x == 0.0 && image.y == 0.0 && image.z == 0.0;
    return lattice_is_positive(image) || (is_near && !is_zero);
}

/* Sets *image to the next image of a copy. False: there is none. */
static bool next_copy(copy_range *range, vec3 *image)
{
    while (!range->is_done) {
        *image = range->image;
        range->is_done = !image_range_next(&range->positive, &range->image);
        if (is_copy(range, *image)) {
            return true;
        }
    }
    return false;
}

/* ---- counting ---- */

static double count_copies(const copying *c, const border_sphere *at)
{
    if (at->bits != 0) {
        return (double)(__builtin_popcount(at->bits) - 1);
    }
    copy_range range = range_of(c, &c->set->rows[at->sphere]);
    const double all = image_range_count(&range.positive);
    double count = all <= c->most_count ? 0.0 : all;
    vec3 image;
    while (next_copy(&range, &image)) {
        count += 1.0;
    }
    return count;
}

static abut_status count_chunk(void *context, abut_index chunk, parallel_job *job)
{
    const copying *c = context;
    const abut_index begin = chunk * CHUNK_SPHERES;
    const abut_index end = parallel_chunk_end(begin, CHUNK_SPHERES, c->set->count);
    border_sphere *border = c->border + begin;
    int32_t border_count = 0;
    for (abut_index k = begin; k < end; k++) {
        const uint32_t bits = bits_of(c, &c->set->rows[k]);
        border[border_count] = (border_sphere){(int32_t)k, bits};
        border_count += bits != UINT32_C(1) << IMAGE_0;
    }
    double count = 0.0;
    for (int32_t k = 0; k < border_count && count <= c->most_count; k++) {
        count += count_copies(c, &border[k]);
    }
    c->chunks[chunk].count = count, c->chunks[chunk].border_count = border_count;
    return parallel_report(job, (end - begin) / 4);
}

/* Sets where the copies of each chunk begin. Returns the number of all copies. */
static double sum_up(const copying *c, abut_index chunk_count)
{
    double sum = 0.0;
    for (abut_index chunk = 0; chunk < chunk_count; chunk++) {
        c->chunks[chunk].first = sum < INT32_MAX ? (abut_index)sum : 0;
        sum += c->chunks[chunk].count;
    }
    return sum;
}

/* ---- making ---- */

static void make_copy(const copying *c, abut_index sphere, vec3 image, abut_index number,
                      row_bounds *bounds)
{
    const sphere_row *row = &c->rows[sphere];
    const vec3 place = vec3_add(vec3_load(row->place), lattice_shift(c->lattice, image));
    sphere_row *to = &c->rows[c->set->count + number];
    vec3_store(to->place, place);
    /* a little larger than the sphere, to cover the rounding of its place */
    to->reach = row->reach + GRID_ROUNDING * (row->reach + c->farthest);
    c->copies[number] =
        (sphere_copy){(int32_t)sphere, {(int32_t)image.x, (int32_t)image.y, (int32_t)image.z}};
    for (int axis = 0; axis < 3; axis++) {
        bounds->low[axis] = smaller(to->place[axis], bounds->low[axis]);
        bounds->high[axis] = larger(to->place[axis], bounds->high[axis]);
    }
}

/* Makes the copies of a sphere, from `number` on. Returns the number behind them. */
static abut_index make_copies(const copying *c, const border_sphere *at, abut_index number,
                              row_bounds *bounds)
{
    uint32_t bits = at->bits & ~(UINT32_C(1) << IMAGE_0);
    for (; bits; bits &= bits - 1) {
        const vec3 image = lattice_image_of_bit(__builtin_ctz(bits));
        make_copy(c, at->sphere, image, number++, bounds);
    }
    if (at->bits == 0) {
        copy_range range = range_of(c, &c->rows[at->sphere]);
        vec3 image;
        while (next_copy(&range, &image)) {
            make_copy(c, at->sphere, image, number++, bounds);
        }
    }
    return number;
}

static abut_status make_chunk(void *context, abut_index chunk, parallel_job *job)
{
    const copying *c = context;
    const border_sphere *border = c->border + chunk * CHUNK_SPHERES;
    chunk_copies *of = &c->chunks[chunk];
    abut_index number = of->first;
    of->bounds = (row_bounds){
        {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, .is_outside = false};
    for (int32_t k = 0; k < of->border_count; k++) {
        number = make_copies(c, &border[k], number, &of->bounds);
    }
    return parallel_report(job, of->border_count);
}

static void join_bounds(const copying *c, abut_index chunk_count)
{
    row_bounds *all = &c->set->item_bounds;
    *all = c->set->bounds;
    for (abut_index chunk = 0; chunk < chunk_count; chunk++) {
        const row_bounds *own = &c->chunks[chunk].bounds;
        for (int axis = 0; axis < 3; axis++) {
            all->low[axis] = smaller(own->low[axis], all->low[axis]);
            all->high[axis] = larger(own->high[axis], all->high[axis]);
        }
    }
}

/* Makes room for copies behind a set's rows, which may move in memory. */
static bool extend_rows(copying *c, abut_index copy_count)
{
    row_set *set = c->set;
    memory_block *blocks = set->memory->blocks;
    const size_t before = (size_t)((const char *)set->rows - (const char *)blocks[SET_ROWS].data);
    const abut_index count = set->count + copy_count;
    char *rows = memory_extend(&blocks[SET_ROWS], count + GRID_PADDING, sizeof *c->rows);
    c->copies = memory_reserve(&blocks[SET_COPIES], copy_count, sizeof *c->copies);
    if (!rows || !c->copies) {
        return false;
    }
    c->rows = memory_first_line(rows);
    if ((char *)c->rows != rows + before) { /* the first cache line begins elsewhere now */
        memmove(c->rows, rows + before, (size_t)set->count * sizeof *c->rows);
    }
    set->rows = c->rows, set->copies = c->copies;
    set->item_count = count;
    return true;
}

/* An upper bound of the coordinates of all copies. */
static double bound_places(const abut_pairs *pairs, const row_set *set)
{
    const lattice *l = &pairs->finder->lattice;
    const row_bounds *b = &set->bounds;
    double farthest = 0.0, images = 0.0;
    for (int k = 0; k < 3; k++) {
        farthest = larger(farthest, larger(fabs(b->low[k]), fabs(b->high[k])));
        images += lattice_repeats(l, k) ? 2.0 + 3.0 * pairs->most_reach / l->widths[k] : 0.0;
    }
    return farthest + images * lattice_longest(l);
}

static abut_status run(const abut_pairs *pairs, copying *c, parallel_body body)
{
    const abut_index count = c->set->count;
    const parallel_plan plan =
        pairs_plan(pairs, parallel_chunk_count(count, CHUNK_SPHERES), count / 4);
    return parallel_run(&plan, body, c);
}

abut_status copies_make(abut_pairs *pairs, row_set *set, abut_error *error)
{
    const lattice *l = &pairs->finder->lattice;
    const abut_index chunk_count = parallel_chunk_count(set->count, CHUNK_SPHERES);
    const double spheres = (double)pairs->own.count + (double)pairs->others.count;
    copying c = {.pairs = pairs,
                 .lattice = l,
                 .set = set,
                 .farthest = bound_places(pairs, set),
                 .most_count = COPIES_AT_LEAST + COUNT_EACH * spheres};
    c.chunks = memory_reserve(&set->memory->blocks[SET_COPY_CHUNKS], chunk_count, sizeof *c.chunks);
    c.border = memory_reserve(&set->memory->blocks[SET_BORDER], set->count + 1, sizeof *c.border);
    abut_status status = c.chunks && c.border ? run(pairs, &c, count_chunk) : ABUT_NO_MEMORY;
    if (status) {
        return status;
    }
    const double count = sum_up(&c, chunk_count);
    if (!(count <= c.most_count && (double)set->count + count <= INT32_MAX)) {
        return copies_report_many(pairs, error);
    }
    if (!extend_rows(&c, (abut_index)count)) {
        return ABUT_NO_MEMORY;
    }
    status = run(pairs, &c, make_chunk);
    join_bounds(&c, chunk_count);
    return status;
}
