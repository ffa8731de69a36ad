/* The part of a step for pairs of spheres: neighbor list, contacts, laws. */
#include "parts.h"

#include <string.h>

#include "../interactions/extend_list.h"
#include "../interactions/listing.h"
#include "../interactions/make_list.h"
#include "../base/prefetch.h"
#include "../convex/convex_finder.h"
#include "../flats/flat.h"
#include "../mesh/tolerance.h"
#include "apart.h"
#include "bond_pairs.h"
#include "check_lists.h"
#include "pair_rows.h"
#include "row_laws.h"
#include "shared.h"

/* ---- spheres and outlines ---- */

static neighbor_spheres spheres_of(const abut_simulation *s)
{
    const store *spheres = &s->store;
    return (neighbor_spheres){.count = spheres->count,
                              .centers = spheres->centers,
                              .radii = spheres->radii,
                              .movers = spheres->movers,
                              .clusters =
                                  spheres->has_fixed ? s->group_block.data : spheres->clusters,
                              .lattice = &s->lattice,
                              .step = s->next.step,
                              .gravity = vec3_load(s->next.gravity),
                              .lender = s->lender,
                              .outlines = s->search.outlines,
                              .laws = &s->laws,
                              .materials = spheres->materials,
                              .reach = s->pair_reach,
                              .drift = s->cell.deforms ? &s->cell.field : NULL};
}

/* Bodies per task. */
enum { CHUNK_BODIES = 512 };

typedef struct outlining {
    const abut_simulation *simulation;
    double *centers, *radii, *speeds;
} outlining;

static void outline_stretch(void *context, abut_index begin, abut_index end)
{
    const outlining *to = context;
    const abut_simulation *s = to->simulation;
    for (abut_index k = begin; k < end; k++) {
        const rigid_body *body = &s->solids.bodies[k];
        vec3_store(to->centers + 3 * k, body->rigid.position);
        to->speeds[k] = vec3_length(body->rigid.velocity);
        if (s->cell.deforms) {
            const vec3 drift = affine_apply(&s->cell.field, body->rigid.position);
            to->speeds[k] = vec3_length(vec3_sub(body->rigid.velocity, drift));
        }
        if (!s->neighbors.is_made) {
            to->radii[k] = body->reach * (1.0 + TOLD_APART) + apart_body_reach(s, k);
        }
    }
}

/* Computes the outlines of bodies: spheres that enclose them. ABUT_OK or ABUT_NO_MEMORY. */
static abut_status outline_bodies(abut_simulation *s)
{
    const abut_index count = s->solids.count;
    memory_block *blocks = s->search.outline_blocks;
    s->search.outlines = (neighbor_outlines){.count = 0};
    if (count == 0) {
        return ABUT_OK;
    }
    outlining to = {.simulation = s,
                    .centers = memory_reserve(&blocks[0], 3 * count, sizeof *to.centers),
                    .radii = memory_reserve(&blocks[1], count, sizeof *to.radii),
                    .speeds = memory_reserve(&blocks[2], count, sizeof *to.speeds)};
    if (!to.centers || !to.radii || !to.speeds) {
        return ABUT_NO_MEMORY;
    }
    parallel_loop(s->input.workers, count, CHUNK_BODIES, 2 * count, outline_stretch, &to);
    const abut_convex_options options = abut_convex_options_default();
    s->search.outlines =
        (neighbor_outlines){count, to.centers, to.radii, to.speeds, flat_reach(&options)};
    return ABUT_OK;
}

/* Whether the largest outline is larger than the largest sphere. */
static bool is_outline_largest(const abut_simulation *s)
{
    double radius = 0.0, outline = 0.0;
    for (abut_index place = 0; place < s->store.count; place++) {
        radius = larger(radius, s->store.radii[place]);
    }
    for (abut_index k = 0; k < s->search.outlines.count; k++) {
        outline = larger(outline, s->search.outlines.radii[k]);
    }
    return outline > radius;
}

