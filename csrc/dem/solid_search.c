/* The part of a step that finds contacts of bodies, and matches them with the last step's. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

#include "../convex/find_convex.h"
#include "../convex/match_spots.h"
#include "apart.h"
#include "check_lists.h"
#include "pair_rows.h"

static void *reserve(abut_simulation *s, int block, abut_index count, size_t size)
{
    return memory_reserve(&s->search.blocks[block], count, size);
}

/* ---- pairs of the neighbor list ---- */

static int compare(abut_index a, abut_index b)
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

/* Whether both partners are fixed. Two fixed partners never interact. */
static bool are_fixed(const abut_simulation *s, outline_pair pair, bool is_sphere)
{
    if (!s->solids.bodies[pair.outline].rigid.is_fixed) {
        return false;
    }
    return is_sphere ? store_is_fixed(&s->store, pair.other)
                     : s->solids.bodies[pair.other - s->store.count].rigid.is_fixed;
}

static void sort_near(abut_simulation *s)
{
    const neighbor_list *l = &s->neighbors;
    solid_search *search = &s->search;
    search->near_count = search->near_bodies = 0;
    for (abut_index k = 0; k < l->outline_pair_count; k++) {
        const outline_pair pair = l->outline_pairs[k];
        const bool is_sphere = pair.other < s->store.count;
        const int32_t first = pair.other - (int32_t)s->store.count;
        if (are_fixed(s, pair, is_sphere)) {
            continue;
        }
        search->near[search->near_count++] =
            is_sphere ? (near_pair){pair.outline, s->store.rows[pair.other], true}
                      : (near_pair){first, pair.outline, false};
        search->near_bodies += !is_sphere;
    }
    if (search->near_count > 1) {
        qsort(search->near, (size_t)search->near_count, sizeof *search->near, compare_near);
    }
}

/* Numbers the spheres near bodies in the order of their rows. */
static void number_spheres(abut_simulation *s)
{
    solid_search *search = &s->search;
    search->sphere_count = 0;
    if (search->near_count == search->near_bodies) {
        return;
    }
    memset(search->near_positions, -1, (size_t)s->store.count * sizeof *search->near_positions);
    for (abut_index k = search->near_bodies; k < search->near_count; k++) {
        search->near_positions[search->near[k].other] = 0;
    }
    for (abut_index row = 0; row < s->store.count; row++) {
        if (search->near_positions[row] == 0) {
            search->near_positions[row] = (int32_t)search->sphere_count;
            search->spheres[search->sphere_count++] = (int32_t)row;
        }
    }
}

/* Whether the largest bodies may touch each other at several images. */
static bool may_touch_images(const abut_simulation *s)
{
    double reach = 0.0;
    for (abut_index k = 0; k < s->solids.count; k++) {
        reach = larger(reach, s->search.outlines.radii[k]);
    }
    reach *= 1.0 + s->neighbors.pace.stretch; /* the cell may become narrower */
    return 4.0 * reach * (1.0 + LIST_ROUNDING) >= lattice_width(&s->lattice);
}

/* Copies the pairs with bodies from a new neighbor list. */
static abut_status take_near(abut_simulation *s)
{
    solid_search *search = &s->search;
    const abut_index count = s->neighbors.outline_pair_count;
    search->near = reserve(s, 0, count, sizeof *search->near);
    search->near_positions = reserve(s, 1, s->store.count, sizeof *search->near_positions);
    search->spheres = reserve(s, 2, count, sizeof *search->spheres);
    search->i = reserve(s, 3, count, sizeof *search->i);
    search->j = reserve(s, 4, count, sizeof *search->j);
    search->rows = reserve(s, 5, count, sizeof *search->rows);
    if (!search->near || !search->near_positions || !search->spheres || !search->i || !search->j ||
        !search->rows) {
        return ABUT_NO_MEMORY;
    }
    sort_near(s);
    number_spheres(s);
    search->has_images = may_touch_images(s);
    abut_convex_finder_free(search->mixed);
    search->mixed = NULL;
    return ABUT_OK;
}

/* ---- touching outlines ---- */

static bool is_near(vec3 apart, double reach)
{
    return vec3_dot(apart, apart) <= reach * reach;
}

/* The number of images at which the outlines of a pair touch. For two bodies, and for outlines too
 * small to touch at several images, only the nearest image is checked. */
