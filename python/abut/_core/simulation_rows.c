/* Spheres of a simulation, as columns. */
#include <string.h>

#include "columns.h"
#include "simulation.h"

/* ---- spheres ---- */

Py_ssize_t simulation_row_count(PyObject *dict, const char *name)
{
    PyObject *array = PyDict_GetItemString(dict, name);
    if (!array) {
        PyErr_Format(PyExc_TypeError, "%s is missing", name);
        return -1;
    }
    return array_row_count(array);
}

int simulation_read_new(column_table table, PyObject *dict, const char *name, abut_index *count,
                        void *target)
{
    *count = simulation_row_count(dict, name);
    const column_counts counts = {.lengths = {*count}, .presences = {1}};
    return *count < 0 || column_read(table, &counts, dict, target);
}

int simulation_begin_assigning(simulation_object *self, column_table table, simulation_count *rows,
                               PyObject *dict, abut_index *count, void *target)
{
    if (simulation_begin(self)) {
        return -1;
    }
    *count = rows(self->simulation);
    const column_counts counts = {.lengths = {*count}};
    if (column_read(table, &counts, dict, target)) {
        simulation_end(self);
        return -1;
    }
    return 0;
}

int simulation_read_new_spheres(PyObject *dict, abut_spheres *spheres)
{
    return simulation_read_new(column_table_of(ABUT_SPHERE_TABLE), dict, "radii", &spheres->count,
                               spheres);
}

PyObject *simulation_add(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    PyObject *dict, *known;
    abut_spheres spheres = {0};
    if (!PyArg_ParseTuple(args, "O!O:add", &PyDict_Type, &dict, &known) ||
        simulation_read_new_spheres(dict, &spheres) || simulation_begin(self)) {
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    Py_BEGIN_ALLOW_THREADS
    abut_simulation_add(self->simulation, &spheres, &error);
    Py_END_ALLOW_THREADS
    return simulation_commit(self, &error, known);
}

PyObject *simulation_take_away(PyObject *object, PyObject *args, simulation_count *count,
                               abut_status (*remove)(abut_simulation *, const uint8_t *,
                                                     abut_error *))
{
    simulation_object *self = (simulation_object *)object;
    PyObject *given, *known;
    const uint8_t *is_gone;
    if (!PyArg_ParseTuple(args, "OO", &given, &known) || simulation_begin(self)) {
        return NULL;
    }
    const array_shape shape = {ARRAY_BYTE, count(self->simulation), 0};
    if (array_read(given, "is_gone", shape, &is_gone)) {
        simulation_end(self);
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    Py_BEGIN_ALLOW_THREADS
    remove(self->simulation, is_gone, &error);
    Py_END_ALLOW_THREADS
    return simulation_commit(self, &error, known);
}

PyObject *simulation_remove(PyObject *object, PyObject *args)
{
    return simulation_take_away(object, args, abut_simulation_sphere_count, abut_simulation_remove);
}

static PyObject *read_column_of_spheres(simulation_object *self, const char *name)
{
    abut_spheres spheres = {.count = abut_simulation_sphere_count(self->simulation)};
    const column_counts counts = {.lengths = {spheres.count}};
    PyObject *array = column_array(column_table_of(ABUT_SPHERE_TABLE), name, &counts, &spheres);
    if (array) {
        Py_BEGIN_ALLOW_THREADS
        abut_simulation_read(self->simulation, &spheres);
        Py_END_ALLOW_THREADS
    }
    return array;
}

PyObject *simulation_read(PyObject *object, PyObject *name)
{
    simulation_object *self = (simulation_object *)object;
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    if (!text || simulation_begin(self)) {
        return NULL;
    }
    PyObject *array = read_column_of_spheres(self, text);
    simulation_end(self);
    return array;
}

PyObject *simulation_assign(PyObject *object, PyObject *dict)
{
    simulation_object *self = (simulation_object *)object;
    abut_spheres spheres = {0};
    if (simulation_begin_assigning(self, column_table_of(ABUT_SPHERE_TABLE),
                                   abut_simulation_sphere_count, dict, &spheres.count, &spheres)) {
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    Py_BEGIN_ALLOW_THREADS
    abut_simulation_assign(self->simulation, &spheres, &error);
    Py_END_ALLOW_THREADS
    return simulation_commit(self, &error, NULL);
}

/* ---- going on from a file ---- */

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

/* ---- what steps go by ---- */

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

PyObject *simulation_left_count(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const abut_simulation *s = simulation_at_rest(object);
    return s ? PyLong_FromSsize_t(abut_simulation_left_count(s)) : NULL;
}
