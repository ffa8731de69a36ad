/* The part of a step that is about pairs of spheres: who touches whom, and their laws. */
#include "pairs.h"

#include <string.h>

#include "../interactions/touching.h"
#include "../base/prefetch.h"
#include "../convex/finder.h"
#include "../flats/flat.h"
#include "../mesh/tolerance.h"
#include "apart.h"
#include "bond_pairs.h"
#include "check_lists.h"
#include "law_of.h"
#include "rows.h"
#include "simulation.h"

/* ---- finding ---- */

static neighbor_spheres spheres_of(const abut_simulation *s)
{
    const store *of = &s->store;
    return (neighbor_spheres){.count = of->count,
                              .centers = of->centers,
                              .radii = of->radii,
                              .movers = of->movers,
                              .clusters = of->has_held ? s->group_block.data : of->clusters,
                              .rows = of->rows,
                              .places = of->places,
                              .lattice = &s->lattice,
                              .step = s->next.step,
                              .gravity = vec3_load(s->next.gravity),
                              .lender = s->lender,
                              .outlines = s->search.outlines,
                              .laws = &s->laws,
                              .materials = of->materials};
}

/* Where the spheres about bodies are. ABUT_OK or ABUT_NO_MEMORY. */
static abut_status outline_bodies(abut_simulation *s)
{
    const rigid_set *set = &s->solids;
    s->search.outlines = (neighbor_outlines){.count = 0};
    if (set->count == 0) {
        return ABUT_OK;
    }
    double *centers = memory_reserve(&s->search.outline_blocks[0], 3 * set->count, sizeof *centers);
    double *radii = memory_reserve(&s->search.outline_blocks[1], set->count, sizeof *radii);
    double *speeds = memory_reserve(&s->search.outline_blocks[2], set->count, sizeof *speeds);
    if (!centers || !radii || !speeds) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index k = 0; k < set->count; k++) {
        const rigid_body *of = &set->bodies[k];
        vec3_store(centers + 3 * k, of->rigid.position);
        radii[k] = of->reach * (1.0 + TOLD_APART) + apart_body_reach(s, k);
        speeds[k] = vec3_length(of->rigid.velocity);
    }
    const abut_convex_options options = abut_convex_options_default();
    s->search.outlines =
        (neighbor_outlines){set->count, centers, radii, speeds, flat_reach(&options)};
    return ABUT_OK;
}

/* Whether the largest of spheres and outlines is one of these. */
static bool is_outline_largest(const abut_simulation *s)
{
    double radius = 0.0, outline = 0.0;
    for (abut_index k = 0; k < s->store.count; k++) {
        radius = larger(radius, s->store.radii[k]);
    }
    for (abut_index k = 0; k < s->search.outlines.count; k++) {
        outline = larger(outline, s->search.outlines.radii[k]);
    }
    return outline > radius;
}

/* The error of a search of spheres and, behind them, outlines of bodies. */
static abut_status name_found(const abut_simulation *s, abut_error *error)
{
    const abut_status of_body = finder_name_body(error->status, NULL);
    if (of_body == ABUT_BODY_SHORT_PERIOD) {
        return is_outline_largest(s) ? finder_name_body(error->status, error) : error->status;
    }
    if (of_body != error->status && error->index >= s->store.count) {
        error->index -= s->store.count;
        return finder_name_body(error->status, error);
    }
    return simulation_name_row(s, NULL, error);
}

/* Clusters of spheres, and one more group of all that are held: neither have pairs among
 * themselves. ABUT_OK or ABUT_NO_MEMORY. */
static abut_status group_spheres(abut_simulation *s)
{
    if (!s->store.has_held) {
        return ABUT_OK;
    }
    int32_t *groups = memory_reserve(&s->group_block, s->store.count, sizeof *groups);
    for (abut_index k = 0; groups && k < s->store.count; k++) {
        groups[k] = store_holds(&s->store, k) ? (int32_t)s->clusters.count : s->store.clusters[k];
    }
    return groups ? ABUT_OK : ABUT_NO_MEMORY;
}

abut_status pairs_refresh(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    if (s->store.count == 0 && s->solids.count == 0) {
        return ABUT_OK;
    }
    if (outline_bodies(s) || group_spheres(s)) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    neighbor_spheres spheres = spheres_of(s);
    spheres.wall_gap = apart_wall_reach(s);
    const wall_scene walls = {.finder = simulation_finder(s),
                              .wall_count = s->walls.touched_count,
                              .half_spaces = s->walls.half_spaces,
                              .poses = s->now->poses,
                              .poses_before = s->before->poses,
                              .surfaces = s->walls.has_deforming ? s->walls.surfaces : NULL};
    abut_status status = touching_refresh(&s->neighbors, &spheres, plan, error);
    if (status) {
        return name_found(s, error);
    }
    if (s->walls.touched_count > 0) {
        status = near_walls_refresh(&s->near, &s->neighbors, &spheres, &walls, plan, error);
    }
    return status ? simulation_name_row(s, NULL, error) : ABUT_OK;
}

