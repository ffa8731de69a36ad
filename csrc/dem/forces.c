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
    int32_t *rows = memory_reserve(&l->row_block, t->count, sizeof *rows);
    if (!begins || !rows) {
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
        rows[begins[t->columns.j[row] + 1]++] = (int32_t)row;
    }
    l->begins = begins, l->rows = rows;
    return ABUT_OK;
}

/* ---- one sphere ---- */

/* The pairs of a sphere: in the order in which they are added up. */
typedef struct pair_list {
    int32_t *rows;
    abut_index count;
} pair_list;

/* In the order of places, in room for all lists, which has as much room again behind it. */
static pair_list list_pairs(const abut_simulation *s, abut_index place, int32_t *room)
{
    const second_lists *l = &s->seconds;
    const abut_index *offsets = s->now.pairs.columns.offsets;
    const abut_index own = offsets[place + 1] - offsets[place];
    const abut_index second = l->begins[place + 1] - l->begins[place];
    pair_list list = {room + l->begins[place] + offsets[place], second + own};
    for (abut_index k = 0; k < second; k++) {
        list.rows[k] = l->rows[l->begins[place] + k];
    }
    for (abut_index k = 0; k < own; k++) {
        list.rows[second + k] = (int32_t)(offsets[place] + k);
    }
    return list;
}

static int32_t partner_row(const abut_simulation *s, abut_index place, int32_t row)
{
    const abut_pair_columns *c = &s->now.pairs.columns;
    return s->store.rows[c->i[row] == place ? c->j[row] : c->i[row]];
}

