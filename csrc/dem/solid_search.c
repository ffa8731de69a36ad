/* The part of a step that finds what bodies touch, and which spot continues which. */
#include "solid_search.h"

#include <stdlib.h>
#include <string.h>

#include "../convex/find.h"
#include "../convex/match.h"
#include "apart.h"
#include "check_lists.h"

/* Some rows, or pairs, that follow one another. */
typedef struct row_range {
    abut_index begin, end;
} row_range;

static void *reserve(abut_simulation *s, int block, abut_index count, size_t size)
{
    return memory_reserve(&s->search.blocks[block], count, size);
}

/* ---- what the neighbor list has of bodies ---- */

static int compare(int32_t a, int32_t b)
{
    return (a > b) - (a < b);
}

static int compare_near(const void *a, const void *b)
{
    const near_pair *p = a, *q = b;
    if (p->is_sphere != q->is_sphere) {
        return p->is_sphere ? 1 : -1;
    }
    const int by_body = compare(p->body, q->body);
    return by_body ? by_body : compare(p->other, q->other);
}

/* Who is held does not interact with others that are. */
static bool are_held(const abut_simulation *s, outline_pair pair, bool is_sphere)
{
    if (!s->solids.bodies[pair.outline].rigid.is_held) {
        return false;
    }
    return is_sphere ? store_holds(&s->store, pair.other)
                     : s->solids.bodies[pair.other - s->store.count].rigid.is_held;
}

static void sort_near(abut_simulation *s)
{
    const neighbor_list *l = &s->neighbors;
    solid_search *of = &s->search;
    of->near_count = of->near_bodies = 0;
    for (abut_index k = 0; k < l->outline_pair_count; k++) {
        const outline_pair pair = l->outline_pairs[k];
        const bool is_sphere = pair.other < s->store.count;
        const int32_t first = pair.other - (int32_t)s->store.count;
        if (are_held(s, pair, is_sphere)) {
            continue;
        }
        of->near[of->near_count++] =
            is_sphere ? (near_pair){pair.outline, s->store.rows[pair.other], true}
                      : (near_pair){first, pair.outline, false};
        of->near_bodies += !is_sphere;
    }
    if (of->near_count > 1) {
        qsort(of->near, (size_t)of->near_count, sizeof *of->near, compare_near);
    }
}

/* Number the spheres that are near bodies by row. */
static void number_spheres(abut_simulation *s)
{
    solid_search *of = &s->search;
    of->sphere_count = 0;
    if (of->near_count == of->near_bodies) {
        return;
    }
    memset(of->numbers, -1, (size_t)s->store.count * sizeof *of->numbers);
    for (abut_index k = of->near_bodies; k < of->near_count; k++) {
        of->numbers[of->near[k].other] = 0;
    }
    for (abut_index row = 0; row < s->store.count; row++) {
        if (of->numbers[row] == 0) {
            of->numbers[row] = (int32_t)of->sphere_count;
            of->spheres[of->sphere_count++] = (int32_t)row;
        }
    }
}

/* Whether two bodies of the largest reach may touch at several images. */
static bool may_touch_images(const abut_simulation *s)
{
    const int axis = lattice_shortest(&s->lattice);
    double reach = 0.0;
    for (abut_index k = 0; k < s->solids.count; k++) {
        reach = larger(reach, s->search.outlines.radii[k]);
    }
    return axis >= 0 && 4.0 * reach * (1.0 + LIST_ROUNDING) >= s->lattice.period[axis];
}

/* Take over what a list that is new has found. */
static abut_status take_near(abut_simulation *s)
{
    solid_search *of = &s->search;
    const abut_index count = s->neighbors.outline_pair_count;
    of->near = reserve(s, 0, count, sizeof *of->near);
    of->numbers = reserve(s, 1, s->store.count, sizeof *of->numbers);
    of->spheres = reserve(s, 2, count, sizeof *of->spheres);
    of->i = reserve(s, 3, count, sizeof *of->i);
    of->j = reserve(s, 4, count, sizeof *of->j);
    of->rows = reserve(s, 5, count, sizeof *of->rows);
    if (!of->near || !of->numbers || !of->spheres || !of->i || !of->j || !of->rows) {
        return ABUT_NO_MEMORY;
    }
    sort_near(s);
    number_spheres(s);
    of->has_images = may_touch_images(s);
    abut_convex_finder_free(of->mixed);
    of->mixed = NULL;
    return ABUT_OK;
}

