/* Which contact of the last step each contact continues (docs/method.md, section 6; section 7.2 of
 * the paper names what is lost without it).
 *
 * A tangential spring belongs to the surface, not to a facet. So a contact may continue an earlier
 * contact of the same sphere with the same normal, as on flat walls. It may also continue an
 * earlier contact on the same or an adjacent feature, with a common node. Of all such pairs the
 * pairs with the nearest points match first, and each contact is continued at most once. */
#include "match_contacts.h"

#include "../base/error.h"
#include "../base/parallel.h"
#include "../base/sort.h"
#include "../base/span.h"

/* A contact of the current sphere, now or in the step before, placed where the meshes are now. */
typedef struct contact_row {
    abut_index row, mesh;
    vec3 point, normal;
    double tilt; /* the angle by which the normal may be off */

    /* of a contact now: number of the nearest earlier contact that it may continue, among those
     * that were not taken at the time of the search; -1 if there is none, or this contact has a
     * match */
    abut_index proposed;
    double distance_sq;
    bool is_taken; /* of an earlier contact: it has a match */

    /* `counterpart` of an earlier contact: the first present contact with the same mesh, or -1. Of
     * such a present contact: the earlier contact on this mesh with the nearest normal, the cosine
     * of the angle between both normals, and the whole periods between both points. */
    abut_index counterpart;
    double agreement;
    vec3 wrap;
} contact_row;

/* The contacts of one sphere in one step. */
typedef struct contact_list {
    contact_row *rows;
    abut_index count;
} contact_list;

/* The number of spheres in a chunk: enough that starting a chunk costs little, and few enough that
 * threads can share the work. */
enum { CHUNK_SPHERES = 256 };

static row_span rows_of(const abut_step *step, abut_index sphere)
{
    return span_at(step->offsets, sphere, step->contact_count);
}

static row_span nodes_of(const abut_step *step, abut_index row)
{
    return span_at(step->node_offsets, row, step->node_count);
}

/* Scratch memory of a thread. */
typedef struct scratch {
    pooled pooled;
    contact_row *rows;
    abut_index row_capacity;
} scratch;

/* ---- which contacts may match ---- */

/* Whether two normals differ by at most the angle `tilt`. Most pairs are decided without the chord
 * of this angle, which is no longer than the angle. */
static bool are_within(vec3 normal, vec3 other, double tilt)
{
    const double chord_sq = vec3_norm_sq(vec3_sub(normal, other));
    if (chord_sq == 0.0 || chord_sq > tilt * tilt) {
        return chord_sq == 0.0;
    }
    /* the chord of the angle, so that small angles keep their digits */
    const double chord = 2.0 * sin(0.5 * fmin(tilt, PI));
    return chord_sq <= chord * chord;
}

/* Whether two contacts have a common node. Nodes are numbered in their mesh. */
static bool share_a_node(const contact_matching *m, abut_index now, abut_index before)
{
    if (step_mesh(&m->now, now) != step_mesh(&m->before, before)) {
        return false;
    }
    const row_span nodes = nodes_of(&m->now, now), old_nodes = nodes_of(&m->before, before);
    const abut_index *node = m->now.node + nodes.first;
    const abut_index *old_node = m->before.node + old_nodes.first;
    for (abut_index i = 0; i < nodes.count; i++) {
        for (abut_index k = 0; k < old_nodes.count; k++) {
            if (node[i] == old_node[k]) {
                return true;
            }
        }
    }
    return false;
}

static bool may_continue(const contact_matching *m, const contact_row *now,
                         const contact_row *before)
{
    return are_within(now->normal, before->normal, fmax(now->tilt, before->tilt)) ||
           share_a_node(m, now->row, before->row);
}

/* Whether the only contact of a sphere now may continue its only contact before, the usual case. */
static bool may_continue_alone(const contact_matching *m, abut_index now, abut_index before)
{
    const double tilt = fmax(m->now.tilt[now], m->before.tilt[before]);
    const vec3 normal = vec3_load(m->now.normal + 3 * now);
    return are_within(normal, motion_normal(m->motion, &m->before, before), tilt) ||
           share_a_node(m, now, before);
}

/* ---- the contacts of one sphere ---- */

static contact_row load_row(const abut_step *step, abut_index row)
{
    return (contact_row){.row = row,
                         .mesh = step_mesh(step, row),
                         .tilt = step->tilt[row],
                         .proposed = -1,
                         .counterpart = -1};
}

static contact_list load_now(const contact_matching *m, row_span span, contact_row *rows)
{
    for (abut_index i = 0; i < span.count; i++) {
        const abut_index row = span.first + i;
        rows[i] = load_row(&m->now, row);
        rows[i].point = vec3_load(m->now.point + 3 * row);
        rows[i].normal = vec3_load(m->now.normal + 3 * row);
    }
    return (contact_list){rows, span.count};
}

