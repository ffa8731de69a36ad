/* Forces and torques on each sphere, summed in an order that does not depend on where spheres are
 * stored: of walls the nearest first, then of pairs by the rows of their other spheres. */
#include <string.h>

#include "../base/prefetch.h"
#include "simulation.h"

/* Spheres that one thread takes in one go. */
enum { CHUNK_SPHERES = 512 };

/* ---- pairs by their second spheres ---- */

static abut_status list_seconds(abut_simulation *s)
{
    const pair_table *t = &s->now.pairs;
    const abut_index n = s->store.count;
    second_lists *l = &s->seconds;
    int32_t *begins = memory_reserve(&l->begin_block, n + 2, sizeof *begins);
    int64_t *keys = memory_reserve(&l->key_block, t->count, sizeof *keys);
    if (!begins || !keys) {
        return ABUT_NO_MEMORY;
    }
    /* begins[j + 1] goes from the first row of j to that of j + 1 while rows are listed */
    memset(begins, 0, (size_t)(n + 2) * sizeof *begins);
    for (abut_index row = 0; row < t->count; row++) {
        begins[t->columns.j[row] + 2]++;
    }
    for (abut_index j = 0; j < n; j++) {
        begins[j + 2] += begins[j + 1];
    }
    for (abut_index row = 0; row < t->count; row++) {
        const int64_t partner = s->store.rows[t->columns.i[row]];
        keys[begins[t->columns.j[row] + 1]++] = partner << 32 | row;
    }
    l->begins = begins, l->keys = keys;
    return ABUT_OK;
}

/* Most spheres have no more pairs than this. */
enum { FEW = 24 };

/* Make room for the keys of spheres with more pairs than FEW, and as much again to sort them in. */
static abut_status reserve_lists(abut_simulation *s)
{
    const abut_index *offsets = s->now.pairs.columns.offsets;
    const int32_t *begins = s->seconds.begins;
    abut_index longest = 0;
    for (abut_index place = 0; place < s->store.count; place++) {
        const abut_index own = offsets[place + 1] - offsets[place];
        const abut_index count = own + begins[place + 1] - begins[place];
        longest = count > longest ? count : longest;
    }
    const abut_index room = longest > FEW ? 4 * s->now.pairs.count : 0;
    return memory_reserve(&s->sum_lists, room, sizeof(int64_t)) ? ABUT_OK : ABUT_NO_MEMORY;
}

/* ---- one sphere ---- */

/* The pairs of a sphere by keys: the row of the partner, and below it that of the pair. */
typedef struct pair_list {
    int64_t *keys;
    abut_index count;
} pair_list;

static int32_t pair_of(int64_t key)
{
    return (int32_t)(key & INT32_MAX);
}

/* List the keys of a sphere's pairs in the order of places: first the pairs in which it is the
 * second sphere, then those in which it is the first one. */
static void list_pairs(const abut_simulation *s, abut_index place, pair_list list)
{
    const second_lists *l = &s->seconds;
    const pair_table *t = &s->now.pairs;
    const abut_index first = t->columns.offsets[place];
    const abut_index second = l->begins[place + 1] - l->begins[place];
    for (abut_index k = 0; k < second; k++) {
        list.keys[k] = l->keys[l->begins[place] + k];
    }
    for (abut_index k = second; k < list.count; k++) {
        const abut_index row = first + k - second;
        list.keys[k] = (int64_t)s->store.rows[t->columns.j[row]] << 32 | row;
    }
}

static void sort_few(pair_list list)
{
    for (abut_index k = 1; k < list.count; k++) {
        const int64_t key = list.keys[k];
        abut_index at = k;
        for (; at > 0 && key < list.keys[at - 1]; at--) {
            list.keys[at] = list.keys[at - 1];
        }
        list.keys[at] = key;
    }
}

/* Sort keys by their digit at `shift`; those with the same digit stay in the order that they had.
 */
static void sort_digit(pair_list from, int shift, int64_t *to)
{
    enum { DIGITS = 256 };
    abut_index ends[DIGITS + 1] = {0};
    for (abut_index k = 0; k < from.count; k++) {
        ends[(from.keys[k] >> shift) % DIGITS + 1]++;
    }
    for (int digit = 0; digit < DIGITS; digit++) {
        ends[digit + 1] += ends[digit];
    }
    for (abut_index k = 0; k < from.count; k++) {
        to[ends[(from.keys[k] >> shift) % DIGITS]++] = from.keys[k];
    }
}

