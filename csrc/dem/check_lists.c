/* Of a build for tests, ABUT_CHECK_LISTS: whether neighbor lists have let the step find all that it
 * would find without them. Everything is searched for once more, and compared bit by bit. */
#include "check_lists.h"

#include <string.h>

#include "apart.h"
#include "bond_pairs.h"
#include "pair_rows.h"

#ifdef ABUT_CHECK_LISTS

/* ---- what was found ---- */

static abut_status report(const abut_simulation *s, abut_interaction meeting, abut_index rows,
                          abut_error *error)
{
    return error_set(error, ABUT_LIST_INCOMPLETE, s->now->tables[meeting].count, rows,
                     (double)s->step_count);
}

/* Compare what was found with the step's table. */
static abut_status compare(const abut_simulation *s, const interaction_table *t, abut_error *error)
{
    return table_is_same(t, &s->now->tables[t->kind]) ? ABUT_OK
                                                      : report(s, t->kind, t->count, error);
}

/* ---- pairs ---- */

/* What lists know of spheres: how far apart these pull each other. */
static neighbor_spheres reaches_of(const abut_simulation *s)
{
    return (neighbor_spheres){.count = s->store.count,
                              .radii = s->store.radii,
                              .laws = &s->laws,
                              .materials = s->store.materials};
}

/* Whether two spheres of a search within the farthest reach are within that of their law, by the
 * numbers that lists compare. */
static bool is_near(const abut_simulation *s, const abut_pair_columns *c, abut_index row)
{
    const neighbor_spheres of = reaches_of(s);
    const abut_index i = c->i[row], j = c->j[row];
    const double *from = s->store.centers + 3 * i, *to = s->store.centers + 3 * j;
    double distance_sq = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const double image = c->image ? (double)c->image[3 * row + axis] : 0.0;
        const double d = (from[axis] - to[axis]) - image * s->lattice.period[axis];
        distance_sq += d * d;
    }
    const double reach = of.radii[i] + of.radii[j] + neighbor_pair_reach(&of, i, j);
    return distance_sq <= reach * reach;
}

/* The rows of a search without those of one cluster and those too far apart, which steps do not
 * have. */
static void drop_rows(const abut_simulation *s, const interaction_table *all,
                      interaction_table *kept)
{
    const store *of = &s->store;
    const abut_pair_columns *c = &all->pair;
    abut_index row = 0;
    for (abut_index sphere = 0; sphere < of->count; sphere++) {
        kept->pair.offsets[sphere] = kept->count;
        for (; row < all->count && c->i[row] == sphere; row++) {
            const bool is_one = neighbor_is_one_body(of->clusters, sphere, c->j[row]);
            if (!is_one && (!s->laws.pulls_or_reaches || is_near(s, c, row))) {
                table_append(kept, all, (row_span){row, 1});
            }
        }
    }
    kept->pair.offsets[of->count] = kept->count;
}

/* Take over what a search of all spheres has found. */
static abut_status read_pairs(const abut_simulation *s, const abut_pairs *found,
                              interaction_table *t)
{
    interaction_table all = {.kind = ABUT_SPHERE_SPHERE};
    const table_size size = {abut_pairs_count(found), 0, s->store.count};
    abut_status status = table_reserve(&all, size, simulation_extras(s));
    status = status ? status : table_reserve(t, size, simulation_extras(s));
    if (!status) {
        abut_pairs_write(found, &all.pair);
        all.count = size.rows;
        drop_rows(s, &all, t);
    }
    table_free(&all);
    return status;
}

/* Whether a row of the search is one of the step's: with the same numbers. */
static bool is_same_pair(const abut_simulation *s, const interaction_table *all, abut_index row,
                         const interaction_table *t, abut_index own)
{
    const abut_pair_columns *a = &all->pair, *b = &t->pair;
    bool is_same = own >= 0 && a->i[row] == table_first(t, own) &&
                   a->j[row] == table_second(t, own) &&
                   memcmp(a->normal + 3 * row, b->normal + 3 * own, 3 * sizeof *a->normal) == 0 &&
                   memcmp(a->overlap + row, b->overlap + own, sizeof *a->overlap) == 0;
    for (int axis = 0; is_same && a->image && axis < 3; axis++) {
        is_same = (double)a->image[3 * row + axis] == pair_rows_image(s, t, own, axis);
    }
    return is_same;
}

/* Whether two had a row in the last step. */
static bool had_row(const abut_simulation *s, abut_index i, abut_index j)
{
    const interaction_table *t = &s->before->tables[ABUT_SPHERE_SPHERE];
    row_walk w = {0};
    bool has = false;
    for (abut_index row; !has && (row = table_walk(t, &w)) >= 0;) {
        has = table_first(t, row) == i && table_second(t, row) == j;
    }
    return has;
}

/* Whether a pair within reach need not be a row: those that are apart and have not touched are
 * none, unless their law begins there, nor are those that a bond holds. */
static bool may_be_none(const abut_simulation *s, const interaction_table *all, abut_index row)
{
    const abut_index i = all->pair.i[row], j = all->pair.j[row];
    const bool is_apart = s->laws.pulls_or_reaches && all->pair.overlap[row] < 0.0;
    return is_apart &&
           (bonds_show(s) || !(had_row(s, i, j) || simulation_pair_law(s, i, j)->begins_apart));
}

/* Compare the rows of a search, in their order, with those of the step. */
static abut_status compare_pairs(const abut_simulation *s, const interaction_table *all,
                                 abut_error *error)
{
    const interaction_table *t = &s->now->tables[ABUT_SPHERE_SPHERE];
    row_walk w = {0};
    abut_index own = table_walk(t, &w);
    bool is_same = true;
    for (abut_index row = 0; row < all->count; row++) {
        if (is_same_pair(s, all, row, t, own)) {
            own = table_walk(t, &w);
        } else {
            is_same &= may_be_none(s, all, row);
        }
    }
    return is_same && own < 0 ? ABUT_OK : report(s, ABUT_SPHERE_SPHERE, all->count, error);
}

