#include <stddef.h>
#include <string.h>

#include "arrays.h"

/* How long a column is: an entry for each contact, or node, or one more than contacts, or spheres.
 */
typedef enum column_length { PER_CONTACT, PER_NODE, CONTACT_OFFSETS, SPHERE_OFFSETS } column_length;

/* Whether there is a column: it is left out where all its entries would be the same. */
typedef enum column_presence { ALWAYS, IF_MESHES, IF_SHARING, IF_PERIODIC } column_presence;

static const struct column {
    const char *name;
    size_t place; /* in abut_columns */
    array_kind kind;
    Py_ssize_t width;
    column_length length;
    column_presence presence;
} COLUMNS[] = {
    {"sphere", offsetof(abut_columns, sphere), ARRAY_INDEX, 0, PER_CONTACT, ALWAYS},
    {"mesh", offsetof(abut_columns, mesh), ARRAY_INDEX, 0, PER_CONTACT, IF_MESHES},
    {"facet", offsetof(abut_columns, facet), ARRAY_INDEX, 0, PER_CONTACT, ALWAYS},
    {"type", offsetof(abut_columns, type), ARRAY_BYTE, 0, PER_CONTACT, ALWAYS},
    {"feature", offsetof(abut_columns, feature), ARRAY_INDEX, 0, PER_CONTACT, ALWAYS},
    {"point", offsetof(abut_columns, point), ARRAY_DOUBLE, 3, PER_CONTACT, ALWAYS},
    {"normal", offsetof(abut_columns, normal), ARRAY_DOUBLE, 3, PER_CONTACT, ALWAYS},
    {"overlap", offsetof(abut_columns, overlap), ARRAY_DOUBLE, 0, PER_CONTACT, ALWAYS},
    {"share", offsetof(abut_columns, share), ARRAY_DOUBLE, 0, PER_CONTACT, IF_SHARING},
    {"_tilt", offsetof(abut_columns, tilt), ARRAY_DOUBLE, 0, PER_CONTACT, ALWAYS},
    {"image", offsetof(abut_columns, image), ARRAY_INDEX, 3, PER_CONTACT, IF_PERIODIC},
    {"offsets", offsetof(abut_columns, offsets), ARRAY_INDEX, 0, SPHERE_OFFSETS, ALWAYS},
    {"node", offsetof(abut_columns, node), ARRAY_INDEX, 0, PER_NODE, ALWAYS},
    {"weight", offsetof(abut_columns, weight), ARRAY_DOUBLE, 0, PER_NODE, ALWAYS},
    {"node_offsets", offsetof(abut_columns, node_offsets), ARRAY_INDEX, 0, CONTACT_OFFSETS, ALWAYS},
};

enum { COLUMN_COUNT = sizeof COLUMNS / sizeof COLUMNS[0] };

PyObject *core_column_names(void)
{
    PyObject *names = PyTuple_New(COLUMN_COUNT);
    for (Py_ssize_t i = 0; names && i < COLUMN_COUNT; i++) {
        PyObject *name = PyUnicode_InternFromString(COLUMNS[i].name);
        if (!name || PyTuple_SetItem(names, i, name)) {
            Py_CLEAR(names);
        }
    }
    return names;
}

/* What is known of the columns when they are made. */
typedef struct column_counts {
    Py_ssize_t by_length[SPHERE_OFFSETS + 1];
    int by_presence[IF_PERIODIC + 1];
} column_counts;

static int is_periodic(const double *period)
{
    return period && (period[0] > 0.0 || period[1] > 0.0 || period[2] > 0.0);
}

static column_counts count_columns(const abut_contacts *contacts, const abut_query *query,
                                   abut_index mesh_count)
{
    const abut_index rows = abut_contacts_count(contacts);
    return (column_counts){
        .by_length = {[PER_CONTACT] = rows,
                      [PER_NODE] = abut_contacts_node_count(contacts),
                      [CONTACT_OFFSETS] = rows + 1,
                      [SPHERE_OFFSETS] = query->sphere_count + 1},
        .by_presence = {[ALWAYS] = 1,
                        [IF_MESHES] = mesh_count > 1,
                        [IF_SHARING] = query->resolution == ABUT_SHARING,
                        [IF_PERIODIC] = is_periodic(query->period)},
    };
}

/* A new array for a column and its data; NULL with an error set. */
static PyObject *make_column(const struct column *column, Py_ssize_t length, void **data)
{
    const array_shape shape = {column->kind, length, column->width};
    switch (column->presence) {
    case IF_MESHES:
    case IF_PERIODIC:
        return array_make_zeros(shape, data);
    case ALWAYS:
    case IF_SHARING:
        break;
    }
    return array_make(shape, data);
}

/* Put a new column into the dict, and its data into `columns`; 0, or -1 with an error set. */
static int add_column(PyObject *dict, PyObject *name, const struct column *column,
                      const column_counts *counts, abut_columns *columns)
{
    void *data = NULL;
    PyObject *array = make_column(column, counts->by_length[column->length], &data);
    if (!array) {
        return -1;
    }
    if (column->length == CONTACT_OFFSETS || column->length == SPHERE_OFFSETS) {
        array_lock(array);
    }
    memcpy((char *)columns + column->place, &data, sizeof data);
    const int failed = PyDict_SetItem(dict, name, array);
    Py_DECREF(array);
    return failed;
}

/* The columns by their names; NULL with an error set. */
static PyObject *new_columns(PyObject *names, const column_counts *counts, abut_columns *columns)
{
    PyObject *dict = PyDict_New();
    for (Py_ssize_t i = 0; dict && i < COLUMN_COUNT; i++) {
        const struct column *column = &COLUMNS[i];
        if (counts->by_presence[column->presence] &&
            add_column(dict, PyTuple_GetItem(names, i), column, counts, columns)) {
            Py_CLEAR(dict);
        }
    }
    return dict;
}

/* Whether all columns are so small that the pool would keep none of them. */
static int are_small(const column_counts *counts)
{
    const Py_ssize_t *lengths = counts->by_length;
    return 3 * lengths[PER_CONTACT] + lengths[PER_NODE] + lengths[SPHERE_OFFSETS] < 8 * 1024;
}

static PyObject *new_pooled_columns(PyObject *pool, PyObject *names, const column_counts *counts,
                                    abut_columns *columns)
{
    PyObject *before = NULL;
    if (are_small(counts)) {
        return new_columns(names, counts, columns);
    }
    if (array_pool_enter(pool, &before)) {
        return NULL;
    }
    PyObject *dict = new_columns(names, counts, columns);
    if (array_pool_leave(before)) {
        Py_CLEAR(dict);
    }
    return dict;
}

PyObject *core_write(const abut_contacts *contacts, const abut_query *query, abut_index mesh_count,
                     PyObject *pool, PyObject *names)
{
    const column_counts counts = count_columns(contacts, query, mesh_count);
    abut_columns columns = {0};
    PyObject *dict = new_pooled_columns(pool, names, &counts, &columns);
    if (!dict) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    abut_contacts_write(contacts, &columns);
    Py_END_ALLOW_THREADS
    return dict;
}