/* Converts an error of the search, which numbers bodies after spheres, to an error of a sphere or
 * body. Returns its status. */
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

/* Spheres per task of group_spheres. */
enum { GROUP_STRETCH = 4096 };

static void group_stretch(void *context, abut_index begin, abut_index end)
{
    const abut_simulation *s = context;
    int32_t *groups = s->group_block.data;
    for (abut_index place = begin; place < end; place++) {
        groups[place] = store_is_fixed(&s->store, place) ? (int32_t)s->clusters.count
                                                         : s->store.clusters[place];
    }
}

/* Sets each sphere's group: its cluster, or one group for all fixed spheres. Two spheres of a group
 * are never a pair. Does nothing if no spheres are fixed, since the clusters are then the groups.
 * ABUT_OK or ABUT_NO_MEMORY. */
static abut_status group_spheres(abut_simulation *s)
{
    if (!s->store.has_fixed) {
        return ABUT_OK;
    }
    const abut_index count = s->store.count;
    if (!memory_reserve(&s->group_block, count, sizeof(int32_t))) {
        return ABUT_NO_MEMORY;
    }
    parallel_loop(s->input.workers, count, GROUP_STRETCH, count / 4, group_stretch, s);
    return ABUT_OK;
}

/* ---- lists ---- */

/* Makes a new list. First, the rows of the last step get their partners from the old list. */
static abut_status make_list(abut_simulation *s, const neighbor_spheres *spheres,
                             const parallel_plan *plan, abut_error *error)
{
    neighbor_list *l = &s->neighbors;
    interaction_table *before = &s->before->tables[ABUT_SPHERE_SPHERE];
    const abut_status status = pair_rows_show(s, before, s->pair_blocks, before);
    l->counts.made[l->is_made ? NEIGHBORS_MOVED : NEIGHBORS_CHANGED]++;
    return status ? error_set_status(error, status) : neighbor_list_make(l, spheres, plan, error);
}

/* Makes a new list if the present one is incomplete. If only new spheres are missing, it extends
 * the list where possible. */
static abut_status refresh_list(abut_simulation *s, const neighbor_spheres *spheres,
                                const parallel_plan *plan, abut_error *error)
{
    neighbor_list *l = &s->neighbors;
    bool is_whole = false;
    if (l->is_made && l->sphere_count < s->store.count && !extend_list_can(l, spheres)) {
        neighbor_list_forget(l);
    }
    abut_status status = active_place(l, spheres, plan->workers, &is_whole);
    if (!status && is_whole && l->sphere_count < s->store.count) {
        status = extend_list(l, spheres, &s->before->tables[ABUT_SPHERE_SPHERE], plan);
        l->is_made = !status;
    }
    error_set_status(error, status);
    status = status || is_whole ? status : make_list(s, spheres, plan, error);
    return status || l->has_buckets ? status
                                    : error_set_status(error, listing_make_buckets(l, plan));
}

abut_status pairs_refresh(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    if (s->store.count == 0 && s->solids.count == 0) {
        return ABUT_OK;
    }
    const bool has_new = s->neighbors.sphere_count < s->store.count;
    if (!s->neighbors.is_made || has_new || (s->walls.touched_count > 0 && !s->near.is_made)) {
        const double reach = s->wall_reach;
        apart_measure(s);
        s->near.is_made = s->near.is_made && s->wall_reach == reach;
    }
    if (outline_bodies(s) || group_spheres(s)) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    neighbor_spheres spheres = spheres_of(s);
    spheres.wall_gap = s->wall_reach;
    const wall_scene walls = {.finder = simulation_finder(s),
                              .wall_count = s->walls.touched_count,
                              .half_spaces = s->walls.half_spaces,
                              .poses = s->walls.poses,
                              .poses_before = s->walls.poses_before,
                              .deforming = s->walls.has_deforming ? s->walls.deforming : NULL};
    abut_status status = refresh_list(s, &spheres, plan, error);
    if (status) {
        return name_found(s, error);
    }
    if (s->walls.touched_count > 0) {
        status = near_walls_refresh(&s->near, &s->neighbors, &spheres, &walls, plan, error);
    }
    return status ? simulation_name_row(s, NULL, error) : ABUT_OK;
}

