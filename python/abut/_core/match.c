/* Finds the row of the step before that each contact, pair or spot continues, and its history. */
#include "arrays.h"

/* ---- contacts ---- */

/* The members of abut_step, in the order of a tuple. */
typedef struct step_arguments {
    PyObject *offsets, *mesh, *point, *normal, *tilt, *image, *node, *node_offsets, *poses, *period;
} step_arguments;

static int read_rows(const step_arguments *given, abut_step *step)
{
    const abut_index rows = array_row_count(given->point), nodes = array_row_count(given->node);
    const array_shape numbers = {ARRAY_INDEX, rows, 0}, vectors = {ARRAY_DOUBLE, rows, 3};
    step->contact_count = rows;
    step->node_count = nodes;
    return array_read(given->point, "point", vectors, &step->point) ||
           array_read_optional(given->mesh, "mesh", numbers, &step->mesh) ||
           array_read(given->normal, "normal", vectors, &step->normal) ||
           array_read(given->tilt, "tilt", (array_shape){ARRAY_DOUBLE, rows, 0}, &step->tilt) ||
           array_read_optional(given->image, "image", (array_shape){ARRAY_INDEX, rows, 3},
                               &step->image) ||
           array_read(given->node, "node", (array_shape){ARRAY_INDEX, nodes, 0}, &step->node) ||
           array_read(given->node_offsets, "node_offsets", (array_shape){ARRAY_INDEX, rows + 1, 0},
                      &step->node_offsets);
}

static int read_places(const step_arguments *given, abut_step *step)
{
    step->mesh_count = array_row_count(given->poses);
    return array_read_optional(given->poses, "poses",
                               (array_shape){ARRAY_DOUBLE, step->mesh_count, 16}, &step->poses) ||
           array_read_optional(given->period, "period", (array_shape){ARRAY_DOUBLE, 3, 3},
                               &step->period);
}

static int read_step(PyObject *tuple, abut_step *step)
{
    step_arguments given;
    *step = (abut_step){0};
    return !PyArg_ParseTuple(tuple, "OOOOOOOOOO:step", &given.offsets, &given.mesh, &given.point,
                             &given.normal, &given.tilt, &given.image, &given.node,
                             &given.node_offsets, &given.poses, &given.period) ||
           array_read_offsets(given.offsets, "offsets", &step->offsets, &step->sphere_count) ||
           read_rows(&given, step) || read_places(&given, step);
}

PyObject *core_match(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *given[3];
    abut_step now, before;
    const abut_index *earlier;
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
    abut_error error = {.status = ABUT_OK};
    if (array) {
        PyThreadState *thread = PyEval_SaveThread();
        now.interrupted = core_run_signal_handlers, now.interrupted_data = &thread;
        abut_contacts_match(&now, &before, earlier, workers, match, &error);
        PyEval_RestoreThread(thread);
    }
    return core_finish(array, &error);
}

PyObject *core_carry(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *given[4];
    abut_step now, before;
    const abut_index *match;
    const double *tangent;
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
    abut_error error = {.status = ABUT_OK};
    if (array) {
        Py_BEGIN_ALLOW_THREADS
        abut_contacts_carry(&now, &before, match, tangent, workers, carried, &error);
        Py_END_ALLOW_THREADS
    }
    return core_finish(array, &error);
}

/* ---- pairs ---- */

/* Two steps, and the numbers that the spheres had in the step before. */
typedef struct two_steps {
    abut_pair_step now, before;
    const abut_index *earlier, *other_earlier;
} two_steps;

/* The members of abut_pair_step that are arrays, in the order of a tuple. */
typedef struct pair_arguments {
    PyObject *offsets, *i, *j, *normal, *image, *guess;
} pair_arguments;

static int read_pair_rows(const pair_arguments *given, abut_pair_step *step)
{
    const abut_index rows = array_row_count(given->i);
    const Py_ssize_t width = step->dimension;
    const array_shape numbers = {ARRAY_INDEX, rows, 0}, vectors = {ARRAY_DOUBLE, rows, width};
    step->pair_count = rows;
    return array_read(given->i, "i", numbers, &step->i) ||
           array_read(given->j, "j", numbers, &step->j) ||
           array_read(given->normal, "normal", vectors, &step->normal) ||
           array_read_optional(given->image, "image", (array_shape){ARRAY_INDEX, rows, width},
                               &step->image) ||
           array_read_optional(given->guess, "guess", numbers, &step->guess);
}

/* Reads offsets, or the number of spheres if the rows are in any order. */
static int read_pair_offsets(PyObject *given, abut_pair_step *step)
{
    step->any_order = PyLong_Check(given);
    if (!step->any_order) {
        return array_read_offsets(given, "offsets", &step->offsets, &step->sphere_count);
    }
    step->sphere_count = PyLong_AsSsize_t(given);
    return PyErr_Occurred() != NULL;
}

