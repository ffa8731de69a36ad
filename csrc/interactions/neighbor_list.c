/* Making a neighbor list: allowances, a search with them, candidates, and where their effects go.
 */
#include <string.h>

#include "../base/span.h"
#include "neighbor_list.h"

#include "../base/error.h"
#include "../spheres/grid.h"

/* ---- allowances ---- */

/* Steps for which allowances are made: at first, at least and at most. A list of fewer steps takes
 * longer to make than it saves, so it is made for one alone. */
#define FIRST_HORIZON 30.0
#define LEAST_HORIZON 3.0
#define MOST_HORIZON 40.0

/* Speeds that count: a little more than a sphere's own, since it may become faster, and a part of
 * the mean one, which others may hit it with; small ones are hit the farthest. Tried from 1:1 to
 * 100:1 (docs/dem.md, section 3). */
#define OWN_SPEED 1.1
#define MEAN_SPEED 0.35

/* Of the mean radius, how much the mean allowance may be: beyond that candidates become many. */
#define MOST_ALLOWANCE 0.35

/* Of the shortest period, how much an allowance may be: then which way a sphere went is known. */
#define PERIOD_PART 0.2

/* What allowances are made of. */
typedef struct pace {
    double mean_speed, smallest_radius, mean_radius;
    double shortest_period; /* INFINITY: there is none */
} pace;

static double speed_of(const neighbor_spheres *s, abut_index sphere)
{
    return sphere < s->count ? vec3_length(vec3_load(s->movers[sphere].velocity))
                             : s->outlines.speeds[sphere - s->count];
}

static double radius_of(const neighbor_spheres *s, abut_index sphere)
{
    return sphere < s->count ? s->radii[sphere] : s->outlines.radii[sphere - s->count];
}

static const double *center_of(const neighbor_spheres *s, abut_index sphere)
{
    return sphere < s->count ? s->centers + 3 * sphere
                             : s->outlines.centers + 3 * (sphere - s->count);
}

static pace measure(const neighbor_spheres *s)
{
    pace p = {.smallest_radius = INFINITY};
    const int axis = lattice_shortest(s->lattice);
    p.shortest_period = axis < 0 ? INFINITY : s->lattice->period[axis];
    const abut_index count = neighbor_count(s);
    for (abut_index k = 0; k < count; k++) {
        const double radius = radius_of(s, k);
        p.mean_speed += speed_of(s, k);
        p.mean_radius += radius;
        p.smallest_radius = radius < p.smallest_radius ? radius : p.smallest_radius;
    }
    p.mean_speed /= (double)count, p.mean_radius /= (double)count;
    return p;
}

/* A list that was made anew since spheres changed, soon after the one before, is made for one step:
 * they may change in each. Otherwise the horizon follows how many candidates there are. */
static double choose_horizon(neighbor_list *l, const neighbor_spheres *s, const pace *p)
{
    const bool changes = !l->is_made && l->lived <= 2 && l->counts.steps > 2;
    const double looked_at = (double)(l->candidate_count + l->outline_pair_count);
    const double worth = (double)(l->active_count + neighbor_count(s));
    if (l->horizon == 0.0) {
        l->horizon = FIRST_HORIZON;
    } else if (l->is_made && looked_at > 4.0 * worth) {
        l->horizon = larger(0.75 * l->horizon, LEAST_HORIZON);
    } else if (l->is_made && looked_at < 2.5 * worth) {
        l->horizon = smaller(1.25 * l->horizon, MOST_HORIZON);
    }
    const double a_step = (OWN_SPEED + MEAN_SPEED) * p->mean_speed * s->step;
    const double most = a_step > 0.0 ? MOST_ALLOWANCE * p->mean_radius / a_step : MOST_HORIZON;
    const double horizon = smaller(l->horizon, most);
    return changes || horizon < LEAST_HORIZON ? 0.0 : horizon;
}