/* ---- whose outlines touch ---- */

/* By how much two centers are apart at the nearest image, and how far they may be. */
typedef struct outline_gap {
    vec3 apart;
    double reach;
} outline_gap;

static const double *sphere_center(const abut_simulation *s, abut_index row)
{
    return s->store.centers + 3 * (abut_index)s->store.places[row];
}

static outline_gap measure_gap(const abut_simulation *s, const near_pair *p)
{
    const neighbor_outlines *of = &s->search.outlines;
    const double *other =
        p->is_sphere ? sphere_center(s, p->other) : of->centers + 3 * (abut_index)p->other;
    const double radius =
        p->is_sphere ? s->store.radii[s->store.places[p->other]] : of->radii[p->other];
    const vec3 apart = vec3_sub(vec3_load(of->centers + 3 * (abut_index)p->body), vec3_load(other));
    const vec3 shift = lattice_nearest(&s->lattice, apart);
    return (outline_gap){vec3_sub(apart, shift), of->radii[p->body] + radius};
}

static bool is_touched(const outline_gap *g, vec3 shift)
{
    const vec3 apart = vec3_sub(g->apart, shift);
    return vec3_dot(apart, apart) <= g->reach * g->reach;
}

/* Whether both touch at an image beside the nearest one. */
static bool is_touched_again(const abut_simulation *s, const outline_gap *g)
{
    const int axis = lattice_shortest(&s->lattice);
    if (axis < 0 || 2.0 * g->reach < s->lattice.period[axis]) {
        return false;
    }
    int count = 0;
    for (int k = 0; k < 27; k++) {
        const vec3 image = {k % 3 - 1.0, k / 3 % 3 - 1.0, k / 9 - 1.0};
        const bool is_there = (image.x == 0.0 || s->lattice.period[0] > 0.0) &&
                              (image.y == 0.0 || s->lattice.period[1] > 0.0) &&
                              (image.z == 0.0 || s->lattice.period[2] > 0.0);
        count += is_there && is_touched(g, lattice_shift(&s->lattice, image));
    }
    return count > 1;
}

/* Pairs that one thread takes in one go, and what one takes, as parallel_report counts it. */
enum { STRETCH = 512, WORK_OF_GAP = 2 };

/* touches: at how many images the outlines of a pair touch: 0, 1 or more. */
typedef struct selecting {
    const abut_simulation *simulation;
    const near_pair *pairs;
    abut_index *touches;
} selecting;

static void count_touches(void *context, abut_index begin, abut_index end)
{
    const selecting *of = context;
    for (abut_index k = begin; k < end; k++) {
        const near_pair *p = &of->pairs[k];
        const outline_gap gap = measure_gap(of->simulation, p);
        of->touches[k] = is_touched(&gap, (vec3){0.0, 0.0, 0.0});
        of->touches[k] += of->touches[k] && p->is_sphere && is_touched_again(of->simulation, &gap);
    }
}

/* Select those of these pairs whose outlines touch. A body and a sphere that do so at two
 * images are an error: rows do not tell at which image they touch. */
static abut_status select_pairs(abut_simulation *s, row_range pairs, abut_error *error)
{
    solid_search *of = &s->search;
    const abut_index count = pairs.end - pairs.begin;
    selecting all = {s, of->near + pairs.begin, of->rows};
    parallel_loop(s->input.workers, count, STRETCH, WORK_OF_GAP * count, count_touches, &all);
    of->pair_count = 0;
    for (abut_index k = 0; k < count; k++) {
        const near_pair *p = &all.pairs[k];
        if (all.touches[k] > 1) {
            return error_set(error, ABUT_BODY_IMAGES, p->body, p->other, 0.0);
        }
        if (all.touches[k] == 1) {
            of->i[of->pair_count] = p->body;
            of->j[of->pair_count++] =
                p->is_sphere ? s->solids.count + of->numbers[p->other] : p->other;
        }
    }
    return ABUT_OK;
}

