/* New spheres get allowances at their present places. They are compared with all spheres at the
 * places where the list was made, within both allowances. New candidates are inserted where a new
 * list would have them. So the sums of a step do not depend on how the list was made.
 * With removed spheres their candidates are removed. The order of places stays, so the remaining
 * candidates are in the order of a new list. */
#include "extend_list.h"

#include <string.h>

#include "../spheres/grid.h"
#include "listing.h"
#include "make_list.h"

/* The largest number of new spheres in a step. For more of them, a new search is faster than
 * comparing each with all others. */
enum { MOST_SPHERES = 32 };

/* Spheres per task. A task compares them with all new spheres. */
enum { STRETCH = 4096 };

typedef struct extension {
    neighbor_list *list;
    const neighbor_spheres *spheres;
    const interaction_table *before;
    int32_t begin;   /* the number of the first new sphere */
    int32_t *counts; /* by sphere: the number of its new candidates; later that of all spheres
                        before it */
} extension;

bool extend_list_can(const neighbor_list *l, const neighbor_spheres *s)
{
    double radius = 0.0;
    for (abut_index k = l->sphere_count; k < s->count; k++) {
        radius = larger(radius, s->radii[k] + neighbor_reach(s, k));
    }
    return !l->is_for_one_step && !l->is_new && !l->flows && !s->drift && s->outlines.count == 0 &&
           s->count - l->sphere_count <= MOST_SPHERES &&
           !listing_has_several_images(s, 2.0 * larger(l->largest_reach, radius));
}

/* Whether two spheres may touch, or come within reach, while the list is in use. */
static bool is_near(const extension *e, abut_index i, abut_index j)
{
    const neighbor_list *l = e->list;
    const lattice *of = e->spheres->lattice;
    const double reach =
        e->spheres->radii[i] + e->spheres->radii[j] + 0.5 * (l->gaps[i] + l->gaps[j]);
    const vec3 apart = vec3_sub(vec3_load(l->anchors[i].place), vec3_load(l->anchors[j].place));
    return vec3_norm_sq(vec3_sub(apart, lattice_nearest(of, apart))) <= reach * reach &&
           !neighbor_is_one_body(e->spheres->clusters, i, j);
}

static void count_stretch(void *context, abut_index begin, abut_index end)
{
    const extension *e = context;
    for (abut_index i = begin; i < end; i++) {
        int32_t count = 0;
        for (abut_index j = i < e->begin ? e->begin : i + 1; j < e->spheres->count; j++) {
            count += is_near(e, i, j);
        }
        e->counts[i] = count;
    }
}

/* Makes room for `count` candidates. Their columns may move in memory, so the pointers in the table
 * of the last step are set again. */
static bool extend_candidates(neighbor_list *l, interaction_table *before, abut_index count)
{
    const bool has_rows = before->list_firsts;
    const bool is_done = neighbor_list_candidate_room(l, count, memory_extend);
    before->list_firsts = has_rows ? l->firsts : NULL;
    before->list_seconds = has_rows ? l->seconds : NULL;
    return is_done;
}

/* ---- spheres ---- */

/* Starts the new chunks, without candidates and rows. */
static void begin_chunks(neighbor_list *l, abut_index count)
{
    const abut_index chunks = parallel_chunk_count(count, NEIGHBOR_CHUNK);
    for (abut_index chunk = neighbor_list_chunk_count(l); chunk < chunks; chunk++) {
        l->has_images[chunk] = 0, l->row_counts[chunk] = 0;
        l->row_begins[chunk + 1] = l->row_begins[chunk];
    }
}

static void begin_spheres(neighbor_list *l, const neighbor_spheres *s)
{
    begin_chunks(l, s->count);
    for (abut_index k = l->sphere_count; k < s->count; k++) {
        make_list_set_allowance(l, s, k);
        const double gap = 0.5 * l->gaps[k];
        const vec3 at = vec3_load(l->anchors[k].place), all = {gap, gap, gap};
        l->begins[k + 1] = l->begins[k];
        l->largest_reach = larger(l->largest_reach, s->radii[k] + gap);
        box_include_point(&l->region, vec3_sub(at, all));
        box_include_point(&l->region, vec3_add(at, all));
    }
    l->sphere_count = s->count;
}

/* ---- candidates ---- */

/* Moves `count` candidates of a column to later positions. */
static void move_column(void *column, size_t size, abut_index from, abut_index to, abut_index count)
{
    char *bytes = column;
    if (bytes) {
        memmove(bytes + (size_t)to * size, bytes + (size_t)from * size, (size_t)count * size);
    }
}

static void move_candidates(const neighbor_list *l, abut_index from, abut_index to,
                            abut_index count)
{
    move_column(l->firsts, sizeof *l->firsts, from, to, count);
    move_column(l->seconds, sizeof *l->seconds, from, to, count);
    move_column(l->images, sizeof *l->images, from, to, count);
}