static contact_list load_before(const contact_matching *m, row_span span, contact_row *rows)
{
    for (abut_index k = 0; k < span.count; k++) {
        const abut_index row = span.first + k;
        rows[k] = load_row(&m->before, row);
        rows[k].point = motion_point(m->motion, &m->before, row);
        rows[k].normal = motion_normal(m->motion, &m->before, row);
    }
    return (contact_list){rows, span.count};
}

/* ---- a sphere that has crossed a periodic border ----
 *
 * A sphere that leaves a periodic box may be moved by whole periods, and then touches another
 * image. The number of periods follows from its first contact now with a mesh, and the earlier
 * contact with that mesh whose normal agrees best. */

static abut_index first_on_mesh(contact_list list, abut_index mesh)
{
    for (abut_index i = 0; i < list.count; i++) {
        if (list.rows[i].mesh == mesh) {
            return i;
        }
    }
    return -1;
}

/* Sets the best earlier contact of each counterpart. */
static void choose_counterparts(contact_list now, contact_list before)
{
    for (abut_index k = 0; k < before.count; k++) {
        const contact_row *old = &before.rows[k];
        if (old->counterpart < 0) {
            continue;
        }
        contact_row *first = &now.rows[old->counterpart];
        const double agreement = vec3_dot(old->normal, first->normal);
        if (first->counterpart < 0 || agreement > first->agreement) {
            first->counterpart = k, first->agreement = agreement;
        }
    }
}

/* Moves the earlier contacts by the periods that the caller has moved their sphere by. */
static void follow_wraps(const contact_matching *m, contact_list now, contact_list before)
{
    for (abut_index k = 0; k < before.count; k++) {
        before.rows[k].counterpart = first_on_mesh(now, before.rows[k].mesh);
    }
    choose_counterparts(now, before);
    for (abut_index i = 0; i < now.count; i++) {
        contact_row *row = &now.rows[i];
        if (row->counterpart >= 0) {
            const vec3 old = before.rows[row->counterpart].point;
            row->wrap = lattice_nearest(&m->motion->lattice, vec3_sub(row->point, old));
        }
    }
    for (abut_index k = 0; k < before.count; k++) {
        contact_row *old = &before.rows[k];
        if (old->counterpart >= 0) {
            old->point = vec3_add(old->point, now.rows[old->counterpart].wrap);
        }
    }
}

/* ---- one sphere ---- */

/* Proposes the nearest earlier contact that `now` may continue, the first of several at one
 * distance. */
static abut_status propose(const contact_matching *m, contact_row *now, contact_list before,
                           parallel_job *job)
{
    now->proposed = -1;
    for (abut_index k = 0; k < before.count; k++) {
        const contact_row *old = &before.rows[k];
        const double d = vec3_norm_sq(vec3_sub(now->point, old->point));
        const bool is_nearer = now->proposed < 0 || d < now->distance_sq;
        if (!old->is_taken && is_nearer && may_continue(m, now, old)) {
            now->proposed = k, now->distance_sq = d;
        }
    }
    return parallel_report(job, before.count);
}

/* The contact with the nearest proposal, the first of several; NULL if there is no proposal. */
static contact_row *nearest_proposal(contact_list now)
{
    contact_row *nearest = NULL;
    for (abut_index i = 0; i < now.count; i++) {
        contact_row *row = &now.rows[i];
        if (row->proposed >= 0 && (!nearest || row->distance_sq < nearest->distance_sq)) {
            nearest = row;
        }
    }
    return nearest;
}

/* Matches pairs by distance, the smallest first. A proposal is made again if its contact was taken
 * meanwhile. So the pairs, which may be millions, need no memory. */
static abut_status match_nearest_first(const contact_matching *m, contact_list now,
                                       contact_list before, parallel_job *job)
{
    abut_status status = ABUT_OK;
    for (abut_index i = 0; !status && i < now.count; i++) {
        status = propose(m, &now.rows[i], before, job);
    }
    contact_row *row;
    while (!status && (row = nearest_proposal(now))) {
        contact_row *old = &before.rows[row->proposed];
        if (old->is_taken) {
            status = propose(m, row, before, job);
        } else {
            old->is_taken = true;
            row->proposed = -1;
            m->match[row->row] = old->row;
        }
    }
    return status;
}

/* ---- one sphere with very many contacts ----
 *
 * Comparing all pairs takes a time that grows with the square of their number. Nearly all matches
 * have the same nodes: such contacts are matched first, and then the others. */

/* A sphere has very many contacts if the product of their counts in both steps exceeds this. */
#define CROWD_PAIRS 65536.0

/* Contacts of a step in the order of their meshes and nodes. */
typedef struct node_order {
    const abut_step *step;
    contact_list list;
} node_order;