/* ---- pairs of a step ---- */

/* Data for finding the pairs of a step, chunk by chunk, and applying their laws. */
typedef struct pair_pass {
    abut_simulation *simulation;
    neighbor_spheres spheres;
    row_laws *laws;
    atomic_bool lacks_room;
} pair_pass;

/* The work of a chunk in units of parallel_report. */
static abut_index work_of(abut_index candidates, abut_index rows)
{
    return candidates / 2 + 6 * rows;
}

/* Writes the rows of a chunk and applies their laws, in groups of rows that stay in the cache. */
static void do_rows(const pair_pass *p, row_span rows)
{
    const interaction_table *t = p->laws->table;
    const abut_index size = rows_of_span(p->laws);
    for (abut_index k = 0; k < rows.count; k += size) {
        const row_span some = {rows.first + k, rows.count - k < size ? rows.count - k : size};
        active_write(&p->simulation->neighbors, &p->spheres, t->candidates + some.first, some.count,
                     t->pair.normal + 3 * some.first, t->pair.overlap + some.first);
        rows_apply_span(p->laws, some);
    }
}

/* Clears the sums and buckets of a chunk. Pairs are the first to add forces to them. */
static void begin_sums(abut_simulation *s, abut_index chunk)
{
    const neighbor_list *l = &s->neighbors;
    const abut_index begin = chunk * NEIGHBOR_CHUNK, end = neighbor_chunk_end(l, chunk);
    memset(s->store.sums + begin, 0, (size_t)(end - begin) * sizeof *s->store.sums);
    for (int32_t k = l->bucket_begins[chunk]; k < l->bucket_begins[chunk + 1]; k++) {
        l->all_buckets[k].count = 0;
    }
}

/* Lists the active candidates of a chunk, which become rows. Returns their number. */
static int32_t find_rows(const pair_pass *p, abut_index chunk)
{
    abut_simulation *s = p->simulation;
    int32_t *active = active_of(&s->neighbors, chunk), left = 0;
    const int32_t count = active_list(&s->neighbors, &p->spheres, chunk);
    if (!s->laws.pulls_or_reaches) {
        return count;
    }
    for (int32_t k = 0; k < count; k++) {
        const int32_t candidate = active_candidate(active[k]);
        if (!active_is_apart(active[k]) ||
            apart_candidate_is_active(s, candidate,
                                      active_overlap(&s->neighbors, &p->spheres, candidate))) {
            active[left++] = candidate;
        }
    }
    return left;
}

static abut_status do_chunk(void *context, abut_index chunk, parallel_job *job)
{
    pair_pass *p = context;
    neighbor_list *l = &p->simulation->neighbors;
    const interaction_table *t = &p->simulation->now->tables[ABUT_SPHERE_SPHERE];
    const abut_index first = l->row_begins[chunk], end = l->row_begins[chunk + 1];
    const int32_t count = find_rows(p, chunk);
    l->row_counts[chunk] = count;
    begin_sums(p->simulation, chunk);
    if (first + count + ROW_PADDING <= end) {
        memcpy(t->candidates + first, active_of(l, chunk), (size_t)count * sizeof(int32_t));
        t->chunks[chunk] = (row_span){first, count};
        do_rows(p, t->chunks[chunk]);
    } else {
        atomic_store(&p->lacks_room, true);
    }
    const abut_index candidates =
        l->begins[neighbor_chunk_end(l, chunk)] - l->begins[chunk * NEIGHBOR_CHUNK];
    return parallel_report(job, work_of(candidates, count));
}

/* The number of spare rows of a chunk with `count` rows. If they are too few in a later step,
 * memory is laid out again. */
static abut_index spare_of(abut_index count)
{
    return count / 8 + 4 * ROW_PADDING;
}