static int count_touches(const abut_simulation *s, const near_pair *p)
{
    const neighbor_outlines *outlines = &s->search.outlines;
    const abut_index other = p->is_sphere ? s->store.places[p->other] : p->other;
    const double *centers = p->is_sphere ? s->store.centers : outlines->centers;
    const double *radii = p->is_sphere ? s->store.radii : outlines->radii;
    const vec3 from = vec3_load(centers + 3 * other);
    vec3 apart = vec3_sub(vec3_load(outlines->centers + 3 * (abut_index)p->body), from);
    const double reach = outlines->radii[p->body] + radii[other];
    apart = vec3_sub(apart, lattice_nearest(&s->lattice, apart));
    if (!p->is_sphere || 2.0 * reach < lattice_width(&s->lattice)) {
        return is_near(apart, reach);
    }
    const image_range range = lattice_images_near(&s->lattice, apart, reach);
    int count = 0;
    vec3 image = range.first;
    bool has_image = image_range_count(&range) > 0.0;
    for (; has_image; has_image = image_range_next(&range, &image)) {
        count += is_near(vec3_sub(apart, lattice_shift(&s->lattice, image)), reach);
    }
    return count;
}

/* Compares a pair with a table row by their partners: -1, 0 or 1. */
static int compare_with_row(const near_pair *p, const interaction_table *t, abut_index row)
{
    const int by_body = compare(p->body, t->body.i[row]);
    return by_body ? by_body : compare(p->other, t->body.j[row]);
}

static bool is_before_pair(const void *table, abut_index row, const void *pair)
{
    return compare_with_row(pair, table, row) > 0;
}

/* Values in place of the last step's row: the outlines touch at no image, or at two or more. */
enum { APART = -3, TWICE = -2 };

/* STRETCH: pairs per task. WORK_OF_GAP: the work of a pair in units of parallel_report. */
enum { STRETCH = 512, WORK_OF_GAP = 2 };

typedef struct selecting {
    const abut_simulation *simulation;
    const interaction_table *before;
    const near_pair *pairs;
    abut_index *rows;
} selecting;

/* Finds the last step's row for each pair with touching outlines. Pairs and rows are in the same
 * order. */
static void find_rows_before(void *context, abut_index begin, abut_index end)
{
    const selecting *selection = context;
    const interaction_table *t = selection->before;
    abut_index row =
        span_find((row_span){0, t->count}, t, &selection->pairs[begin], is_before_pair);
    for (abut_index k = begin; k < end; k++) {
        const near_pair *p = &selection->pairs[k];
        const int touches = count_touches(selection->simulation, p);
        while (row < t->count && compare_with_row(p, t, row) > 0) {
            row++;
        }
        const bool continues = row < t->count && compare_with_row(p, t, row) == 0;
        selection->rows[k] = touches == 0 ? APART : touches > 1 ? TWICE : continues ? row : -1;
    }
}

/* Whether the pairs of a kind come from the neighbor list. Pairs of two bodies come from a search
 * if they may touch at several images. */
static bool is_listed(const abut_simulation *s, abut_interaction kind)
{
    return kind == ABUT_BODY_SPHERE || (kind == ABUT_BODY_BODY && !s->search.has_images);
}

/* Selects the pairs of the list with touching outlines. It is an error if the outlines of a body
 * and a sphere touch at several images, because a pair is only searched at one image. */
static abut_status select_pairs(abut_simulation *s, abut_interaction kind, abut_error *error)
{
    solid_search *search = &s->search;
    const bool is_mixed = kind == ABUT_BODY_SPHERE;
    const abut_index first = is_mixed ? search->near_bodies : 0;
    const abut_index count = (is_mixed ? search->near_count : search->near_bodies) - first;
    selecting all = {s, &s->before->tables[kind], search->near + first, search->rows};
    parallel_loop(s->input.workers, count, STRETCH, WORK_OF_GAP * count, find_rows_before, &all);
    search->pair_count = 0;
    for (abut_index k = 0; k < count; k++) {
        const near_pair *p = &all.pairs[k];
        if (all.rows[k] == TWICE) {
            return error_set(error, ABUT_BODY_IMAGES, p->body, p->other, 0.0);
        }
        if (all.rows[k] != APART) {
            search->i[search->pair_count] = p->body;
            search->j[search->pair_count] =
                p->is_sphere ? s->solids.count + search->near_positions[p->other] : p->other;
            search->rows[search->pair_count++] = all.rows[k];
        }
    }
    return ABUT_OK;
}

/* ---- images of the last step ---- */

/* How many of each vector were subtracted, at the end of the last step, from the position of a
 * row's second partner: a body, or a wall, which is not moved into the cell. */
