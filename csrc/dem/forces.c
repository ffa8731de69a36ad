/* Sums of forces and torques on spheres and bodies. The order of terms does not depend on threads.
 * - Spheres: pairs by chunks of places, then walls by distance, then bonds by rows of partners.
 * - Bodies: table rows by the kind of the other partner, then by its number. */
#include "parts.h"

#include <string.h>

#include "../base/sort.h"
#include "bond_pairs.h"
#include "view.h"

/* ---- one sphere ---- */

static void add_effect(sphere_sum *sum, const effect *e, double radius, double sign)
{
    sum->force = vec3_add(sum->force, vec3_scale(vec3_load(e->force), sign));
    sum->torque = vec3_sub(sum->torque, vec3_scale(vec3_load(e->cross), radius - e->arm));
    sum->brake += e->brake;
}

static void add_moment(sphere_sum *sum, const double *moments, abut_index row, double sign)
{
    if (moments) {
        sum->torque = vec3_add(sum->torque, vec3_scale(vec3_load(moments + 3 * row), sign));
    }
}

void forces_add_contacts(const abut_simulation *s, abut_index place, double radius, sphere_sum *sum)
{
    const interaction_table *t = &s->now->tables[ABUT_SPHERE_WALL];
    const row_span rows = table_contacts_of(t, place);
    for (abut_index row = rows.first; row < rows.first + rows.count; row++) {
        add_effect(sum, &t->effects[row], radius, 1.0);
        add_moment(sum, t->moment, row, 1.0);
        sum->power += t->power[row];
    }
}

/* Adds the forces of a sphere's bonds, in the order of its partners' rows. A bond that breaks
 * adds nothing, because even adding 0 might change the sign of a zero. */
static void add_bonds(const abut_simulation *s, abut_index place, sphere_sum *sum)
{
    const bond_set *bonds = &s->bonds;
    const int32_t row = s->store.rows[place];
    for (int32_t k = bonds->begins[row]; k < bonds->begins[row + 1]; k++) {
        const int side = bonds->ends[k] & 1;
        const bond_effect *e = &bonds->now[bonds->ends[k] >> 1];
        if (!e->is_broken && !side && s->cell.deforms) {
            const bond *b = &bonds->bonds[bonds->ends[k] >> 1];
            const vec3 image = bonds_image(s, b->rows, b->shift);
            sum->power -= vec3_dot(e->force, simulation_border_velocity(s, image));
        }
        if (!e->is_broken) {
            sum->force = side ? vec3_sub(sum->force, e->force) : vec3_add(sum->force, e->force);
            sum->torque = vec3_add(sum->torque, e->moments[side]);
        }
    }
}

/* ---- spots of bodies ---- */

/* Adds the forces and rolling moments of a row's spots on a partner, with torques about
 * `center`. */
static void add_spots(const abut_simulation *s, const interaction_table *t, abut_index row,
                      bool is_second, vec3 center, wrench *sum)
{
    const view v = view_row(s, t, row);
    for (abut_index spot = v.begin; spot < v.end; spot++) {
        const double *moment = table_vector_or_zeros(t->moment, spot);
        vec3 point = view_force_point(&v, spot);
        wrench exerted = {vec3_load(t->effects[spot].force), vec3_load(moment)};
        if (is_second) {
            point = vec3_sub(point, v.shift);
            exerted = (wrench){vec3_scale(exerted.force, -1.0), vec3_scale(exerted.torque, -1.0)};
        }
        wrench_add(sum, exerted, vec3_sub(point, center));
    }
}

/* Adds the forces of all rows that have this number as second partner; number -1: none. */
static void add_as_second(const abut_simulation *s, const interaction_table *t, abut_index number,
                          vec3 center, wrench *sum)
{
    const partner_rows *by_second = &s->search.by_second[t->kind];
    const abut_index begin = number > 0 ? by_second->ends[number - 1] : 0;
    for (abut_index k = begin; number >= 0 && k < by_second->ends[number]; k++) {
        add_spots(s, t, by_second->rows[k], true, center, sum);
    }
}

/* Sorts rows by their second partner: by the number of a body, or by a sphere's position among the
 * spheres near bodies. */
