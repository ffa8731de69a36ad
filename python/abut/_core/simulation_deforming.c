/* Surfaces of a simulation: deforming walls, and shapes of bodies. */
#include "arrays.h"
#include "simulation.h"

/* Replaces the mesh of a wall in the finder, and sets the velocities of its vertices. */
static PyObject *deform(simulation_object *self, abut_index wall, PyObject *mesh,
                        const double *velocities, PyObject *known)
{
    const abut_error error = {.status = ABUT_OK};
    if (simulation_begin(self)) {
        return NULL;
    }
    if (core_finder_exchange(self->finder, wall, mesh)) {
        simulation_end(self);
        return NULL;
    }
    abut_simulation_deform(self->simulation, wall, velocities);
    return simulation_commit(self, &error, known);
}

PyObject *simulation_deform(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    const core_state *state = PyType_GetModuleState(Py_TYPE(object));
    PyObject *number, *mesh, *given, *known;
    const double *velocities;
    if (!PyArg_ParseTuple(args, "OO!OO:deform", &number, state->mesh_type, &mesh, &given, &known)) {
        return NULL;
    }
    const abut_index wall = simulation_read_wall(object, number);
    const array_shape shape = {ARRAY_DOUBLE, abut_mesh_inspect(core_mesh_of(mesh)).vertex_count, 3};
    if (wall < 0 || array_read(given, "velocities", shape, &velocities)) {
        return NULL;
    }
    if (!self->finder || !abut_simulation_deforms(self->simulation, wall, shape.rows)) {
        PyErr_Format(PyExc_ValueError, "wall %zd does not deform", (Py_ssize_t)wall);
        return NULL;
    }
    return deform(self, wall, mesh, velocities, known);
}

PyObject *simulation_nodal_forces(PyObject *object, PyObject *args)
{
    PyObject *number;
    Py_ssize_t vertices;
    double *forces;
    if (!PyArg_ParseTuple(args, "On:nodal_forces", &number, &vertices)) {
        return NULL;
    }
    const abut_index wall = simulation_read_wall(object, number);
    PyObject *array =
        wall < 0 ? NULL
                 : array_make((array_shape){ARRAY_DOUBLE, vertices, 3}, (void **)(void *)&forces);
    if (array) {
        abut_simulation_nodal_forces(((simulation_object *)object)->simulation, wall, vertices,
                                     forces);
    }
    return array;
}

PyObject *simulation_restore_surface(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    PyObject *number, *given[3];
    abut_deforming_state state;
    if (!PyArg_ParseTuple(args, "OOOO:restore_surface", &number, &given[0], &given[1], &given[2])) {
        return NULL;
    }
    const abut_index wall = simulation_read_wall(object, number);
    const array_shape shape = {ARRAY_DOUBLE, array_row_count(given[0]), 3};
    if (wall < 0 || array_read(given[0], "before", shape, &state.before) ||
        array_read(given[1], "velocities_before", shape, &state.velocities_before) ||
        array_read(given[2], "velocities", shape, &state.velocities)) {
        return NULL;
    }
    if (!abut_simulation_deforms(self->simulation, wall, shape.rows)) {
        PyErr_Format(PyExc_ValueError, "wall %zd does not deform", (Py_ssize_t)wall);
        return NULL;
    }
    abut_simulation_restore_deforming(self->simulation, wall, &state);
    Py_RETURN_NONE;
}

/* ---- shapes ---- */

/* Replaces the shapes, and the tuple that keeps them alive. */
static PyObject *exchange_shapes(simulation_object *self, PyObject *shapes,
                                 const abut_shape **pointers)
{
    const Py_ssize_t count = PyTuple_Size(shapes);
    abut_error error = {.status = ABUT_OK};
    if (simulation_begin(self)) {
        return NULL;
    }
    PyObject *unused = NULL;
    if (!abut_simulation_set_shapes(self->simulation, pointers, count, &error)) {
        unused = self->shapes;
        self->shapes = Py_NewRef(shapes);
    }
    PyObject *none = simulation_finish(self, &error);
    Py_XDECREF(unused);
    return none;
}

PyObject *simulation_set_shapes(PyObject *object, PyObject *shapes)
{
    if (!PyTuple_Check(shapes)) {
        PyErr_SetString(PyExc_TypeError, "shapes must be a tuple");
        return NULL;
    }
    const abut_shape **pointers = core_read_shapes(shapes, PyType_GetModuleState(Py_TYPE(object)));
    PyObject *none =
        pointers ? exchange_shapes((simulation_object *)object, shapes, pointers) : NULL;
    PyMem_Free(pointers);
    return none;
}
