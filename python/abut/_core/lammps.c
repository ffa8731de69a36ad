/* Walls for LAMMPS: the callback of its steps, and its calls of Python. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "arrays.h"
#include "simulation.h"

/* A Coupling. It begins with the members of a _core.Simulation, so that it can share methods that
 * read the results of the last step. */
typedef struct lammps_object {
    simulation_object base;
    abut_lammps *walls;
    PyObject *meshes;    /* a tuple of _core.Mesh, which the library borrows */
    PyObject *on_step;   /* called with the time before each step if callables move walls */
    PyObject *on_sum;    /* sums numbers over processes; NULL for a single process */
    PyObject *on_error;  /* called with the exception of a failed callback; may be NULL */
    int has_given;       /* whether a callable moves a wall */
    PyObject *exception; /* of the callback that failed, or NULL */
    void *lammps;        /* LAMMPS' handle, and its function lammps_force_timeout */
    void (*force_timeout)(void *lammps);
    double asked; /* processor time of the last check for signals, in seconds */
} lammps_object;

static const char LAMMPS_DOC[] =
    "Coupling(handle, functions, meshes, material_count, laws, walls, order, name, group_bit, "
    "id_bytes, slots, resolution, on_step, on_sum, on_error)\n--\n\n"
    "Walls for LAMMPS. functions: addresses by name; meshes: a tuple of Mesh; laws and walls as "
    "for "
    "Simulation; order: the place of each wall in loads().";

/* ---- callbacks of LAMMPS' steps, on a thread without the interpreter lock ---- */

/* Stores the current exception, which raise_error raises later. */
static void keep_exception(lammps_object *self)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace) {
        PyException_SetTraceback(value, trace);
    }
    Py_XDECREF(self->exception);
    self->exception = value;
    Py_XDECREF(type);
    Py_XDECREF(trace);
}

/* Interval of the checks for Ctrl-C, which ends a run. It is processor time, since steps compute.
 */
#define SECONDS_BETWEEN_SIGNALS 0.1

static int is_time_for_signals(lammps_object *self)
{
    const double seconds = (double)clock() / CLOCKS_PER_SEC;
    if (fabs(seconds - self->asked) < SECONDS_BETWEEN_SIGNALS) {
        return 0;
    }
    self->asked = seconds;
    return 1;
}

/* Checks for signals, and returns whether LAMMPS' run may continue. A single process ends its run
 * after this step, and can continue from there. */
static int no_signal_ends_it(lammps_object *self)
{
    if (!PyErr_CheckSignals()) {
        return 1;
    }
    keep_exception(self);
    if (!self->on_error) {
        self->force_timeout(self->lammps);
    }
    return !self->on_error;
}

/* Whether a call that returned `none` raised no error. */
static int has_returned(lammps_object *self, PyObject *none)
{
    if (!none) {
        keep_exception(self);
    }
    Py_XDECREF(none);
    return none != NULL;
}

static int before_step(void *data, double time)
{
    lammps_object *self = data;
    int is_failed = 0;
    if (self->has_given || is_time_for_signals(self)) {
        const PyGILState_STATE state = PyGILState_Ensure();
        is_failed = !no_signal_ends_it(self) ||
                    (self->has_given &&
                     !has_returned(self, PyObject_CallFunction(self->on_step, "d", time)));
        PyGILState_Release(state);
    }
    return is_failed;
}

static int add_up(void *data, double *values, abut_index count)
{
    lammps_object *self = data;
    const Py_ssize_t bytes = count * (Py_ssize_t)sizeof *values;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *view = PyMemoryView_FromMemory((char *)values, bytes, PyBUF_WRITE);
    PyObject *none = view ? PyObject_CallFunctionObjArgs(self->on_sum, view, NULL) : NULL;
    const int is_failed = !has_returned(self, none);
    Py_XDECREF(view);
    PyGILState_Release(state);
    return is_failed;
}

static void failed(void *data, const abut_error *error)
{
    lammps_object *self = data;
    const PyGILState_STATE state = PyGILState_Ensure();
    if (!self->exception) {
        core_raise(error);
        keep_exception(self);
    }
    PyObject *none = self->on_error && self->exception
                         ? PyObject_CallFunctionObjArgs(self->on_error, self->exception, NULL)
                         : Py_NewRef(Py_None);
    if (!none) {
        PyErr_WriteUnraisable(self->on_error);
    }
    Py_XDECREF(none);
    PyGILState_Release(state);
}