/* ---- which rows go on ---- */

/* Let the selected pairs know their rows of the step before: both ascend. */
static void find_earlier(abut_simulation *s, abut_interaction meeting)
{
    const solid_search *of = &s->search;
    const interaction_table *old = &s->before->tables[meeting];
    const abut_convex_columns *c = &old->body;
    abut_index row = 0;
    for (abut_index k = 0; k < of->pair_count; k++) {
        const abut_index second = of->j[k], past = second - s->solids.count;
        const abut_index i = of->i[k], j = past < 0 ? second : of->spheres[past];
        while (row < old->count && (c->i[row] < i || (c->i[row] == i && c->j[row] < j))) {
            row++;
        }
        const bool goes_on = row < old->count && c->i[row] == i && c->j[row] == j;
        of->rows[k] = goes_on ? row : -1;
    }
}

/* ---- matching ---- */

/* By how many keys rows are the same: i, j and the mesh tell a body and its partner, the facet is
 * the last one. Images are none. */
enum { KEYS_OF_PARTNERS = 3, ALL_KEYS };

/* -1, 0 or 1: in which order two rows are by their first keys. */
static int compare_rows(const interaction_table *t, abut_index a, const interaction_table *other,
                        abut_index b, int key_count)
{
    const abut_convex_columns *c = &t->body, *d = &other->body;
    const abut_index *const keys[ALL_KEYS] = {c->i, c->j, c->mesh, c->facet};
    const abut_index *const other_keys[ALL_KEYS] = {d->i, d->j, d->mesh, d->facet};
    for (int k = 0; k < key_count; k++) {
        if (keys[k] && keys[k][a] != other_keys[k][b]) {
            return keys[k][a] < other_keys[k][b] ? -1 : 1;
        }
    }
    return 0;
}

/* Go on to the next rows that are the same by these keys, and to those of the step before, if there
 * are any: rows ascend in both. False: there are no more. */
static bool go_on(const interaction_table *now, row_range *rows, const interaction_table *before,
                  row_range *old, int key_count)
{
    rows->begin = rows->end, old->begin = old->end;
    while (rows->end < now->count &&
           compare_rows(now, rows->begin, now, rows->end, key_count) == 0) {
        rows->end++;
    }
    while (rows->end > rows->begin && old->begin < before->count &&
           compare_rows(now, rows->begin, before, old->begin, key_count) > 0) {
        old->begin++;
    }
    old->end = old->begin;
    while (rows->end > rows->begin && old->end < before->count &&
           compare_rows(now, rows->begin, before, old->end, key_count) == 0) {
        old->end++;
    }
    return rows->end > rows->begin;
}

static bool are_same_images(const interaction_table *now, abut_index row,
                            const interaction_table *before, abut_index old)
{
    const abut_index *image = now->body.image, *old_image = before->body.image;
    return !image || !old_image ||
           memcmp(image + 3 * row, old_image + 3 * old, 3 * sizeof *image) == 0;
}

/* Match the rows of two steps. Several of the same two partners are told apart by image; a single
 * one goes on at another image, too: it left the box and came in on the other side. */
static void match_rows(const interaction_table *now, const interaction_table *before)
{
    row_range rows = {0, 0}, old = {0, 0};
    memset(now->row_match, -1, (size_t)now->count * sizeof *now->row_match);
    while (go_on(now, &rows, before, &old, ALL_KEYS)) {
        const bool is_single = rows.end - rows.begin == 1 && old.end - old.begin == 1;
        for (abut_index row = rows.begin; row < rows.end; row++) {
            for (abut_index k = old.begin; k < old.end; k++) {
                if (is_single || are_same_images(now, row, before, k)) {
                    now->row_match[row] = k;
                }
            }
        }
    }
}

static abut_spot_step step_of(const interaction_table *t)
{
    return (abut_spot_step){.row_count = t->count,
                            .spot_count = t->entry_count,
                            .spot_offsets = t->body.spot_offsets,
                            .spot_type = t->body.spot_type,
                            .spot_feature = t->body.spot_feature};
}

/* ---- from facet to facet ---- */