/* A sphere among far smaller ones may have very many pairs: their keys are sorted digit by digit of
 * the partners' rows. */
static void sort_many(pair_list list, int64_t *scratch)
{
    for (int shift = 32; shift < 64; shift += 16) {
        sort_digit(list, shift, scratch);
        sort_digit((pair_list){scratch, list.count}, shift + 8, list.keys);
    }
}

/* Which of two images of one partner is added first, as the sphere sees them. */
static bool is_image_before(const abut_simulation *s, abut_index place, int32_t a, int32_t b)
{
    const abut_pair_columns *c = &s->now.pairs.columns;
    for (int axis = 0; axis < 3; axis++) {
        const abut_index image_a = c->image[3 * (abut_index)a + axis];
        const abut_index image_b = c->image[3 * (abut_index)b + axis];
        const abut_index own = c->i[a] == place ? image_a : -image_a;
        const abut_index other = c->i[b] == place ? image_b : -image_b;
        if (own != other) {
            return own < other;
        }
    }
    return false;
}

/* Images of one partner follow one another. */
static void sort_images(const abut_simulation *s, abut_index place, pair_list list)
{
    for (abut_index k = 1; k < list.count; k++) {
        const int64_t key = list.keys[k];
        abut_index at = k;
        for (; at > 0 && list.keys[at - 1] >> 32 == key >> 32 &&
               is_image_before(s, place, pair_of(key), pair_of(list.keys[at - 1]));
             at--) {
            list.keys[at] = list.keys[at - 1];
        }
        list.keys[at] = key;
    }
}

static void sort_list(const abut_simulation *s, abut_index place, pair_list list, int64_t *scratch)
{
    if (list.count <= FEW) {
        sort_few(list);
    } else {
        sort_many(list, scratch);
    }
    if (s->now.pairs.columns.image) {
        sort_images(s, place, list);
    }
}

static void add_effect(sphere_sum *w, const effect *e, double radius, double sign)
{
    w->force = vec3_add(w->force, vec3_scale(vec3_load(e->force), sign));
    w->torque = vec3_sub(w->torque, vec3_scale(vec3_load(e->cross), radius - e->arm));
    w->sums.brake += e->brake;
}

static void add_moment(sphere_sum *w, const double *moments, abut_index row, double sign)
{
    if (moments) {
        w->torque = vec3_add(w->torque, vec3_scale(vec3_load(moments + 3 * row), sign));
    }
}

void forces_add_contacts(const abut_simulation *s, abut_index place, double radius, sphere_sum *w)
{
    const contact_table *t = &s->now.contacts;
    const abut_index begin = t->count > 0 ? t->columns.offsets[place] : 0;
    const abut_index end = t->count > 0 ? t->columns.offsets[place + 1] : 0;
    for (abut_index row = begin; row < end; row++) {
        add_effect(w, &t->springs.effects[row], radius, 1.0);
        add_moment(w, t->springs.moment, row, 1.0);
        w->sums.power += t->power[row];
    }
}

/* Add what a sphere's pairs exert on it. `room` is for the keys of all spheres with many pairs, and
 * as much again to sort them in. */
static void add_pairs(const abut_simulation *s, abut_index place, double radius, int64_t *room,
                      sphere_sum *w)
{
    const pair_table *t = &s->now.pairs;
    const int32_t *begins = s->seconds.begins;
    const abut_index first = t->columns.offsets[place], end = t->columns.offsets[place + 1];
    int64_t few[FEW], *scratch = few;
    pair_list list = {few, end - first + begins[place + 1] - begins[place]};
    if (list.count > FEW) {
        list.keys = room + begins[place] + first;
        scratch = list.keys + 2 * t->count;
    }
    list_pairs(s, place, list);
    if (!s->store.is_by_row || t->columns.image) {
        sort_list(s, place, list, scratch);
    }
    for (abut_index k = 0; k < list.count; k++) {
        const int32_t row = pair_of(list.keys[k]);
        const double sign = row >= first ? 1.0 : -1.0; /* from there on it is the first sphere */
        add_effect(w, &t->springs.effects[row], radius, sign);
        add_moment(w, t->springs.moment, row, sign);
    }
}

