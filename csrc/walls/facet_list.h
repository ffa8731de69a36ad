/* A list of facets that spheres may touch for some time. Queries with a list test its facets
 * instead of searching bins. Results are the same, to the bit, as long as no sphere touches another
 * facet. */
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
    int32_t *begins;        /* sphere_count + 1: where each sphere's items begin */
    listed_triangle *items; /* grouped by sphere, then by mesh and by facet */
    memory_block begin_block, item_block;
} facet_list;

/* Adds the facets that a query of larger spheres has found, with all contacts kept, to a list.
 * Makes a new list if *list is NULL. Spheres without any contact, with a mesh or a half space, are
 * not added. Free the list with facet_list_free. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status facet_list_add(facet_list **list, const abut_finder *finder, abut_index sphere_count,
                           const abut_columns *found);

/* Removes the spheres that have the entry -1 in `spheres`. */
void facet_list_shorten(facet_list *l, const int32_t *spheres);

/* Empties the list, if there is one. */
void facet_list_clear(facet_list *l);
void facet_list_free(facet_list *l);
abut_index facet_list_bytes(const facet_list *l);

/* Searches the facets of a list. The query's spheres must be those of the list, and its period must
 * be 0; the query is not checked. Without a list (NULL) this is abut_contacts_find_into. */
abut_status contacts_find_listed(const abut_finder *finder, const abut_query *query,
                                 const facet_list *list, const abut_room *room,
                                 abut_contacts **contacts, abut_error *error);

#endif