/* ---- building ---- */

/* Reads the address of a function of LAMMPS' library. */
static int read_address(PyObject *functions, const char *name, void **address)
{
    PyObject *number = PyDict_GetItemString(functions, name);
    if (!number) {
        PyErr_Format(PyExc_KeyError, "functions lacks %s", name);
        return -1;
    }
    *address = PyLong_AsVoidPtr(number);
    return PyErr_Occurred() ? -1 : 0;
}

static int read_functions(PyObject *functions, abut_lammps_input *input)
{
    void *address[4];
    if (read_address(functions, "extract_atom", &address[0]) ||
        read_address(functions, "extract_global", &address[1]) ||
        read_address(functions, "force_timeout", &address[2]) ||
        read_address(functions, "fix_external_set_vector", &address[3])) {
        return -1;
    }
    /* POSIX allows the conversion of a data address to a function address */
    memcpy(&input->extract_atom, &address[0], sizeof address[0]);
    memcpy(&input->extract_global, &address[1], sizeof address[1]);
    memcpy(&input->force_timeout, &address[2], sizeof address[2]);
    memcpy(&input->set_vector, &address[3], sizeof address[3]);
    return 0;
}

static PyObject *or_none(PyObject *callable)
{
    return callable && callable != Py_None ? Py_NewRef(callable) : NULL;
}

/* Arguments of a Coupling that are objects. */
typedef struct given_coupling {
    PyObject *handle, *functions, *meshes, *laws, *walls, *order;
    PyObject *on_step, *on_sum, *on_error;
} given_coupling;

static int has_given(const given_walls *walls)
{
    int found = 0;
    for (Py_ssize_t k = 0; k < walls->count; k++) {
        const abut_wall *wall = &walls->walls[k];
        found = found || (wall->motion_count > 0 && wall->motions[0].kind == ABUT_GIVEN);
    }
    return found;
}

/* Number of members of abut_wall_load, all of which are doubles. */
enum { LOAD_MEMBERS = sizeof(abut_wall_load) / sizeof(double) };

/* Builds the callback's data; laws, meshes and walls are needed only during the call. */
static int build_walls(lammps_object *self, abut_lammps_input *input, const given_walls *walls)
{
    abut_error error = {.status = ABUT_OK};
    input->walls = walls->walls, input->wall_count = walls->count;
    input->before_step = before_step;
    input->failed = failed;
    input->add_up = self->on_sum ? add_up : NULL;
    input->data = self;
    self->lammps = input->lammps, self->force_timeout = input->force_timeout;
    if (abut_lammps_build(input, &self->walls, &error)) {
        core_raise(&error);
        return -1;
    }
    self->base.simulation = abut_lammps_simulation(self->walls);
    self->base.wall_count = input->wall_count;
    self->base.input.resolution = input->resolution;
    self->has_given = has_given(walls);
    return 0;
}

static int fill_coupling(lammps_object *self, const given_coupling *given, abut_lammps_input *input)
{
    const core_state *state = PyType_GetModuleState(Py_TYPE((PyObject *)self));
    given_walls walls = {0};
    const abut_mesh **meshes = core_read_meshes(given->meshes, state);
    abut_law *laws = meshes ? simulation_read_laws(given->laws, input->material_count) : NULL;
    int status = laws ? 0 : -1;
    if (!status) {
        input->meshes = meshes, input->mesh_count = PyTuple_Size(given->meshes);
        input->laws = laws;
        status = simulation_read_walls(given->walls, input->mesh_count, &walls);
    }
    if (!status) {
        const array_shape numbers = {ARRAY_INDEX, walls.count, 0};
        status = array_read(given->order, "order", numbers, &input->order);
    }
    if (!status) {
        status = build_walls(self, input, &walls);
    }
    simulation_free_walls(&walls);
    PyMem_Free(laws);
    PyMem_Free(meshes);
    return status;
}