/* Compares by mesh, then by nodes, as texts by letters. */
static int compare_nodes(const abut_step *step, const contact_row *row, const abut_step *other_step,
                         const contact_row *other)
{
    const row_span a = nodes_of(step, row->row), b = nodes_of(other_step, other->row);
    if (row->mesh != other->mesh) {
        return row->mesh < other->mesh ? -1 : 1;
    }
    for (abut_index k = 0; k < a.count && k < b.count; k++) {
        const abut_index node = step->node[a.first + k], node_b = other_step->node[b.first + k];
        if (node != node_b) {
            return node < node_b ? -1 : 1;
        }
    }
    return a.count == b.count ? 0 : a.count < b.count ? -1 : 1;
}

static bool is_before(const void *context, abut_index a, abut_index b)
{
    const node_order *o = context;
    return compare_nodes(o->step, &o->list.rows[a], o->step, &o->list.rows[b]) < 0;
}

/* Copies of the contacts in the order of their nodes, to be freed; NULL if there is no memory. */
static contact_row *sort_by_nodes(const abut_step *step, contact_list list)
{
    contact_row *sorted = memory_alloc(list.count, sizeof *sorted);
    abut_index *order = memory_alloc(2 * list.count, sizeof *order);
    if (sorted && order) {
        for (abut_index k = 0; k < list.count; k++) {
            order[k] = k;
        }
        const node_order by_nodes = {step, list};
        sort_by_merging(order, order + list.count, list.count, is_before, &by_nodes);
        for (abut_index k = 0; k < list.count; k++) {
            sorted[k] = list.rows[order[k]];
        }
    } else {
        memory_free(sorted);
        sorted = NULL;
    }
    memory_free(order);
    return sorted;
}

/* The contacts at the beginning of a sorted list that have the same nodes. */
static contact_list first_alike(const abut_step *step, contact_list list)
{
    abut_index end = 1;
    while (end < list.count && compare_nodes(step, &list.rows[0], step, &list.rows[end]) == 0) {
        end++;
    }
    return (contact_list){list.rows, end};
}

static contact_list behind(contact_list list, contact_list first)
{
    return (contact_list){list.rows + first.count, list.count - first.count};
}

/* Matches contacts of sorted lists that have the same nodes. */
static abut_status match_alike(const contact_matching *m, contact_list now, contact_list before,
                               parallel_job *job)
{
    abut_status status = ABUT_OK;
    while (!status && now.count > 0 && before.count > 0) {
        const int order = compare_nodes(&m->now, now.rows, &m->before, before.rows);
        const contact_list alike = first_alike(&m->now, now);
        const contact_list old = first_alike(&m->before, before);
        if (order == 0) {
            status = match_nearest_first(m, alike, old, job);
        }
        now = order <= 0 ? behind(now, alike) : now;
        before = order >= 0 ? behind(before, old) : before;
    }
    return status;
}

/* Removes contacts that have a match from both lists, which have the rows of one sphere. */
static void keep_left(const contact_matching *m, contact_list *now, contact_list *before,
                      const contact_row *sorted)
{
    const abut_index first = before->rows[0].row, old_count = before->count, count = now->count;
    for (abut_index k = 0; k < old_count; k++) {
        before->rows[sorted[k].row - first].is_taken = sorted[k].is_taken;
    }
    now->count = before->count = 0;
    for (abut_index k = 0; k < old_count; k++) {
        if (!before->rows[k].is_taken) {
            before->rows[before->count++] = before->rows[k];
        }
    }
    for (abut_index k = 0; k < count; k++) {
        if (m->match[now->rows[k].row] < 0) {
            now->rows[now->count++] = now->rows[k];
        }
    }
}

static abut_status match_many(const contact_matching *m, contact_list now, contact_list before,
                              parallel_job *job)
{
    contact_row *sorted = sort_by_nodes(&m->now, now);
    contact_row *old_sorted = sort_by_nodes(&m->before, before);
    abut_status status = sorted && old_sorted ? ABUT_OK : ABUT_NO_MEMORY;
    if (!status) {
        status = match_alike(m, (contact_list){sorted, now.count},
                             (contact_list){old_sorted, before.count}, job);
    }
    if (!status) {
        keep_left(m, &now, &before, old_sorted);
        status = match_nearest_first(m, now, before, job);
    }
    memory_free(sorted), memory_free(old_sorted);
    return status;
}

/* ---- one sphere with any number of contacts ---- */

static void free_scratch(pooled *self)
{
    memory_free(((scratch *)self)->rows);
    memory_free(self);
}