/* Whether its next place, velocity and spin are numbers, and not too far away. */
static bool will_be_finite(const abut_simulation *s, abut_index place, vec3 force, vec3 torque)
{
    const double *center = s->store.centers + 3 * place, step = s->input.step;
    const vec3 pull =
        vec3_add(vec3_load(s->input.gravity), vec3_scale(force, 1.0 / s->store.masses[place]));
    const vec3 velocity =
        vec3_add(vec3_load(s->store.movers[place].velocity), vec3_scale(pull, step));
    const vec3 next = vec3_add(vec3_load(center), vec3_scale(velocity, step));
    const vec3 spin = vec3_add(vec3_load(s->store.movers[place].spin),
                               vec3_scale(torque, step / s->store.inertias[place]));
    return vec3_max_abs(next) <= ABUT_COORDINATE_LIMIT && isfinite(next.x + next.y + next.z) &&
           isfinite(spin.x + spin.y + spin.z);
}

/* The first row of those that will be lost. */
static void note_lost(abut_simulation *s, abut_index row)
{
    intptr_t first = atomic_load(&s->lost_row);
    while ((first < 0 || row < first) && !atomic_compare_exchange_weak(&s->lost_row, &first, row)) {
    }
}

static void sum_sphere(abut_simulation *s, abut_index place, int64_t *room)
{
    store *of = &s->store;
    const double radius = of->radii[place];
    sphere_sum w = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0}};
    forces_add_contacts(s, place, radius, &w);
    if (s->now.pairs.count > 0) {
        add_pairs(s, place, radius, room, &w);
    }
    if (s->search.presses) {
        w.force = vec3_add(w.force, vec3_load(s->search.presses + 6 * place));
        w.torque = vec3_add(w.torque, vec3_load(s->search.presses + 6 * place + 3));
    }
    if (of->has_applied) {
        w.force = vec3_add(w.force, vec3_load(of->pushes + 3 * place));
        w.torque = vec3_add(w.torque, vec3_load(of->twists + 3 * place));
    }
    vec3_store(of->forces + 3 * place, w.force);
    vec3_store(of->torques + 3 * place, w.torque);
    of->sums[place] = w.sums;
    if (!will_be_finite(s, place, w.force, w.torque)) {
        note_lost(s, of->rows[place]);
    }
}

/* ---- all of them ---- */

typedef struct summing {
    abut_simulation *simulation;
    int64_t *room;
} summing;

/* Fetch what the sums of a sphere will read: what it does to those before it lies far apart. */
static void fetch_effects(const abut_simulation *s, abut_index place)
{
    const second_lists *l = &s->seconds;
    for (int32_t k = l->begins[place]; k < l->begins[place + 1]; k++) {
        PREFETCH(&s->now.pairs.springs.effects[pair_of(l->keys[k])]);
    }
}

/* Spheres ahead that are fetched. */
enum { FETCHED_AHEAD = 6 };

static abut_status sum_chunk(void *context, abut_index chunk, parallel_job *job)
{
    const summing *all = context;
    abut_simulation *s = all->simulation;
    const abut_index begin = chunk * CHUNK_SPHERES, rest = s->store.count - begin;
    const abut_index end = begin + (rest < CHUNK_SPHERES ? rest : CHUNK_SPHERES);
    for (abut_index place = begin; place < end; place++) {
        if (s->now.pairs.count > 0 && place + FETCHED_AHEAD < end) {
            fetch_effects(s, place + FETCHED_AHEAD);
        }
        sum_sphere(s, place, all->room);
    }
    return parallel_report(job, 4 * (end - begin));
}

static void check_clusters(abut_simulation *s)
{
    const rigid_step by = {s->input.step, vec3_load(s->input.gravity), &s->lattice};
    for (abut_index k = 0; k < s->clusters.count; k++) {
        if (!clusters_will_be_finite(&s->clusters, k, &s->store, &by)) {
            note_lost(s, s->clusters.clusters[k].first_row);
        }
    }
}

abut_status forces_sum(abut_simulation *s, const parallel_plan *plan)
{
    const abut_index n = s->store.count, pairs = s->now.pairs.count;
    abut_status status = ABUT_OK;
    atomic_store(&s->lost_row, -1);
    if (pairs > 0) {
        status = list_seconds(s);
        status = status ? status : reserve_lists(s);
    }
    if (!status) {
        summing all = {s, s->sum_lists.data};
        parallel_plan own = *plan;
        own.chunk_count = (n + CHUNK_SPHERES - 1) / CHUNK_SPHERES;
        own.work = 4 * n;
        status = parallel_run(&own, sum_chunk, &all);
    }
    if (!status) {
        check_clusters(s);
    }
    return status;
}