static abut_status list_by_second(abut_simulation *s, abut_interaction kind)
{
    const interaction_table *t = &s->now->tables[kind];
    const int32_t *positions = kind == ABUT_BODY_SPHERE ? s->search.near_positions : NULL;
    const abut_index count = positions ? s->search.sphere_count : s->solids.count;
    partner_rows *by_second = &s->search.by_second[kind];
    if (t->count == 0) {
        return ABUT_OK;
    }
    by_second->ends = memory_reserve(&by_second->end_block, count + 1, sizeof *by_second->ends);
    by_second->rows = memory_reserve(&by_second->row_block, t->count, sizeof *by_second->rows);
    if (!by_second->ends || !by_second->rows) {
        return ABUT_NO_MEMORY;
    }
    memset(by_second->ends, 0, (size_t)(count + 1) * sizeof *by_second->ends);
    for (abut_index row = 0; row < t->count; row++) {
        by_second->ends[positions ? positions[t->body.j[row]] : t->body.j[row]]++;
    }
    sort_sum_up(by_second->ends, count);
    for (abut_index row = 0; row < t->count; row++) {
        by_second->rows[by_second->ends[positions ? positions[t->body.j[row]] : t->body.j[row]]++] =
            row;
    }
    return ABUT_OK;
}

/* ---- lost spheres ---- */

/* Whether a sphere's next center, velocity and spin are finite, and the center within limits. */
static bool will_be_finite(const abut_simulation *s, const rigid_step *by, abut_index place)
{
    const sphere_sum *sum = &s->store.sums[place];
    const double *center = s->store.centers + 3 * place;
    const vec3 outer = rigid_step_pull(by, vec3_load(center));
    const vec3 pull = vec3_add(outer, vec3_scale(sum->force, 1.0 / s->store.masses[place]));
    const vec3 velocity =
        vec3_add(vec3_load(s->store.movers[place].velocity), vec3_scale(pull, by->kick));
    const vec3 next = vec3_add(vec3_load(center), vec3_scale(velocity, by->step));
    const vec3 spin = vec3_add(vec3_load(s->store.movers[place].spin),
                               vec3_scale(sum->torque, by->kick / s->store.inertias[place]));
    return vec3_max_abs(next) <= ABUT_COORDINATE_LIMIT && isfinite(next.x + next.y + next.z) &&
           isfinite(spin.x + spin.y + spin.z);
}

/* ---- one sphere, one body ---- */

static void sum_sphere(abut_simulation *s, const rigid_step *by, abut_index place)
{
    store *spheres = &s->store;
    sphere_sum sum = spheres->sums[place];
    forces_add_contacts(s, place, spheres->radii[place], &sum);
    if (s->now->tables[ABUT_BODY_SPHERE].count > 0) {
        wrench press = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        add_as_second(s, &s->now->tables[ABUT_BODY_SPHERE],
                      s->search.near_positions[spheres->rows[place]],
                      vec3_load(spheres->centers + 3 * place), &press);
        sum.force = vec3_add(sum.force, press.force);
        sum.torque = vec3_add(sum.torque, press.torque);
    }
    if (s->bonds.count > 0) {
        add_bonds(s, place, &sum);
    }
    if (spheres->has_applied) {
        sum.force = vec3_add(sum.force, vec3_load(spheres->pushes + 3 * place));
        sum.torque = vec3_add(sum.torque, vec3_load(spheres->twists + 3 * place));
    }
    spheres->sums[place] = sum;
    if (!will_be_finite(s, by, place)) {
        parallel_keep_first(&s->lost_row, spheres->rows[place]);
    }
}

static bool is_before_body(const void *table, abut_index row, const void *body)
{
    return ((const interaction_table *)table)->body.i[row] < *(const abut_index *)body;
}

/* The power of a row's forces on the border of the periodic cell. */
static double power_on_border(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    const abut_convex_columns *c = &t->body;
    double power = 0.0;
    if (s->cell.deforms && c->image && t->kind != ABUT_BODY_WALL) {
        const abut_index *image = c->image + 3 * row;
        const vec3 velocity = simulation_border_velocity(s, lattice_image(image));
        for (abut_index spot = c->spot_offsets[row]; spot < c->spot_offsets[row + 1]; spot++) {
            power -= vec3_dot(vec3_load(t->effects[spot].force), velocity);
        }
    }
    return power;
}