static double allowance_of(const neighbor_spheres *s, const pace *p, abut_index sphere,
                           double horizon)
{
    const double part = p->smallest_radius / radius_of(s, sphere);
    const double speed =
        OWN_SPEED * speed_of(s, sphere) + MEAN_SPEED * p->mean_speed * part * sqrt(part);
    const double time = horizon * s->step;
    const double way = time * speed + 0.5 * vec3_length(s->gravity) * time * time;
    return smaller(way, PERIOD_PART * p->shortest_period);
}

/* Set what spheres are searched with, and what they may use of it. */
static void set_allowances(neighbor_list *l, const neighbor_spheres *s, const pace *p,
                           double horizon)
{
    const double period =
        isfinite(p->shortest_period) ? vec3_max_abs(vec3_load(s->lattice->period)) : 0.0;
    for (abut_index k = 0; k < neighbor_count(s); k++) {
        const double allowance = allowance_of(s, p, k, horizon);
        const double far = vec3_max_abs(vec3_load(center_of(s, k)));
        const double lost = LIST_ROUNDING * (radius_of(s, k) + allowance + period + far);
        const double own = allowance > lost ? allowance - lost : 0.0;
        anchor *a = &l->anchors[k];
        memcpy(a->place, l->places[k].place, sizeof a->place);
        a->allowance_sq = own * own;
        l->gaps[k] = 2.0 * allowance + neighbor_reach(s, k);
    }
}

/* ---- candidates ---- */

static void *reserve(neighbor_list *l, int block, abut_index count, size_t size)
{
    return memory_reserve(&l->blocks[block], count, size);
}

/* What is searched for. */
typedef struct searched {
    const double *centers, *radii;
} searched;

/* Spheres and, behind them, outlines; NULL: no memory. */
static searched join_outlines(neighbor_list *l, const neighbor_spheres *s)
{
    const size_t spheres = (size_t)s->count, outlines = (size_t)s->outlines.count;
    if (outlines == 0) {
        return (searched){s->centers, s->radii};
    }
    double *centers = reserve(l, 19, 3 * neighbor_count(s), sizeof *centers);
    double *radii = reserve(l, 20, neighbor_count(s), sizeof *radii);
    if (!centers || !radii) {
        return (searched){NULL, NULL};
    }
    if (spheres > 0) {
        memcpy(centers, s->centers, 3 * spheres * sizeof *centers);
        memcpy(radii, s->radii, spheres * sizeof *radii);
    }
    memcpy(centers + 3 * spheres, s->outlines.centers, 3 * outlines * sizeof *centers);
    memcpy(radii + spheres, s->outlines.radii, outlines * sizeof *radii);
    return (searched){centers, radii};
}

/* Columns of the search. */
typedef struct found_pairs {
    abut_index *second, *image, *offsets;
} found_pairs;

static abut_status search(neighbor_list *l, const neighbor_spheres *s, const parallel_plan *plan,
                          abut_pair_finder **finder, abut_pairs **found, abut_error *error)
{
    const searched all = join_outlines(l, s);
    if (!all.centers) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    abut_pair_input input = abut_pair_input_default();
    abut_pair_query query = abut_pair_query_default();
    input.sphere_count = neighbor_count(s);
    input.radii = all.radii, input.gaps = l->gaps;
    input.period = lattice_periods(s->lattice);
    input.workers = query.workers = plan->workers;
    input.lender = s->lender;
    query.centers = all.centers;
    query.interrupted = plan->interrupted;
    query.interrupted_data = plan->interrupted_data;
    const abut_status status = abut_pair_finder_build(&input, finder, error);
    return status ? status : abut_pairs_find(*finder, &query, found, error);
}

/* Whether two spheres of this size may touch at several images of one of them, or may have come
 * into a list at several. */
static bool has_several_images(const neighbor_spheres *s, double reach)
{
    const int axis = lattice_shortest(s->lattice);
    return axis >= 0 && 2.0 * reach * (1.0 + LIST_ROUNDING) >= s->lattice->period[axis];
}

/* A pair that may touch at its nearest image alone is a candidate once, whatever images of it are
 * near; others are one at each. */
