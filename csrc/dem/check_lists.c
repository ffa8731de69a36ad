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

#endif
