#include "arrays.h"

typedef struct finder_object {
    PyObject_HEAD
    PyObject *mesh; /* the library's finder borrows its mesh */
    abut_finder *finder;
} finder_object;

static PyObject *wrap_finder(PyTypeObject *type, PyObject *mesh, abut_finder *finder)
{
    finder_object *self = (finder_object *)PyType_GenericAlloc(type, 0);
    if (!self) {
        abut_finder_free(finder);
        return NULL;
    }
    Py_INCREF(mesh);
    self->mesh = mesh;
    self->finder = finder;
    return (PyObject *)self;
}

static PyObject *build_finder(PyTypeObject *type, PyObject *mesh)
{
    abut_finder *finder = NULL;
    abut_error error = {ABUT_OK, 0, 0, 0.0};
    abut_status status;
    Py_BEGIN_ALLOW_THREADS
    status = abut_finder_build(core_mesh_of(mesh), &finder, &error);
    Py_END_ALLOW_THREADS
    return status ? core_raise(&error) : wrap_finder(type, mesh, finder);
}

static PyObject *finder_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"mesh", NULL};
    const core_state *state = PyType_GetModuleState(type);
    PyObject *mesh;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!:Finder", names, state->mesh_type, &mesh)) {
        return NULL;
    }
    return build_finder(type, mesh);
}

static void finder_dealloc(PyObject *self)
{
    finder_object *finder = (finder_object *)self;
    abut_finder_free(finder->finder);
    Py_XDECREF(finder->mesh);
    core_release(self);
}

/* Run Python's signal handlers in the midst of a query, so that Ctrl-C ends it. `data` is the state
 * of the thread that started the query, which is the one that calls here. */
static int run_signal_handlers(void *data)
{
    PyThreadState **thread = data;
    PyEval_RestoreThread(*thread);
    const int raised = PyErr_CheckSignals();
    *thread = PyEval_SaveThread();
    return raised;
}

static int read_query(PyObject *args, abut_query *query)
{
    PyObject *centers, *radii;
    array_data rows_of_centers, rows_of_radii;
    int resolution, weights;
    if (!PyArg_ParseTuple(args, "OOddiii:find", &centers, &radii, &query->gap, &query->flat_angle,
                          &resolution, &weights, &query->workers)) {
        return -1;
    }
    if (array_read(centers, "centers", (array_shape){ARRAY_DOUBLE, ARRAY_ANY_ROWS, 3},
                   &rows_of_centers) ||
        array_read(radii, "radii", (array_shape){ARRAY_DOUBLE, rows_of_centers.rows, 0},
                   &rows_of_radii)) {
        return -1;
    }
    query->sphere_count = rows_of_centers.rows;
    query->centers = rows_of_centers.data;
    query->radii = rows_of_radii.data;
    query->resolution = (abut_resolution)resolution;
    query->weights = (abut_weights)weights;
    return 0;
}

/* The contacts of a query; NULL with an error set. */
static abut_contacts *find_contacts(const abut_finder *finder, abut_query *query)
{
    abut_contacts *contacts = NULL;
    abut_error error = {ABUT_OK, 0, 0, 0.0};
    PyThreadState *thread = PyEval_SaveThread();
    query->interrupted = run_signal_handlers;
    query->interrupted_data = &thread;
    const abut_status status = abut_contacts_find(finder, query, &contacts, &error);
    PyEval_RestoreThread(thread);
    if (status) {
        core_raise(&error);
    }
    return contacts;
}

enum { COLUMN_COUNT = 11 };

/* New arrays in the order of abut_columns; NULL with an error set. */
static PyObject *new_columns(const abut_contacts *contacts, abut_index sphere_count,
                             abut_columns *columns)
{
    const abut_index rows = abut_contacts_count(contacts);
    const abut_index nodes = abut_contacts_node_count(contacts);
    PyObject *tuple = PyTuple_New(COLUMN_COUNT);
    if (!tuple) {
        return NULL;
    }
    columns->sphere = array_new(tuple, 0, (array_shape){ARRAY_INDEX, rows, 0});
    columns->facet = array_new(tuple, 1, (array_shape){ARRAY_INDEX, rows, 0});
    columns->type = array_new(tuple, 2, (array_shape){ARRAY_BYTE, rows, 0});
    columns->feature = array_new(tuple, 3, (array_shape){ARRAY_INDEX, rows, 0});
    columns->point = array_new(tuple, 4, (array_shape){ARRAY_DOUBLE, rows, 3});
    columns->normal = array_new(tuple, 5, (array_shape){ARRAY_DOUBLE, rows, 3});
    columns->overlap = array_new(tuple, 6, (array_shape){ARRAY_DOUBLE, rows, 0});
    columns->offsets = array_new(tuple, 7, (array_shape){ARRAY_INDEX, sphere_count + 1, 0});
    columns->node = array_new(tuple, 8, (array_shape){ARRAY_INDEX, nodes, 0});
    columns->weight = array_new(tuple, 9, (array_shape){ARRAY_DOUBLE, nodes, 0});
    columns->node_offsets = array_new(tuple, 10, (array_shape){ARRAY_INDEX, rows + 1, 0});
    if (PyErr_Occurred()) {
        Py_DECREF(tuple);
        return NULL;
    }
    return tuple;
}

static PyObject *write_contacts(const abut_contacts *contacts, abut_index sphere_count)
{
    abut_columns columns;
    PyObject *tuple = new_columns(contacts, sphere_count, &columns);
    if (!tuple) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    abut_contacts_write(contacts, &columns);
    Py_END_ALLOW_THREADS
    return tuple;
}

static PyObject *finder_find(PyObject *self, PyObject *args)
{
    abut_query query = abut_query_default();
    if (read_query(args, &query)) {
        return NULL;
    }
    abut_contacts *contacts = find_contacts(((finder_object *)self)->finder, &query);
    if (!contacts) {
        return NULL;
    }
    PyObject *columns = write_contacts(contacts, query.sphere_count);
    abut_contacts_free(contacts);
    return columns;
}

static PyMethodDef FINDER_METHODS[] = {
    {"find", finder_find, METH_VARARGS,
     "find($self, centers, radii, gap, flat_angle, resolution, weights, workers, /)\n--\n\n"
     "The columns of the contacts, in the order of abut_columns."},
    {NULL, NULL, 0, NULL},
};

static const char FINDER_DOC[] =
    "Finder(mesh)\n--\n\nBins of a _core.Mesh, built once, queried many times.";

static PyType_Slot FINDER_SLOTS[] = {
    {Py_tp_doc, (void *)FINDER_DOC},
    {Py_tp_new, finder_new},
    {Py_tp_dealloc, finder_dealloc},
    {Py_tp_methods, FINDER_METHODS},
    {0, NULL},
};

PyType_Spec core_finder_spec = {
    .name = "abut._core.Finder",
    .basicsize = sizeof(finder_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = FINDER_SLOTS,
};