static void add_candidate(neighbor_list *l, const neighbor_spheres *s, const found_pairs *f,
                          int32_t i, abut_index pair)
{
    const int32_t j = (int32_t)f->second[pair], last = (int32_t)l->candidate_count - 1;
    const bool is_several =
        f->image && has_several_images(s, s->radii[i] + s->radii[j] + neighbor_pair_reach(s, i, j));
    const bool is_again = !is_several && last >= l->begins[i] && l->seconds[last] == j;
    if (is_again || neighbor_is_one_body(s->clusters, i, j)) {
        return;
    }
    const int32_t at = (int32_t)l->candidate_count++;
    l->firsts[at] = i, l->seconds[at] = j;
    for (int axis = 0; l->images && axis < 3; axis++) {
        l->images[at][axis] =
            is_several ? (int32_t)f->image[3 * pair + axis] : (int32_t)NEAREST_IMAGE;
    }
    l->has_images[i / NEIGHBOR_CHUNK] |= is_several;
}

/* An outline is a candidate once, whatever images of it are near. */
static void add_outline(neighbor_list *l, const neighbor_spheres *s, abut_index other,
                        abut_index second)
{
    const outline_pair pair = {(int32_t)(second - s->count), (int32_t)other};
    const outline_pair *last = l->outline_pairs + l->outline_pair_count - 1;
    const bool is_again =
        l->outline_pair_count > 0 && last->outline == pair.outline && last->other == pair.other;
    if (!is_again && other != second) {
        l->outline_pairs[l->outline_pair_count++] = pair;
    }
}

static void list_candidates(neighbor_list *l, const neighbor_spheres *s, const found_pairs *f)
{
    memset(l->has_images, 0, (size_t)neighbor_list_chunk_count(l));
    l->candidate_count = l->outline_pair_count = 0;
    for (abut_index i = 0; i < neighbor_count(s); i++) {
        if (i < s->count) {
            l->begins[i] = (int32_t)l->candidate_count;
        }
        for (abut_index pair = f->offsets[i]; pair < f->offsets[i + 1]; pair++) {
            if (f->second[pair] < s->count) {
                add_candidate(l, s, f, (int32_t)i, pair);
            } else {
                add_outline(l, s, i, f->second[pair]);
            }
        }
    }
    l->begins[s->count] = (int32_t)l->candidate_count;
    /* vector code reads some candidates behind the last */
    memset(l->firsts + l->candidate_count, 0, GRID_PADDING * sizeof *l->firsts);
    memset(l->seconds + l->candidate_count, 0, GRID_PADDING * sizeof *l->seconds);
}

/* Images as they are between places in the box, which the search counts from centers. */
static void wrap_images(const neighbor_spheres *s, const found_pairs *f)
{
    for (abut_index i = 0; i < s->count; i++) {
        for (abut_index pair = f->offsets[i]; pair < f->offsets[i + 1]; pair++) {
            for (int axis = 0; axis < 3; axis++) {
                double from = s->centers[3 * i + axis];
                double to = center_of(s, f->second[pair])[axis];
                const double period = s->lattice->period[axis];
                if (period > 0.0) {
                    const double wraps = lattice_wrap(&to, period) - lattice_wrap(&from, period);
                    f->image[3 * pair + axis] += (abut_index)wraps;
                }
            }
        }
    }
}

/* ---- buckets ---- */

/* The candidates of a first chunk. */
static row_span candidates_of(const neighbor_list *l, abut_index chunk)
{
    const int32_t begin = l->begins[chunk * NEIGHBOR_CHUNK];
    return (row_span){begin, l->begins[neighbor_chunk_end(l, chunk)] - begin};
}

/* How many buckets there are. `seen`: -1 for each chunk; it is overwritten. */
static abut_index count_buckets(const neighbor_list *l, int32_t *seen)
{
    abut_index count = 0;
    for (abut_index chunk = 0; chunk < neighbor_list_chunk_count(l); chunk++) {
        const row_span of = candidates_of(l, chunk);
        for (abut_index c = of.first; c < of.first + of.count; c++) {
            const int32_t target = l->seconds[c] / NEIGHBOR_CHUNK;
            count += target != chunk && seen[target] != chunk;
            seen[target] = (int32_t)chunk;
        }
    }
    return count;
}