/* Computes where each chunk's rows begin. Kernels may read the spare rows behind them. */
static void lay_out(neighbor_list *l)
{
    l->row_begins[0] = 0;
    for (abut_index chunk = 0; chunk < neighbor_list_chunk_count(l); chunk++) {
        const abut_index count = l->row_counts[chunk];
        l->row_begins[chunk + 1] = l->row_begins[chunk] + count + spare_of(count);
    }
}

static abut_status reserve_rows(abut_simulation *s)
{
    const neighbor_list *l = &s->neighbors;
    interaction_table *t = &s->now->tables[ABUT_SPHERE_SPHERE];
    const abut_index chunks = neighbor_list_chunk_count(l);
    const table_size size = {l->row_begins[chunks], 0, s->store.count};
    table_extras extras = simulation_extras(s);
    extras.is_of_list = true;
    const abut_status status = table_reserve(t, size, extras);
    return status ? status : table_reserve_chunks(t, chunks, NEIGHBOR_CHUNK, l->firsts, l->seconds);
}

static void count_rows(abut_simulation *s)
{
    neighbor_list *l = &s->neighbors;
    l->active_count = 0;
    for (abut_index chunk = 0; chunk < neighbor_list_chunk_count(l); chunk++) {
        l->active_count += l->row_counts[chunk];
    }
    s->now->tables[ABUT_SPHERE_SPHERE].count = l->active_count;
}

/* Begins laws of pairs. If bonds change laws, overlaps in laws differ from those of the table. */
static void begin_laws(row_laws *laws)
{
    const interaction_table *t = laws->table;
    laws->normal = t->pair.normal;
    laws->overlap = bonds_show(laws->simulation) ? NULL : t->pair.overlap;
    rows_begin(laws);
}

/* Does a pass over all chunks. If some rows do not fit, lays memory out again and repeats. */
static abut_status do_pass(pair_pass *p, const parallel_plan *plan)
{
    abut_simulation *s = p->simulation;
    neighbor_list *l = &s->neighbors;
    parallel_plan run = *plan;
    run.chunk_count = neighbor_list_chunk_count(l);
    run.work = work_of(l->candidate_count, l->active_count) + l->sphere_count / 8;
    abut_status status;
    do {
        status = reserve_rows(s);
        begin_laws(p->laws);
        atomic_store(&p->lacks_room, false);
        status = status ? status : parallel_run(&run, do_chunk, p);
        if (!status && atomic_load(&p->lacks_room)) {
            lay_out(l);
        }
    } while (!status && atomic_load(&p->lacks_room));
    if (!status) {
        count_rows(s);
    }
    return status;
}

/* ---- rows that a new list continues ---- */

/* Data for matching the candidates of a new list with rows of the last step. */
typedef struct list_matching {
    abut_simulation *simulation;
    const interaction_table *before;
    neighbor_spheres spheres;
} list_matching;

/* Matches the candidates of a sphere with its rows of the last step. Both ascend by the second
 * sphere, so one pass is enough. Returns the number of candidates that continue a row. */
static abut_index match_sphere(const list_matching *m, abut_index place, row_span rows)
{
    neighbor_list *l = &m->simulation->neighbors;
    const abut_index *before_j = m->before->pair.j, end = rows.first + rows.count;
    abut_index row_before = rows.first, count = 0;
    for (int32_t k = l->begins[place]; k < l->begins[place + 1]; k++) {
        while (row_before < end && before_j[row_before] < l->seconds[k]) {
            row_before++;
        }
        const bool continues = row_before < end && before_j[row_before] == l->seconds[k];
        l->past[k] = continues ? (int32_t)row_before : -1;
        count += continues;
    }
    return count;
}

/* Whether a sphere has two rows with the same partner. */
static bool has_twins(const interaction_table *t, row_span rows)
{
    bool has = false;
    for (abut_index row = rows.first + 1; row < rows.first + rows.count; row++) {
        has |= t->pair.j[row] == t->pair.j[row - 1];
    }
    return has;
}

