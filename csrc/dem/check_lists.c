/* Of a build for tests, ABUT_CHECK_LISTS: whether neighbor lists have let the step find all that it
 * would find without them. Everything is searched for once more, and compared bit by bit. */
#include "check_lists.h"

#ifdef ABUT_CHECK_LISTS

#include <string.h>

/* Whether `count` elements of both columns are the same. */
static bool is_same(const void *a, const void *b, abut_index count, size_t size)
{
    return !a || !b || count == 0 || memcmp(a, b, (size_t)count * size) == 0;
}

/* ---- pairs ---- */

/* The rows of a search without those of one cluster, which lists do not have. */
static abut_index drop_clusters(const store *of, interaction_table *t, abut_index rows)
{
    const abut_pair_columns *c = &t->pair;
    abut_index kept = 0;
    for (abut_index row = 0; row < rows; row++) {
        if (!neighbor_is_one_body(of->clusters, c->i[row], c->j[row])) {
            c->i[kept] = c->i[row], c->j[kept] = c->j[row], c->overlap[kept] = c->overlap[row];
            memmove(c->normal + 3 * kept, c->normal + 3 * row, 3 * sizeof *c->normal);
            if (c->image) {
                memmove(c->image + 3 * kept, c->image + 3 * row, 3 * sizeof *c->image);
            }
            kept++;
        }
    }
    return kept;
}

static bool is_same_table(const interaction_table *t, const interaction_table *with)
{
    const abut_pair_columns *a = &t->pair, *b = &with->pair;
    return t->count == with->count && is_same(a->i, b->i, t->count, sizeof *a->i) &&
           is_same(a->j, b->j, t->count, sizeof *a->j) &&
           is_same(a->normal, b->normal, 3 * t->count, sizeof *a->normal) &&
           is_same(a->overlap, b->overlap, t->count, sizeof *a->overlap) &&
           is_same(a->image, b->image, 3 * t->count, sizeof *a->image);
}

static abut_status search_pairs(const abut_simulation *s, interaction_table *t, abut_error *error)
{
    abut_pair_input input = abut_pair_input_default();
    abut_pair_query query = abut_pair_query_default();
    abut_pair_finder *finder = NULL;
    abut_pairs *found = NULL;
    input.sphere_count = s->store.count;
    input.radii = s->store.radii;
    input.period = lattice_periods(&s->lattice);
    query.centers = s->store.centers;
    abut_status status = abut_pair_finder_build(&input, &finder, error);
    status = status ? status : abut_pairs_find(finder, &query, &found, error);
    if (!status) {
        const abut_index rows = abut_pairs_count(found);
        status = table_reserve(t, (table_size){rows, 0, s->store.count}, simulation_extras(s));
        if (!status) {
            abut_pairs_write(found, &t->pair);
            t->count = drop_clusters(&s->store, t, rows);
        }
    }
    abut_pairs_free(found);
    abut_pair_finder_free(finder);
    return status;
}

abut_status check_pairs_of_lists(const abut_simulation *s, abut_error *error)
{
    interaction_table t = {.kind = ABUT_SPHERE_SPHERE};
    abut_status status = error_set_status(error, search_pairs(s, &t, error));
    if (!status && !is_same_table(&t, &s->now->tables[ABUT_SPHERE_SPHERE])) {
        status = error_set(error, ABUT_LIST_INCOMPLETE, s->now->tables[ABUT_SPHERE_SPHERE].count,
                           t.count, (double)s->step_count);
    }
    table_free(&t);
    return status;
}

/* ---- contacts with walls ---- */

static bool is_same_contacts(const interaction_table *t, const interaction_table *with)
{
    const abut_columns *a = &t->contact, *b = &with->contact;
    return t->count == with->count && is_same(a->sphere, b->sphere, t->count, sizeof *a->sphere) &&
           is_same(a->facet, b->facet, t->count, sizeof *a->facet) &&
           is_same(a->point, b->point, 3 * t->count, sizeof *a->point) &&
           is_same(a->normal, b->normal, 3 * t->count, sizeof *a->normal) &&
           is_same(a->overlap, b->overlap, t->count, sizeof *a->overlap) &&
           is_same(a->share, b->share, t->count, sizeof *a->share) &&
           (t->count == 0 ||
            is_same(a->offsets, b->offsets, t->first_count + 1, sizeof *a->offsets));
}

abut_status check_contacts_of_lists(const abut_simulation *s, const abut_query *narrow,
                                    abut_error *error)
{
    abut_query query = *narrow;
    abut_contacts *found = NULL;
    interaction_table t = {.kind = ABUT_SPHERE_WALL};
    query.sphere_count = s->store.count;
    query.centers = s->store.centers, query.radii = s->store.radii;
    abut_status status = abut_contacts_find(simulation_finder(s), &query, &found, error);
    if (!status) {
        const abut_index rows = abut_contacts_count(found), nodes = abut_contacts_node_count(found);
        const table_size size = {rows, nodes, s->store.count};
        status = error_set_status(error, table_reserve(&t, size, simulation_extras(s)));
        if (!status) {
            abut_contacts_write(found, &t.contact);
            t.count = rows;
        }
    }
    if (!status && !is_same_contacts(&t, &s->now->tables[ABUT_SPHERE_WALL])) {
        status = error_set(error, ABUT_LIST_INCOMPLETE, s->now->tables[ABUT_SPHERE_WALL].count,
                           t.count, (double)s->step_count);
    }
    abut_contacts_free(found);
    table_free(&t);
    return status;
}

