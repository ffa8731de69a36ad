/* Results as dicts of columns: new arrays by name, which the library fills. */
#ifndef ABUT_CORE_COLUMNS_H
#define ABUT_CORE_COLUMNS_H

#include <stddef.h>

#include "arrays.h"

enum { COLUMN_LENGTH_LIMIT = 4, COLUMN_PRESENCE_LIMIT = 11 };

/* A column that is not in the library's lists, with the name of its member of the struct. */
#define COLUMN(table, member, type, width, per, when, flags)                                       \
    {#member, offsetof(table, member), type, width, per, when, flags, "", ""}

/* The columns of a kind of result. */
typedef struct column_table {
    const abut_column *columns;
    Py_ssize_t count;
} column_table;

/* The columns of one of the library's tables. */
column_table column_table_of(abut_table table);

/* Counts and properties of a result, from which the shapes of its columns follow. */
typedef struct column_counts {
    Py_ssize_t lengths[COLUMN_LENGTH_LIMIT];
    int presences[COLUMN_PRESENCE_LIMIT]; /* 0: the column is absent, since all entries are equal */
    Py_ssize_t dimension;
} column_counts;

/* Counts of contacts with meshes, and options of the query on which their columns depend. */
column_counts column_contact_counts(abut_index rows, abut_index nodes, const abut_query *query,
                                    abut_index mesh_count);

/* Counts of pairs. */
column_counts column_pair_counts(abut_index pairs, abut_index spheres, int dimension,
                                 int has_images);

/* Properties of contacts of convex bodies, and their counts. */
typedef struct convex_there {
    abut_index rows, spots, bodies;
    int dimension;
    int has_images, has_spots, has_offsets, has_before;
    int are_of_walls; /* whether columns mesh and facet replace j */
} convex_there;
column_counts column_convex_counts(const convex_there *there);

/* The names of the columns: a new tuple; NULL with an error set. */
PyObject *column_names(column_table table);

/* Makes the columns by these names, or by their own if NULL. Large columns use memory of the pool.
 * The struct `target` gets their data. NULL with an error set. */
PyObject *column_dict(column_table table, PyObject *names, const column_counts *counts,
                      PyObject *pool, void *target);

/* Makes one of the columns, with its data in the struct `target`; NULL with an error set. */
PyObject *column_array(column_table table, const char *name, const column_counts *counts,
                       void *target);

/* Reads columns from a caller's dict into the struct `target`. Columns with presence 0 may be
 * missing, and their members of the struct are then unchanged. Returns 0, or -1 with an error set.
 */
int column_read(column_table table, const column_counts *counts, PyObject *dict, void *target);

/* Shortens the columns of a dict that no other code has. Returns 0, or -1 with an error set. */
int column_resize(column_table table, PyObject *names, const column_counts *counts, PyObject *dict);

#endif