static double farthest_reach(const abut_simulation *s)
{
    const neighbor_spheres of = reaches_of(s);
    double most = 0.0;
    for (abut_index k = 0; k < of.count; k++) {
        most = larger(most, neighbor_reach(&of, k));
    }
    return most;
}

abut_status check_pairs_of_lists(const abut_simulation *s, abut_error *error)
{
    interaction_table t = {.kind = ABUT_SPHERE_SPHERE};
    abut_pair_input input = abut_pair_input_default();
    abut_pair_query query = abut_pair_query_default();
    abut_pair_finder *finder = NULL;
    abut_pairs *found = NULL;
    input.sphere_count = s->store.count;
    input.radii = s->store.radii;
    input.period = lattice_periods(&s->lattice);
    input.gap = farthest_reach(s);
    query.centers = s->store.centers;
    abut_status status = abut_pair_finder_build(&input, &finder, error);
    status = status ? status : abut_pairs_find(finder, &query, &found, error);
    status = status ? status : error_set_status(error, read_pairs(s, found, &t));
    status = status ? status : compare_pairs(s, &t, error);
    abut_pairs_free(found);
    abut_pair_finder_free(finder);
    table_free(&t);
    return status;
}

/* ---- contacts with walls ---- */

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
            t.count = rows, t.entry_count = nodes;
            status = compare(s, &t, error);
        }
    }
    abut_contacts_free(found);
    table_free(&t);
    return status;
}

/* ---- bodies ---- */

/* Of all pairs of a crowd those of a meeting: those with spheres, or of two bodies. Links may
 * differ, since the search of a crowd does not go on from the step before. */
static abut_status compare_crowd(const abut_simulation *s, const interaction_table *all,
                                 abut_interaction meeting, abut_error *error)
{
    const abut_convex_columns *a = &all->body, *b = &s->now->tables[meeting].body;
    const abut_index bodies = s->solids.count, rows = s->now->tables[meeting].count;
    const bool is_mixed = meeting == ABUT_BODY_SPHERE;
    abut_index count = 0;
    bool is_same = true;
    for (abut_index row = 0; row < all->count; row++) {
        if (a->i[row] < bodies && (a->j[row] >= bodies) == is_mixed) {
            is_same &= count < rows && a->i[row] == b->i[count] &&
                       a->j[row] - (is_mixed ? bodies : 0) == b->j[count];
            count++;
        }
    }
    return is_same && count == rows ? ABUT_OK : report(s, meeting, count, error);
}

/* Take over what a search of bodies has found; `count`: how many were searched for. */
static abut_status read_bodies(const abut_simulation *s, const abut_convex_contacts *found,
                               abut_index count, interaction_table *t)
{
    const table_size size = {abut_convex_contacts_count(found),
                             abut_convex_contacts_spot_count(found), count};
    if (table_reserve(t, size, simulation_extras(s))) {
        return ABUT_NO_MEMORY;
    }
    abut_convex_contacts_write(found, &t->body);
    t->count = size.rows, t->entry_count = size.entries;
    return ABUT_OK;
}

abut_status check_walls_of_bodies(const abut_simulation *s, const abut_convex_query *query,
                                  const abut_convex_walls *narrow, abut_error *error)
{
    interaction_table t = {.kind = ABUT_BODY_WALL};
    abut_convex_walls walls = *narrow;
    abut_convex_contacts *found = NULL;
    walls.bodies = NULL;
    abut_status status = abut_convex_find_walls(s->search.bodies, query, &walls, &found, error);
    status = status ? status : error_set_status(error, read_bodies(s, found, s->solids.count, &t));
    status = status ? status : compare(s, &t, error);
    abut_convex_contacts_free(found);
    table_free(&t);
    return status;
}

/* Search all bodies and all spheres. */
static abut_status search_crowd(const abut_simulation *s, crowd *c, interaction_table *t,
                                abut_error *error)
{
    int32_t *rows = memory_alloc(s->store.count, sizeof *rows);
    abut_convex_finder *finder = NULL;
    abut_convex_contacts *found = NULL;
    for (abut_index row = 0; rows && row < s->store.count; row++) {
        rows[row] = (int32_t)row;
    }
    abut_status status =
        rows ? crowd_gather(c, &s->solids, &s->store, rows, s->store.count, s->input.workers)
             : ABUT_NO_MEMORY;
    abut_convex_query query = abut_convex_query_default();
    query.positions = c->positions, query.orientations = c->orientations;
    query.period = lattice_periods(&s->lattice);
    query.gap = s->body_reach;
    error_set_status(error, status);
    status = status ? status : crowd_make_finder(c, &s->solids, c->count, &finder, error);
    status = status ? status : abut_convex_find(finder, &query, &found, error);
    status = status ? status : error_set_status(error, read_bodies(s, found, c->count, t));
    abut_convex_contacts_free(found);
    abut_convex_finder_free(finder);
    memory_free(rows);
    return status;
}

abut_status check_bodies_of_lists(const abut_simulation *s, abut_error *error)
{
    interaction_table t = {.kind = ABUT_BODY_BODY};
    crowd all = {0};
    abut_status status = search_crowd(s, &all, &t, error);
    status = status ? status : compare_crowd(s, &t, ABUT_BODY_BODY, error);
    status = status ? status : compare_crowd(s, &t, ABUT_BODY_SPHERE, error);
    crowd_free(&all);
    table_free(&t);
    return status;
}

#endif
