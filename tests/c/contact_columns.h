/* Columns of contacts for tests. */
#ifndef CONTACT_COLUMNS_H
#define CONTACT_COLUMNS_H

#include "columns.h"

static inline column_counts count_columns(abut_index spheres, abut_index rows, abut_index nodes)
{
    return (column_counts){rows, nodes, spheres + 1, rows + 1, 3};
}

static inline abut_columns allocate_columns(abut_index spheres, abut_index rows, abut_index nodes)
{
    const column_counts n = count_columns(spheres, rows, nodes);
    return (abut_columns){ABUT_CONTACT_COLUMNS(ALLOCATE_COLUMN)};
}

static inline void free_columns(const abut_columns *c)
{
    ABUT_CONTACT_COLUMNS(FREE_COLUMN)
}

/* Checks that all rows and nodes are the same to the bit; returns whether they are. */
static inline int check_columns(abut_index spheres, abut_index rows, abut_index nodes,
                                const abut_columns *a, const abut_columns *b)
{
    const column_counts n = count_columns(spheres, rows, nodes);
    int same = 1;
    ABUT_CONTACT_COLUMNS(COMPARE_COLUMN)
    return same;
}

/* The results of a query. */
typedef struct found {
    abut_columns columns;
    abut_index spheres, rows, nodes;
    abut_index candidates, tests; /* `tests`: number of exact tests */
} found;

static inline found find_columns(const abut_finder *finder, const abut_query *query)
{
    found f = {.spheres = query->sphere_count};
    abut_contacts *contacts = NULL;
    if (CHECK_INT(abut_contacts_find(finder, query, &contacts, NULL), ABUT_OK)) {
        f.rows = abut_contacts_count(contacts), f.nodes = abut_contacts_node_count(contacts);
        f.columns = allocate_columns(f.spheres, f.rows, f.nodes);
        abut_contacts_write(contacts, &f.columns);
        const abut_statistics counts = abut_finder_inspect(finder);
        f.candidates = counts.candidate_count, f.tests = counts.test_count;
    }
    abut_contacts_free(contacts);
    return f;
}

/* Checks that two queries find the same to the bit; returns whether they do. */
static inline int check_found(const found *a, const found *b)
{
    return CHECK_INT(a->rows, b->rows) && CHECK_INT(a->nodes, b->nodes) &&
           check_columns(a->spheres, a->rows, a->nodes, &a->columns, &b->columns);
}

#endif