/* The image of a candidate's second sphere, by its name in the last step: before spheres were moved
 * into the cell, and before vectors were exchanged. */
static vec3 image_then(const list_matching *m, int32_t candidate)
{
    const abut_simulation *s = m->simulation;
    const neighbor_list *l = &s->neighbors;
    const list_cell cell = neighbor_cell(l, &m->spheres);
    const vec3 now = active_image(l, &cell, m->spheres.centers, candidate);
    const vec3 wraps = vec3_sub(pair_rows_last_wraps(s, l->firsts[candidate]),
                                pair_rows_last_wraps(s, l->seconds[candidate]));
    return cell_image_then(&s->cell, vec3_add(now, wraps));
}

static bool is_row_of(const interaction_table *t, abut_index row, abut_index second, vec3 image)
{
    return t->pair.j[row] == second &&
           vec3_compare(lattice_image(t->pair.image + 3 * row), image) == 0;
}

/* Matches the candidates of a sphere with its rows of the last step by the image of the second
 * sphere, since a pair may touch at several images. Each search begins behind the row that was
 * found last, which is the right place for most candidates. */
static void match_images(const list_matching *m, abut_index place, row_span rows)
{
    neighbor_list *l = &m->simulation->neighbors;
    abut_index next = 0;
    for (int32_t k = l->begins[place]; k < l->begins[place + 1]; k++) {
        const vec3 image = image_then(m, k);
        l->past[k] = -1;
        for (abut_index seen = 0; seen < rows.count && l->past[k] < 0; seen++) {
            const abut_index row = rows.first + next;
            l->past[k] = is_row_of(m->before, row, l->seconds[k], image) ? (int32_t)row : -1;
            next = next + 1 < rows.count ? next + 1 : 0;
        }
    }
}

static abut_status match_chunk(void *context, abut_index chunk, parallel_job *job)
{
    const list_matching *m = context;
    const neighbor_list *l = &m->simulation->neighbors;
    const abut_index begin = chunk * NEIGHBOR_CHUNK, end = neighbor_chunk_end(l, chunk);
    row_span rows = {0, 0};
    l->row_counts[chunk] = 0;
    for (abut_index place = begin; place < end; place++) {
        rows = table_pairs_of(m->before, place, place > begin ? &rows : NULL);
        l->row_counts[chunk] += match_sphere(m, place, rows);
        if (l->has_images[chunk] || has_twins(m->before, rows)) {
            match_images(m, place, rows);
        }
    }
    return parallel_report(job, 4 * (end - begin));
}

/* Finds the row of the last step that each candidate of a new list continues. Candidate and row
 * must have the same spheres, and the same image if spheres may touch at several images. Later
 * steps with the same list compare candidates instead (pair_rows.c). */
static abut_status match_candidates(abut_simulation *s, const parallel_plan *plan)
{
    neighbor_list *l = &s->neighbors;
    list_matching m = {s, &s->before->tables[ABUT_SPHERE_SPHERE], spheres_of(s)};
    parallel_plan run = *plan;
    run.chunk_count = neighbor_list_chunk_count(l), run.work = 4 * l->sphere_count;
    if (l->has_past || l->candidate_count == 0) {
        return ABUT_OK;
    }
    l->past = memory_reserve(&l->blocks[12], l->candidate_count, sizeof *l->past);
    abut_status status = l->past ? ABUT_OK : ABUT_NO_MEMORY;
    status = status ? status : parallel_run(&run, match_chunk, &m);
    if (!status) {
        lay_out(l);
    }
    l->has_past = !status;
    return status;
}

/* ---- laws ---- */

/* Sets the contact history of a pair. A new pair has its present normal, and springs of length
 * 0. */
static void set_before(const abut_simulation *s, law_block *b, int32_t k, abut_index row,
                       abut_index row_before)
{
    const interaction_table *now = &s->now->tables[ABUT_SPHERE_SPHERE],
                            *before = &s->before->tables[ABUT_SPHERE_SPHERE];
    const bool is_new = row_before < 0;
    const abut_pair_columns *c = is_new ? &now->pair : &before->pair;
    const abut_index at = is_new ? row : row_before;
    b->old_normal[k] = c->normal + 3 * at;
    b->old_overlap[k] = c->overlap[at];
    b->kept[k] = table_kept_or_nothing(before, row_before);
}

