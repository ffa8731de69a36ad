#include "arrays.h"

/* The members of abut_step, as they come in a tuple. */
typedef struct step_arguments {
    PyObject *offsets;
    PyObject *mesh;
    PyObject *point;
    PyObject *normal;
    PyObject *tilt;
    PyObject *image;
    PyObject *node;
    PyObject *node_offsets;
    PyObject *poses;
    PyObject *period;
} step_arguments;

static int read_rows(const step_arguments *given, Py_ssize_t rows, abut_step *step)
{
    array_data mesh, normal, tilt, image, node, node_offsets;
    if (array_read_optional(given->mesh, "mesh", (array_shape){ARRAY_INDEX, rows, 0}, &mesh) ||
        array_read(given->normal, "normal", (array_shape){ARRAY_DOUBLE, rows, 3}, &normal) ||
        array_read(given->tilt, "tilt", (array_shape){ARRAY_DOUBLE, rows, 0}, &tilt) ||
        array_read_optional(given->image, "image", (array_shape){ARRAY_INDEX, rows, 3}, &image) ||
        array_read(given->node, "node", (array_shape){ARRAY_INDEX, ARRAY_ANY_ROWS, 0}, &node) ||
        array_read(given->node_offsets, "node_offsets", (array_shape){ARRAY_INDEX, rows + 1, 0},
                   &node_offsets)) {
        return -1;
    }
    step->contact_count = rows;
    step->mesh = mesh.data;
    step->normal = normal.data;
    step->tilt = tilt.data;
    step->image = image.data;
    step->node = node.data;
    step->node_count = node.rows;
    step->node_offsets = node_offsets.data;
    return 0;
}

static int read_places(const step_arguments *given, abut_step *step)
{
    array_data poses, period;
    if (array_read_optional(given->poses, "poses", (array_shape){ARRAY_DOUBLE, ARRAY_ANY_ROWS, 16},
                            &poses) ||
        array_read_optional(given->period, "period", (array_shape){ARRAY_DOUBLE, 3, 0}, &period)) {
        return -1;
    }
    step->poses = poses.data;
    step->mesh_count = poses.rows;
    step->period = period.data;
    return 0;
}

static int read_step(PyObject *tuple, abut_step *step)
{
    step_arguments given;
    array_data offsets, point;
    if (!PyArg_ParseTuple(tuple, "OOOOOOOOOO:step", &given.offsets, &given.mesh, &given.point,
                          &given.normal, &given.tilt, &given.image, &given.node,
                          &given.node_offsets, &given.poses, &given.period) ||
        array_read(given.offsets, "offsets", (array_shape){ARRAY_INDEX, ARRAY_ANY_ROWS, 0},
                   &offsets) ||
        array_read(given.point, "point", (array_shape){ARRAY_DOUBLE, ARRAY_ANY_ROWS, 3}, &point)) {
        return -1;
    }
    if (offsets.rows == 0) {
        PyErr_SetString(PyExc_ValueError, "offsets is empty; it begins with 0");
        return -1;
    }
    *step =
        (abut_step){.sphere_count = offsets.rows - 1, .offsets = offsets.data, .point = point.data};
    return read_rows(&given, point.rows, step) || read_places(&given, step) ? -1 : 0;
}

/* The array that a function was to fill; NULL with what went wrong as the error. */
static PyObject *finish(PyObject *array, const abut_error *error)
{
    if (!error->status) {
        return array;
    }
    Py_DECREF(array);
    return core_raise(error);
}

PyObject *core_match(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *given[3];
    abut_step now, before;
    array_data earlier;
    int workers;
    void *match;
    if (!PyArg_ParseTuple(args, "O!O!Oi:match", &PyTuple_Type, &given[0], &PyTuple_Type, &given[1],
                          &given[2], &workers) ||
        read_step(given[0], &now) || read_step(given[1], &before) ||
        array_read(given[2], "earlier", (array_shape){ARRAY_INDEX, now.sphere_count, 0},
                   &earlier)) {
        return NULL;
    }
    PyObject *array = array_make((array_shape){ARRAY_INDEX, now.contact_count, 0}, &match);
    if (!array) {
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    PyThreadState *thread = PyEval_SaveThread();
    now.interrupted = core_run_signal_handlers, now.interrupted_data = &thread;
    abut_contacts_match(&now, &before, earlier.data, workers, match, &error);
    PyEval_RestoreThread(thread);
    return finish(array, &error);
}

PyObject *core_carry(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *given[4];
    abut_step now, before;
    array_data match, tangent;
    int workers;
    void *carried;
    if (!PyArg_ParseTuple(args, "O!O!OOi:carry", &PyTuple_Type, &given[0], &PyTuple_Type, &given[1],
                          &given[2], &given[3], &workers) ||
        read_step(given[0], &now) || read_step(given[1], &before) ||
        array_read(given[2], "match", (array_shape){ARRAY_INDEX, now.contact_count, 0}, &match) ||
        array_read(given[3], "tangent", (array_shape){ARRAY_DOUBLE, before.contact_count, 3},
                   &tangent)) {
        return NULL;
    }
    PyObject *array = array_make((array_shape){ARRAY_DOUBLE, now.contact_count, 3}, &carried);
    if (!array) {
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    Py_BEGIN_ALLOW_THREADS
    abut_contacts_carry(&now, &before, match.data, tangent.data, workers, carried, &error);
    Py_END_ALLOW_THREADS
    return finish(array, &error);
}