/* ---- matching ---- */

static abut_pair_step step_of(const interaction_table *t)
{
    if (t->count == 0) {
        return (abut_pair_step){.dimension = 0};
    }
    return (abut_pair_step){.dimension = 3,
                            .sphere_count = t->first_count,
                            .pair_count = t->count,
                            .i = t->pair.i,
                            .j = t->pair.j,
                            .normal = t->pair.normal,
                            .image = t->pair.image,
                            .offsets = t->pair.offsets};
}

/* Spheres whose pairs one thread matches in one go. */
enum { CHUNK_SPHERES = 1024 };

/* Whether two spheres touch at several images. */
static bool has_twins(const interaction_table *t)
{
    const abut_index *i = t->pair.i, *j = t->pair.j;
    for (abut_index row = 1; row < t->count; row++) {
        if (j[row] == j[row - 1] && i[row] == i[row - 1]) {
            return true;
        }
    }
    return false;
}

/* The rows of both steps ascend by the second sphere, which is in one row alone: one pass over both
 * matches them. */
static void match_sphere(const interaction_table *now, const interaction_table *before,
                         abut_index sphere)
{
    const abut_index *j = now->pair.j, *old_j = before->pair.j;
    abut_index old = before->pair.offsets[sphere];
    const abut_index old_end = before->pair.offsets[sphere + 1];
    const abut_index end = now->pair.offsets[sphere + 1];
    for (abut_index row = now->pair.offsets[sphere]; row < end; row++) {
        while (old < old_end && old_j[old] < j[row]) {
            old++;
        }
        now->springs.match[row] = old < old_end && old_j[old] == j[row] ? old : -1;
    }
}

static abut_status match_chunk(void *context, abut_index chunk, parallel_job *job)
{
    const abut_simulation *s = context;
    const abut_index begin = chunk * CHUNK_SPHERES;
    const abut_index end = parallel_chunk_end(begin, CHUNK_SPHERES, s->store.count);
    for (abut_index sphere = begin; sphere < end; sphere++) {
        match_sphere(&s->now->tables[ABUT_SPHERE_SPHERE], &s->before->tables[ABUT_SPHERE_SPHERE],
                     sphere);
    }
    return parallel_report(job, end - begin);
}

/* Several images of two spheres are told apart by the general search. */
static abut_status match_images(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    const abut_pair_step before = step_of(&s->before->tables[ABUT_SPHERE_SPHERE]);
    abut_pair_step now = step_of(&s->now->tables[ABUT_SPHERE_SPHERE]);
    now.interrupted = plan->interrupted, now.interrupted_data = plan->interrupted_data;
    return abut_pairs_match(&now, &before, NULL, NULL, s->input.workers,
                            s->now->tables[ABUT_SPHERE_SPHERE].springs.match, error);
}

/* Pairs of a neighbor list that is new are matched by their spheres, and where two may touch at
 * several images by these, too: a list that lives on tells them apart, even if each step has one.
 */
static abut_status match_pairs(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    const interaction_table *t = &s->now->tables[ABUT_SPHERE_SPHERE];
    if (!s->neighbors.is_new || t->count == 0) {
        return ABUT_OK;
    }
    if (s->neighbors.images ||
        (t->pair.image && has_twins(&s->before->tables[ABUT_SPHERE_SPHERE]))) {
        return match_images(s, plan, error);
    }
    if (s->before->tables[ABUT_SPHERE_SPHERE].count == 0) {
        memset(t->springs.match, -1, (size_t)t->count * sizeof *t->springs.match);
        return ABUT_OK;
    }
    parallel_plan own = *plan;
    own.chunk_count = parallel_chunk_count(s->store.count, CHUNK_SPHERES);
    own.work = s->store.count;
    const abut_status status = parallel_run(&own, match_chunk, s);
    return error_set_status(error, status);
}