static void set_row(const abut_simulation *s, row_block *block, int32_t k, abut_index row_before)
{
    law_block *b = &block->block;
    const abut_index row = block->rows[k];
    const int32_t candidate = s->now->tables[ABUT_SPHERE_SPHERE].candidates[row];
    const abut_index place_i = s->neighbors.firsts[candidate],
                     place_j = s->neighbors.seconds[candidate];
    PREFETCH(&s->store.movers[place_i]);
    PREFETCH(&s->store.movers[place_j]);
    b->first[k] = &s->store.movers[place_i];
    b->second[k] = &s->store.movers[place_j];
    b->laws[k] = simulation_pair_law(s, place_i, place_j);
    set_before(s, b, k, row, row_before);
    if (history_has_more(&s->laws.layout)) {
        b->inertia[k] = reduced(s->store.inertias[place_i], s->store.inertias[place_j]);
    }
}

/* Gives the second sphere of a row the velocity of its image in a cell that deforms. */
static void follow_image(const abut_simulation *s, row_block *b, int32_t k, vec3 image)
{
    mover *second = &b->movers[1][k];
    *second = *b->block.second[k];
    vec3_store(second->velocity,
               vec3_add(vec3_load(second->velocity), cell_image_velocity(&s->cell, image)));
    b->block.second[k] = second;
    b->has_border[k] = true;
    b->border[k] = simulation_border_velocity(s, image);
}

/* Finds the rows of a block with images of their own. */
static void follow_images(const abut_simulation *s, row_block *b, int32_t count)
{
    const neighbor_list *l = &s->neighbors;
    const interaction_table *t = &s->now->tables[ABUT_SPHERE_SPHERE];
    const list_cell cell = pair_rows_cell(s, t);
    const double width = lattice_width(&s->lattice);
    /* members of clusters may be outside of the box */
    const bool is_unsure = l->images || s->clusters.count > 0;
    const vec3 none = {0.0, 0.0, 0.0};
    for (int32_t k = 0; k < count; k++) {
        const int32_t candidate = t->candidates[b->rows[k]];
        b->has_border[k] = false;
        if (is_unsure || !active_is_close(l, candidate, width)) {
            const vec3 image = active_image(l, &cell, s->store.centers, candidate);
            if (vec3_compare(image, none) != 0) {
                follow_image(s, b, k, image);
            }
        }
    }
}

static void fill_block(const void *context, row_block *b, int32_t count)
{
    const abut_simulation *s = context;
    abut_index rows_before[LAW_BLOCK];
    pairs_find_before(s, &s->now->tables[ABUT_SPHERE_SPHERE], b->rows, count, rows_before);
    for (int32_t k = 0; k < count; k++) {
        set_row(s, b, k, rows_before[k]);
    }
    if (s->cell.deforms) {
        follow_images(s, b, count);
    }
}

/* Fills a block if bonds change laws. A pair may have no law, or a rest: the part of its overlap
 * that the law does not count. With a rest, the law acts on smaller spheres. */
static void fill_among_bonds(const void *context, row_block *b, int32_t count)
{
    const abut_simulation *s = context;
    law_block *block = &b->block;
    fill_block(s, b, count);
    for (int32_t k = 0; k < count; k++) {
        const pair_touch t = bonds_touch(s, &s->now->tables[ABUT_SPHERE_SPHERE], b->rows[k]);
        block->laws[k] = t.law;
        b->overlaps[k] = t.overlap;
        if (t.rest > 0.0) {
            const double overlap_before = block->old_overlap[k] - t.rest;
            block->old_overlap[k] =
                overlap_before > 0.0 || t.has_acted ? overlap_before : t.overlap;
            b->movers[0][k] = *block->first[k], b->movers[1][k] = *block->second[k];
            b->movers[0][k].radius -= 0.5 * t.rest, b->movers[1][k].radius -= 0.5 * t.rest;
            block->first[k] = &b->movers[0][k], block->second[k] = &b->movers[1][k];
        }
    }
}

