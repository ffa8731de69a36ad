#include "arrays.h"

typedef struct finder_object {
    PyObject_HEAD
    PyObject *meshes; /* a tuple; the library's finder borrows its meshes */
    abut_index mesh_count;
    abut_finder *finder;
} finder_object;

static PyObject *wrap_finder(PyTypeObject *type, PyObject *meshes, abut_finder *finder)
{
    finder_object *self = (finder_object *)PyType_GenericAlloc(type, 0);
    if (!self) {
        abut_finder_free(finder);
        return NULL;
    }
    Py_INCREF(meshes);
    self->meshes = meshes;
    self->mesh_count = PyTuple_Size(meshes);
    self->finder = finder;
    return (PyObject *)self;
}

/* The library's meshes of a tuple, to be freed by PyMem_Free; NULL with an error set. */
static const abut_mesh **read_meshes(PyObject *tuple, PyTypeObject *mesh_type)
{
    const Py_ssize_t count = PyTuple_Size(tuple);
    /* a block of its own even for no meshes */
    const abut_mesh **meshes = PyMem_Malloc(((size_t)count + 1) * sizeof *meshes);
    if (!meshes) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *mesh = PyTuple_GetItem(tuple, i);
        if (!PyObject_TypeCheck(mesh, mesh_type)) {
            PyErr_Format(PyExc_TypeError, "meshes[%zd] is no _core.Mesh", i);
            PyMem_Free(meshes);
            return NULL;
        }
        meshes[i] = core_mesh_of(mesh);
    }
    return meshes;
}

static PyObject *build_finder(PyTypeObject *type, PyObject *tuple, const abut_mesh *const *meshes)
{
    abut_finder *finder = NULL;
    abut_error error = {ABUT_OK, 0, 0, 0.0};
    const abut_index count = PyTuple_Size(tuple);
    abut_status status;
    Py_BEGIN_ALLOW_THREADS
    status = abut_finder_build(meshes, count, &finder, &error);
    Py_END_ALLOW_THREADS
    return status ? core_raise(&error) : wrap_finder(type, tuple, finder);
}

static PyObject *finder_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"meshes", NULL};
    const core_state *state = PyType_GetModuleState(type);
    PyObject *tuple;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!:Finder", names, &PyTuple_Type, &tuple)) {
        return NULL;
    }
    const abut_mesh **meshes = read_meshes(tuple, state->mesh_type);
    if (!meshes) {
        return NULL;
    }
    PyObject *finder = build_finder(type, tuple, meshes);
    PyMem_Free(meshes);
    return finder;
}

static void finder_dealloc(PyObject *self)
{
    finder_object *finder = (finder_object *)self;
    abut_finder_free(finder->finder);
    Py_XDECREF(finder->meshes);
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

/* The arrays among the arguments of `find`. */
typedef struct query_arrays {
    PyObject *centers;
    PyObject *radii;
    PyObject *poses;
    PyObject *period;
} query_arrays;

static int read_arrays(const query_arrays *given, abut_index mesh_count, abut_query *query)
{
    array_data centers, radii, poses, period;
    if (array_read(given->centers, "centers", (array_shape){ARRAY_DOUBLE, ARRAY_ANY_ROWS, 3},
                   &centers) ||
        array_read(given->radii, "radii", (array_shape){ARRAY_DOUBLE, centers.rows, 0}, &radii) ||
        array_read_optional(given->poses, "poses", (array_shape){ARRAY_DOUBLE, mesh_count, 16},
                            &poses) ||
        array_read_optional(given->period, "period", (array_shape){ARRAY_DOUBLE, 3, 0}, &period)) {
        return -1;
    }
    query->sphere_count = centers.rows;
    query->centers = centers.data;
    query->radii = radii.data;
    query->poses = poses.data;
    query->period = period.data;
    return 0;
}

static int read_query(PyObject *args, abut_index mesh_count, abut_query *query)
{
    query_arrays given;
    int resolution, weights;
    if (!PyArg_ParseTuple(args, "OOddidpiOOi:find", &given.centers, &given.radii, &query->gap,
                          &query->flat_angle, &resolution, &query->exponent, &query->keep_zero,
                          &weights, &given.poses, &given.period, &query->workers)) {
        return -1;
    }
    query->resolution = (abut_resolution)resolution;
    query->weights = (abut_weights)weights;
    return read_arrays(&given, mesh_count, query);
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

enum { COLUMN_COUNT = 15 };

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
    columns->mesh = array_new_zeros(tuple, 1, (array_shape){ARRAY_INDEX, rows, 0});
    columns->facet = array_new(tuple, 2, (array_shape){ARRAY_INDEX, rows, 0});
    columns->type = array_new(tuple, 3, (array_shape){ARRAY_BYTE, rows, 0});
    columns->feature = array_new(tuple, 4, (array_shape){ARRAY_INDEX, rows, 0});
    columns->point = array_new(tuple, 5, (array_shape){ARRAY_DOUBLE, rows, 3});
    columns->normal = array_new(tuple, 6, (array_shape){ARRAY_DOUBLE, rows, 3});
    columns->overlap = array_new(tuple, 7, (array_shape){ARRAY_DOUBLE, rows, 0});
    columns->share = array_new(tuple, 8, (array_shape){ARRAY_DOUBLE, rows, 0});
    columns->tilt = array_new(tuple, 9, (array_shape){ARRAY_DOUBLE, rows, 0});
    columns->image = array_new_zeros(tuple, 10, (array_shape){ARRAY_INDEX, rows, 3});
    columns->offsets = array_new(tuple, 11, (array_shape){ARRAY_INDEX, sphere_count + 1, 0});
    columns->node = array_new(tuple, 12, (array_shape){ARRAY_INDEX, nodes, 0});
    columns->weight = array_new(tuple, 13, (array_shape){ARRAY_DOUBLE, nodes, 0});
    columns->node_offsets = array_new(tuple, 14, (array_shape){ARRAY_INDEX, rows + 1, 0});
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
    const finder_object *finder = (finder_object *)self;
    abut_query query = abut_query_default();
    if (read_query(args, finder->mesh_count, &query)) {
        return NULL;
    }
    abut_contacts *contacts = find_contacts(finder->finder, &query);
    if (!contacts) {
        return NULL;
    }
    PyObject *columns = write_contacts(contacts, query.sphere_count);
    abut_contacts_free(contacts);
    return columns;
}

static PyMethodDef FINDER_METHODS[] = {
    {"find", finder_find, METH_VARARGS,
     "find($self, centers, radii, gap, flat_angle, resolution, exponent, keep_zero, weights, "
     "poses, period, workers, /)\n--\n\n"
     "The columns of the contacts, in the order of abut_columns. poses: (k, 16), or None; period: "
     "(3,), 0 where the meshes are not repeated, or None."},
    {NULL, NULL, 0, NULL},
};

static const char FINDER_DOC[] =
    "Finder(meshes)\n--\n\nBins of a tuple of _core.Mesh, built once, queried many times.";

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
