/* Facets that spheres may come to touch for some time: queries of the list test these, and ask no
 * bins. Their results are the same, to the bit, as long as no sphere touches another facet. */
#ifndef WALLS_FACET_LIST_H
#define WALLS_FACET_LIST_H

#include "../abut/contacts.h"
#include "../base/memory.h"

/* A triangle of a mesh. */
typedef struct listed_triangle {
    int32_t mesh, triangle;
} listed_triangle;

typedef struct facet_list {
    abut_index sphere_count, item_count;
    int32_t *begins;        /* sphere_count + 1: of each sphere's items */
    listed_triangle *items; /* of a sphere those of one mesh, and of one facet, are together */
    memory_block begin_block, item_block;
} facet_list;

/* List what a query of larger spheres has found, of which all contacts were to be kept: the meshes'
 * facets of those spheres that have contacts, half spaces among them. They go behind those of the
 * list that is there; NULL: a new one. ABUT_OK or ABUT_NO_MEMORY. Free with facet_list_free. */
abut_status facet_list_add(facet_list **list, const abut_finder *finder, abut_index sphere_count,
                           const abut_columns *found);

/* Leave out the spheres that are marked by -1. */
void facet_list_shorten(facet_list *l, const int32_t *spheres);

/* Let the list be empty; NULL: it is. */
void facet_list_clear(facet_list *l);
void facet_list_free(facet_list *l);
abut_index facet_list_bytes(const facet_list *l);

/* The query's spheres are the list's, its period none, and what it asks is not checked; else as
 * abut_contacts_find_into, which it is without a list: NULL. */
abut_status contacts_find_listed(const abut_finder *finder, const abut_query *query,
                                 const facet_list *list, const abut_room *room,
                                 abut_contacts **contacts, abut_error *error);

#endif