/* Writes the new candidates of a sphere from position `at` on. */
static void write_new(const extension *e, int32_t i, abut_index at)
{
    const neighbor_list *l = e->list;
    for (int32_t j = i < e->begin ? e->begin : i + 1; j < e->spheres->count; j++) {
        if (is_near(e, i, j)) {
            l->firsts[at] = i, l->seconds[at] = j;
            for (int axis = 0; l->images && axis < 3; axis++) {
                l->images[at][axis] = NEAREST_IMAGE;
            }
            at++;
        }
    }
}

/* Moves candidates to make room for new ones before them, from the last sphere on, and writes the
 * new ones. counts: the number of new candidates of all spheres before each sphere. */
static void insert_candidates(const extension *e, abut_index total)
{
    neighbor_list *l = e->list;
    abut_index end = l->candidate_count, left = total;
    for (int32_t i = (int32_t)l->sphere_count - 1; left > 0; i--) {
        const abut_index begin = l->begins[i + 1], own = left - e->counts[i];
        if (own > 0) {
            move_candidates(l, begin, begin + left, end - begin);
            left -= own;
            write_new(e, i, begin + left);
            end = begin;
        }
    }
    for (abut_index i = 0; i < l->sphere_count; i++) {
        l->begins[i] += e->counts[i];
    }
}

/* Replaces the count of each sphere by the sum over all spheres before it. Returns the total. */
static abut_index sum_up(const extension *e)
{
    int32_t sum = 0;
    for (abut_index i = 0; i < e->spheres->count; i++) {
        const int32_t own = e->counts[i];
        e->counts[i] = sum, sum += own;
    }
    return sum;
}

/* Renumbers the candidates of the last step's rows. */
static void rename_rows(void *context, abut_index begin, abut_index end)
{
    const extension *e = context;
    const interaction_table *t = e->before;
    for (abut_index chunk = begin; chunk < end; chunk++) {
        const row_span rows = t->chunks[chunk];
        for (abut_index row = rows.first; row < rows.first + rows.count; row++) {
            t->candidates[row] += e->counts[table_first(t, row)];
        }
    }
}

abut_status extend_list(neighbor_list *l, const neighbor_spheres *s, interaction_table *before,
                        const parallel_plan *plan)
{
    extension e = {.list = l, .spheres = s, .before = before, .begin = (int32_t)l->sphere_count};
    const abut_index chunks = neighbor_list_chunk_count(l);
    e.counts = memory_reserve(&l->blocks[15], s->count, sizeof *e.counts);
    if (!e.counts || !neighbor_list_room(l, s->count, 0, memory_extend)) {
        return ABUT_NO_MEMORY;
    }
    begin_spheres(l, s);
    parallel_loop(plan->workers, s->count, STRETCH, s->count * (s->count - e.begin) / 4,
                  count_stretch, &e);
    const abut_index total = sum_up(&e);
    if (total == 0 && chunks == neighbor_list_chunk_count(l)) {
        return ABUT_OK;
    }
    if (!extend_candidates(l, before, l->candidate_count + total)) {
        return ABUT_NO_MEMORY;
    }
    if (before->list_firsts) {
        parallel_loop(plan->workers, before->chunk_count, 1, before->count / 2, rename_rows, &e);
    }
    insert_candidates(&e, total);
    listing_end(l, l->candidate_count + total);
    return ABUT_OK;
}

/* ---- removed spheres ---- */

bool shorten_list_can(const neighbor_list *l, const interaction_table *before)
{
    return l->is_made && !l->is_new && !l->is_for_one_step && !l->past &&
           (before->list_firsts || before->count == 0);
}

/* Moves the remaining candidates of a sphere to position `left`, with the new places of both
 * spheres. Sets `active` to their new numbers, or -1. Returns the position behind them. */
static int32_t shift_candidates(const neighbor_list *l, const int32_t *places, row_span candidates,
                                int32_t left)
{
    for (abut_index c = candidates.first; c < candidates.first + candidates.count; c++) {
        const int32_t i = places[l->firsts[c]], j = places[l->seconds[c]];
        const bool stays = i >= 0 && j >= 0;
        l->firsts[left] = i, l->seconds[left] = j;
        if (l->images && stays) {
            memmove(l->images[left], l->images[c], sizeof *l->images);
            l->has_images[i / NEIGHBOR_CHUNK] |= l->images[left][0] != NEAREST_IMAGE;
        }
        l->active[c] = stays ? left : -1;
        left += stays;
    }
    return left;
}

void shorten_list(neighbor_list *l, const int32_t *places, interaction_table *before)
{
    const abut_index left = neighbor_list_left(places, l->sphere_count);
    int32_t count = 0, end = 0;
    memset(l->has_images, 0, (size_t)neighbor_list_chunk_count(l) * sizeof *l->has_images);
    for (abut_index i = 0; i < l->sphere_count; i++) {
        const int32_t place = places[i], begin = end, first = count;
        end = l->begins[i + 1];
        count = shift_candidates(l, places, (row_span){begin, end - begin}, count);
        if (place >= 0) {
            l->anchors[place] = l->anchors[i], l->gaps[place] = l->gaps[i];
            l->begins[place] = first;
        }
    }
    l->sphere_count = left;
    listing_end(l, count);
    table_follow_list(before, l->active, neighbor_list_left(places, before->first_count));
}
