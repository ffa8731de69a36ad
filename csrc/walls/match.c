/* Which contact of the step before a contact continues (docs/method.md, section 6; the paper's
 * section 7.2 names the loss without it).
 *
 * A tangential spring belongs to the surface, not to a facet. So a contact continues one of the
 * same sphere whose normal is the same, as far as flat walls go, or which lay on the same or an
 * adjacent feature: then they have a node in common. Where several might, the nearest points are
 * one, and each is continued once. */
#include "match.h"

#include "../base/error.h"
#include "../base/parallel.h"
#include "crowd.h"

/* Spheres of a chunk: enough to make starting one cheap, few enough to share out. */
enum { CHUNK_SPHERES = 256 };

static row_span rows_of(const abut_step *step, abut_index sphere)
{
    return span_at(step->offsets, sphere, step->contact_count);
}

static row_span nodes_of(const abut_step *step, abut_index row)
{
    return span_at(step->node_offsets, row, step->node_count);
}

/* What a thread's spheres use one after the other. */
typedef struct scratch {
    pooled pooled;
    contact_row *rows;
    abut_index row_capacity;
} scratch;

/* ---- which contacts may be one ---- */

/* Of most normals it is sure without the chord, which is no longer than the angle. */
static bool are_within(vec3 normal, vec3 other, double tilt)
{
    const double chord_sq = vec3_norm_sq(vec3_sub(normal, other));
    if (chord_sq == 0.0 || chord_sq > tilt * tilt) {
        return chord_sq == 0.0;
    }
    const double chord = crowd_chord(tilt);
    return chord_sq <= chord * chord;
}

/* Whether both have a node in common. Nodes are numbered inside their mesh. */
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

/* Whether a contact may continue another one, of a sphere that has one contact in either step, as
 * most have. */
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
                         .partner = -1};
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

/* ---- a sphere that came in again on the other side ----
 *
 * A sphere that leaves a periodic box may be moved by whole periods, and then touches another
 * image. Of its earlier contacts with a mesh, the one whose normal agrees best with that of its
 * first contact with this mesh now tells by how many periods. */

static abut_index first_on_mesh(contact_list list, abut_index mesh)
{
    for (abut_index i = 0; i < list.count; i++) {
        if (list.rows[i].mesh == mesh) {
            return i;
        }
    }
    return -1;
}

/* Say of each contact before which is the first one now with the same mesh. */
static abut_status find_first(contact_list now, contact_list before, bool are_many)
{
    if (are_many) {
        return crowd_find_first(now, before);
    }
    for (abut_index k = 0; k < before.count; k++) {
        before.rows[k].partner = first_on_mesh(now, before.rows[k].mesh);
    }
    return ABUT_OK;
}

/* Where several contacts before have one partner, tell it the one that agrees best. */
static void choose_partners(contact_list now, contact_list before)
{
    for (abut_index k = 0; k < before.count; k++) {
        const contact_row *old = &before.rows[k];
        if (old->partner < 0) {
            continue;
        }
        contact_row *partner = &now.rows[old->partner];
        const double agreement = vec3_dot(old->normal, partner->normal);
        if (partner->partner < 0 || agreement > partner->agreement) {
            partner->partner = k, partner->agreement = agreement;
        }
    }
}

/* Move the earlier contacts, whose partners are known, by the periods that the caller has moved
 * their sphere by. */
static void follow_wraps(const contact_matching *m, contact_list now, contact_list before)
{
    choose_partners(now, before);
    for (abut_index i = 0; i < now.count; i++) {
        contact_row *row = &now.rows[i];
        if (row->partner >= 0) {
            const vec3 old = before.rows[row->partner].point;
            row->wrap = lattice_nearest(&m->motion->lattice, vec3_sub(row->point, old));
        }
    }
    for (abut_index k = 0; k < before.count; k++) {
        contact_row *old = &before.rows[k];
        if (old->partner >= 0) {
            old->point = vec3_add(old->point, now.rows[old->partner].wrap);
        }
    }
}

/* ---- one sphere ---- */

/* Propose to a contact the nearest one before; of several at one distance the first. */
static void propose(const contact_matching *m, contact_row *now, contact_list before)
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
}

/* The contact whose proposal is at the smallest distance, of several the first; NULL: no proposal
 * is left. */
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

/* Match the pair at the smallest distance of all first. A proposal waits until it is the smallest,
 * and is made anew if its contact was taken meanwhile: the pairs, which may be millions, need no
 * room. */
static void match_nearest_first(const contact_matching *m, contact_list now, contact_list before)
{
    for (abut_index i = 0; i < now.count; i++) {
        propose(m, &now.rows[i], before);
    }
    contact_row *row;
    while ((row = nearest_proposal(now))) {
        contact_row *old = &before.rows[row->proposed];
        if (old->is_taken) {
            propose(m, row, before);
        } else {
            old->is_taken = true;
            row->proposed = -1;
            m->match[row->row] = old->row;
        }
    }
}

static void free_scratch(pooled *self)
{
    memory_free(((scratch *)self)->rows);
    memory_free(self);
}

static scratch *take_scratch(const contact_matching *m)
{
    scratch *s = (scratch *)pool_take(m->scratches);
    if (!s) {
        s = memory_alloc_zeroed(1, sizeof *s);
    }
    if (s) {
        s->pooled.destroy = free_scratch;
    }
    return s;
}

/* own: taken where a sphere needs it. */
static abut_status match_several(const contact_matching *m, row_span now, row_span before,
                                 scratch **own, parallel_job *job)
{
    scratch *s = *own ? *own : take_scratch(m);
    if (!s) {
        return ABUT_NO_MEMORY;
    }
    *own = s;
    contact_row *rows =
        memory_grow(s->rows, now.count + before.count, &s->row_capacity, sizeof *rows);
    if (!rows) {
        return ABUT_NO_MEMORY;
    }
    s->rows = rows;
    const contact_list list = load_now(m, now, rows);
    const contact_list old_list = load_before(m, before, rows + now.count);
    const bool are_many = crowd_is_one(list, old_list);
    if (m->motion->lattice.is_periodic) {
        if (find_first(list, old_list, are_many)) {
            return ABUT_NO_MEMORY;
        }
        follow_wraps(m, list, old_list);
    }
    if (are_many) {
        return crowd_match((const abut_step *const[]){&m->now, &m->before},
                           (const contact_list[]){list, old_list}, m->match, job);
    }
    match_nearest_first(m, list, old_list);
    return parallel_report(job, now.count * before.count);
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

/* ---- a caller's columns are checked; what is read again later is looked at again there ---- */

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