/* Which of two pairs is added first: by the partner's row, and of images of one by these. */
static bool is_before(const abut_simulation *s, abut_index place, int32_t a, int32_t b)
{
    const abut_pair_columns *c = &s->now.pairs.columns;
    const int32_t of_a = partner_row(s, place, a), of_b = partner_row(s, place, b);
    if (of_a != of_b || !c->image) {
        return of_a < of_b;
    }
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

/* Most spheres have a few. */
enum { FEW = 24 };

/* Sort a few by numbers that have the partner's row above and the pair's below. */
static void sort_few(const abut_simulation *s, abut_index place, pair_list list)
{
    int64_t keys[FEW];
    for (abut_index k = 0; k < list.count; k++) {
        const int64_t key =
            (int64_t)partner_row(s, place, list.rows[k]) << 32 | (int64_t)list.rows[k];
        abut_index at = k;
        for (; at > 0 && key < keys[at - 1]; at--) {
            keys[at] = keys[at - 1];
        }
        keys[at] = key;
    }
    for (abut_index k = 0; k < list.count; k++) {
        list.rows[k] = (int32_t)(keys[k] & INT32_MAX);
    }
}

/* Rows by the digit at `shift` of their partners' rows, in the order that they have otherwise. */
static void sort_digit(const abut_simulation *s, abut_index place, pair_list from, int shift,
                       int32_t *to)
{
    enum { DIGITS = 256 };
    abut_index ends[DIGITS + 1] = {0};
    for (abut_index k = 0; k < from.count; k++) {
        ends[(partner_row(s, place, from.rows[k]) >> shift) % DIGITS + 1]++;
    }
    for (int digit = 0; digit < DIGITS; digit++) {
        ends[digit + 1] += ends[digit];
    }
    for (abut_index k = 0; k < from.count; k++) {
        to[ends[(partner_row(s, place, from.rows[k]) >> shift) % DIGITS]++] = from.rows[k];
    }
}

/* A sphere among far smaller ones has very many: their numbers are sorted digit by digit. */
static void sort_many(const abut_simulation *s, abut_index place, pair_list list, int32_t *scratch)
{
    for (int shift = 0; shift < 32; shift += 16) {
        sort_digit(s, place, list, shift, scratch);
        sort_digit(s, place, (pair_list){scratch, list.count}, shift + 8, list.rows);
    }
}

/* Images of one partner, which follow one another, by these. */
static void sort_images(const abut_simulation *s, abut_index place, pair_list list)
{
    for (abut_index k = 1; k < list.count; k++) {
        const int32_t row = list.rows[k];
        abut_index at = k;
        for (; at > 0 && is_before(s, place, row, list.rows[at - 1]); at--) {
            list.rows[at] = list.rows[at - 1];
        }
        list.rows[at] = row;
    }
}

static void sort_list(const abut_simulation *s, abut_index place, pair_list list, int32_t *scratch)
{
    if (list.count <= FEW) {
        sort_few(s, place, list);
    } else {
        sort_many(s, place, list, scratch);
    }
    if (s->now.pairs.columns.image) {
        sort_images(s, place, list);
    }
}

typedef struct wrench {
    vec3 force, torque;
    sums sums;
} wrench;

static void add_effect(wrench *w, const effect *e, double radius, double sign)
{
    w->force = vec3_add(w->force, vec3_scale(vec3_load(e->force), sign));
    w->torque = vec3_sub(w->torque, vec3_scale(vec3_load(e->cross), radius - e->arm));
    w->sums.brake += e->brake;
}

static void add_moment(wrench *w, const double *moments, abut_index row, double sign)
{
    if (moments) {
        w->torque = vec3_add(w->torque, vec3_scale(vec3_load(moments + 3 * row), sign));
    }
}

static void add_contacts(const abut_simulation *s, abut_index place, double radius, wrench *w)
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

static void add_pairs(const abut_simulation *s, abut_index place, double radius, int32_t *room,
                      wrench *w)
{
    const pair_table *t = &s->now.pairs;
    const pair_list list = list_pairs(s, place, room);
    if (!s->store.is_by_row || t->columns.image) {
        sort_list(s, place, list, list.rows + 2 * t->count);
    }
    for (abut_index k = 0; k < list.count; k++) {
        const int32_t row = list.rows[k];
        const double sign = t->columns.i[row] == place ? 1.0 : -1.0;
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
        vec3_add(vec3_load(s->store.bodies[place].velocity), vec3_scale(pull, step));
    const vec3 next = vec3_add(vec3_load(center), vec3_scale(velocity, step));
    const vec3 spin = vec3_add(vec3_load(s->store.bodies[place].spin),
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

static void sum_sphere(abut_simulation *s, abut_index place, int32_t *room)
{
    store *of = &s->store;
    const double radius = of->radii[place];
    wrench w = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0}};
    add_contacts(s, place, radius, &w);
    if (s->now.pairs.count > 0) {
        add_pairs(s, place, radius, room, &w);
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
    int32_t *room;
} summing;

/* Fetch what the sums of a sphere will read: what it does to those before it lies far apart. */
static void fetch_effects(const abut_simulation *s, abut_index place)
{
    const second_lists *l = &s->seconds;
    for (int32_t k = l->begins[place]; k < l->begins[place + 1]; k++) {
        PREFETCH(&s->now.pairs.springs.effects[l->rows[k]]);
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
    const cluster_step by = {s->input.step, vec3_load(s->input.gravity), s->input.period};
    for (abut_index k = 0; k < s->clusters.count; k++) {
        if (!clusters_will_be_finite(&s->clusters, k, &s->store, &by)) {
            note_lost(s, s->clusters.clusters[k].first_row);
        }
    }
}

abut_status forces_sum(abut_simulation *s, const parallel_plan *plan)
{
    const abut_index n = s->store.count, pairs = s->now.pairs.count;
    summing all = {.simulation = s};
    atomic_store(&s->lost_row, -1);
    all.room = memory_reserve(&s->sum_lists, 4 * pairs, sizeof *all.room);
    abut_status status = all.room ? ABUT_OK : ABUT_NO_MEMORY;
    if (!status && pairs > 0) {
        status = list_seconds(s);
    }
    if (!status) {
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
