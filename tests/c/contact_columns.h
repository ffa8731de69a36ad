/* Columns of contacts for tests. */
#ifndef CONTACT_COLUMNS_H
#define CONTACT_COLUMNS_H

#include "abut.h"

#include <stdlib.h>

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

#endif
