/* Rows with a gap: searches find all within the farthest reach, whether or not they have touched.
 */
#include "apart.h"

#include "../interactions/active_candidates.h"
#include "../walls/sharing.h"
#include "bond_pairs.h"
#include "sphere_order.h"

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
            larger(s->wall_reach, laws_most_reach(of, s->walls.walls[k].given.material, radius));
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
        radius = larger(radius, laws_between(of, b->material, k)->curvature);
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

/* Whether what is apart exerts something: it is within reach, and has touched or need not have. */
static bool reaches(const law *l, double radius, double overlap, bool has_past)
{
    return -overlap <= law_reach(l, radius) && (has_past || l->begins_apart);
}

const law *apart_spot_law(const abut_simulation *s, const view *v, abut_index spot)
{
    const interaction_table *before = &s->before->tables[v->table->kind];
    const double overlap = v->table->body.spot_overlap[spot];
    const abut_index old = v->table->match[spot];
    const bool has_past = old >= 0 && view_spot_lived(before, old);
    const bool lives = overlap > 0.0 || (law_reach(v->law, v->radius) > 0.0 &&
                                         reaches(v->law, v->radius, overlap, has_past));
    return lives ? v->law : laws_none(&s->laws);
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
    return reaches(l, reduced(own, s->store.radii[j]), overlap, pairs_old(s, t, row) >= 0);
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

/* ---- contacts with walls ---- */

/* Rows that one thread takes in one go, and what one takes, as parallel_report counts it. */
enum { CHUNK_ROWS = 2048, WORK_OF_ROW = 8 };

/* What a row counts with where a sphere's contacts share what they pull: how far it is within the
 * reach, times the fourth root of the pull at that gap (docs/dem.md, section 2). */
static double weight_of_pull(const view *v)
{
    const double height = v->overlap + law_reach(v->law, v->radius);
    if (v->law->own) {
        return height;
    }
    return height * sqrt(sqrt(law_pull(v->law, v->radius, smaller(v->overlap, 0.0))));
}

static bool shares_pulls(const abut_simulation *s)
{
    return s->input.resolution == ABUT_SHARING && !laws_are_plain(&s->laws) &&
           s->now->tables[ABUT_SPHERE_WALL].count > 0;
}

/* Contacts with walls that share pulls. */
typedef struct pull_sharing {
    const abut_simulation *simulation;
    const interaction_table *table;
    bool is_final; /* all rows are known: their shares are set. Else rows apart take no part */
    double *pulls, *weights;
    vec3 *normals;
} pull_sharing;

/* Solve the equations of sharing for the pulls of one sphere's rows. */
static abut_status share_rows(const pull_sharing *p, abut_index begin, abut_index end,
                              sharing *solver, parallel_job *job)
{
    for (abut_index row = begin; row < end; row++) {
        const view v = view_row(p->simulation, p->table, row);
        const bool counts = p->is_final || v.overlap > 0.0;
        p->weights[row] = counts ? weight_of_pull(&v) : 0.0;
        p->normals[row] = v.normal;
    }
    return sharing_solve(solver, end - begin, p->normals + begin, p->weights + begin, 1.0,
                         p->pulls + begin, job);
}

/* A contact that pulls has its share of that; what laws of users exert is not known before. */
static void set_share(const pull_sharing *p, abut_index row)
{
    const view v = view_row(p->simulation, p->table, row);
    if (v.overlap <= 0.0 || (!v.law->own && law_attracts(v.law, v.radius, v.overlap))) {
        p->table->contact.share[row] = p->pulls[row];
    }
}

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
        for (; p->is_final && !status && row < next; row++) {
            set_share(p, row);
        }
        row = next;
    }
    sharing_free(&solver);
    return status;
}

static abut_status share_pulls(abut_simulation *s, const parallel_plan *plan, bool is_final)
{
    const interaction_table *t = &s->now->tables[ABUT_SPHERE_WALL];
    pull_sharing p = {.simulation = s, .table = t, .is_final = is_final};
    parallel_plan own = *plan;
    own.chunk_count = parallel_chunk_count(t->count, CHUNK_ROWS), own.work = WORK_OF_ROW * t->count;
    if (!shares_pulls(s)) {
        return ABUT_OK;
    }
    p.pulls = memory_reserve(&s->pull_block, t->count, sizeof *p.pulls);
    p.weights = memory_reserve(&s->share_blocks[0], t->count, sizeof *p.weights);
    p.normals = memory_reserve(&s->share_blocks[1], t->count, sizeof *p.normals);
    return p.pulls && p.weights && p.normals ? parallel_run(&own, share_chunk, &p) : ABUT_NO_MEMORY;
}

abut_status apart_share_pulls(abut_simulation *s, const parallel_plan *plan)
{
    return share_pulls(s, plan, true);
}