/* Whether two spots are of the same feature of the body, and inside of facets both times. */
static bool is_on_facets(const interaction_table *now, abut_index spot,
                         const interaction_table *before, abut_index old)
{
    const uint8_t *type = now->body.spot_type + 2 * spot;
    const uint8_t *old_type = before->body.spot_type + 2 * old;
    return type[1] == ABUT_FACET && old_type[1] == ABUT_FACET && type[0] == old_type[0] &&
           now->body.spot_feature[2 * spot] == before->body.spot_feature[2 * old];
}

/* Match what is left of the rows of a body and a wall: where the body slides from facet to facet,
 * what lay on the one goes on on the other. */
static void match_rest(const interaction_table *now, row_range rows,
                       const interaction_table *before, row_range old_rows)
{
    const abut_index *offsets = now->body.spot_offsets;
    const abut_index *old_offsets = before->body.spot_offsets;
    abut_index *match = now->springs.match;
    for (abut_index spot = offsets[rows.begin]; spot < offsets[rows.end]; spot++) {
        abut_index old = match[spot] < 0 ? old_offsets[old_rows.begin] : old_offsets[old_rows.end];
        for (; match[spot] < 0 && old < old_offsets[old_rows.end]; old++) {
            match[spot] = is_on_facets(now, spot, before, old) ? old : -1;
        }
    }
}

static void match_facets(const interaction_table *now, const interaction_table *before)
{
    row_range rows = {0, 0}, old = {0, 0};
    while (go_on(now, &rows, before, &old, KEYS_OF_PARTNERS)) {
        if (old.end > old.begin) {
            match_rest(now, rows, before, old);
        }
    }
}

static void match_spots(abut_simulation *s, abut_interaction meeting)
{
    const interaction_table *t = &s->now->tables[meeting], *old = &s->before->tables[meeting];
    if (t->count == 0) {
        return;
    }
    if (old->count == 0) {
        memset(t->springs.match, -1, (size_t)t->entry_count * sizeof *t->springs.match);
        return;
    }
    const abut_spot_step now = step_of(t), before = step_of(old);
    const spot_steps steps = {.now = &now, .before = &before, .row_match = t->row_match};
    spots_match(&steps, t->springs.match);
    if (meeting == ABUT_BODY_WALL) {
        match_facets(t, old);
    }
}

/* ---- rows ---- */

/* What is found becomes the table of now; rows of pairs that were given know which they go on from.
 */
static abut_status take_rows(abut_simulation *s, abut_interaction meeting,
                             abut_convex_contacts *found, abut_error *error)
{
    interaction_table *t = &s->now->tables[meeting];
    const abut_index rows = abut_convex_contacts_count(found);
    const abut_index spots = abut_convex_contacts_spot_count(found);
    if (table_reserve(t, (table_size){rows, spots, s->solids.count}, simulation_extras(s))) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    abut_convex_columns columns = t->body;
    columns.before = t->row_match;
    abut_convex_contacts_write(found, &columns);
    t->count = rows, t->entry_count = spots;
    return ABUT_OK;
}

static abut_convex_query make_query(const abut_simulation *s, const parallel_plan *plan,
                                    abut_interaction meeting)
{
    const interaction_table *old = &s->before->tables[meeting];
    const abut_convex_columns *c = &old->body;
    abut_convex_query query = abut_convex_query_default();
    query.positions = s->search.crowd.positions, query.orientations = s->search.crowd.orientations;
    query.period = lattice_periods(&s->lattice);
    query.gap = s->body_reach;
    query.workers = s->input.workers;
    query.interrupted = plan->interrupted;
    query.interrupted_data = plan->interrupted_data;
    if (old->count > 0) {
        query.before = (abut_convex_before){.row_count = old->count,
                                            .i = c->i,
                                            .j = c->j,
                                            .mesh = c->mesh,
                                            .facet = c->facet,
                                            .image = c->image,
                                            .state = c->state};
    }
    return query;
}

