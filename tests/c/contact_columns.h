/* Columns of contacts for tests. */
#ifndef CONTACT_COLUMNS_H
#define CONTACT_COLUMNS_H

#include "abut.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

static inline abut_columns allocate_columns(abut_index spheres, abut_index contacts,
                                            abut_index nodes)
{
    size_t n = (size_t)spheres, m = (size_t)contacts, k = (size_t)nodes;
    return (abut_columns){.sphere = calloc(m + 1, sizeof(abut_index)),
                          .facet = calloc(m + 1, sizeof(abut_index)),
                          .type = calloc(m + 1, 1),
                          .feature = calloc(m + 1, sizeof(abut_index)),
                          .point = calloc(m + 1, 3 * sizeof(double)),
                          .normal = calloc(m + 1, 3 * sizeof(double)),
                          .overlap = calloc(m + 1, sizeof(double)),
                          .mesh = calloc(m + 1, sizeof(abut_index)),
                          .share = calloc(m + 1, sizeof(double)),
                          .tilt = calloc(m + 1, sizeof(double)),
                          .image = calloc(m + 1, 3 * sizeof(abut_index)),
                          .offsets = calloc(n + 1, sizeof(abut_index)),
                          .node = calloc(k + 1, sizeof(abut_index)),
                          .weight = calloc(k + 1, sizeof(double)),
                          .node_offsets = calloc(m + 1, sizeof(abut_index))};
}

static inline void free_columns(abut_columns *c)
{
    void *arrays[] = {c->sphere, c->facet,   c->type, c->feature, c->point,
                      c->normal, c->overlap, c->mesh, c->share,   c->tilt,
                      c->image,  c->offsets, c->node, c->weight,  c->node_offsets};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        free(arrays[i]);
    }
}

/* Check that so many rows and nodes are the same to the bit; gives whether they are. */
static inline int check_columns(abut_index spheres, abut_index rows, abut_index nodes,
                                const abut_columns *a, const abut_columns *b)
{
    const size_t m = (size_t)rows, k = (size_t)nodes, index = sizeof(abut_index);
    int same = CHECK(memcmp(a->sphere, b->sphere, m * index) == 0);
    same &= CHECK(memcmp(a->mesh, b->mesh, m * index) == 0);
    same &= CHECK(memcmp(a->facet, b->facet, m * index) == 0);
    same &= CHECK(memcmp(a->type, b->type, m) == 0);
    same &= CHECK(memcmp(a->feature, b->feature, m * index) == 0);
    same &= CHECK(memcmp(a->point, b->point, 3 * m * sizeof(double)) == 0);
    same &= CHECK(memcmp(a->normal, b->normal, 3 * m * sizeof(double)) == 0);
    same &= CHECK(memcmp(a->overlap, b->overlap, m * sizeof(double)) == 0);
    same &= CHECK(memcmp(a->share, b->share, m * sizeof(double)) == 0);
    same &= CHECK(memcmp(a->tilt, b->tilt, m * sizeof(double)) == 0);
    same &= CHECK(memcmp(a->image, b->image, 3 * m * index) == 0);
    same &= CHECK(memcmp(a->offsets, b->offsets, ((size_t)spheres + 1) * index) == 0);
    same &= CHECK(memcmp(a->node, b->node, k * index) == 0);
    same &= CHECK(memcmp(a->weight, b->weight, k * sizeof(double)) == 0);
    same &= CHECK(memcmp(a->node_offsets, b->node_offsets, (m + 1) * index) == 0);
    return same;
}

/* What a query finds. */
typedef struct found {
    abut_columns columns;
    abut_index spheres, rows, nodes;
    abut_index candidates, tests; /* exact tests */
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

/* Check that two queries of as many spheres find the same to the bit; gives whether they do. */
static inline int check_found(const found *a, const found *b)
{
    return CHECK_INT(a->rows, b->rows) && CHECK_INT(a->nodes, b->nodes) &&
           check_columns(a->spheres, a->rows, a->nodes, &a->columns, &b->columns);
}

#endif
