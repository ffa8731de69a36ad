/* Rows with a gap: searches find all within the farthest reach, whether or not they have touched.
 */
#include "apart.h"

#include "../interactions/touching.h"
#include "../walls/sharing.h"
#include "bond_pairs.h"
#include "law_of.h"
#include "order.h"

/* ---- how far apart contacts are searched for ---- */

static double find_largest_radius(const abut_simulation *s)
{
    double radius = 0.0;
    for (abut_index k = 0; k < s->store.count; k++) {
        radius = larger(radius, s->store.radii[k]);
    }
    return radius;
}

/* How far spheres are pulled, by walls and by each other: reaches grow with R*. */
static void measure_spheres(abut_simulation *s)
{
    const law_table *of = &s->laws;
    const double radius = of->pulls_or_reaches ? find_largest_radius(s) : 0.0;
    s->pair_reach = s->wall_reach = 0.0;
    for (abut_index k = 0; radius > 0.0 && k < s->walls.touched_count; k++) {
        s->wall_reach =
            larger(s->wall_reach, laws_most_reach(of, s->walls.walls[k].material, radius));
    }
    for (abut_index k = 0; radius > 0.0 && k < of->material_count; k++) {
        s->pair_reach = larger(s->pair_reach, laws_most_reach(of, k, radius));
    }
}

double apart_body_reach(const abut_simulation *s, abut_index body)
{
    const law_table *of = &s->laws;
    const rigid_body *b = &s->solids.bodies[body];
    double radius = b->rounding;
    for (abut_index k = 0; of->pulls_or_reaches && k < of->material_count; k++) {
        radius = larger(radius, of->laws[laws_number(of, b->material, k)].curvature);
    }
    return radius > 0.0 ? laws_most_reach(of, b->material, radius) : 0.0;
}

void apart_measure(abut_simulation *s)
{
    measure_spheres(s);
    s->body_reach = 0.0;
    for (abut_index k = 0; s->laws.pulls_or_reaches && k < s->solids.count; k++) {
        s->body_reach = larger(s->body_reach, apart_body_reach(s, k));
    }
}

/* ---- what lives ---- */

/* Whether a row exerts something: it touches, or is within reach and has touched or need not. */
static bool lives(const law *l, double radius, double overlap, abut_index match)
{
    if (overlap >= 0.0) {
        return true;
    }
    return -overlap <= law_reach(l, radius) && (match >= 0 || l->begins_apart);
}

bool apart_spot_lives(const spot_row *r, double overlap, const interaction_table *before,
                      abut_index old)
{
    if (overlap > 0.0) {
        return true;
    }
    const double reach = law_reach(r->law, r->radius);
    return reach > 0.0 && -overlap <= reach &&
           (r->law->begins_apart || (old >= 0 && apart_spot_lived(before, old)));
}

static const law *law_of_contact(const abut_simulation *s, const interaction_table *t,
                                 abut_index row)
{
    return simulation_wall_law(s, t->contact.sphere[row], t->contact.mesh[row]);
}

static double reach_of_contact(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    return law_reach(law_of_contact(s, t, row), s->store.radii[t->contact.sphere[row]]);
}

/* ---- shares of pulls ---- */

/* What a row counts with where a sphere's contacts share what they pull: how far it is within the
 * reach, times the fourth root of the pull at that gap (docs/dem.md, section 2). */
static double weight_of_pull(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    const law *l = law_of_contact(s, t, row);
    const double radius = s->store.radii[t->contact.sphere[row]], overlap = t->contact.overlap[row];
    const double height = overlap + law_reach(l, radius);
    if (l->own) {
        return height;
    }
    const double pull = law_pull(l, radius, smaller(overlap, 0.0));
    return height * sqrt(sqrt(pull));
}

static bool shares_pulls(const abut_simulation *s)
{
    return s->input.resolution == ABUT_SHARING && !laws_are_plain(&s->laws) &&
           s->now->tables[ABUT_SPHERE_WALL].count > 0;
}

/* Whether a contact that touches may pull: what laws of users exert is not known before. */
static bool may_pull(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    const law *l = law_of_contact(s, t, row);
    const double radius = s->store.radii[t->contact.sphere[row]];
    return l->own || law_attracts(l, radius, t->contact.overlap[row]);
}

/* A contact that pulls has its share of that. */
static void set_share(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    const bool is_apart = t->contact.overlap[row] <= 0.0;
    if (is_apart || (!law_of_contact(s, t, row)->own && may_pull(s, t, row))) {
        t->contact.share[row] = apart_pull_share(s, row);
    }
}

/* Contacts with walls that share pulls. */
typedef struct pull_sharing {
    const abut_simulation *simulation;
    const interaction_table *table;
    double least; /* rows with such an overlap, or less, take no part */
    double *pulls, *weights;
    vec3 *normals;
} pull_sharing;