static vec3 last_wraps_of_second(const abut_simulation *s, const interaction_table *t,
                                 abut_index row)
{
    return t->kind == ABUT_BODY_BODY ? rigid_last_wraps(s, &s->solids.bodies[t->body.j[row]].rigid)
                                     : (vec3){0.0, 0.0, 0.0};
}

/* The image of a row of the last step by its present name: after partners were moved into the cell,
 * and vectors were exchanged. */
static vec3 image_now(const abut_simulation *s, const interaction_table *before, abut_index row)
{
    const vec3 then = cell_image_now(&s->cell, lattice_image(before->body.image + 3 * row));
    const vec3 first = rigid_last_wraps(s, &s->solids.bodies[before->body.i[row]].rigid);
    return vec3_add(then, vec3_sub(last_wraps_of_second(s, before, row), first));
}

typedef struct image_naming {
    const abut_simulation *simulation;
    const interaction_table *before;
    abut_index *images;
} image_naming;

static void name_stretch(void *context, abut_index begin, abut_index end)
{
    const image_naming *n = context;
    for (abut_index row = begin; row < end; row++) {
        lattice_put_image(n->images + 3 * row, 3, image_now(n->simulation, n->before, row));
    }
}

/* Sets the images of a query's rows of the last step, by their present names. ABUT_OK or
 * ABUT_NO_MEMORY. */
static abut_status name_images(abut_simulation *s, const interaction_table *before,
                               abut_convex_query *query)
{
    const abut_index count = before->count;
    if (count == 0 || !before->body.image) {
        return ABUT_OK;
    }
    image_naming all = {s, before, reserve(s, 6, 3 * count, sizeof *all.images)};
    if (!all.images) {
        return ABUT_NO_MEMORY;
    }
    parallel_loop(s->input.workers, count, STRETCH, count, name_stretch, &all);
    query->before.image = all.images;
    return ABUT_OK;
}

/* ---- matching ---- */

/* Data for matching the rows of two steps. knows_rows: row_match has been set before. */
typedef struct matching {
    const interaction_table *now, *before;
    abut_spot_step spots[2]; /* the spots of this step and of the last one */
    bool knows_rows;
    const abut_simulation *simulation;
} matching;

static abut_spot_step step_of(const interaction_table *t)
{
    return (abut_spot_step){.row_count = t->count,
                            .spot_count = t->entry_count,
                            .spot_offsets = t->body.spot_offsets,
                            .spot_type = t->body.spot_type,
                            .spot_feature = t->body.spot_feature};
}

/* Compares two rows by partners: -1, 0 or 1. */
static int compare_rows(const interaction_table *t, abut_index a, const interaction_table *other,
                        abut_index b)
{
    const int by_first = compare(table_first(t, a), table_first(other, b));
    return by_first ? by_first : compare(table_second(t, a), table_second(other, b));
}

static bool is_before_row(const void *steps, abut_index row_before, const void *row)
{
    const matching *m = steps;
    return compare_rows(m->now, *(const abut_index *)row, m->before, row_before) > 0;
}

/* The rows from `first` on that have the same partners as a row of this step. */
static row_span rows_alike(const matching *m, abut_index row, const interaction_table *t,
                           abut_index first)
{
    row_span alike = {first, 0};
    while (first + alike.count < t->count &&
           compare_rows(m->now, row, t, first + alike.count) == 0) {
        alike.count++;
    }
    return alike;
}

static bool are_on_one_facet(const matching *m, abut_index row, const interaction_table *t,
                             abut_index other)
{
    return !t->body.facet || m->now->body.facet[row] == t->body.facet[other];
}

static bool are_same_images(const matching *m, abut_index row, abut_index row_before)
{
    const abut_index *image = m->now->body.image;
    return !image || !m->before->body.image ||
           vec3_compare(lattice_image(image + 3 * row),
                        image_now(m->simulation, m->before, row_before)) == 0;
}

/* Finds the row of the last step that a row continues, among rows with the same partners. Rows on
 * walls must have the same facet. If there are several rows, the image decides. A single row may
 * change its image, since the pair may leave the periodic box and enter on the other side. */
static abut_index find_row(const matching *m, abut_index row, row_span rows, row_span rows_before)
{
    abut_index count = 0, count_before = 0, last = -1, at_image = -1;
    for (abut_index k = rows.first; k < rows.first + rows.count; k++) {
        count += are_on_one_facet(m, row, m->now, k);
    }
    for (abut_index k = rows_before.first; k < rows_before.first + rows_before.count; k++) {
        if (are_on_one_facet(m, row, m->before, k)) {
            last = k, count_before++;
            at_image = are_same_images(m, row, k) ? k : at_image;
        }
    }
    return count == 1 && count_before == 1 ? last : at_image;
}