static PyObject *make_coupling(PyTypeObject *type, const given_coupling *given,
                               abut_lammps_input *input)
{
    lammps_object *self = core_new_pooled(type, array_pool_new());
    if (!self) {
        return NULL;
    }
    self->meshes = Py_NewRef(given->meshes);
    self->on_step = or_none(given->on_step);
    self->on_sum = or_none(given->on_sum);
    self->on_error = or_none(given->on_error);
    if (fill_coupling(self, given, input)) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static PyObject *lammps_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"handle",    "functions", "meshes",   "material_count",
                            "laws",      "walls",     "order",    "name",
                            "group_bit", "id_bytes",  "slots",    "resolution",
                            "on_step",   "on_sum",    "on_error", NULL};
    given_coupling g = {0};
    abut_lammps_input input = {0};
    int resolution;
    if (!PyArg_ParseTupleAndKeywords(
            args, keywords, "OO!O!nOO!OsiiiiOOO:Coupling", names, &g.handle, &PyDict_Type,
            &g.functions, &PyTuple_Type, &g.meshes, &input.material_count, &g.laws, &PyTuple_Type,
            &g.walls, &g.order, &input.name, &input.group_bit, &input.id_bytes, &input.slots,
            &resolution, &g.on_step, &g.on_sum, &g.on_error)) {
        return NULL;
    }
    input.resolution = (abut_resolution)resolution;
    input.lammps = PyLong_AsVoidPtr(g.handle);
    if (PyErr_Occurred() || read_functions(g.functions, &input)) {
        return NULL;
    }
    return make_coupling(type, &g, &input);
}

static int lammps_traverse(PyObject *object, visitproc visit, void *arg)
{
    lammps_object *self = (lammps_object *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->meshes);
    Py_VISIT(self->on_step);
    Py_VISIT(self->on_sum);
    Py_VISIT(self->on_error);
    Py_VISIT(self->exception);
    return 0;
}

static int lammps_clear(PyObject *object)
{
    lammps_object *self = (lammps_object *)object;
    Py_CLEAR(self->on_step);
    Py_CLEAR(self->on_sum);
    Py_CLEAR(self->on_error);
    Py_CLEAR(self->exception);
    return 0;
}

static void lammps_dealloc(PyObject *object)
{
    lammps_object *self = (lammps_object *)object;
    PyObject_GC_UnTrack(object);
    lammps_clear(object);
    array_pool_drop(self->base.pooled.pool);
    abut_lammps_free(self->walls); /* borrows the meshes */
    Py_XDECREF(self->meshes);
    core_release(object);
}

/* ---- reading ---- */

static PyObject *lammps_callback(PyObject *Py_UNUSED(object), void *Py_UNUSED(closure))
{
    void (*function)(void *, int64_t, int, void *, double **, double **) = abut_lammps_callback;
    void *address;
    memcpy(&address, &function, sizeof address);
    return PyLong_FromVoidPtr(address);
}

static PyObject *lammps_pointer(PyObject *object, void *Py_UNUSED(closure))
{
    return PyLong_FromVoidPtr(((lammps_object *)object)->walls);
}

static PyObject *lammps_period(PyObject *object, void *Py_UNUSED(closure))
{
    double period[9];
    abut_lammps_read_period(((lammps_object *)object)->walls, period);
    return Py_BuildValue("(ddd)", period[0], period[4], period[8]);
}

static PyObject *lammps_interactions(PyObject *object, PyObject *kind)
{
    lammps_object *self = (lammps_object *)object;
    abut_lammps_read_period(self->walls, self->base.input.period);
    return simulation_interactions(object, kind);
}

static PyObject *lammps_ids(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const abut_lammps *walls = ((lammps_object *)object)->walls;
    void *data;
    PyObject *array =
        array_make((array_shape){ARRAY_INDEX, abut_lammps_sphere_count(walls), 0}, &data);
    if (array) {
        abut_lammps_read_ids(walls, data);
    }
    return array;
}

static PyObject *lammps_loads(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const lammps_object *self = (lammps_object *)object;
    return array_copy((array_shape){ARRAY_DOUBLE, self->base.wall_count, LOAD_MEMBERS},
                      abut_lammps_loads(self->walls));
}

static PyObject *lammps_now(PyObject *object, PyObject *Py_UNUSED(unused))
{
    return PyFloat_FromDouble(abut_lammps_now(((lammps_object *)object)->walls));
}

static PyObject *lammps_stable_step(PyObject *object, PyObject *Py_UNUSED(unused))
{
    double longest;
    const abut_error error = {
        .status = abut_lammps_stable_step(((lammps_object *)object)->walls, &longest)};
    return error.status ? core_raise(&error) : PyFloat_FromDouble(longest);
}

