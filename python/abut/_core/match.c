#include "arrays.h"

/* The members of abut_step, as they come in a tuple. */
typedef struct step_arguments {
    PyObject *offsets;
    PyObject *mesh;
    PyObject *point;
    PyObject *normal;
    PyObject *tilt;
    PyObject *node;
    PyObject *node_offsets;
} step_arguments;

static int read_rows(const step_arguments *given, Py_ssize_t rows, abut_step *step)
{
    array_data point, normal, tilt, node, node_offsets;
    if (array_read(given->point, "point", (array_shape){ARRAY_DOUBLE, rows, 3}, &point) ||
        array_read(given->normal, "normal", (array_shape){ARRAY_DOUBLE, rows, 3}, &normal) ||
        array_read(given->tilt, "tilt", (array_shape){ARRAY_DOUBLE, rows, 0}, &tilt) ||
        array_read(given->node, "node", (array_shape){ARRAY_INDEX, ARRAY_ANY_ROWS, 0}, &node) ||
        array_read(given->node_offsets, "node_offsets", (array_shape){ARRAY_INDEX, rows + 1, 0},
                   &node_offsets)) {
        return -1;
    }
    step->point = point.data;
    step->normal = normal.data;
    step->tilt = tilt.data;
    step->node = node.data;
    step->node_offsets = node_offsets.data;
    step->node_count = node.rows;
    return 0;
}

static int read_step(PyObject *tuple, abut_step *step)
{
    step_arguments given;
    array_data offsets, mesh;
    if (!PyArg_ParseTuple(tuple, "OOOOOOO:match", &given.offsets, &given.mesh, &given.point,
                          &given.normal, &given.tilt, &given.node, &given.node_offsets) ||
        array_read(given.offsets, "offsets", (array_shape){ARRAY_INDEX, ARRAY_ANY_ROWS, 0},
                   &offsets) ||
        array_read(given.mesh, "mesh", (array_shape){ARRAY_INDEX, ARRAY_ANY_ROWS, 0}, &mesh)) {
        return -1;
    }
    if (offsets.rows == 0) {
        PyErr_SetString(PyExc_ValueError, "offsets is empty; it begins with 0");
        return -1;
    }
    step->sphere_count = offsets.rows - 1;
    step->offsets = offsets.data;
    step->mesh = mesh.data;
    step->contact_count = mesh.rows;
    return read_rows(&given, mesh.rows, step);
}

static PyObject *match_steps(const abut_step *now, const abut_step *before,
                             const abut_index *earlier, int workers)
{
    void *match;
    PyObject *array = array_make((array_shape){ARRAY_INDEX, now->contact_count, 0}, &match);
    if (!array) {
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    abut_status status;
    Py_BEGIN_ALLOW_THREADS
    status = abut_contacts_match(now, before, earlier, workers, match, &error);
    Py_END_ALLOW_THREADS
    if (status) {
        Py_DECREF(array);
        return core_raise(&error);
    }
    return array;
}

PyObject *core_match(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *now, *before, *earlier;
    abut_step step_now, step_before;
    array_data of_earlier;
    int workers;
    if (!PyArg_ParseTuple(args, "O!O!Oi:match", &PyTuple_Type, &now, &PyTuple_Type, &before,
                          &earlier, &workers) ||
        read_step(now, &step_now) || read_step(before, &step_before) ||
        array_read(earlier, "earlier", (array_shape){ARRAY_INDEX, step_now.sphere_count, 0},
                   &of_earlier)) {
        return NULL;
    }
    return match_steps(&step_now, &step_before, of_earlier.data, workers);
}