/* Solve the equations of sharing for the pulls of one sphere's rows. */
static abut_status share_rows(const pull_sharing *p, abut_index begin, abut_index end,
                              sharing *solver, parallel_job *job)
{
    const abut_columns *c = &p->table->contact;
    for (abut_index row = begin; row < end; row++) {
        const bool counts = c->overlap[row] > p->least;
        p->weights[row] = counts ? weight_of_pull(p->simulation, p->table, row) : 0.0;
        p->normals[row] = vec3_load(c->normal + 3 * row);
    }
    return sharing_solve(solver, end - begin, p->normals + begin, p->weights + begin, 1.0,
                         p->pulls + begin, job);
}

/* Rows that one thread takes in one go. */
enum { CHUNK_ROWS = 2048 };

/* Share the pulls of the spheres whose first row is in a chunk. */
static abut_status share_chunk(void *context, abut_index chunk, parallel_job *job)
{
    const pull_sharing *p = context;
    const abut_index begin = chunk * CHUNK_ROWS;
    const abut_index end = parallel_chunk_end(begin, CHUNK_ROWS, p->table->count);
    abut_index row = begin > 0 ? table_sphere_end(p->table, begin - 1) : 0;
    sharing solver = {0};
    abut_status status = ABUT_OK;
    while (!status && row < end) {
        const abut_index next = table_sphere_end(p->table, row);
        status = share_rows(p, row, next, &solver, job);
        row = next;
    }
    sharing_free(&solver);
    return status;
}

static abut_status share_pulls(abut_simulation *s, const parallel_plan *plan, double least)
{
    const interaction_table *t = &s->now->tables[ABUT_SPHERE_WALL];
    pull_sharing p = {.simulation = s, .table = t, .least = least};
    parallel_plan own = *plan;
    own.chunk_count = parallel_chunk_count(t->count, CHUNK_ROWS), own.work = 8 * t->count;
    p.pulls = memory_reserve(&s->pull_block, t->count, sizeof *p.pulls);
    p.weights = memory_reserve(&s->share_blocks[0], t->count, sizeof *p.weights);
    p.normals = memory_reserve(&s->share_blocks[1], t->count, sizeof *p.normals);
    return p.pulls && p.weights && p.normals ? parallel_run(&own, share_chunk, &p) : ABUT_NO_MEMORY;
}

static void set_shares(void *context, abut_index begin, abut_index end)
{
    const abut_simulation *s = context;
    for (abut_index row = begin; row < end; row++) {
        set_share(s, &s->now->tables[ABUT_SPHERE_WALL], row);
    }
}

abut_status apart_share_pulls(abut_simulation *s, const parallel_plan *plan)
{
    if (!shares_pulls(s)) {
        return ABUT_OK;
    }
    const abut_index count = s->now->tables[ABUT_SPHERE_WALL].count;
    const abut_status status = share_pulls(s, plan, -INFINITY);
    if (!status) {
        parallel_loop(plan->workers, count, CHUNK_ROWS, 8 * count, set_shares, s);
    }
    return status;
}

/* ---- which rows there are ---- */

/* Whether a contact with a wall can live, whatever was in the step before. Of those that share and
 * touch, one that carries nothing is none. */
static bool contact_is_near(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    if (t->contact.overlap[row] > 0.0) {
        return t->contact.share[row] > 0.0 ||
               (apart_pull_share(s, row) > 0.0 && may_pull(s, t, row));
    }
    return -t->contact.overlap[row] <= reach_of_contact(s, t, row);
}

static bool contact_lives(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    return lives(law_of_contact(s, t, row), s->store.radii[t->contact.sphere[row]],
                 t->contact.overlap[row], t->springs.match[row]);
}

/* Of two that a bond holds, or that rest, a gap is a row where their law acts across it. */
static bool pair_lives(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    const abut_index i = table_first(t, row), j = table_second(t, row);
    const double overlap = t->pair.overlap[row], own = s->store.radii[i];
    const law *l = simulation_pair_law(s, i, j);
    /* by rounding the overlap of two that touch may be less than 0 */
    const bool is_touch_all =
        l->of->function == LAW_PLAIN || (l->of->function == LAW_OWN && !(law_reach(l, own) > 0.0));
    if (is_touch_all || overlap >= 0.0) {
        return true;
    }
    const pair_touch p = pairs_touch(s, t, row);
    if (p.is_hidden || p.rest > 0.0) {
        return !p.is_hidden;
    }
    return lives(l, reduced(own, s->store.radii[j]), overlap, pairs_old(s, t, row));
}

/* Contacts with walls, of which some are kept. */
typedef struct keeping {
    const abut_simulation *simulation;
    const interaction_table *table;
    bool (*passes)(const abut_simulation *s, const interaction_table *t, abut_index row);
    bool *is_kept;
    atomic_bool drops; /* some are not */
} keeping;