/* Matches a sphere with several contacts. Scratch memory is taken if *taken is NULL. */
static abut_status match_several(const contact_matching *m, row_span now, row_span before,
                                 scratch **taken, parallel_job *job)
{
    scratch *s = *taken ? *taken : pool_provide(m->scratches, sizeof *s, free_scratch);
    if (!s) {
        return ABUT_NO_MEMORY;
    }
    *taken = s;
    if (memory_fit(&s->rows, now.count + before.count, &s->row_capacity, sizeof *s->rows)) {
        return ABUT_NO_MEMORY;
    }
    const contact_list list = load_now(m, now, s->rows);
    const contact_list old_list = load_before(m, before, s->rows + now.count);
    if (m->motion->lattice.is_periodic) {
        follow_wraps(m, list, old_list);
    }
    const bool are_many = (double)now.count * (double)before.count > CROWD_PAIRS;
    return are_many ? match_many(m, list, old_list, job)
                    : match_nearest_first(m, list, old_list, job);
}

static abut_status match_sphere(const contact_matching *m, row_span now, row_span before,
                                scratch **s, parallel_job *job)
{
    if (now.count > 1 || before.count > 1) {
        return match_several(m, now, before, s, job);
    }
    if (may_continue_alone(m, now.first, before.first)) {
        m->match[now.first] = before.first;
    }
    return ABUT_OK;
}

/* ---- all spheres ---- */

/* The contacts of the same sphere in the step before. */
static row_span rows_before(const contact_matching *m, abut_index sphere)
{
    const abut_index number = m->earlier ? m->earlier[sphere] : sphere;
    return number >= 0 && number < m->before.sphere_count ? rows_of(&m->before, number)
                                                          : (row_span){0, 0};
}

static abut_status match_spheres(const contact_matching *m, abut_index first, abut_index end,
                                 scratch **s, parallel_job *job)
{
    abut_status status = ABUT_OK;
    for (abut_index i = first; !status && i < end; i++) {
        const row_span now = rows_of(&m->now, i);
        if (now.count == 0) {
            continue;
        }
        const row_span before = rows_before(m, i);
        for (abut_index row = now.first; row < now.first + now.count; row++) {
            m->match[row] = -1;
        }
        if (before.count > 0) {
            status = match_sphere(m, now, before, s, job);
        }
    }
    return status;
}

static abut_status match_chunk(void *context, abut_index chunk, parallel_job *job)
{
    const contact_matching *m = context;
    const abut_index first = chunk * CHUNK_SPHERES, left = m->now.sphere_count - first;
    const abut_index count = left < CHUNK_SPHERES ? left : CHUNK_SPHERES;
    scratch *s = NULL;
    const abut_status status = match_spheres(m, first, first + count, &s, job);
    if (s) {
        pool_give(m->scratches, &s->pooled);
    }
    return status ? status : parallel_report(job, count);
}

abut_status contacts_match(const contact_matching *m)
{
    const abut_index chunk_count = parallel_chunk_count(m->now.sphere_count, CHUNK_SPHERES);
    const parallel_plan plan = {.chunk_count = chunk_count,
                                .work = m->now.sphere_count + 8 * m->now.contact_count,
                                .workers = m->workers,
                                .interrupted = m->now.interrupted,
                                .interrupted_data = m->now.interrupted_data};
    return parallel_run(&plan, match_chunk, (void *)m);
}

/* ---- checks of a caller's columns; where they are read again, they are checked again ---- */

static abut_status check_step(const abut_step *step, abut_error *error)
{
    const abut_index rows = step->contact_count, nodes = step->node_count;
    const abut_index sphere = span_find_wrong(step->offsets, step->sphere_count, rows);
    if (sphere >= 0) {
        return error_set(error, ABUT_BAD_ROWS, sphere, rows, 0.0);
    }
    const abut_index row = span_find_wrong(step->node_offsets, rows, nodes);
    return row < 0 ? ABUT_OK : error_set(error, ABUT_BAD_NODES, row, nodes, 0.0);
}

static abut_status check_earlier(const contact_matching *m, abut_error *error)
{
    const abut_index old_count = m->before.sphere_count;
    for (abut_index i = 0; m->earlier && i < m->now.sphere_count; i++) {
        const abut_index number = m->earlier[i];
        if (number >= old_count) {
            return error_set(error, ABUT_BAD_EARLIER, i, number, (double)old_count);
        }
    }
    return ABUT_OK;
}

abut_status abut_contacts_match(const abut_step *now, const abut_step *before,
                                const abut_index *earlier, int workers, abut_index *match,
                                abut_error *error)
{
    motion moved = {.meshes = NULL};
    pool scratches = {.slots = {NULL}};
    const contact_matching m = {*now, *before, &moved, earlier, match, &scratches, workers};
    abut_status status = check_step(&m.now, error);
    status = status ? status : check_step(&m.before, error);
    status = status ? status : check_earlier(&m, error);
    status = status ? status : motion_read(&moved, &m.now, &m.before, error);
    status = status ? status : error_set_status(error, contacts_match(&m));
    pool_empty(&scratches);
    motion_free(&moved);
    return status;
}
