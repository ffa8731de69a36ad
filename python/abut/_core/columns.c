#include "columns.h"

#include <string.h>

PyObject *column_names(column_table table)
{
    PyObject *names = PyTuple_New(table.count);
    for (Py_ssize_t i = 0; names && i < table.count; i++) {
        PyObject *name = PyUnicode_InternFromString(table.columns[i].name);
        if (!name || PyTuple_SetItem(names, i, name)) {
            Py_CLEAR(names);
        }
    }
    return names;
}

static Py_ssize_t width_of(const struct column *column, const column_counts *counts)
{
    switch (column->width) {
    case COLUMN_PER_DIMENSION:
        return counts->dimension;
    case COLUMN_TWO_VECTORS:
        return ARRAY_TWICE(counts->dimension);
    default:
        return column->width;
    }
}

static array_shape shape_of(const struct column *column, const column_counts *counts)
{
    return (array_shape){column->kind, counts->lengths[column->length], width_of(column, counts)};
}

/* Numbers of a row. */
static Py_ssize_t numbers_of(array_shape shape)
{
    if (shape.columns == 0) {
        return 1;
    }
    return shape.columns < 0 ? -2 * shape.columns : shape.columns;
}

static void put_data(const struct column *column, const void *data, void *target)
{
    memcpy((char *)target + column->place, &data, sizeof data);
}

/* A new column, and its data in `target`; NULL with an error set. */
static PyObject *new_column(const struct column *column, const column_counts *counts, void *target)
{
    void *data = NULL;
    const array_shape shape = shape_of(column, counts);
    PyObject *array = column->is_zero ? array_make_zeros(shape, &data) : array_make(shape, &data);
    if (!array) {
        return NULL;
    }
    if (column->is_locked) {
        array_lock(array);
    }
    put_data(column, data, target);
    return array;
}

/* Put a new column into the dict, and its data into `target`; 0, or -1 with an error set. */
static int add_column(PyObject *dict, PyObject *name, const struct column *column,
                      const column_counts *counts, void *target)
{
    PyObject *array = new_column(column, counts, target);
    const int failed = array ? PyDict_SetItem(dict, name, array) : -1;
    Py_XDECREF(array);
    return failed;
}

static PyObject *new_columns(column_table table, PyObject *names, const column_counts *counts,
                             void *target)
{
    PyObject *dict = PyDict_New();
    for (Py_ssize_t i = 0; dict && i < table.count; i++) {
        const struct column *column = &table.columns[i];
        if (counts->presences[column->presence] &&
            add_column(dict, PyTuple_GetItem(names, i), column, counts, target)) {
            Py_CLEAR(dict);
        }
    }
    return dict;
}

/* Whether all columns are so small, less than 64 KiB, that the pool would keep none of them. */
static int are_small(column_table table, const column_counts *counts)
{
    for (Py_ssize_t i = 0; i < table.count; i++) {
        const array_shape shape = shape_of(&table.columns[i], counts);
        if (shape.rows >= 8 * 1024 / numbers_of(shape)) {
            return 0;
        }
    }
    return 1;
}

PyObject *column_dict(column_table table, PyObject *names, const column_counts *counts,
                      PyObject *pool, void *target)
{
    PyObject *before = NULL;
    if (are_small(table, counts)) {
        return new_columns(table, names, counts, target);
    }
    if (array_pool_enter(pool, &before)) {
        return NULL;
    }
    PyObject *dict = new_columns(table, names, counts, target);
    if (array_pool_leave(before)) {
        Py_CLEAR(dict);
    }
    return dict;
}

PyObject *column_array(column_table table, const char *name, const column_counts *counts,
                       void *target)
{
    for (Py_ssize_t i = 0; i < table.count; i++) {
        if (!strcmp(table.columns[i].name, name)) {
            return new_column(&table.columns[i], counts, target);
        }
    }
    PyErr_Format(PyExc_KeyError, "there is no column %s", name);
    return NULL;
}

static int read_column(const struct column *column, const column_counts *counts, PyObject *dict,
                       void *target)
{
    array_data found;
    PyObject *array = PyDict_GetItemString(dict, column->name);
    if (!array && !counts->presences[column->presence]) {
        return 0;
    }
    if (array_read(array ? array : Py_None, column->name, shape_of(column, counts), &found)) {
        return -1;
    }
    put_data(column, found.data, target);
    return 0;
}

int column_read(column_table table, const column_counts *counts, PyObject *dict, void *target)
{
    for (Py_ssize_t i = 0; i < table.count; i++) {
        if (read_column(&table.columns[i], counts, dict, target)) {
            return -1;
        }
    }
    return 0;
}

int column_resize(column_table table, PyObject *names, const column_counts *counts, PyObject *dict)
{
    for (Py_ssize_t i = 0; i < table.count; i++) {
        PyObject *array = PyDict_GetItem(dict, PyTuple_GetItem(names, i));
        if (array && array_resize(array, shape_of(&table.columns[i], counts))) {
            return -1;
        }
    }
    return 0;
}