/* Find pairs, and where the neighbor list lives on, which rows they go on from. */
static abut_status find_pairs(abut_simulation *s, const parallel_plan *plan)
{
    const neighbor_spheres spheres = spheres_of(s);
    interaction_table *t = &s->now->tables[ABUT_SPHERE_SPHERE];
    abut_status status = touching_find(&s->neighbors, &spheres, plan);
    if (status || s->neighbors.candidate_count == 0) {
        return status;
    }
    const abut_index rows = s->neighbors.active_count;
    status = table_reserve(t, (table_size){rows, 0, s->store.count}, simulation_extras(s));
    if (!status) {
        touching_write(&s->neighbors, &spheres, plan, &t->pair, t->springs.match);
        t->count = rows;
    }
    return status;
}

abut_status pairs_find(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    table_clear(&s->now->tables[ABUT_SPHERE_SPHERE], s->store.count);
    if (s->store.count < 2) {
        return ABUT_OK;
    }
    abut_status status = error_set_status(error, find_pairs(s, plan));
    status = status ? status : check_pairs_of_lists(s, error);
    status = status ? status : match_pairs(s, plan, error);
    return status ? status : error_set_status(error, apart_drop_rows(s, ABUT_SPHERE_SPHERE));
}

/* ---- laws ---- */

enum { WORK_OF_ROW = 4 };

/* A new pair begins with its own normal, and without springs. */
static void set_old(const abut_simulation *s, law_block *b, int32_t k, abut_index row)
{
    const interaction_table *now = &s->now->tables[ABUT_SPHERE_SPHERE],
                            *before = &s->before->tables[ABUT_SPHERE_SPHERE];
    const abut_index old = now->springs.match[row];
    const bool is_new = old < 0;
    const abut_pair_columns *c = is_new ? &now->pair : &before->pair;
    const abut_index at = is_new ? row : old;
    b->old_normal[k] = c->normal + 3 * at;
    b->old_overlap[k] = c->overlap[at];
    b->old_spring[k] = table_vector_or_zeros(before->springs.spring, old);
    b->old_roll[k] = table_vector_or_zeros(before->springs.roll, old);
}

static void set_row(const abut_simulation *s, law_block *b, int32_t k, abut_index row)
{
    const abut_pair_columns *c = &s->now->tables[ABUT_SPHERE_SPHERE].pair;
    const abut_index i = c->i[row], j = c->j[row];
    PREFETCH(&s->store.movers[i]);
    PREFETCH(&s->store.movers[j]);
    b->first[k] = &s->store.movers[i];
    b->second[k] = &s->store.movers[j];
    b->laws[k] = simulation_pair_law(s, i, j);
    set_old(s, b, k, row);
    if (s->laws.has_rolling_springs || laws_have_own(&s->laws)) {
        b->inertia[k] = reduced(s->store.inertias[i], s->store.inertias[j]);
    }
}

static void fill_block(const void *context, row_block *b, abut_index first, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        set_row(context, &b->block, k, first + k);
    }
}

/* Where bonds show, a pair may have no law, or smaller spheres than there are. */
static void fill_among_bonds(const void *context, row_block *b, abut_index first, int32_t count)
{
    const abut_simulation *s = context;
    law_block *of = &b->block;
    fill_block(s, b, first, count);
    for (int32_t k = 0; k < count; k++) {
        const pair_touch t = bonds_touch(s, &s->now->tables[ABUT_SPHERE_SPHERE], first + k);
        of->laws[k] = t.law;
        b->overlaps[k] = t.overlap;
        if (t.rest > 0.0) {
            const double old = of->old_overlap[k] - t.rest;
            of->old_overlap[k] = old > 0.0 || t.has_acted ? old : t.overlap;
            b->movers[0][k] = *of->first[k], b->movers[1][k] = *of->second[k];
            b->movers[0][k].radius -= 0.5 * t.rest, b->movers[1][k].radius -= 0.5 * t.rest;
            of->first[k] = &b->movers[0][k], of->second[k] = &b->movers[1][k];
        }
    }
}

abut_status pairs_apply(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    const interaction_table *t = &s->now->tables[ABUT_SPHERE_SPHERE];
    const bool is_among_bonds = bonds_show(s);
    row_laws rows = {.simulation = s,
                     .count = t->count,
                     .work = WORK_OF_ROW,
                     .table = t,
                     .normal = t->pair.normal,
                     .overlap = is_among_bonds ? NULL : t->pair.overlap,
                     .kernel = interaction_kernels_take()->pair_laws,
                     .is_watched = true,
                     .fill = is_among_bonds ? fill_among_bonds : fill_block,
                     .context = s};
    const abut_status status = rows_apply(&rows, plan, error);
    if (!status && is_among_bonds) {
        bonds_lengthen_arms(s);
    }
    return status;
}
