/* Checks, in builds with ABUT_CHECK_LISTS, that neighbor lists miss nothing. Each search of a step
 * is repeated without a list, and its result compared bit by bit. */
#include "check_lists.h"

#include <string.h>

#include "../interactions/make_list.h"
#include "../interactions/active_candidates.h"

#ifdef ABUT_CHECK_LISTS

/* ---- comparison ---- */

static abut_status report(const abut_simulation *s, abut_interaction kind, abut_index rows,
                          abut_error *error)
{
    return error_set(error, ABUT_LIST_INCOMPLETE, s->now->tables[kind].count, rows,
                     (double)s->step_count);
}

/* Compares a table with the table of the same kind in this step. */
static abut_status compare(const abut_simulation *s, const interaction_table *t, abut_error *error)
{
    return table_is_same(t, &s->now->tables[t->kind]) ? ABUT_OK
                                                      : report(s, t->kind, t->count, error);
}

/* ---- pairs ---- */

/* A candidate of a list: its spheres, its image, and whether it has a gap. */
typedef struct listed_pair {
    int32_t first, second;
    vec3 image;
    bool is_apart;
} listed_pair;

static listed_pair pair_of(const neighbor_list *l, const neighbor_spheres *spheres, int32_t active)
{
    const int32_t candidate = active_candidate(active);
    const list_cell cell = {spheres->lattice, l->flows ? &l->flow : NULL};
    return (listed_pair){l->firsts[candidate], l->seconds[candidate],
                         active_image(l, &cell, spheres->centers, candidate),
                         active_is_apart(active)};
}

/* Whether two lists have the same active pairs in a chunk. Adds the second list's pairs to
 * *count. */
static bool are_same_pairs(const neighbor_list *a, const neighbor_list *b,
                           const neighbor_spheres *spheres, abut_index chunk, abut_index *count)
{
    const int32_t rows = active_list(a, spheres, chunk), others = active_list(b, spheres, chunk);
    bool are_same = rows == others;
    for (int32_t k = 0; are_same && k < rows; k++) {
        const listed_pair p = pair_of(a, spheres, active_of(a, chunk)[k]);
        const listed_pair q = pair_of(b, spheres, active_of(b, chunk)[k]);
        are_same = p.first == q.first && p.second == q.second && p.is_apart == q.is_apart &&
                   vec3_compare(p.image, q.image) == 0;
    }
    *count += others;
    return are_same;
}

/* Compares the neighbor list with a list made at the present positions. */
static abut_status check_pairs(const abut_simulation *s, const neighbor_spheres *spheres,
                               abut_error *error)
{
    const parallel_plan plan = {.workers = s->input.workers};
    neighbor_list made = {.is_made = false};
    neighbor_spheres placed = *spheres;
    bool is_whole = false;
    abut_index count = 0;
    placed.outlines = (neighbor_outlines){.count = 0};
    abut_status status =
        error_set_status(error, active_place(&made, &placed, plan.workers, &is_whole));
    status = status ? status : neighbor_list_make(&made, &placed, &plan, error);
    bool are_same = true;
    for (abut_index chunk = 0; !status && chunk < neighbor_list_chunk_count(&made); chunk++) {
        are_same &= are_same_pairs(&s->neighbors, &made, &placed, chunk, &count);
    }
    neighbor_list_free(&made);
    return are_same ? status : report(s, ABUT_SPHERE_SPHERE, count, error);
}

/* ---- contacts with walls ---- */

static abut_status check_contacts(const abut_simulation *s, const abut_query *narrow,
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

/* Compares all pairs of one kind: bodies with spheres, or bodies with bodies. States are not
 * compared, since the search without a list does not begin with the states of the last step. */
static abut_status compare_bodies(const abut_simulation *s, const interaction_table *all,
                                  abut_interaction kind, abut_error *error)
{
    const abut_convex_columns *a = &all->body, *b = &s->now->tables[kind].body;
    const abut_index bodies = s->solids.count, rows = s->now->tables[kind].count;
    const bool is_mixed = kind == ABUT_BODY_SPHERE;
    abut_index count = 0;
    bool is_same = true;
    for (abut_index row = 0; row < all->count; row++) {
        if (a->i[row] < bodies && (a->j[row] >= bodies) == is_mixed) {
            is_same &= count < rows && a->i[row] == b->i[count] &&
                       a->j[row] - (is_mixed ? bodies : 0) == b->j[count];
            count++;
        }
    }
    return is_same && count == rows ? ABUT_OK : report(s, kind, count, error);
}

/* Copies the result of a search of `count` bodies into a table. */
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

static abut_status check_walls(const abut_simulation *s, const abut_convex_query *query,
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

/* Searches contacts of all bodies and all spheres without a list. */
static abut_status search_all(const abut_simulation *s, finder_bodies *c, interaction_table *t,
                              abut_error *error)
{
    int32_t *rows = memory_alloc(s->store.count, sizeof *rows);
    abut_convex_finder *finder = NULL;
    abut_convex_contacts *found = NULL;
    for (abut_index row = 0; rows && row < s->store.count; row++) {
        rows[row] = (int32_t)row;
    }
    abut_status status = rows ? finder_bodies_gather(c, &s->solids, &s->store, rows, s->store.count,
                                                     s->input.workers)
                              : ABUT_NO_MEMORY;
    abut_convex_query query = abut_convex_query_default();
    query.positions = c->positions, query.orientations = c->orientations;
    query.period = lattice_vectors(&s->lattice);
    query.gap = s->body_reach;
    error_set_status(error, status);
    status = status ? status : finder_bodies_build(c, &s->solids, c->count, &finder, error);
    status = status ? status : abut_convex_find(finder, &query, &found, error);
    status = status ? status : error_set_status(error, read_bodies(s, found, c->count, t));
    abut_convex_contacts_free(found);
    abut_convex_finder_free(finder);
    memory_free(rows);
    return status;
}

static abut_status check_bodies(const abut_simulation *s, abut_error *error)
{
    interaction_table t = {.kind = ABUT_BODY_BODY};
    finder_bodies all = {0};
    abut_status status = search_all(s, &all, &t, error);
    status = status ? status : compare_bodies(s, &t, ABUT_BODY_BODY, error);
    status = status ? status : compare_bodies(s, &t, ABUT_BODY_SPHERE, error);
    memory_free_blocks(all.blocks, FINDER_BODIES_BLOCKS);
    table_free(&t);
    return status;
}

abut_status check_lists(const abut_simulation *s, checked_search search, abut_error *error)
{
    return search.spheres    ? check_pairs(s, search.spheres, error)
           : search.contacts ? check_contacts(s, search.contacts, error)
           : search.walls    ? check_walls(s, search.bodies, search.walls, error)
                             : check_bodies(s, error);
}

#endif
