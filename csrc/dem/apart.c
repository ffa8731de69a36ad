/* Interactions across a gap. Searches find all partners within the largest reach of any law. */
#include "apart.h"

#include "../interactions/active_candidates.h"
#include "../walls/sharing.h"
#include "bond_pairs.h"
#include "sphere_order.h"

/* ---- cutoffs ---- */

static double find_largest_radius(const abut_simulation *s)
{
    double radius = 0.0;
    for (abut_index place = 0; place < s->store.count; place++) {
        radius = larger(radius, s->store.radii[place]);
    }
    return radius;
}

/* Computes the cutoffs for spheres. A law's reach grows with R*, so the largest sphere decides. */
static void measure_spheres(abut_simulation *s)
{
    const law_table *laws = &s->laws;
    const double radius = laws->pulls_or_reaches ? find_largest_radius(s) : 0.0;
    s->pair_reach = s->wall_reach = 0.0;
    for (abut_index k = 0; radius > 0.0 && k < s->walls.touched_count; k++) {
        s->wall_reach =
            larger(s->wall_reach, laws_most_reach(laws, s->walls.walls[k].given.material, radius));
    }
    for (abut_index k = 0; radius > 0.0 && k < laws->material_count; k++) {
        s->pair_reach = larger(s->pair_reach, laws_most_reach(laws, k, radius));
    }
}

double apart_body_reach(const abut_simulation *s, abut_index body)
{
    const law_table *laws = &s->laws;
    const rigid_body *b = &s->solids.bodies[body];
    double radius = b->rounding;
    for (abut_index k = 0; laws->pulls_or_reaches && k < laws->material_count; k++) {
        radius = larger(radius, laws_between(laws, b->material, k)->curvature);
    }
    return radius > 0.0 ? laws_most_reach(laws, b->material, radius) : 0.0;
}

void apart_measure(abut_simulation *s)
{
    measure_spheres(s);
    s->body_reach = 0.0;
    for (abut_index k = 0; s->laws.pulls_or_reaches && k < s->solids.count; k++) {
        s->body_reach = larger(s->body_reach, apart_body_reach(s, k));
    }
}

/* ---- active contacts ---- */

/* Whether a contact with a gap acts. The gap must be within reach, and the contact must have
 * touched before unless its law needs no touch. */
static bool reaches(const law *l, double radius, double overlap, bool continues)
{
    return -overlap <= law_reach(l, radius) && (continues || l->begins_apart);
}

const law *apart_spot_law(const abut_simulation *s, const view *v, abut_index spot)
{
    const interaction_table *before = &s->before->tables[v->table->kind];
    const double overlap = v->table->body.spot_overlap[spot];
    const abut_index before_spot = v->table->match[spot];
    const bool continues = before_spot >= 0 && view_spot_is_active(before, before_spot);
    const bool is_active = overlap > 0.0 || (law_reach(v->law, v->radius) > 0.0 &&
                                             reaches(v->law, v->radius, overlap, continues));
    return is_active ? v->law : laws_none(&s->laws);
}

/* Whether a pair is active. For a pair with a bond or a rest, bonds_touch decides. */
static bool is_pair_active(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    const abut_index place_i = table_first(t, row), place_j = table_second(t, row);
    const double overlap = t->pair.overlap[row], radius_i = s->store.radii[place_i];
    const law *l = simulation_pair_law(s, place_i, place_j);
    /* the overlap of touching spheres may be below 0 because of rounding */
    const bool is_touch_all = l->form->function == LAW_PLAIN ||
                              (l->form->function == LAW_USER && !(law_reach(l, radius_i) > 0.0));
    if (is_touch_all || overlap >= 0.0) {
        return true;
    }
    const pair_touch p = pairs_touch(s, t, row);
    if (p.is_hidden || p.rest > 0.0) {
        return !p.is_hidden;
    }
    return reaches(l, reduced(radius_i, s->store.radii[place_j]), overlap,
                   pairs_row_before(s, t, row) >= 0);
}

bool apart_candidate_is_active(const abut_simulation *s, int32_t candidate, double overlap)
{
    const neighbor_list *l = &s->neighbors;
    const interaction_table alone = {.kind = ABUT_SPHERE_SPHERE,
                                     .count = 1,
                                     .candidates = &candidate,
                                     .list_firsts = l->firsts,
                                     .list_seconds = l->seconds,
                                     .pair = {.overlap = &overlap}};
    return is_pair_active(s, &alone, 0);
}

/* ---- contacts with walls ---- */

/* CHUNK_ROWS: table rows per task. WORK_OF_ROW: the work of a row in units of parallel_report. */
enum { CHUNK_ROWS = 2048, WORK_OF_ROW = 8 };