/* Whether two spots are on the same feature of the body, and both inside facets of the wall. */
static bool is_on_facets(const interaction_table *now, abut_index spot,
                         const interaction_table *before, abut_index spot_before)
{
    const uint8_t *type = now->body.spot_type + 2 * spot;
    const uint8_t *type_before = before->body.spot_type + 2 * spot_before;
    return type[1] == ABUT_FACET && type_before[1] == ABUT_FACET && type[0] == type_before[0] &&
           now->body.spot_feature[2 * spot] == before->body.spot_feature[2 * spot_before];
}

/* Matches the remaining spots across facets, since a body may slide from one facet to the next. */
static void match_rest(const matching *m, row_span rows, row_span rows_before)
{
    const abut_index *offsets = m->now->body.spot_offsets + rows.first;
    const abut_index *offsets_before = m->before->body.spot_offsets + rows_before.first;
    abut_index *match = m->now->match;
    for (abut_index spot = offsets[0]; spot < offsets[rows.count]; spot++) {
        abut_index spot_before =
            match[spot] < 0 ? offsets_before[0] : offsets_before[rows_before.count];
        for (; match[spot] < 0 && spot_before < offsets_before[rows_before.count]; spot_before++) {
            match[spot] = is_on_facets(m->now, spot, m->before, spot_before) ? spot_before : -1;
        }
    }
}

/* Matches the rows of one pair of partners, and their spots. */
static void match_rows(const matching *m, row_span rows, row_span rows_before)
{
    const interaction_table *t = m->now;
    const spot_steps steps = {&m->spots[0], &m->spots[1], t->row_match, NULL};
    for (abut_index row = rows.first; row < rows.first + rows.count; row++) {
        t->row_match[row] = m->knows_rows ? t->row_match[row] : find_row(m, row, rows, rows_before);
        spots_match_row(&steps, row, t->match);
    }
    if (t->kind == ABUT_BODY_WALL && rows_before.count > 0) {
        match_rest(m, rows, rows_before);
    }
}

/* Matches the rows of a task. Rows of both steps ascend. Rows with the same partners all belong to
 * the task with the first of them. */
static void match_stretch(void *context, abut_index begin, abut_index end)
{
    const matching *m = context;
    const interaction_table *t = m->now, *before = m->before;
    row_span rows = begin > 0 ? rows_alike(m, begin - 1, t, begin) : (row_span){0, 0};
    abut_index row = rows.first + rows.count, row_before = 0;
    if (row < end) {
        row_before = span_find((row_span){0, before->count}, m, &row, is_before_row);
    }
    for (; row < end; row += rows.count) {
        while (row_before < before->count && is_before_row(m, row_before, &row)) {
            row_before++;
        }
        rows = rows_alike(m, row, t, row);
        match_rows(m, rows, rows_alike(m, row, before, row_before));
    }
}

static void match_kind(abut_simulation *s, abut_interaction kind)
{
    const interaction_table *t = &s->now->tables[kind], *before = &s->before->tables[kind];
    matching m = {t, before, {step_of(t), step_of(before)}, is_listed(s, kind), s};
    parallel_loop(s->input.workers, t->count, STRETCH, 10 * t->count, match_stretch, &m);
}

/* ---- rows ---- */

/* Copies the result of a search into the table. If pairs were given to the search, also copies the
 * row of the last step that each row continues. */
static abut_status take_rows(abut_simulation *s, abut_interaction kind, abut_convex_contacts *found,
                             abut_error *error)
{
    interaction_table *t = &s->now->tables[kind];
    const abut_index rows = abut_convex_contacts_count(found);
    const abut_index spots = abut_convex_contacts_spot_count(found);
    if (table_reserve(t, (table_size){rows, spots, s->solids.count}, simulation_extras(s))) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    abut_convex_columns columns = t->body;
    columns.before = t->row_match;
    abut_convex_contacts_write(found, &columns);
    t->count = rows, t->entry_count = spots;
    for (abut_index row = 0; kind == ABUT_BODY_SPHERE && row < rows; row++) {
        t->body.j[row] = s->search.spheres[t->body.j[row] - s->solids.count];
    }
    return ABUT_OK;
}