/* Sums up the forces and torques on a body. Rows with the body as first partner are consecutive. */
static void sum_body(abut_simulation *s, abut_index k)
{
    rigid_body *body = &s->solids.bodies[k];
    const vec3 center = body->rigid.position;
    wrench sum = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    sum = s->solids.has_applied ? body->applied : sum;
    body->power = 0.0;
    for (int kind = 0; kind < ABUT_BODY_INTERACTIONS; kind++) {
        const interaction_table *t = &s->now->tables[kind];
        if (t->kind == ABUT_BODY_BODY && t->count > 0) {
            add_as_second(s, t, k, center, &sum);
        }
        abut_index row = span_find((row_span){0, t->count}, t, &k, is_before_body);
        for (; row < t->count && t->body.i[row] == k; row++) {
            const abut_index *spots = t->body.spot_offsets + row;
            add_spots(s, t, row, false, center, &sum);
            body->power += power_on_border(s, t, row);
            for (abut_index spot = spots[0]; t->power && spot < spots[1]; spot++) {
                body->power += t->power[spot];
            }
        }
    }
    body->next = sum;
}

/* ---- all spheres and bodies ---- */

static void add_sum(sphere_sum *to, const sphere_sum *more)
{
    to->force = vec3_add(to->force, more->force);
    to->torque = vec3_add(to->torque, more->torque);
    to->brake += more->brake;
}

/* Adds the forces of pairs with the first sphere in an earlier chunk, in the order of chunks. */
static void add_pairs(const abut_simulation *s, abut_index chunk, row_span spheres)
{
    const neighbor_list *l = &s->neighbors;
    sphere_sum *sums = s->store.sums;
    if (s->now->tables[ABUT_SPHERE_SPHERE].chunk_count == 0) {
        memset(sums + spheres.first, 0, (size_t)spheres.count * sizeof *sums);
        return;
    }
    for (int32_t k = l->incoming_begins[chunk]; k < l->incoming_begins[chunk + 1]; k++) {
        const sum_bucket *b = &l->all_buckets[l->incoming[k]];
        for (int32_t entry = b->begin; entry < b->begin + b->count; entry++) {
            add_sum(&sums[l->entry_spheres[entry]], &l->entries[entry]);
        }
    }
}

static void sum_chunk(void *context, abut_index begin, abut_index end)
{
    abut_simulation *s = context;
    const rigid_step by = simulation_rigid_step(s);
    add_pairs(s, begin / NEIGHBOR_CHUNK, (row_span){begin, end - begin});
    for (abut_index place = begin; place < end; place++) {
        sum_sphere(s, &by, place);
    }
}

static void sum_clusters(void *context, abut_index begin, abut_index end)
{
    abut_simulation *s = context;
    const rigid_step by = simulation_rigid_step(s);
    for (abut_index k = begin; k < end; k++) {
        rigid_body *body = &s->clusters.bodies[k];
        rigid_set_sum_members(&s->clusters, body, &s->store);
        if (!rigid_will_be_finite(&body->rigid, body->next, &by)) {
            parallel_keep_first(&s->lost_row, body->first_row);
        }
    }
}

static void sum_bodies(void *context, abut_index begin, abut_index end)
{
    abut_simulation *s = context;
    const rigid_step by = simulation_rigid_step(s);
    for (abut_index k = begin; k < end; k++) {
        const rigid_body *body = &s->solids.bodies[k];
        sum_body(s, k);
        if (!rigid_will_be_finite(&body->rigid, body->next, &by)) {
            parallel_keep_first(&s->lost_body, k);
        }
    }
}

/* Clusters per task, and bodies per task. */
enum { CHUNK_CLUSTERS = 64, CHUNK_BODIES = 32 };
enum { WORK_OF_CLUSTER = 8, WORK_OF_BODY = 40, WORK_OF_SPHERE = 4 };

abut_status forces_sum(abut_simulation *s)
{
    const int workers = s->input.workers;
    const abut_index bodies = s->solids.count, clusters = s->clusters.count;
    const abut_index spheres = s->store.count;
    atomic_store(&s->lost_row, -1);
    atomic_store(&s->lost_body, -1);
    if (list_by_second(s, ABUT_BODY_BODY) || list_by_second(s, ABUT_BODY_SPHERE)) {
        return ABUT_NO_MEMORY;
    }
    parallel_loop(workers, bodies, CHUNK_BODIES, WORK_OF_BODY * bodies, sum_bodies, s);
    parallel_loop(workers, spheres, NEIGHBOR_CHUNK, WORK_OF_SPHERE * spheres, sum_chunk, s);
    parallel_loop(workers, clusters, CHUNK_CLUSTERS, WORK_OF_CLUSTER * clusters, sum_clusters, s);
    return ABUT_OK;
}