/* The weight of a row for sharing a sphere's attraction: docs/dem.md eq. 28. */
static double weight_of_pull(const view *v)
{
    const double height = v->overlap + law_reach(v->law, v->radius);
    if (v->law->user) {
        return height;
    }
    return height * sqrt(sqrt(law_pull(v->law, v->radius, smaller(v->overlap, 0.0))));
}

static bool shares_pulls(const abut_simulation *s)
{
    return s->input.resolution == ABUT_SHARING && !laws_are_plain(&s->laws) &&
           s->now->tables[ABUT_SPHERE_WALL].count > 0;
}

/* Data for sharing the attractive forces (pulls) on spheres among their contacts with walls. */
typedef struct pull_sharing {
    const abut_simulation *simulation;
    const interaction_table *table;
    bool is_final; /* false: only rows that overlap share the attraction, and `share` is not set */
    double *pulls, *weights;
    vec3 *normals;
} pull_sharing;

/* Solves the equations that share a sphere's attraction among its rows. */
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

/* Sets the share of an attracting row. A touching row of a user's law keeps its share of the push,
 * because its force is not known yet. */
static void set_share(const pull_sharing *p, abut_index row)
{
    const view v = view_row(p->simulation, p->table, row);
    if (v.overlap <= 0.0 || (!v.law->user && law_attracts(v.law, v.radius, v.overlap))) {
        p->table->contact.share[row] = p->pulls[row];
    }
}

/* Shares the attraction of the spheres that have their first row in this chunk. */
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
    parallel_plan run = *plan;
    run.chunk_count = parallel_chunk_count(t->count, CHUNK_ROWS), run.work = WORK_OF_ROW * t->count;
    if (!shares_pulls(s)) {
        return ABUT_OK;
    }
    p.pulls = memory_reserve(&s->pull_block, t->count, sizeof *p.pulls);
    p.weights = memory_reserve(&s->share_blocks[0], t->count, sizeof *p.weights);
    p.normals = memory_reserve(&s->share_blocks[1], t->count, sizeof *p.normals);
    return p.pulls && p.weights && p.normals ? parallel_run(&run, share_chunk, &p) : ABUT_NO_MEMORY;
}

abut_status apart_share_pulls(abut_simulation *s, const parallel_plan *plan)
{
    return share_pulls(s, plan, true);
}

/* Data for removing contacts with walls that are not active. */
typedef struct keeping {
    const abut_simulation *simulation;
    bool are_matched; /* rows are matched with those of the last step */
    bool *is_kept;
    atomic_bool drops; /* set if some rows are not kept */
} keeping;

/* Whether a contact is active or, before rows are matched, may be active. Before the match, a
 * contact without a share of the push counts only if it attracts. */
static bool is_contact_active(const keeping *k, const view *v)
{
    const bool continues = !k->are_matched || v->table->match[v->row] >= 0;
    if (v->overlap > 0.0 && !k->are_matched && !(v->table->contact.share[v->row] > 0.0)) {
        return apart_pull_share(k->simulation, v->row) > 0.0 &&
               (v->law->user || law_attracts(v->law, v->radius, v->overlap));
    }
    return v->overlap >= 0.0 || reaches(v->law, v->radius, v->overlap, continues);
}

static void test_rows(void *context, abut_index begin, abut_index end)
{
    keeping *k = context;
    const interaction_table *t = &k->simulation->now->tables[ABUT_SPHERE_WALL];
    bool are_all = true;
    for (abut_index row = begin; row < end; row++) {
        const view v = view_row(k->simulation, t, row);
        k->is_kept[row] = is_contact_active(k, &v);
        are_all &= k->is_kept[row];
    }
    if (!are_all) {
        atomic_store(&k->drops, true);
    }
}

/* Keeps active contacts and removes others. ABUT_OK, or the error that ends the step. */
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

/* ---- a change of laws ---- */

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

/* Whether the old law of a row acts before its partners touch, and the new law does not. */
static bool ends_apart(const abut_simulation *s, const view *v, const law_table *before,
                       const abut_index *materials)
{
    abut_index before_material[2], now[2];
    for (int side = 0; side < 2; side++) {
        const partner one = view_partner(s, v->table, v->row, side);
        const bool is_other = materials && one.kind == ABUT_PARTNER_SPHERE;
        before_material[side] = one.material;
        now[side] = is_other ? materials[one.number] : one.material;
    }
    return laws_between(before, before_material[0], before_material[1])->begins_apart &&
           !laws_between(&s->laws, now[0], now[1])->begins_apart;
}

/* Clears the forces of spots with a gap, which makes them inactive. */
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