static abut_status find_rows(abut_simulation *s, abut_interaction meeting,
                             const abut_convex_finder *finder, const abut_convex_query *query,
                             abut_error *error)
{
    abut_convex_contacts *found = NULL;
    abut_convex_walls walls = {.finder = s->walls.finder,
                               .poses = s->now->poses,
                               .half_space_count = s->walls.touched_count - s->walls.mesh_count,
                               .half_spaces = s->walls.placed};
    walls.bodies = near_walls_bodies(&s->near, &walls.body_count);
    abut_status status = meeting == ABUT_BODY_WALL
                             ? abut_convex_find_walls(finder, query, &walls, &found, error)
                         : query->i ? convex_find_given(finder, query, &found, error)
                                    : abut_convex_find(finder, query, &found, error);
    status = status ? status : take_rows(s, meeting, found, error);
    if (!status && meeting == ABUT_BODY_WALL) {
        status = check_walls_of_bodies(s, query, &walls, error);
    }
    abut_convex_contacts_free(found);
    return status;
}

/* Search all bodies, of which several rows may have the same two partners. */
static abut_status find_all(abut_simulation *s, abut_interaction meeting, const parallel_plan *plan,
                            abut_error *error)
{
    const abut_convex_query query = make_query(s, plan, meeting);
    const abut_status status = find_rows(s, meeting, s->search.bodies, &query, error);
    if (!status) {
        match_rows(&s->now->tables[meeting], &s->before->tables[meeting]);
    }
    return status;
}

/* Search the pairs of the list whose outlines touch. */
static abut_status find_listed(abut_simulation *s, abut_interaction meeting, row_range pairs,
                               const parallel_plan *plan, abut_error *error)
{
    solid_search *of = &s->search;
    const bool is_mixed = meeting == ABUT_BODY_SPHERE;
    abut_convex_finder **finder = is_mixed ? &of->mixed : &of->bodies;
    abut_status status = select_pairs(s, pairs, error);
    if (status || of->pair_count == 0) {
        return status;
    }
    abut_convex_query query = make_query(s, plan, meeting);
    find_earlier(s, meeting);
    query.i = of->i, query.j = of->j, query.pair_count = of->pair_count;
    query.before.match = of->rows;
    if (!*finder) {
        status = crowd_make_finder(&of->crowd, &s->solids, of->crowd.count, finder, error);
    }
    return status ? status : find_rows(s, meeting, *finder, &query, error);
}

/* Where two bodies may touch at several images, all are searched for. */
static abut_status find_bodies(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    const row_range pairs = {0, s->search.near_bodies};
    return s->search.has_images ? find_all(s, ABUT_BODY_BODY, plan, error)
                                : find_listed(s, ABUT_BODY_BODY, pairs, plan, error);
}

static abut_status find_spheres(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    const solid_search *of = &s->search;
    const interaction_table *t = &s->now->tables[ABUT_BODY_SPHERE];
    const row_range pairs = {of->near_bodies, of->near_count};
    const abut_status status = find_listed(s, ABUT_BODY_SPHERE, pairs, plan, error);
    for (abut_index row = 0; !status && row < t->count; row++) {
        t->body.j[row] = of->spheres[t->body.j[row] - s->solids.count];
    }
    return status;
}

/* ---- all of them ---- */

static abut_status find_meetings(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    solid_search *of = &s->search;
    abut_status status = s->neighbors.is_new ? take_near(s) : ABUT_OK;
    status = status ? status
                    : crowd_gather(&of->crowd, &s->solids, &s->store, of->spheres, of->sphere_count,
                                   s->input.workers);
    error_set_status(error, status);
    if (!status && !of->bodies) {
        status = crowd_make_finder(&of->crowd, &s->solids, s->solids.count, &of->bodies, error);
    }
    status = status ? status : find_bodies(s, plan, error);
    if (!status && s->walls.touched_count > 0) {
        status = find_all(s, ABUT_BODY_WALL, plan, error);
    }
    if (!status && s->store.count > 0) {
        status = find_spheres(s, plan, error);
    }
    status = status ? status : check_bodies_of_lists(s, error);
    for (int k = 0; !status && k < ABUT_BODY_INTERACTIONS; k++) {
        match_spots(s, (abut_interaction)k);
    }
    return status;
}

abut_status solids_find(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    for (int k = 0; k < ABUT_BODY_INTERACTIONS; k++) {
        table_clear(&s->now->tables[k], s->solids.count);
    }
    return s->solids.count > 0 ? find_meetings(s, plan, error) : ABUT_OK;
}