static abut_convex_query make_query(const abut_simulation *s, const parallel_plan *plan,
                                    abut_interaction kind)
{
    const interaction_table *before = &s->before->tables[kind];
    const abut_convex_columns *c = &before->body;
    abut_convex_query query = abut_convex_query_default();
    query.positions = s->search.finder_bodies.positions,
    query.orientations = s->search.finder_bodies.orientations;
    query.period = lattice_vectors(&s->lattice);
    query.gap = s->body_reach;
    query.workers = s->input.workers;
    query.interrupted = plan->interrupted;
    query.interrupted_data = plan->interrupted_data;
    if (before->count > 0) {
        query.before = (abut_convex_before){.row_count = before->count,
                                            .i = c->i,
                                            .j = c->j,
                                            .mesh = c->mesh,
                                            .facet = c->facet,
                                            .image = c->image,
                                            .state = c->state};
    }
    return query;
}

static abut_status find_rows(abut_simulation *s, abut_interaction kind,
                             const abut_convex_finder *finder, const abut_convex_query *query,
                             abut_error *error)
{
    abut_convex_contacts *found = NULL;
    abut_convex_walls walls = {.finder = s->walls.finder,
                               .poses = s->walls.poses,
                               .half_space_count = s->walls.touched_count - s->walls.mesh_count,
                               .half_spaces = s->walls.placed};
    walls.bodies = near_walls_bodies(&s->near, &walls.body_count);
    abut_status status = kind == ABUT_BODY_WALL
                             ? abut_convex_find_walls(finder, query, &walls, &found, error)
                         : query->i ? convex_find_given(finder, query, &found, error)
                                    : abut_convex_find(finder, query, &found, error);
    status = status ? status : take_rows(s, kind, found, error);
    if (!status && kind == ABUT_BODY_WALL) {
        status = check_lists(s, (checked_search){.bodies = query, .walls = &walls}, error);
    }
    abut_convex_contacts_free(found);
    return status;
}

/* Searches contacts of one kind: among pairs of the list with touching outlines, or of all bodies.
 * In the latter case, several rows may have the same partners. */
static abut_status find_kind(abut_simulation *s, abut_interaction kind, const parallel_plan *plan,
                             abut_error *error)
{
    solid_search *search = &s->search;
    const bool is_mixed = kind == ABUT_BODY_SPHERE;
    const abut_index count = is_mixed ? search->finder_bodies.count : s->solids.count;
    abut_convex_finder **finder = is_mixed ? &search->mixed : &search->bodies;
    abut_convex_query query = make_query(s, plan, kind);
    abut_status status = ABUT_OK;
    if (is_listed(s, kind)) {
        status = select_pairs(s, kind, error);
        query.i = search->i, query.j = search->j, query.pair_count = search->pair_count;
        query.before.match = search->rows;
    } else {
        status = error_set_status(error, name_images(s, &s->before->tables[kind], &query));
    }
    if (!status && !*finder && (!query.i || query.pair_count > 0)) {
        status = finder_bodies_build(&search->finder_bodies, &s->solids, count, finder, error);
    }
    return status || (query.i && query.pair_count == 0)
               ? status
               : find_rows(s, kind, *finder, &query, error);
}

/* ---- all kinds ---- */

static abut_status find_kinds(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    solid_search *search = &s->search;
    const bool has_others[] = {[ABUT_BODY_WALL] = s->walls.touched_count > 0,
                               [ABUT_BODY_BODY] = true,
                               [ABUT_BODY_SPHERE] = s->store.count > 0};
    abut_status status = s->neighbors.is_new ? take_near(s) : ABUT_OK;
    status = status ? status
                    : finder_bodies_gather(&search->finder_bodies, &s->solids, &s->store,
                                           search->spheres, search->sphere_count, s->input.workers);
    error_set_status(error, status);
    for (int k = 0; !status && k < ABUT_BODY_INTERACTIONS; k++) {
        status = has_others[k] ? find_kind(s, (abut_interaction)k, plan, error) : ABUT_OK;
    }
    status = status ? status : check_lists(s, (checked_search){.bodies = NULL}, error);
    for (int k = 0; !status && k < ABUT_BODY_INTERACTIONS; k++) {
        match_kind(s, (abut_interaction)k);
    }
    return status;
}

abut_status solids_find(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    for (int k = 0; k < ABUT_BODY_INTERACTIONS; k++) {
        table_clear(&s->now->tables[k], s->solids.count);
    }
    return s->solids.count > 0 ? find_kinds(s, plan, error) : ABUT_OK;
}