static PyObject *lammps_free_step(PyObject *object, PyObject *arguments)
{
    static const char *const names[] = {"radii", "masses", "speeds"};
    PyObject *given[3];
    const double *columns[3];
    Py_ssize_t count;
    if (!PyArg_ParseTuple(arguments, "nOOO", &count, &given[0], &given[1], &given[2])) {
        return NULL;
    }
    for (int k = 0; k < 3; k++) {
        const array_shape shape = {ARRAY_DOUBLE, count, 0};
        if (array_read(given[k], names[k], shape, &columns[k])) {
            return NULL;
        }
    }
    return PyFloat_FromDouble(abut_lammps_free_step(((lammps_object *)object)->walls, count,
                                                    columns[0], columns[1], columns[2]));
}

static PyObject *lammps_set_walls(PyObject *object, PyObject *tuple)
{
    lammps_object *self = (lammps_object *)object;
    given_walls walls;
    if (simulation_read_walls(tuple, PyTuple_Size(self->meshes), &walls)) {
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    if (walls.count != self->base.wall_count) {
        PyErr_SetString(PyExc_ValueError, "the number of walls must be the same as before");
    } else if (abut_lammps_set_walls(self->walls, walls.walls, &error)) {
        core_raise(&error);
    } else {
        self->has_given = has_given(&walls);
    }
    simulation_free_walls(&walls);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static PyObject *lammps_raise_error(PyObject *object, PyObject *Py_UNUSED(unused))
{
    lammps_object *self = (lammps_object *)object;
    const abut_error error = abut_lammps_take_error(self->walls);
    PyObject *exception = self->exception;
    self->exception = NULL;
    if (exception) {
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
        Py_DECREF(exception);
        return NULL;
    }
    return error.status ? core_raise(&error) : Py_NewRef(Py_None);
}

static PyObject *lammps_statistics(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const abut_lammps_statistics found = abut_lammps_inspect(((lammps_object *)object)->walls);
    return Py_BuildValue("(ndddnnn)", found.call_count, found.seconds, found.find_walls,
                         found.wall_laws, found.build_count, found.read_count, found.byte_count);
}

static PyMethodDef LAMMPS_METHODS[] = {
    {"place", simulation_place, METH_VARARGS,
     "place($self, wall, state, /)\n--\n\nSee Simulation.place."},
    {"wall", simulation_wall, METH_O, "wall($self, number, /)\n--\n\nSee Simulation.wall."},
    {"wall_now", simulation_wall_now, METH_O,
     "wall_now($self, number, /)\n--\n\nSee Simulation.wall_now; at the time of the last step, or "
     "of "
     "now()."},
    {"set_walls", lammps_set_walls, METH_O,
     "set_walls($self, walls, /)\n--\n\n"
     "See Simulation.set_walls; the same walls with other motions."},
    {"now", lammps_now, METH_NOARGS,
     "now($self, /)\n--\n\nLAMMPS' current time, at which wall_now then has the walls."},
    {"loads", lammps_loads, METH_NOARGS,
     "loads($self, /)\n--\n\nForce, torque and power of walls (w, 7), over all ranks, in the order "
     "in which the walls were given."},
    {"free_step", lammps_free_step, METH_VARARGS,
     "free_step($self, count, radii, masses, speeds, /)\n--\n\n"
     "The longest stable step of spheres without wall contacts, if they had any."},
    {"stable_step", lammps_stable_step, METH_NOARGS,
     "stable_step($self, /)\n--\n\nThat of this rank's spheres that touched walls in the last "
     "step."},
    {"interactions", lammps_interactions, METH_O,
     "interactions($self, kind, /)\n--\n\nSee Simulation.interactions; of this rank's spheres."},
    {"ids", lammps_ids, METH_NOARGS,
     "ids($self, /)\n--\n\nLAMMPS' ids of this rank's spheres, in the order of contacts."},
    {"raise_error", lammps_raise_error, METH_NOARGS,
     "raise_error($self, /)\n--\n\nRaise the error of a failed step, once; else return None."},
    {"statistics", lammps_statistics, METH_NOARGS,
     "statistics($self, /)\n--\n\nThe members of abut_lammps_statistics."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef LAMMPS_GETTERS[] = {
    {"callback", lammps_callback, NULL, "The address of the function for fix external.", NULL},
    {"pointer", lammps_pointer, NULL, "The argument of the callback.", NULL},
    {"period", lammps_period, NULL, "The box of the last step; 0 along axes without a period.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

const core_type core_lammps_type = {
    {"abut._core.Coupling", LAMMPS_DOC, sizeof(lammps_object), Py_TPFLAGS_HAVE_GC},
    {lammps_new, lammps_dealloc, lammps_traverse, lammps_clear},
    {LAMMPS_METHODS, LAMMPS_GETTERS}};
