#include "arrays.h"

/* The members of abut_pair_step that are arrays, as they come in a tuple. */
typedef struct step_arguments {
    PyObject *offsets;
    PyObject *i;
    PyObject *j;
    PyObject *normal;
    PyObject *image;
    PyObject *guess;
} step_arguments;

/* Two steps, and whose numbers have changed in between. */
typedef struct two_steps {
    abut_pair_step now, before;
    const abut_index *earlier, *other_earlier;
} two_steps;

static int read_rows(const step_arguments *given, Py_ssize_t rows, abut_pair_step *step)
{
    array_data j, normal, image, guess;
    const Py_ssize_t width = step->dimension;
    if (array_read(given->j, "j", (array_shape){ARRAY_INDEX, rows, 0}, &j) ||
        array_read(given->normal, "normal", (array_shape){ARRAY_DOUBLE, rows, width}, &normal) ||
        array_read_optional(given->image, "image", (array_shape){ARRAY_INDEX, rows, width},
                            &image) ||
        array_read_optional(given->guess, "guess", (array_shape){ARRAY_INDEX, rows, 0}, &guess)) {
        return -1;
    }
    step->pair_count = rows;
    step->j = j.data;
    step->normal = normal.data;
    step->image = image.data;
    step->guess = guess.data;
    return 0;
}

/* Offsets; or how many spheres there are, where rows are in any order. */
static int read_offsets(PyObject *given, abut_pair_step *step)
{
    array_data offsets;
    step->any_order = PyLong_Check(given);
    step->offsets = NULL;
    if (step->any_order) {
        step->sphere_count = PyLong_AsSsize_t(given);
        return PyErr_Occurred() ? -1 : 0;
    }
    if (array_read(given, "offsets", (array_shape){ARRAY_INDEX, ARRAY_ANY_ROWS, 0}, &offsets)) {
        return -1;
    }
    step->sphere_count = offsets.rows - 1;
    step->offsets = offsets.data;
    return 0;
}

static int read_step(PyObject *tuple, abut_pair_step *step)
{
    step_arguments given = {.guess = Py_None};
    array_data i;
    if (!PyArg_ParseTuple(tuple, "OOOOOin|O:step", &given.offsets, &given.i, &given.j,
                          &given.normal, &given.image, &step->dimension, &step->other_count,
                          &given.guess) ||
        read_offsets(given.offsets, step) ||
        array_read(given.i, "i", (array_shape){ARRAY_INDEX, ARRAY_ANY_ROWS, 0}, &i)) {
        return -1;
    }
    step->interrupted = NULL, step->interrupted_data = NULL;
    step->has_others = step->other_count >= 0;
    step->i = i.data;
    return read_rows(&given, i.rows, step);
}

/* What match_pairs and carry_pairs begin with. */
typedef struct step_objects {
    PyObject *now;
    PyObject *before;
    PyObject *earlier;
    PyObject *other_earlier;
} step_objects;

static int read_steps(const step_objects *given, two_steps *steps)
{
    array_data earlier, other_earlier;
    if (read_step(given->now, &steps->now) || read_step(given->before, &steps->before) ||
        array_read_optional(given->earlier, "earlier",
                            (array_shape){ARRAY_INDEX, steps->now.sphere_count, 0}, &earlier) ||
        array_read_optional(given->other_earlier, "other_earlier",
                            (array_shape){ARRAY_INDEX, steps->now.other_count, 0},
                            &other_earlier)) {
        return -1;
    }
    steps->earlier = earlier.data;
    steps->other_earlier = other_earlier.data;
    return 0;
}

/* An array that the library has filled, or NULL with an error set where it has failed. */
static PyObject *filled(PyObject *array, abut_status status, const abut_error *error)
{
    if (status) {
        Py_DECREF(array);
        return core_raise(error);
    }
    return array;
}

PyObject *core_match_pairs(PyObject *Py_UNUSED(module), PyObject *args)
{
    step_objects given;
    two_steps s;
    int workers;
    void *match;
    if (!PyArg_ParseTuple(args, "O!O!OOi:match_pairs", &PyTuple_Type, &given.now, &PyTuple_Type,
                          &given.before, &given.earlier, &given.other_earlier, &workers) ||
        read_steps(&given, &s)) {
        return NULL;
    }
    PyObject *array = array_make((array_shape){ARRAY_INDEX, s.now.pair_count, 0}, &match);
    if (!array) {
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    PyThreadState *thread = PyEval_SaveThread();
    s.now.interrupted = core_run_signal_handlers, s.now.interrupted_data = &thread;
    const abut_status status =
        abut_pairs_match(&s.now, &s.before, s.earlier, s.other_earlier, workers, match, &error);
    PyEval_RestoreThread(thread);
    return filled(array, status, &error);
}

PyObject *core_carry_pairs(PyObject *Py_UNUSED(module), PyObject *args)
{
    step_objects given;
    PyObject *match_array, *tangent_array;
    two_steps s;
    array_data match, tangent;
    int workers;
    void *carried;
    if (!PyArg_ParseTuple(args, "O!O!OOOOi:carry_pairs", &PyTuple_Type, &given.now, &PyTuple_Type,
                          &given.before, &given.earlier, &given.other_earlier, &match_array,
                          &tangent_array, &workers) ||
        read_steps(&given, &s)) {
        return NULL;
    }
    const Py_ssize_t width = s.now.dimension;
    if (array_read(match_array, "match", (array_shape){ARRAY_INDEX, s.now.pair_count, 0}, &match) ||
        array_read(tangent_array, "tangent",
                   (array_shape){ARRAY_DOUBLE, s.before.pair_count, width}, &tangent)) {
        return NULL;
    }
    PyObject *array = array_make((array_shape){ARRAY_DOUBLE, s.now.pair_count, width}, &carried);
    if (!array) {
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    abut_status status;
    Py_BEGIN_ALLOW_THREADS
    status = abut_pairs_carry(&s.now, &s.before, s.earlier, s.other_earlier, match.data,
                              tangent.data, workers, carried, &error);
    Py_END_ALLOW_THREADS
    return filled(array, status, &error);
}