/* Give the candidates of a first chunk their buckets. `numbers` is -1 for each chunk, and is so
 * again afterwards; entry: how many entries there are of the buckets before. */
static void fill_chunk(neighbor_list *l, abut_index chunk, int32_t *numbers, int32_t *entry)
{
    const row_span of = candidates_of(l, chunk);
    const int32_t first = l->bucket_begins[chunk];
    int32_t count = first;
    for (abut_index c = of.first; c < of.first + of.count; c++) {
        const int32_t target = l->seconds[c] / NEIGHBOR_CHUNK;
        if (target == chunk) {
            l->buckets[c] = -1;
            continue;
        }
        if (numbers[target] < 0) {
            numbers[target] = count;
            l->all_buckets[count++] = (sum_bucket){.target = target};
        }
        l->buckets[c] = numbers[target];
        l->all_buckets[numbers[target]].count++;
    }
    for (int32_t k = first; k < count; k++) {
        sum_bucket *b = &l->all_buckets[k];
        b->begin = *entry, *entry += b->count, b->count = 0;
        numbers[b->target] = -1;
    }
    l->bucket_begins[chunk + 1] = count;
}

/* List the buckets of each second chunk, by counting. */
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

static abut_status make_buckets(neighbor_list *l)
{
    const abut_index chunks = neighbor_list_chunk_count(l);
    int32_t *numbers = reserve(l, 17, chunks, sizeof *numbers), entry_count = 0;
    l->buckets = reserve(l, 9, l->candidate_count, sizeof *l->buckets);
    l->bucket_begins = reserve(l, 4, chunks + 1, sizeof *l->bucket_begins);
    l->incoming_begins = reserve(l, 18, chunks + 2, sizeof *l->incoming_begins);
    if (!numbers || !l->buckets || !l->bucket_begins || !l->incoming_begins) {
        return ABUT_NO_MEMORY;
    }
    memset(numbers, -1, (size_t)chunks * sizeof *numbers);
    const abut_index count = count_buckets(l, numbers);
    l->all_buckets = reserve(l, 22, count, sizeof *l->all_buckets);
    l->incoming = reserve(l, 23, count, sizeof *l->incoming);
    if (!l->all_buckets || !l->incoming) {
        return ABUT_NO_MEMORY;
    }
    memset(numbers, -1, (size_t)chunks * sizeof *numbers);
    l->bucket_begins[0] = 0;
    for (abut_index chunk = 0; chunk < chunks; chunk++) {
        fill_chunk(l, chunk, numbers, &entry_count);
    }
    list_incoming(l);
    l->entries = reserve(l, 24, entry_count, sizeof *l->entries);
    l->entry_spheres = reserve(l, 25, entry_count, sizeof *l->entry_spheres);
    return l->entries && l->entry_spheres ? ABUT_OK : ABUT_NO_MEMORY;
}

/* ---- all of it ---- */

static bool reserve_spheres(neighbor_list *l, const neighbor_spheres *s)
{
    const abut_index count = s->count;
    l->sphere_count = count;
    l->anchors = reserve(l, 1, neighbor_count(s), sizeof *l->anchors);
    l->gaps = reserve(l, 2, neighbor_count(s), sizeof *l->gaps);
    l->begins = reserve(l, 3, count + 1, sizeof *l->begins);
    l->has_images = reserve(l, 5, neighbor_list_chunk_count(l), sizeof *l->has_images);
    l->row_counts = reserve(l, 6, neighbor_list_chunk_count(l), sizeof *l->row_counts);
    l->row_begins = reserve(l, 26, neighbor_list_chunk_count(l) + 1, sizeof *l->row_begins);
    return l->anchors && l->gaps && l->begins && l->has_images && l->row_counts && l->row_begins;
}

