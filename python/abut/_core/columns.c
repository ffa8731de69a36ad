#include "columns.h"

#include <string.h>

column_table column_table_of(abut_table table)
{
    column_table found;
    found.columns = abut_table_columns(table, &found.count);
    return found;
}

/* A column's name in Python. Internal columns begin with an underscore. */
static PyObject *name_of(const abut_column *column)
{
    return PyUnicode_FromFormat("%s%s", column->flags & ABUT_INTERNAL ? "_" : "", column->name);
}

/* A tuple with one object for each column; NULL with an error set. */
static PyObject *tuple_of(column_table table, PyObject *(*make)(const abut_column *))
{
    PyObject *all = PyTuple_New(table.count);
    for (Py_ssize_t i = 0; all && i < table.count; i++) {
        PyObject *one = make(&table.columns[i]);
        if (!one || PyTuple_SetItem(all, i, one)) {
            Py_CLEAR(all);
        }
    }
    return all;
}

PyObject *column_names(column_table table)
{
    return tuple_of(table, name_of);
}

static Py_ssize_t width_of(const abut_column *column, const column_counts *counts)
{
    switch (column->width) {
    case ABUT_DIMENSION:
        return counts->dimension;
    case ABUT_TWO_VECTORS:
        return ARRAY_TWICE(counts->dimension);
    default:
        return column->width;
    }
}

static array_shape shape_of(const abut_column *column, const column_counts *counts)
{
    static const array_kind KINDS[] = {[ABUT_COLUMN_INDEX] = ARRAY_INDEX,
                                       [ABUT_COLUMN_BYTE] = ARRAY_BYTE,
                                       [ABUT_COLUMN_REAL] = ARRAY_DOUBLE};
    return (array_shape){KINDS[column->type], counts->lengths[column->per],
                         width_of(column, counts)};
}

/* The number of numbers in a row of an array. */
static Py_ssize_t numbers_of(array_shape shape)
{
    if (shape.columns == 0) {
        return 1;
    }
    return shape.columns < 0 ? -2 * shape.columns : shape.columns;
}

/* Makes a column, with its data in `target`; NULL with an error set. */
static PyObject *new_column(const abut_column *column, const column_counts *counts, void *target)
{
    void *data = NULL;
    const array_shape shape = shape_of(column, counts);
    PyObject *array =
        column->flags & ABUT_ZEROS ? array_make_zeros(shape, &data) : array_make(shape, &data);
    if (!array) {
        return NULL;
    }
    if (column->flags & ABUT_LOCKED) {
        array_lock(array);
    }
    memcpy((char *)target + column->place, &data, sizeof data);
    return array;
}

/* Adds a new column to the dict, with its data in `target`. Returns 0, or -1 with an error set. */
static int add_column(PyObject *dict, PyObject *name, const abut_column *column,
                      const column_counts *counts, void *target)
{
    PyObject *array = name ? new_column(column, counts, target) : NULL;
    const int failed = array ? PyDict_SetItem(dict, name, array) : -1;
    Py_XDECREF(array);
    return failed;
}

static PyObject *new_columns(column_table table, PyObject *names, const column_counts *counts,
                             void *target)
{
    PyObject *dict = PyDict_New();
    for (Py_ssize_t i = 0; dict && i < table.count; i++) {
        const abut_column *column = &table.columns[i];
        if (!counts->presences[column->when]) {
            continue;
        }
        PyObject *name = names ? Py_NewRef(PyTuple_GetItem(names, i)) : name_of(column);
        if (add_column(dict, name, column, counts, target)) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(name);
    }
    return dict;
}

/* Whether all columns are smaller than 64 KiB: the pool does not keep such small blocks. */
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

/* Reads the column of this name from a dict. Returns 0, or -1 with an error set. */
static int read_column(const abut_column *column, PyObject *name, const column_counts *counts,
                       PyObject *dict, void *target)
{
    PyObject *array = PyDict_GetItem(dict, name);
    if (!array && !counts->presences[column->when]) {
        return 0;
    }
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    return text ? array_read(array ? array : Py_None, text, shape_of(column, counts),
                             (char *)target + column->place)
                : -1;
}

int column_read(column_table table, const column_counts *counts, PyObject *dict, void *target)
{
    for (Py_ssize_t i = 0; i < table.count; i++) {
        PyObject *name = name_of(&table.columns[i]);
        const int failed = name ? read_column(&table.columns[i], name, counts, dict, target) : -1;
        Py_XDECREF(name);
        if (failed) {
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

/* ---- descriptions of columns ---- */

/* A tuple (name, dtype, width, per, when, unit, meaning); NULL with an error set. */
static PyObject *describe(const abut_column *column)
{
    static const char *const DTYPES[] = {
        [ABUT_COLUMN_INDEX] = "intp", [ABUT_COLUMN_BYTE] = "uint8", [ABUT_COLUMN_REAL] = "float64"};
    static const char *const PER[] = {[ABUT_COLUMN_ROWS] = "row",
                                      [ABUT_COLUMN_ENTRIES] = "entry",
                                      [ABUT_COLUMN_ENTRY_OFFSETS] = "entry offsets",
                                      [ABUT_COLUMN_OFFSETS] = "offsets"};
    static const char *const WHEN[] = {
        [ABUT_COLUMN_ALWAYS] = "always",        [ABUT_COLUMN_WITH_MESHES] = "meshes",
        [ABUT_COLUMN_WITH_SHARING] = "sharing", [ABUT_COLUMN_WITH_PERIOD] = "period",
        [ABUT_COLUMN_WITH_BODIES] = "bodies",   [ABUT_COLUMN_WITH_WALLS] = "walls",
        [ABUT_COLUMN_WITH_SPOTS] = "spots",     [ABUT_COLUMN_WITH_ORDER] = "order",
        [ABUT_COLUMN_WITH_BEFORE] = "before",   [ABUT_COLUMN_WITH_MEMBERS] = "members",
        [ABUT_COLUMN_WITH_SHAPES] = "shapes"};
    return Py_BuildValue("(Nsissss)", name_of(column), DTYPES[column->type], column->width,
                         PER[column->per], WHEN[column->when], column->unit, column->meaning);
}

PyObject *core_columns(PyObject *Py_UNUSED(module), PyObject *table)
{
    static const char *const NAMES[] = {
        [ABUT_CONTACT_TABLE] = "contacts", [ABUT_PAIR_TABLE] = "pairs",
        [ABUT_CONVEX_TABLE] = "convex",    [ABUT_ENTRANCE_TABLE] = "entrances",
        [ABUT_BOND_TABLE] = "bonds",       [ABUT_BREAKAGE_TABLE] = "breakages",
        [ABUT_REST_TABLE] = "rests",       [ABUT_SPHERE_TABLE] = "spheres",
        [ABUT_RIGID_TABLE] = "rigids",     [ABUT_DRIVE_TABLE] = "drives"};
    const char *name = PyUnicode_AsUTF8AndSize(table, NULL);
    for (size_t k = 0; name && k < sizeof NAMES / sizeof NAMES[0]; k++) {
        if (!strcmp(name, NAMES[k])) {
            return tuple_of(column_table_of((abut_table)k), describe);
        }
    }
    return name ? PyErr_Format(PyExc_ValueError, "there is no table %s", name) : NULL;
}
