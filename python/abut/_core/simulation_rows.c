/* Methods of a simulation: step terms, bounds, and restoring its state. */
#include <string.h>

#include "arrays.h"
#include "simulation.h"

/* ---- restoring ---- */

static int read_account(PyObject *object, abut_step_state *state)
{
    const double *account;
    const Py_ssize_t members = sizeof state->account / sizeof state->account[0];
    if (array_read(object, "account", (array_shape){ARRAY_DOUBLE, members, 0}, &account)) {
        return -1;
    }
    memcpy(state->account, account, sizeof state->account);
    return 0;
}

PyObject *simulation_restore(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    PyObject *account, *terms, *walls;
    const double *goes_by;
    abut_step_state state = {0};
    abut_error error = {.status = ABUT_OK};
    if (simulation_begin(self)) {
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "nOOO:restore", &state.step_count, &account, &terms, &walls) ||
        read_account(account, &state) ||
        array_read(terms, "terms", (array_shape){ARRAY_DOUBLE, ABUT_STEP_TERMS, 0}, &goes_by) ||
        /* all members are doubles */
        array_read(walls, "walls",
                   (array_shape){ARRAY_DOUBLE, self->wall_count, WALL_STATE_MEMBERS},
                   &state.walls)) {
        simulation_end(self);
        return NULL;
    }
    memcpy(state.terms, goes_by, sizeof state.terms);
    abut_simulation_restore(self->simulation, &state);
    return simulation_commit(self, &error, NULL);
}

PyObject *simulation_order(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const abut_simulation *s = simulation_at_rest(object);
    abut_index *rows;
    PyObject *array = s ? array_make((array_shape){ARRAY_INDEX, abut_simulation_sphere_count(s), 0},
                                     (void **)&rows)
                        : NULL;
    return array ? Py_BuildValue("(Nn)", array, abut_simulation_read_order(s, rows)) : NULL;
}

PyObject *simulation_restore_order(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    PyObject *order;
    Py_ssize_t step;
    const abut_index *rows;
    abut_error error;
    if (simulation_begin(self)) {
        return NULL;
    }
    const abut_index count = abut_simulation_sphere_count(self->simulation);
    if (!PyArg_ParseTuple(args, "On:restore_order", &order, &step) ||
        array_read(order, "order", (array_shape){ARRAY_INDEX, count, 0}, &rows)) {
        simulation_end(self);
        return NULL;
    }
    abut_simulation_restore_order(self->simulation, rows, step, &error);
    return simulation_commit(self, &error, NULL);
}

/* ---- step terms ---- */

PyObject *simulation_terms(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const abut_simulation *s = simulation_at_rest(object);
    if (!s) {
        return NULL;
    }
    const abut_step_state state = abut_simulation_step_state(s);
    return array_copy((array_shape){ARRAY_DOUBLE, ABUT_STEP_TERMS, 0}, state.terms);
}

PyObject *simulation_set_step(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    PyObject *given, *known;
    double step;
    const double *gravity;
    abut_error error = {.status = ABUT_OK};
    if (!PyArg_ParseTuple(args, "dOO:set_step", &step, &given, &known) ||
        array_read_optional(given, "gravity", (array_shape){ARRAY_DOUBLE, 3, 0}, &gravity) ||
        simulation_begin(self)) {
        return NULL;
    }
    abut_simulation_set_step(self->simulation, step, gravity, &error);
    return simulation_commit(self, &error, known);
}

PyObject *simulation_set_workers(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    int workers;
    if (!PyArg_ParseTuple(args, "i:set_workers", &workers) || simulation_begin(self)) {
        return NULL;
    }
    const int before = abut_simulation_set_workers(self->simulation, workers);
    simulation_end(self);
    return PyLong_FromLong(before);
}

/* ---- the periodic cell ---- */

PyObject *simulation_cell(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const abut_simulation *s = simulation_at_rest(object);
    if (!s) {
        return NULL;
    }
    const abut_cell cell = abut_simulation_cell(s);
    return array_copy((array_shape){ARRAY_DOUBLE, ABUT_CELL_NUMBERS, 0}, &cell);
}

PyObject *simulation_deform_cell(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    PyObject *given, *held, *known;
    const double *gradient, *numbers = NULL;
    int affine;
    abut_cell_hold hold;
    abut_error error = {.status = ABUT_OK};
    if (!PyArg_ParseTuple(args, "OpOO:deform_cell", &given, &affine, &held, &known) ||
        array_read(given, "gradient", (array_shape){ARRAY_DOUBLE, 3, 3}, &gradient) ||
        (held != Py_None &&
         array_read(held, "hold", (array_shape){ARRAY_DOUBLE, ABUT_HOLD_NUMBERS, 0}, &numbers)) ||
        simulation_begin(self)) {
        return NULL;
    }
    if (numbers) {
        memcpy(&hold, numbers, sizeof hold);
    }
    abut_simulation_deform_cell(self->simulation, gradient, affine, numbers ? &hold : NULL);
    return simulation_commit(self, &error, known);
}

