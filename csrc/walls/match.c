/* Which contact of the step before a contact continues (docs/method.md, section 6; the paper's
 * section 7.2 names the loss without it).
 *
 * A tangential spring belongs to the surface, not to a facet. So a contact continues one of the
 * same sphere whose normal is the same, as far as flat walls go, or which lay on the same or an
 * adjacent feature: then they have a node in common. Where several might, the nearest points are
 * one, and each is continued once. */
#include "../abut.h"
#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/vec3.h"

/* Spheres of a chunk: enough to make starting one cheap, few enough to share out. */
enum { CHUNK_SPHERES = 1024 };

typedef struct matching {
    const abut_step *now, *before;
    const abut_index *earlier;
    abut_index *match;
} matching;

/* The contacts of one sphere, or the nodes of one contact. */
typedef struct row_span {
    abut_index first, count;
} row_span;

/* From one offset to the next; none where these have been changed since they were checked. */
static row_span span_at(const abut_index *offsets, abut_index item, abut_index count)
{
    const abut_index first = offsets[item], end = offsets[item + 1];
    const bool is_there = first >= 0 && first <= end && end <= count;
    return is_there ? (row_span){first, end - first} : (row_span){0, 0};
}

static row_span rows_of(const abut_step *step, abut_index sphere)
{
    return span_at(step->offsets, sphere, step->contact_count);
}

static row_span nodes_of(const abut_step *step, abut_index row)
{
    return span_at(step->node_offsets, row, step->node_count);
}

/* The nearest contact that a new one may continue and that was not taken when it was looked for. */
typedef struct proposal {
    double distance_sq;
    abut_index row; /* of the step before; -1: none, or the new contact is done */
} proposal;

/* What a chunk's spheres use one after the other. */
typedef struct scratch {
    proposal *proposals; /* of the new contacts */
    uint8_t *taken;      /* of the old ones */
    abut_index proposal_capacity, taken_capacity;
} scratch;

/* ---- which contacts may be one ---- */

/* The chord of an angle, so that small angles keep their digits. */
static bool normals_agree(const matching *m, abut_index now, abut_index before)
{
    double tilt = fmax(m->now->tilt[now], m->before->tilt[before]);
    double limit = 2.0 * sin(0.5 * fmin(tilt, PI));
    vec3 normal = vec3_load(m->now->normal + 3 * now);
    vec3 chord = vec3_sub(normal, vec3_load(m->before->normal + 3 * before));
    return vec3_norm_sq(chord) <= limit * limit;
}

/* Nodes are numbered inside their mesh. */
static bool share_a_node(const matching *m, abut_index now, abut_index before)
{
    if (m->now->mesh[now] != m->before->mesh[before]) {
        return false;
    }
    const row_span nodes = nodes_of(m->now, now), old_nodes = nodes_of(m->before, before);
    const abut_index *node = m->now->node + nodes.first;
    const abut_index *old_node = m->before->node + old_nodes.first;
    for (abut_index i = 0; i < nodes.count; i++) {
        for (abut_index k = 0; k < old_nodes.count; k++) {
            if (node[i] == old_node[k]) {
                return true;
            }
        }
    }
    return false;
}

static bool may_continue(const matching *m, abut_index now, abut_index before)
{
    return normals_agree(m, now, before) || share_a_node(m, now, before);
}

/* ---- one sphere ---- */

static double distance_sq(const matching *m, abut_index now, abut_index before)
{
    vec3 point = vec3_load(m->now->point + 3 * now);
    return vec3_norm_sq(vec3_sub(point, vec3_load(m->before->point + 3 * before)));
}

/* Of contacts at one distance the first. */
static proposal propose(const matching *m, abut_index now, row_span before, const uint8_t *taken)
{
    proposal best = {0.0, -1};
    for (abut_index k = 0; k < before.count; k++) {
        abut_index row = before.first + k;
        double d = distance_sq(m, now, row);
        if (!taken[k] && (best.row < 0 || d < best.distance_sq) && may_continue(m, now, row)) {
            best = (proposal){d, row};
        }
    }
    return best;
}

/* Of contacts at one distance the first; -1: no proposal is left. */
static abut_index find_nearest(const proposal *proposals, abut_index count)
{
    abut_index nearest = -1;
    for (abut_index i = 0; i < count; i++) {
        if (proposals[i].row >= 0 &&
            (nearest < 0 || proposals[i].distance_sq < proposals[nearest].distance_sq)) {
            nearest = i;
        }
    }
    return nearest;
}

static abut_status reserve(scratch *s, abut_index now_count, abut_index before_count)
{
    proposal *proposals =
        memory_grow(s->proposals, now_count, &s->proposal_capacity, sizeof *proposals);
    s->proposals = proposals ? proposals : s->proposals;
    uint8_t *taken = memory_grow(s->taken, before_count, &s->taken_capacity, sizeof *taken);
    s->taken = taken ? taken : s->taken;
    return proposals && taken ? ABUT_OK : ABUT_NO_MEMORY;
}

/* The smallest distance of all pairs first. A proposal waits until it is the smallest, and is made
 * anew if its contact was taken meanwhile: the pairs, which may be millions, need no room. */