static int read_pair_step(PyObject *tuple, abut_pair_step *step)
{
    pair_arguments given = {.guess = Py_None};
    *step = (abut_pair_step){0};
    if (!PyArg_ParseTuple(tuple, "OOOOOin|O:step", &given.offsets, &given.i, &given.j,
                          &given.normal, &given.image, &step->dimension, &step->other_count,
                          &given.guess)) {
        return -1;
    }
    step->has_others = step->other_count >= 0;
    return read_pair_offsets(given.offsets, step) || read_pair_rows(&given, step);
}

/* Reads (now, before, earlier, other_earlier). */
static int read_two_steps(PyObject *const given[4], two_steps *s)
{
    return read_pair_step(given[0], &s->now) || read_pair_step(given[1], &s->before) ||
           array_read_optional(given[2], "earlier",
                               (array_shape){ARRAY_INDEX, s->now.sphere_count, 0}, &s->earlier) ||
           array_read_optional(given[3], "other_earlier",
                               (array_shape){ARRAY_INDEX, s->now.other_count, 0},
                               &s->other_earlier);
}

PyObject *core_match_pairs(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *given[4];
    two_steps s;
    int workers;
    void *match;
    if (!PyArg_ParseTuple(args, "O!O!OOi:match_pairs", &PyTuple_Type, &given[0], &PyTuple_Type,
                          &given[1], &given[2], &given[3], &workers) ||
        read_two_steps(given, &s)) {
        return NULL;
    }
    PyObject *array = array_make((array_shape){ARRAY_INDEX, s.now.pair_count, 0}, &match);
    abut_error error = {.status = ABUT_OK};
    if (array) {
        PyThreadState *thread = PyEval_SaveThread();
        s.now.interrupted = core_run_signal_handlers, s.now.interrupted_data = &thread;
        abut_pairs_match(&s.now, &s.before, s.earlier, s.other_earlier, workers, match, &error);
        PyEval_RestoreThread(thread);
    }
    return core_finish(array, &error);
}

PyObject *core_carry_pairs(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *given[6];
    two_steps s;
    const abut_index *match;
    const double *tangent;
    int workers;
    void *carried;
    if (!PyArg_ParseTuple(args, "O!O!OOOOi:carry_pairs", &PyTuple_Type, &given[0], &PyTuple_Type,
                          &given[1], &given[2], &given[3], &given[4], &given[5], &workers) ||
        read_two_steps(given, &s)) {
        return NULL;
    }
    const abut_index rows = s.now.pair_count, rows_before = s.before.pair_count;
    const Py_ssize_t width = s.now.dimension;
    if (array_read(given[4], "match", (array_shape){ARRAY_INDEX, rows, 0}, &match) ||
        array_read(given[5], "tangent", (array_shape){ARRAY_DOUBLE, rows_before, width},
                   &tangent)) {
        return NULL;
    }
    PyObject *array = array_make((array_shape){ARRAY_DOUBLE, rows, width}, &carried);
    abut_error error = {.status = ABUT_OK};
    if (array) {
        Py_BEGIN_ALLOW_THREADS
        abut_pairs_carry(&s.now, &s.before, s.earlier, s.other_earlier, match, tangent, workers,
                         carried, &error);
        Py_END_ALLOW_THREADS
    }
    return core_finish(array, &error);
}

/* ---- spots ---- */

/* Reads (offsets, type, feature). */
static int read_spots(PyObject *const given[3], abut_spot_step *step)
{
    const abut_index count = array_row_count(given[1]);
    *step = (abut_spot_step){.spot_count = count};
    return array_read_offsets(given[0], "spot_offsets", &step->spot_offsets, &step->row_count) ||
           array_read(given[1], "spot_type", (array_shape){ARRAY_BYTE, count, 2},
                      &step->spot_type) ||
           array_read(given[2], "spot_feature", (array_shape){ARRAY_INDEX, count, 2},
                      &step->spot_feature);
}

PyObject *core_spots_match(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *given[8];
    abut_spot_step now, before;
    const abut_index *rows;
    const uint8_t *swapped;
    void *match;
    if (!PyArg_ParseTuple(args, "OOOOOOOO:spots_match", &given[0], &given[1], &given[2], &given[3],
                          &given[4], &given[5], &given[6], &given[7]) ||
        read_spots(given, &now) || read_spots(given + 3, &before) ||
        array_read(given[6], "row_match", (array_shape){ARRAY_INDEX, now.row_count, 0}, &rows) ||
        array_read_optional(given[7], "swapped", (array_shape){ARRAY_BYTE, now.row_count, 0},
                            &swapped)) {
        return NULL;
    }
    PyObject *array = array_make((array_shape){ARRAY_INDEX, now.spot_count, 0}, &match);
    abut_error error = {.status = ABUT_OK};
    if (array) {
        Py_BEGIN_ALLOW_THREADS
        abut_spots_match(&now, &before, rows, swapped, match, &error);
        Py_END_ALLOW_THREADS
    }
    return core_finish(array, &error);
}