PyObject *simulation_set_targets(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    PyObject *given;
    const double *targets;
    double largest_rate;
    abut_error error = {.status = ABUT_OK};
    if (!PyArg_ParseTuple(args, "Od:set_targets", &given, &largest_rate) ||
        array_read(given, "targets", (array_shape){ARRAY_DOUBLE, 3, 3}, &targets) ||
        simulation_begin(self)) {
        return NULL;
    }
    abut_simulation_set_targets(self->simulation, targets, largest_rate);
    return simulation_commit(self, &error, NULL);
}

PyObject *simulation_set_deformation(PyObject *object, PyObject *given)
{
    simulation_object *self = (simulation_object *)object;
    const double *deformation;
    abut_error error = {.status = ABUT_OK};
    if (array_read(given, "deformation", (array_shape){ARRAY_DOUBLE, 3, 3}, &deformation) ||
        simulation_begin(self)) {
        return NULL;
    }
    abut_simulation_set_deformation(self->simulation, deformation);
    return simulation_commit(self, &error, NULL);
}

PyObject *simulation_restore_cell(PyObject *object, PyObject *given)
{
    simulation_object *self = (simulation_object *)object;
    const double *numbers;
    abut_cell cell;
    abut_error error = {.status = ABUT_OK};
    if (array_read(given, "cell", (array_shape){ARRAY_DOUBLE, ABUT_CELL_NUMBERS, 0}, &numbers) ||
        simulation_begin(self)) {
        return NULL;
    }
    memcpy(&cell, numbers, sizeof cell);
    abut_simulation_restore_cell(self->simulation, &cell);
    return simulation_commit(self, &error, NULL);
}

/* ---- bounds ---- */

PyObject *simulation_set_bounds(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    PyObject *given, *known;
    const double *bounds;
    int stops;
    abut_error error = {.status = ABUT_OK};
    if (!PyArg_ParseTuple(args, "OpO:set_bounds", &given, &stops, &known) ||
        array_read_optional(given, "bounds", (array_shape){ARRAY_DOUBLE, 2, 3}, &bounds) ||
        simulation_begin(self)) {
        return NULL;
    }
    abut_simulation_set_bounds(self->simulation, bounds, bounds ? bounds + 3 : NULL, stops, &error);
    return simulation_commit(self, &error, known);
}

PyObject *simulation_outside(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const abut_simulation *s = simulation_at_rest(object);
    if (!s) {
        return NULL;
    }
    uint8_t *spheres, *bodies;
    const abut_index count = abut_simulation_sphere_count(s);
    const abut_index body_count = abut_simulation_rigid_count(s, ABUT_BODIES);
    PyObject *found[2] = {array_make((array_shape){ARRAY_BYTE, count, 0}, (void **)&spheres),
                          array_make((array_shape){ARRAY_BYTE, body_count, 0}, (void **)&bodies)};
    if (!found[0] || !found[1]) {
        Py_XDECREF(found[0]);
        Py_XDECREF(found[1]);
        return NULL;
    }
    abut_simulation_find_outside(s, spheres, bodies);
    return Py_BuildValue("(NN)", found[0], found[1]);
}

PyObject *simulation_touching(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    PyObject *points, *sizes;
    const double *centers, *radii;
    uint8_t *touches;
    abut_error error = {.status = ABUT_OK};
    if (!PyArg_ParseTuple(args, "OO:touching", &points, &sizes)) {
        return NULL;
    }
    const Py_ssize_t count = array_row_count(sizes);
    if (array_read(points, "centers", (array_shape){ARRAY_DOUBLE, count, 3}, &centers) ||
        array_read(sizes, "radii", (array_shape){ARRAY_DOUBLE, count, 0}, &radii) ||
        simulation_begin(self)) {
        return NULL;
    }
    PyObject *found = array_make((array_shape){ARRAY_BYTE, count, 0}, (void **)&touches);
    if (found) {
        Py_BEGIN_ALLOW_THREADS
        abut_simulation_find_touching(self->simulation, centers, radii, count, touches, &error);
        Py_END_ALLOW_THREADS
    }
    PyObject *done = simulation_finish(self, &error);
    if (!found || !done) {
        Py_XDECREF(found);
        Py_XDECREF(done);
        return NULL;
    }
    Py_DECREF(done);
    return found;
}

PyObject *simulation_left_count(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const abut_simulation *s = simulation_at_rest(object);
    return s ? PyLong_FromSsize_t(abut_simulation_left_count(s)) : NULL;
}