static void match_nearest_first(const matching *m, row_span now, row_span before, scratch *s)
{
    for (abut_index k = 0; k < before.count; k++) {
        s->taken[k] = 0;
    }
    for (abut_index i = 0; i < now.count; i++) {
        s->proposals[i] = propose(m, now.first + i, before, s->taken);
    }
    abut_index i;
    while ((i = find_nearest(s->proposals, now.count)) >= 0) {
        abut_index row = s->proposals[i].row;
        if (s->taken[row - before.first]) {
            s->proposals[i] = propose(m, now.first + i, before, s->taken);
        } else {
            s->taken[row - before.first] = 1;
            s->proposals[i].row = -1;
            m->match[now.first + i] = row;
        }
    }
}

/* Most spheres have one contact before and after. */
static abut_status match_sphere(const matching *m, row_span now, row_span before, scratch *s)
{
    if (now.count == 1 && before.count == 1) {
        if (may_continue(m, now.first, before.first)) {
            m->match[now.first] = before.first;
        }
        return ABUT_OK;
    }
    abut_status status = reserve(s, now.count, before.count);
    if (!status) {
        match_nearest_first(m, now, before, s);
    }
    return status;
}

/* ---- all spheres ---- */

/* The contacts of the same sphere in the step before. */
static row_span rows_before(const matching *m, abut_index sphere)
{
    const abut_index number = m->earlier[sphere];
    return number >= 0 && number < m->before->sphere_count ? rows_of(m->before, number)
                                                           : (row_span){0, 0};
}

static abut_status match_chunk(void *context, abut_index chunk, parallel_job *job)
{
    const matching *m = context;
    abut_index first = chunk * CHUNK_SPHERES, end = first + CHUNK_SPHERES;
    end = end < m->now->sphere_count ? end : m->now->sphere_count;
    scratch s = {NULL, NULL, 0, 0};
    abut_status status = ABUT_OK;
    for (abut_index i = first; !status && i < end; i++) {
        const row_span now = rows_of(m->now, i), before = rows_before(m, i);
        if (now.count > 0 && before.count > 0) {
            status = match_sphere(m, now, before, &s);
        }
    }
    memory_free(s.proposals), memory_free(s.taken);
    return status ? status : parallel_report(job, end - first);
}

/* ---- checks: what is read again later is looked at again there ---- */

/* The first of `count` items whose offsets do not ascend from 0 to `last`; `count` where all do. */
static abut_index find_unordered(const abut_index *offsets, abut_index count, abut_index last)
{
    if (offsets[0] != 0) {
        return 0;
    }
    for (abut_index i = 0; i < count; i++) {
        const abut_index end = offsets[i + 1];
        if (end < offsets[i] || end > last || (i == count - 1 && end != last)) {
            return i;
        }
    }
    return count;
}

static abut_status report(abut_error *error, abut_status status, abut_index index,
                          abut_index detail, double value)
{
    *error = (abut_error){.status = status, .index = index, .detail = detail, .value = value};
    return status;
}

static abut_status check_step(const abut_step *step, abut_error *error)
{
    const abut_index spheres = step->sphere_count, rows = step->contact_count;
    const abut_index sphere = find_unordered(step->offsets, spheres, rows);
    if (sphere < spheres || (spheres == 0 && rows > 0)) {
        return report(error, ABUT_BAD_ROWS, sphere, rows, 0.0);
    }
    const abut_index row = find_unordered(step->node_offsets, rows, step->node_count);
    if (row < rows || (rows == 0 && step->node_count > 0)) {
        return report(error, ABUT_BAD_NODES, row, step->node_count, 0.0);
    }
    return ABUT_OK;
}

static abut_status check_earlier(const abut_step *now, const abut_step *before,
                                 const abut_index *earlier, abut_error *error)
{
    for (abut_index i = 0; i < now->sphere_count; i++) {
        const abut_index number = earlier[i];
        if (number >= before->sphere_count) {
            return report(error, ABUT_BAD_EARLIER, i, number, (double)before->sphere_count);
        }
    }
    return ABUT_OK;
}

static abut_status match_all(const matching *m, int workers, abut_error *error)
{
    abut_status status = check_step(m->now, error);
    status = status ? status : check_step(m->before, error);
    status = status ? status : check_earlier(m->now, m->before, m->earlier, error);
    if (status) {
        return status;
    }
    for (abut_index row = 0; row < m->now->contact_count; row++) {
        m->match[row] = -1;
    }
    const abut_index chunk_count = (m->now->sphere_count + CHUNK_SPHERES - 1) / CHUNK_SPHERES;
    const parallel_plan plan = {.chunk_count = chunk_count,
                                .work = m->now->sphere_count + 8 * m->now->contact_count,
                                .workers = workers};
    status = parallel_run(&plan, match_chunk, (void *)m);
    return report(error, status, 0, 0, 0.0);
}

abut_status abut_contacts_match(const abut_step *now, const abut_step *before,
                                const abut_index *earlier, int workers, abut_index *match,
                                abut_error *error)
{
    abut_error unused;
    const abut_step own_now = *now, own_before = *before;
    const matching m = {&own_now, &own_before, earlier, match};
    return match_all(&m, workers, error ? error : &unused);
}
