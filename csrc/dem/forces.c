/* Forces and torques on each sphere, summed in an order that does not depend on where spheres are
 * stored: of walls the nearest first, then of pairs by the rows of their other spheres. */
#include <string.h>

#include "../base/prefetch.h"
#include "simulation.h"

/* Spheres that one thread takes in one go. */
enum { CHUNK_SPHERES = 512 };

/* ---- one sphere ---- */

static void add_effect(sphere_sum *w, const effect *e, double radius, double sign)
{
    w->force = vec3_add(w->force, vec3_scale(vec3_load(e->force), sign));
    w->torque = vec3_sub(w->torque, vec3_scale(vec3_load(e->cross), radius - e->arm));
    w->brake += e->brake;
}

static void add_moment(sphere_sum *w, const double *moments, abut_index row, double sign)
{
    if (moments) {
        w->torque = vec3_add(w->torque, vec3_scale(vec3_load(moments + 3 * row), sign));
    }
}

void forces_add_contacts(const abut_simulation *s, abut_index place, double radius, sphere_sum *w)
{
    const interaction_table *t = &s->now->tables[ABUT_SPHERE_WALL];
    const abut_index begin = t->count > 0 ? t->contact.offsets[place] : 0;
    const abut_index end = t->count > 0 ? t->contact.offsets[place + 1] : 0;
    for (abut_index row = begin; row < end; row++) {
        add_effect(w, &t->springs.effects[row], radius, 1.0);
        add_moment(w, t->springs.moment, row, 1.0);
        w->power += t->springs.power[row];
    }
}

/* Partners that are asked in one go whether they touch. */
enum { FEW_PARTNERS = 32 };

/* Partners of a sphere that touch it: twice the pair's row, and 1 where the sphere is its second.
 * They are listed without a branch, which the processor could not guess. */
static int32_t list_rows(const neighbor_list *l, int32_t begin, int32_t end, int64_t *list)
{
    int32_t count = 0;
    for (int32_t k = begin; k < end; k++) {
        const uint32_t partner = l->partners[k];
        const int64_t row = l->rows[partner >> 1];
        list[count] = 2 * row + (partner & 1);
        count += row >= 0;
    }
    return count;
}

/* Add what a sphere's pairs exert on it, in the order of its partners. */
static void add_pairs(const abut_simulation *s, abut_index place, double radius, sphere_sum *w)
{
    const springs *of = &s->now->tables[ABUT_SPHERE_SPHERE].springs;
    const neighbor_list *l = &s->neighbors;
    const int32_t end = l->partner_begins[place + 1];
    int64_t list[FEW_PARTNERS];
    for (int32_t begin = l->partner_begins[place]; begin < end; begin += FEW_PARTNERS) {
        const int32_t rest = end - begin;
        const int32_t count =
            list_rows(l, begin, rest < FEW_PARTNERS ? end : begin + FEW_PARTNERS, list);
        for (int32_t k = 0; k < count; k++) {
            const double sign = list[k] & 1 ? -1.0 : 1.0;
            add_effect(w, &of->effects[list[k] >> 1], radius, sign);
            add_moment(w, of->moment, list[k] >> 1, sign);
        }
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

static void sum_sphere(abut_simulation *s, abut_index place)
{
    store *of = &s->store;
    const double radius = of->radii[place];
    sphere_sum w = {.brake = 0.0};
    forces_add_contacts(s, place, radius, &w);
    if (s->now->tables[ABUT_SPHERE_SPHERE].count > 0) {
        add_pairs(s, place, radius, &w);
    }
    if (s->search.presses) {
        w.force = vec3_add(w.force, vec3_load(s->search.presses + 6 * place));
        w.torque = vec3_add(w.torque, vec3_load(s->search.presses + 6 * place + 3));
    }
    if (of->has_applied) {
        w.force = vec3_add(w.force, vec3_load(of->pushes + 3 * place));
        w.torque = vec3_add(w.torque, vec3_load(of->twists + 3 * place));
    }
    of->sums[place] = w;
    if (!will_be_finite(s, place, w.force, w.torque)) {
        note_lost(s, of->rows[place]);
    }
}

/* ---- all of them ---- */

/* Fetch what the sums of a sphere will read: what it does to those before it lies far apart. */
static void fetch_effects(const abut_simulation *s, abut_index place)
{
    const neighbor_list *l = &s->neighbors;
    for (int32_t k = l->partner_begins[place]; k < l->partner_begins[place + 1]; k++) {
        const int32_t row = l->rows[l->partners[k] >> 1];
        PREFETCH(&s->now->tables[ABUT_SPHERE_SPHERE].springs.effects[row < 0 ? 0 : row]);
    }
}

/* Spheres ahead that are fetched. */
enum { FETCHED_AHEAD = 6 };

static abut_status sum_chunk(void *context, abut_index chunk, parallel_job *job)
{
    abut_simulation *s = context;
    const abut_index begin = chunk * CHUNK_SPHERES;
    const abut_index end = parallel_chunk_end(begin, CHUNK_SPHERES, s->store.count);
    for (abut_index place = begin; place < end; place++) {
        if (s->now->tables[ABUT_SPHERE_SPHERE].count > 0 && place + FETCHED_AHEAD < end) {
            fetch_effects(s, place + FETCHED_AHEAD);
        }
        sum_sphere(s, place);
    }
    return parallel_report(job, 4 * (end - begin));
}

/* Clusters that one thread takes in one go. */
enum { CHUNK_CLUSTERS = 64 };

static abut_status sum_clusters(void *context, abut_index chunk, parallel_job *job)
{
    abut_simulation *s = context;
    const rigid_step by = simulation_rigid_step(s);
    const abut_index begin = chunk * CHUNK_CLUSTERS;
    const abut_index end = parallel_chunk_end(begin, CHUNK_CLUSTERS, s->clusters.count);
    for (abut_index k = begin; k < end; k++) {
        rigid_body *b = &s->clusters.bodies[k];
        rigid_set_sum_members(&s->clusters, b, &s->store);
        if (!rigid_body_will_be_finite(b, &by)) {
            note_lost(s, b->first_row);
        }
    }
    return parallel_report(job, 8 * (end - begin));
}

abut_status forces_sum(abut_simulation *s, const parallel_plan *plan)
{
    const abut_index n = s->store.count;
    parallel_plan own = *plan, of_clusters = *plan;
    own.chunk_count = parallel_chunk_count(n, CHUNK_SPHERES);
    own.work = 4 * n;
    of_clusters.chunk_count = parallel_chunk_count(s->clusters.count, CHUNK_CLUSTERS);
    of_clusters.work = 8 * s->clusters.count;
    atomic_store(&s->lost_row, -1);
    const abut_status status = parallel_run(&own, sum_chunk, s);
    return status ? status : parallel_run(&of_clusters, sum_clusters, s);
}