static void test_rows(void *context, abut_index begin, abut_index end)
{
    keeping *k = context;
    bool are_all = true;
    for (abut_index row = begin; row < end; row++) {
        k->is_kept[row] = k->passes(k->simulation, k->table, row);
        are_all &= k->is_kept[row];
    }
    if (!are_all) {
        atomic_store(&k->drops, true);
    }
}

/* Keep the contacts that pass. ABUT_OK, or why the step is to end. */
static abut_status keep_contacts(abut_simulation *s, const parallel_plan *plan,
                                 bool (*passes)(const abut_simulation *s,
                                                const interaction_table *t, abut_index row))
{
    interaction_table *t = &s->now->tables[ABUT_SPHERE_WALL];
    keeping k = {.simulation = s, .table = t, .passes = passes};
    k.is_kept = memory_reserve(&s->kept_block, t->count, sizeof *k.is_kept);
    if (!k.is_kept) {
        return ABUT_NO_MEMORY;
    }
    parallel_loop(plan->workers, t->count, CHUNK_ROWS, 8 * t->count, test_rows, &k);
    if (atomic_load(&k.drops)) {
        table_keep(t, k.is_kept);
    }
    return ABUT_OK;
}

abut_status apart_drop_far_contacts(abut_simulation *s, const parallel_plan *plan)
{
    if (laws_are_plain(&s->laws)) {
        return ABUT_OK;
    }
    const abut_status status = shares_pulls(s) ? share_pulls(s, plan, 0.0) : ABUT_OK;
    return status ? status : keep_contacts(s, plan, contact_is_near);
}

abut_status apart_drop_contacts(abut_simulation *s, const parallel_plan *plan)
{
    return s->laws.pulls_or_reaches ? keep_contacts(s, plan, contact_lives) : ABUT_OK;
}

bool apart_candidate_lives(const abut_simulation *s, int32_t candidate, double overlap)
{
    const neighbor_list *l = &s->neighbors;
    const interaction_table alone = {.kind = ABUT_SPHERE_SPHERE,
                                     .count = 1,
                                     .candidates = &candidate,
                                     .list_firsts = l->firsts,
                                     .list_seconds = l->seconds,
                                     .pair = {.overlap = &overlap}};
    return pair_lives(s, &alone, 0);
}

/* ---- other laws ---- */

static bool begins_apart(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    return simulation_row_law(s, &s->laws, t, row)->begins_apart;
}

abut_status apart_mark(abut_simulation *s, bool **begins)
{
    *begins = NULL;
    if (!s->laws.pulls_or_reaches) {
        return ABUT_OK;
    }
    if (order_compact_pairs(s)) {
        return ABUT_NO_MEMORY;
    }
    abut_index count = 1;
    for (int k = 0; k < ABUT_INTERACTION_COUNT; k++) {
        count += s->before->tables[k].count;
    }
    bool *mark = *begins = memory_alloc(count, sizeof *mark);
    for (int k = 0; mark && k < ABUT_INTERACTION_COUNT; k++) {
        const interaction_table *t = &s->before->tables[k];
        for (abut_index row = 0; row < t->count; row++) {
            *mark++ = begins_apart(s, t, row);
        }
    }
    return mark ? ABUT_OK : ABUT_NO_MEMORY;
}

/* A spot that is apart and exerts nothing has not lived. */
static void end_spots(const interaction_table *t, abut_index row)
{
    const abut_index *offsets = t->body.spot_offsets + row;
    for (abut_index spot = offsets[0]; spot < offsets[1]; spot++) {
        if (t->body.spot_overlap[spot] <= 0.0) {
            t->springs.effects[spot] = (effect){.brake = 0.0};
        }
    }
}

static double overlap_of(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    return t->kind == ABUT_SPHERE_WALL ? t->contact.overlap[row] : pairs_touch(s, t, row).overlap;
}

/* Ends a table's rows that are marked, and whose law does not begin apart now. The marks become
 * those of the rows that stay. */
static void end_rows(const abut_simulation *s, interaction_table *t, bool *marks)
{
    const bool is_of_bodies = table_is_of_bodies(t->kind);
    for (abut_index row = 0; row < t->count; row++) {
        const bool ends = marks[row] && !begins_apart(s, t, row);
        marks[row] = !ends || is_of_bodies || overlap_of(s, t, row) >= 0.0;
        if (ends && is_of_bodies) {
            end_spots(t, row);
        }
    }
    if (t->count > 0 && !is_of_bodies) {
        table_keep(t, marks);
    }
}

void apart_end_untouched(abut_simulation *s, bool *begins)
{
    bool *marks = begins;
    for (int k = 0; begins && k < ABUT_INTERACTION_COUNT; k++) {
        const abut_index count = s->before->tables[k].count;
        end_rows(s, &s->before->tables[k], marks);
        marks += count;
    }
    memory_free(begins);
}
