#include "arrays.h"

typedef struct result_size {
    abut_index spheres, rows, nodes;
} result_size;

typedef struct finder_object {
    core_pooled pooled;
    PyObject *meshes; /* a tuple; the library's finder borrows its meshes */
    abut_index mesh_count;
    abut_finder *finder;
    int users;        /* number of users that read it without the interpreter lock */
    result_size last; /* size of the last result */
} finder_object;

static const char FINDER_DOC[] =
    "Finder(meshes)\n--\n\nBins of a tuple of _core.Mesh, built once, queried many times.";

const abut_finder *core_finder_of(PyObject *finder)
{
    return ((finder_object *)finder)->finder;
}

void core_finder_use(PyObject *finder, int by)
{
    ((finder_object *)finder)->users += by;
}

abut_index core_finder_mesh_count(PyObject *finder)
{
    return ((finder_object *)finder)->mesh_count;
}

static PyObject *build_finder(PyTypeObject *type, PyObject *tuple, const abut_mesh *const *meshes)
{
    finder_object *self = core_new_pooled(type, array_pool_new());
    if (!self) {
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    self->meshes = Py_NewRef(tuple);
    self->mesh_count = PyTuple_Size(tuple);
    Py_BEGIN_ALLOW_THREADS
    abut_finder_build(meshes, self->mesh_count, &self->finder, &error);
    Py_END_ALLOW_THREADS
    return core_finish((PyObject *)self, &error);
}

static PyObject *finder_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"meshes", NULL};
    PyObject *tuple;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!:Finder", names, &PyTuple_Type, &tuple)) {
        return NULL;
    }
    const abut_mesh **meshes = core_read_meshes(tuple, PyType_GetModuleState(type));
    PyObject *finder = meshes ? build_finder(type, tuple, meshes) : NULL;
    PyMem_Free(meshes);
    return finder;
}

static void finder_dealloc(PyObject *self)
{
    finder_object *finder = (finder_object *)self;
    array_pool_drop(finder->pooled.pool);
    abut_finder_free(finder->finder);
    Py_XDECREF(finder->meshes);
    core_release(self);
}

/* ---- the arguments of a query ---- */

/* Arguments of a query that are arrays. */
typedef struct query_arrays {
    PyObject *centers, *radii, *half_spaces, *poses, *period;
} query_arrays;

static int read_arrays(const query_arrays *given, abut_index mesh_count, abut_query *query)
{
    const abut_index count = array_row_count(given->centers);
    const abut_index half_spaces = array_row_count(given->half_spaces);
    query->sphere_count = count, query->half_space_count = half_spaces;
    return array_read(given->centers, "centers", (array_shape){ARRAY_DOUBLE, count, 3},
                      &query->centers) ||
           array_read(given->radii, "radii", (array_shape){ARRAY_DOUBLE, count, 0},
                      &query->radii) ||
           array_read_optional(given->half_spaces, "half_spaces",
                               (array_shape){ARRAY_DOUBLE, half_spaces, 6}, &query->half_spaces) ||
           array_read_optional(given->poses, "poses",
                               (array_shape){ARRAY_DOUBLE, mesh_count + half_spaces, 16},
                               &query->poses) ||
           array_read_optional(given->period, "period", (array_shape){ARRAY_DOUBLE, 3, 3},
                               &query->period);
}

static int read_query(PyObject *args, abut_index mesh_count, abut_query *query)
{
    query_arrays given;
    int resolution, weights;
    if (!PyArg_ParseTuple(args, "OOddidiiOOOi:find", &given.centers, &given.radii, &query->gap,
                          &query->flat_angle, &resolution, &query->exponent, &query->keep_zero,
                          &weights, &given.half_spaces, &given.poses, &given.period,
                          &query->workers)) {
        return -1;
    }
    query->resolution = (abut_resolution)resolution, query->weights = (abut_weights)weights;
    return read_arrays(&given, mesh_count, query);
}

/* ---- the search ---- */

/* Finds the contacts of a query; NULL with an error set. */
static abut_contacts *find_contacts(const abut_finder *finder, abut_query *query,
                                    const core_room *room)
{
    abut_contacts *contacts = NULL;
    abut_error error = {.status = ABUT_OK};
    PyThreadState *thread = PyEval_SaveThread();
    query->interrupted = core_run_signal_handlers;
    query->interrupted_data = &thread;
    const abut_status status =
        abut_contacts_find_into(finder, query, room->dict ? &room->room : NULL, &contacts, &error);
    PyEval_RestoreThread(thread);
    if (status) {
        core_raise(&error);
    }
    return contacts;
}

/* Columns are allocated in advance only for large results: with at least SPHERES_WITH_ROOM spheres,
 * and one contact for each SPHERES_A_ROW spheres. Smaller results stay in the cache anyway. */
enum { SPHERES_WITH_ROOM = 8 * 1024, SPHERES_A_ROW = 128 };

/* The last count, scaled by the ratio of the numbers of spheres, with a reserve. */
static abut_index scale_count(abut_index count, const result_size *last, abut_index spheres)
{
    const double scaled = (double)count / (double)last->spheres * (double)spheres;
    return (abut_index)(scaled * (1.0 + 1.0 / 16)) + 64;
}

/* Allocates columns for as many contacts as the last query found, if it was a similar query. */
static int make_room(const core_making *making, const result_size *last, const abut_query *query,
                     core_room *room)
{
    const abut_index spheres = query->sphere_count;
    if (spheres < SPHERES_WITH_ROOM || last->spheres < spheres / 2 || last->spheres / 2 > spheres ||
        last->rows < last->spheres / SPHERES_A_ROW) {
        return 0;
    }
    return core_make_room(making, scale_count(last->rows, last, spheres),
                          scale_count(last->nodes, last, spheres), query, room);
}