static bool reserve_candidates(neighbor_list *l, abut_index count, bool has_images)
{
    l->firsts = reserve(l, 7, count + GRID_PADDING, sizeof *l->firsts);
    l->seconds = reserve(l, 8, count + GRID_PADDING, sizeof *l->seconds);
    l->active = reserve(l, 10, count, sizeof *l->active);
    l->rows = reserve(l, 11, count, sizeof *l->rows);
    l->rows_before = reserve(l, 12, count, sizeof *l->rows_before);
    l->images = has_images ? reserve(l, 13, count, sizeof *l->images) : NULL;
    return l->firsts && l->seconds && l->active && l->rows && l->rows_before &&
           (!has_images || l->images);
}

/* What the search has found becomes the list. */
static abut_status take(neighbor_list *l, const neighbor_spheres *s, const abut_pairs *found,
                        bool has_images)
{
    const abut_index count = abut_pairs_count(found);
    found_pairs f = {.image = NULL};
    if (count > INT32_MAX / 2) {
        return ABUT_NO_MEMORY;
    }
    f.second = reserve(l, 14, count, sizeof *f.second);
    f.offsets = reserve(l, 15, neighbor_count(s) + 1, sizeof *f.offsets);
    f.image = has_images ? reserve(l, 16, 3 * count, sizeof *f.image) : NULL;
    const abut_index most = s->outlines.count > 0 ? count : 0;
    l->outline_pairs = reserve(l, 21, most, sizeof *l->outline_pairs);
    if (!f.second || !f.offsets || (has_images && !f.image) || !l->outline_pairs ||
        !reserve_candidates(l, count, has_images)) {
        return ABUT_NO_MEMORY;
    }
    const abut_pair_columns columns = {.j = f.second, .image = f.image, .offsets = f.offsets};
    abut_pairs_write(found, &columns);
    if (has_images) {
        wrap_images(s, &f);
    }
    list_candidates(l, s, &f);
    return make_buckets(l);
}

static double largest_reach(const neighbor_list *l, const neighbor_spheres *s)
{
    double largest = 0.0;
    for (abut_index k = 0; k < s->count; k++) {
        largest = larger(largest, s->radii[k] + 0.5 * l->gaps[k]);
    }
    return largest;
}

static abut_status make_for(neighbor_list *l, const neighbor_spheres *s, const pace *p,
                            double horizon, const parallel_plan *plan, abut_error *error)
{
    abut_pair_finder *finder = NULL;
    abut_pairs *found = NULL;
    set_allowances(l, s, p, horizon);
    abut_status status = search(l, s, plan, &finder, &found, error);
    if (!status) {
        const bool has_images = has_several_images(s, 2.0 * largest_reach(l, s));
        status = error_set_status(error, take(l, s, found, has_images));
    }
    abut_pairs_free(found);
    abut_pair_finder_free(finder);
    return status;
}

abut_status neighbor_list_make(neighbor_list *l, const neighbor_spheres *s,
                               const parallel_plan *plan, abut_error *error)
{
    const pace p = measure(s);
    double horizon = choose_horizon(l, s, &p);
    l->is_made = false;
    if (!reserve_spheres(l, s)) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    abut_status status = make_for(l, s, &p, horizon, plan, error);
    const bool may_be_allowances = status && status != ABUT_NO_MEMORY && status != ABUT_INTERRUPTED;
    if (may_be_allowances && horizon > 0.0) {
        horizon = 0.0; /* then the error is that of the spheres alone */
        status = make_for(l, s, &p, horizon, plan, error);
    }
    if (!status) {
        l->is_made = l->is_new = true;
        l->has_past = false;
        memset(l->row_begins, 0,
               (size_t)(neighbor_list_chunk_count(l) + 1) * sizeof *l->row_begins);
        l->is_for_one_step = horizon == 0.0;
        l->lived = 0;
    }
    return status;
}

/* ---- its end ---- */

void neighbor_list_forget(neighbor_list *l)
{
    l->is_made = false;
}

void neighbor_list_free(neighbor_list *l)
{
    memory_free_blocks(l->blocks, sizeof l->blocks / sizeof *l->blocks);
    *l = (neighbor_list){.is_made = false};
}

abut_index neighbor_list_bytes(const neighbor_list *l)
{
    return memory_count_bytes(l->blocks, sizeof l->blocks / sizeof *l->blocks);
}