/* ---- bodies ---- */

/* All bodies and, behind them, all spheres by rows, as a search wants them. */
typedef struct crowd {
    abut_index count;
    abut_index *shapes;
    double *scales, *positions, *orientations;
} crowd;

static void free_crowd(crowd *c)
{
    memory_free(c->shapes), memory_free(c->scales);
    memory_free(c->positions), memory_free(c->orientations);
}

static void add_body(crowd *c, const rigid_body *of)
{
    const rigid_frame frame = rigid_body_frame(of);
    vec3_store(c->positions + 3 * c->count, frame.origin);
    memcpy(c->orientations + 4 * c->count, frame.orientation, sizeof frame.orientation);
    c->shapes[c->count] = of->shape, c->scales[c->count++] = of->scale;
}

static void add_sphere(crowd *c, const abut_simulation *s, abut_index row)
{
    static const double not_turned[4] = {0.0, 0.0, 0.0, 1.0};
    const abut_index place = s->store.places[row];
    memcpy(c->positions + 3 * c->count, s->store.centers + 3 * place, 3 * sizeof(double));
    memcpy(c->orientations + 4 * c->count, not_turned, sizeof not_turned);
    c->shapes[c->count] = s->solids.shape_count, c->scales[c->count++] = s->store.radii[place];
}

static abut_status make_crowd(const abut_simulation *s, crowd *c)
{
    const abut_index count = s->solids.count + s->store.count;
    *c = (crowd){0, memory_alloc(count, sizeof *c->shapes), memory_alloc(count, sizeof *c->scales),
                 memory_alloc(3 * count, sizeof *c->positions),
                 memory_alloc(4 * count, sizeof *c->orientations)};
    if (!c->shapes || !c->scales || !c->positions || !c->orientations) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index k = 0; k < s->solids.count; k++) {
        add_body(c, &s->solids.bodies[k]);
    }
    for (abut_index row = 0; row < s->store.count; row++) {
        add_sphere(c, s, row);
    }
    return ABUT_OK;
}

/* Rows of all pairs of a crowd without those of two spheres, split: of bodies, and with spheres. */
static void split_crowd(const abut_simulation *s, const interaction_table *all,
                        const interaction_table *with, bool of_spheres, abut_index *count,
                        bool *is_same_rows)
{
    const abut_convex_columns *a = &all->body, *b = &with->body;
    const abut_index bodies = s->solids.count;
    *count = 0;
    for (abut_index row = 0; row < all->count; row++) {
        if (a->i[row] >= bodies || (a->j[row] >= bodies) != of_spheres) {
            continue;
        }
        const abut_index at = (*count)++;
        *is_same_rows &= at < with->count && a->i[row] == b->i[at] &&
                         a->j[row] - (of_spheres ? bodies : 0) == b->j[at];
    }
    *is_same_rows &= *count == with->count;
}

static abut_status search_crowd(const abut_simulation *s, interaction_table *t, abut_error *error)
{
    crowd c;
    abut_convex_finder *finder = NULL;
    abut_convex_contacts *found = NULL;
    abut_status status = error_set_status(error, make_crowd(s, &c));
    const abut_convex_input input = {.shapes = s->solids.shapes,
                                     .shape_count = s->solids.shape_count + 1,
                                     .body_count = c.count,
                                     .shape = c.shapes,
                                     .scales = c.scales,
                                     .options = abut_convex_options_default()};
    abut_convex_query query = abut_convex_query_default();
    query.positions = c.positions, query.orientations = c.orientations;
    query.period = lattice_periods(&s->lattice);
    status = status ? status : abut_convex_finder_build(&input, &finder, error);
    status = status ? status : abut_convex_find(finder, &query, &found, error);
    if (!status) {
        const table_size size = {abut_convex_contacts_count(found),
                                 abut_convex_contacts_spot_count(found), c.count};
        status = error_set_status(error, table_reserve(t, size, simulation_extras(s)));
    }
    if (!status) {
        abut_convex_contacts_write(found, &t->body);
        t->count = abut_convex_contacts_count(found);
    }
    abut_convex_contacts_free(found);
    abut_convex_finder_free(finder);
    free_crowd(&c);
    return status;
}

abut_status check_bodies_of_lists(const abut_simulation *s, abut_error *error)
{
    interaction_table t = {.kind = ABUT_BODY_BODY};
    abut_status status = search_crowd(s, &t, error);
    for (int kind = 0; !status && kind < 2; kind++) {
        const interaction_table *with = &s->now->tables[kind ? ABUT_BODY_SPHERE : ABUT_BODY_BODY];
        bool is_same_rows = true;
        abut_index count;
        split_crowd(s, &t, with, kind == 1, &count, &is_same_rows);
        if (!is_same_rows) {
            status =
                error_set(error, ABUT_LIST_INCOMPLETE, with->count, count, (double)s->step_count);
        }
    }
    table_free(&t);
    return status;
}

#endif
