/* A result as a dict of columns: new arrays by their names, which the library then fills. */
#ifndef ABUT_CORE_COLUMNS_H
#define ABUT_CORE_COLUMNS_H

#include <stddef.h>

#include "arrays.h"

enum { COLUMN_LENGTH_LIMIT = 4, COLUMN_PRESENCE_LIMIT = 11 };

/* A column of a table that is not among the library's lists: named as its member of the struct. */
#define COLUMN(of, member, type, width, per, when, flags)                                          \
    {#member, offsetof(of, member), type, width, per, when, flags, "", ""}

/* The columns of a kind of result. */
typedef struct column_table {
    const abut_column *columns;
    Py_ssize_t count;
} column_table;

/* The columns of one of the library's tables. */
column_table column_table_of(abut_table table);

/* What is known of the columns when they are made. */
typedef struct column_counts {
    Py_ssize_t lengths[COLUMN_LENGTH_LIMIT];
    int presences[COLUMN_PRESENCE_LIMIT]; /* 0: left out, since all its entries would be the same */
    Py_ssize_t dimension;
} column_counts;

/* What is known of contacts with meshes, of which that query is or might be. */
column_counts column_contact_counts(abut_index rows, abut_index nodes, const abut_query *query,
                                    abut_index mesh_count);

/* Likewise of pairs. */
column_counts column_pair_counts(abut_index pairs, abut_index spheres, int dimension,
                                 int has_images);

/* What there is of contacts of convex bodies; and what is known of their columns. */
typedef struct convex_there {
    abut_index rows, spots, bodies;
    int dimension;
    int has_images, has_spots, has_offsets, has_before;
    int are_of_walls; /* mesh and facet, instead of j */
} convex_there;
column_counts column_convex_counts(const convex_there *there);

/* What the columns are called: a new tuple; NULL with an error set. */
PyObject *column_names(column_table table);

/* The columns by these names, or where that is NULL by names that are made for the call, large ones
 * with memory of the pool, and their data in the struct `target`; NULL with an error set. */
PyObject *column_dict(column_table table, PyObject *names, const column_counts *counts,
                      PyObject *pool, void *target);

/* One of the columns, and its data in the struct `target`; NULL with an error set. */
PyObject *column_array(column_table table, const char *name, const column_counts *counts,
                       void *target);

/* The data of columns that a caller gives in a dict, into the struct `target`: columns whose
 * presence is 0 may be left out of the dict, and stay as they are in the struct. 0, or -1 with an
 * error set. */
int column_read(column_table table, const column_counts *counts, PyObject *dict, void *target);

/* Shorten the columns of a dict that nobody else has seen; 0, or -1 with an error set. */
int column_resize(column_table table, PyObject *names, const column_counts *counts, PyObject *dict);

#endif