/* For a pair with a rest, sets the arm to half of the whole overlap. The law takes smaller spheres;
 * their arm would not conserve angular momentum. */
static void lengthen_arms(row_block *b, const double *overlaps)
{
    for (int32_t k = 0; k < b->block.count; k++) {
        const bool rests = b->block.first[k] == &b->movers[0][k];
        if (rests) {
            b->block.effects[k].arm = 0.5 * overlaps[b->rows[k]];
        }
    }
}

/* Adds the power of a block's forces on the border of the cell, which first spheres count. */
static void add_border_power(const abut_simulation *s, const row_block *b)
{
    const interaction_table *t = &s->now->tables[ABUT_SPHERE_SPHERE];
    for (int32_t k = 0; k < b->block.count; k++) {
        if (b->has_border[k]) {
            sphere_sum *sum = &s->store.sums[table_first(t, b->rows[k])];
            sum->power -= vec3_dot(vec3_load(b->block.effects[k].force), b->border[k]);
        }
    }
}

/* Adds the effects of a block to the sums of its spheres, and stores the forces. */
static void add_block(const void *context, row_block *b)
{
    const abut_simulation *s = context;
    const neighbor_list *l = &s->neighbors;
    const interaction_table *t = &s->now->tables[ABUT_SPHERE_SPHERE];
    if (bonds_show(s)) {
        lengthen_arms(b, t->pair.overlap);
    }
    const pair_adding adding = {.count = b->block.count,
                                .rows = b->rows,
                                .effects = b->block.effects,
                                .moments = b->has_moments ? b->block.moment : NULL,
                                .movers = s->store.movers,
                                .sums = s->store.sums,
                                .candidates = t->candidates,
                                .firsts = l->firsts,
                                .seconds = l->seconds,
                                .buckets = l->buckets,
                                .all = l->all_buckets,
                                .entries = l->entries,
                                .spheres = l->entry_spheres};
    interaction_kernels_take()->pairs_add(&adding);
    if (s->cell.deforms) {
        add_border_power(s, b);
    }
    for (int32_t k = 0; k < b->block.count; k++) {
        memcpy(table_force(t, b->rows[k]), b->block.effects[k].force, 3 * sizeof(double));
    }
}

static abut_status apply_all(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    const bool is_among_bonds = bonds_show(s);
    const bool are_alike = laws_are_plain(&s->laws) || (s->laws.are_alike && !is_among_bonds);
    row_laws laws = {.simulation = s,
                     .table = &s->now->tables[ABUT_SPHERE_SPHERE],
                     .are_mixed = !are_alike,
                     .fill = is_among_bonds ? fill_among_bonds : fill_block,
                     .take = add_block,
                     .context = s};
    pair_pass p = {.simulation = s, .spheres = spheres_of(s), .laws = &laws};
    abut_status status = error_set_status(error, do_pass(&p, plan));
    status = status ? status : check_lists(s, (checked_search){.spheres = &p.spheres}, error);
    return status ? status : rows_end(&laws, error);
}

abut_status pairs_apply(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    neighbor_list *l = &s->neighbors;
    table_clear(&s->now->tables[ABUT_SPHERE_SPHERE], s->store.count);
    l->active_count = 0;
    if (s->store.count < 2) {
        return ABUT_OK;
    }
    abut_status status = error_set_status(error, match_candidates(s, plan));
    if (!status && l->candidate_count > 0) {
        status = apply_all(s, plan, error);
    } else if (!status) {
        const neighbor_spheres spheres = spheres_of(s);
        status = check_lists(s, (checked_search){.spheres = &spheres}, error);
    }
    l->counts.candidates += status ? 0 : l->candidate_count;
    l->counts.steps += !status;
    return status;
}