/* Contacts with walls, of which some are kept. */
typedef struct keeping {
    const abut_simulation *simulation;
    bool are_matched; /* it is known which rows of the step before they go on from */
    bool *is_kept;
    atomic_bool drops; /* some are not */
} keeping;

/* Whether a contact lives, or may live, whatever was in the step before. Of those that share and
 * touch, one that carries nothing is none. */
static bool contact_lives(const keeping *k, const view *v)
{
    const bool has_past = !k->are_matched || v->table->match[v->row] >= 0;
    if (v->overlap > 0.0 && !k->are_matched && !(v->table->contact.share[v->row] > 0.0)) {
        return apart_pull_share(k->simulation, v->row) > 0.0 &&
               (v->law->own || law_attracts(v->law, v->radius, v->overlap));
    }
    return v->overlap >= 0.0 || reaches(v->law, v->radius, v->overlap, has_past);
}

static void test_rows(void *context, abut_index begin, abut_index end)
{
    keeping *k = context;
    const interaction_table *t = &k->simulation->now->tables[ABUT_SPHERE_WALL];
    bool are_all = true;
    for (abut_index row = begin; row < end; row++) {
        const view v = view_row(k->simulation, t, row);
        k->is_kept[row] = contact_lives(k, &v);
        are_all &= k->is_kept[row];
    }
    if (!are_all) {
        atomic_store(&k->drops, true);
    }
}

/* Keep the contacts that live. ABUT_OK, or why the step is to end. */
static abut_status keep_contacts(abut_simulation *s, const parallel_plan *plan, bool are_matched)
{
    interaction_table *t = &s->now->tables[ABUT_SPHERE_WALL];
    keeping k = {.simulation = s, .are_matched = are_matched};
    k.is_kept = memory_reserve(&s->kept_block, t->count, sizeof *k.is_kept);
    if (!k.is_kept) {
        return ABUT_NO_MEMORY;
    }
    parallel_loop(plan->workers, t->count, CHUNK_ROWS, WORK_OF_ROW * t->count, test_rows, &k);
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
    const abut_status status = share_pulls(s, plan, false);
    return status ? status : keep_contacts(s, plan, false);
}

abut_status apart_drop_contacts(abut_simulation *s, const parallel_plan *plan)
{
    return s->laws.pulls_or_reaches ? keep_contacts(s, plan, true) : ABUT_OK;
}

/* ---- other laws ---- */

abut_status apart_reserve(abut_simulation *s)
{
    abut_index most = 1;
    for (int k = 0; k < ABUT_INTERACTION_COUNT; k++) {
        const abut_index count = s->before->tables[k].count;
        most = count > most ? count : most;
    }
    if (!s->laws.pulls_or_reaches) {
        return ABUT_OK;
    }
    return memory_reserve(&s->kept_block, most, sizeof(bool)) ? order_compact_pairs(s)
                                                              : ABUT_NO_MEMORY;
}

/* Whether the law of a row began apart, and does not with other laws or materials of spheres. */
static bool ends_apart(const abut_simulation *s, const view *v, const law_table *before,
                       const abut_index *materials)
{
    abut_index old[2], now[2];
    for (int side = 0; side < 2; side++) {
        const partner of = view_partner(s, v->table, v->row, side);
        const bool is_other = materials && of.kind == ABUT_PARTNER_SPHERE;
        old[side] = of.material;
        now[side] = is_other ? materials[of.number] : of.material;
    }
    return laws_between(before, old[0], old[1])->begins_apart &&
           !laws_between(&s->laws, now[0], now[1])->begins_apart;
}

/* Of bodies spots that are apart end: they exert nothing, so they have not lived. */
static void end_spots(const view *v)
{
    for (abut_index at = v->begin; at < v->end; at++) {
        if (view_overlap(v, at) <= 0.0) {
            v->table->effects[at] = (effect){.brake = 0.0};
        }
    }
}

void apart_end_untouched(abut_simulation *s, const law_table *before, const abut_index *materials)
{
    bool *is_kept = s->kept_block.data;
    for (int k = 0; before->pulls_or_reaches && k < ABUT_INTERACTION_COUNT; k++) {
        interaction_table *t = &s->before->tables[k];
        const bool is_of_bodies = table_is_of_bodies(t->kind);
        for (abut_index row = 0; row < t->count; row++) {
            const view v = view_row(s, t, row);
            const bool ends = ends_apart(s, &v, before, materials);
            is_kept[row] = !ends || is_of_bodies || v.overlap >= 0.0;
            if (ends && is_of_bodies) {
                end_spots(&v);
            }
        }
        if (t->count > 0 && !is_of_bodies) {
            table_keep(t, is_kept);
        }
    }
}