static PyObject *finder_find(PyObject *self, PyObject *args)
{
    finder_object *finder = (finder_object *)self;
    const core_state *state = PyType_GetModuleState(Py_TYPE(self));
    abut_query query = abut_query_default();
    if (read_query(args, finder->mesh_count, &query)) {
        return NULL;
    }
    const core_making making = {finder->mesh_count + query.half_space_count, finder->pooled.pool,
                                state->contact_names};
    core_room room = {0};
    array_pool_age(finder->pooled.pool);
    if (make_room(&making, &finder->last, &query, &room)) {
        return NULL;
    }
    core_finder_use(self, 1);
    abut_contacts *contacts = find_contacts(finder->finder, &query, &room);
    PyObject *columns = NULL;
    if (contacts) {
        finder->last = (result_size){query.sphere_count, abut_contacts_count(contacts),
                                     abut_contacts_node_count(contacts)};
        columns = core_write_contacts(contacts, &query, &making, &room);
        abut_contacts_free(contacts);
    } else {
        Py_XDECREF(room.dict);
    }
    core_finder_use(self, -1);
    return columns;
}

/* ---- moving vertices ---- */

/* A new tuple of the meshes, in which `mesh` replaces the one with this number. */
static PyObject *exchange(PyObject *meshes, Py_ssize_t number, PyObject *mesh)
{
    PyObject *tuple = PyTuple_New(PyTuple_Size(meshes));
    for (Py_ssize_t k = 0; tuple && k < PyTuple_Size(meshes); k++) {
        PyTuple_SetItem(tuple, k, Py_NewRef(k == number ? mesh : PyTuple_GetItem(meshes, k)));
    }
    return tuple;
}

/* Checks that a mesh can be replaced. Sets an error if not. */
static int check_exchange(const finder_object *finder, Py_ssize_t number, PyObject *mesh)
{
    const core_state *state = PyType_GetModuleState(Py_TYPE((PyObject *)finder));
    if (number < 0 || number >= finder->mesh_count || !PyObject_TypeCheck(mesh, state->mesh_type)) {
        PyErr_SetString(PyExc_ValueError, "update needs the number of a mesh and a Mesh");
        return -1;
    }
    if (finder->users > 0) {
        PyErr_SetString(
            PyExc_RuntimeError,
            "the finder is in use by another thread: update it when the search is done");
        return -1;
    }
    return 0;
}

int core_finder_exchange(PyObject *object, Py_ssize_t number, PyObject *mesh)
{
    finder_object *finder = (finder_object *)object;
    if (check_exchange(finder, number, mesh)) {
        return -1;
    }
    PyObject *meshes = exchange(finder->meshes, number, mesh);
    if (!meshes) {
        return -1;
    }
    abut_error error = {.status = ABUT_OK};
    abut_finder_update(finder->finder, number, core_mesh_of(mesh), &error);
    if (error.status) {
        Py_DECREF(meshes);
        core_raise(&error);
        return -1;
    }
    Py_DECREF(finder->meshes);
    finder->meshes = meshes;
    return 0;
}

static PyObject *finder_update(PyObject *self, PyObject *args)
{
    Py_ssize_t number;
    PyObject *mesh;
    if (!PyArg_ParseTuple(args, "nO:update", &number, &mesh) ||
        core_finder_exchange(self, number, mesh)) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *finder_prepare(PyObject *self, PyObject *reach)
{
    const double number = PyFloat_AsDouble(reach);
    if (PyErr_Occurred()) {
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    core_finder_use(self, 1);
    Py_BEGIN_ALLOW_THREADS
    abut_finder_prepare(((finder_object *)self)->finder, number, &error);
    Py_END_ALLOW_THREADS
    core_finder_use(self, -1);
    return core_finish(Py_NewRef(Py_None), &error);
}

static PyObject *finder_statistics(PyObject *self, PyObject *Py_UNUSED(unused))
{
    const abut_statistics found = abut_finder_inspect(((finder_object *)self)->finder);
    return Py_BuildValue("(nnnnnnnnnn)", found.sphere_count, found.candidate_count,
                         found.test_count, found.touch_count, found.contact_count, found.set_count,
                         found.cell_count, found.occupied_count, found.entry_count,
                         found.byte_count);
}

static PyMethodDef FINDER_METHODS[] = {
    {"find", finder_find, METH_VARARGS,
     "find($self, centers, radii, gap, flat_angle, resolution, exponent, keep_zero, weights, "
     "half_spaces, poses, period, workers, /)\n--\n\n"
     "The columns of the contacts by name. Columns with equal entries are absent: mesh with one "
     "mesh, share without sharing, image without a period. half_spaces: (h, 6), numbered after the "
     "meshes, or None; poses: (k + h, 16), or None; period: (3, 3), zeros in a row along "
     "which space does not repeat, "
     "or None."},
    {"prepare", finder_prepare, METH_O,
     "prepare($self, reach, /)\n--\n\nBuild the finest bins for spheres of this reach."},
    {"update", finder_update, METH_VARARGS,
     "update($self, number, mesh, /)\n--\n\nReplace a mesh by one that its `moved` has made."},
    {"statistics", finder_statistics, METH_NOARGS,
     "statistics($self, /)\n--\n\nThe members of abut_statistics, in its order."},
    {NULL, NULL, 0, NULL},
};

const core_type core_finder_type = {{"abut._core.Finder", FINDER_DOC, sizeof(finder_object), 0},
                                    {finder_new, finder_dealloc, NULL, NULL},
                                    {FINDER_METHODS, NULL}};
