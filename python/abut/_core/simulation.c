#include "simulation.h"

#include <string.h>

#include "arrays.h"
#include "user_laws.h"

static const char SIMULATION_DOC[] =
    "Simulation(step, gravity, period, resolution, workers)\n--\n\n"
    "Spheres in motion. gravity: (3,); period: (3, 3), zeros in a row along which space does not "
    "repeat.";

int simulation_begin(simulation_object *self)
{
    if (self->is_at_work) {
        PyErr_SetString(PyExc_RuntimeError,
                        "the simulation is at work: wait until the call that steps it, in another "
                        "thread or interrupted by a signal, returns");
        return -1;
    }
    self->is_at_work = 1;
    return 0;
}

void simulation_end(simulation_object *self)
{
    self->is_at_work = 0;
}

const abut_simulation *simulation_at_rest(PyObject *object)
{
    simulation_object *self = (simulation_object *)object;
    if (simulation_begin(self)) {
        return NULL;
    }
    simulation_end(self);
    return self->simulation;
}

PyObject *simulation_finish(simulation_object *self, const abut_error *error)
{
    simulation_end(self);
    if (error->status) {
        return core_raise(error);
    }
    Py_RETURN_NONE;
}

PyObject *simulation_commit(simulation_object *self, const abut_error *error, PyObject *known)
{
    PyObject *before = NULL;
    self->change_count++;
    if (known && !error->status) {
        before = self->known;
        self->known = Py_NewRef(known);
    }
    PyObject *none = simulation_finish(self, error);
    Py_XDECREF(before);
    return none;
}

/* ---- building ---- */

static PyObject *simulation_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"step", "gravity", "period", "resolution", "workers", NULL};
    abut_simulation_input input = {0};
    abut_error error = {.status = ABUT_OK};
    PyObject *given[2];
    const double *gravity, *period;
    int resolution;
    const array_shape axes = {ARRAY_DOUBLE, 3, 0}, vectors = {ARRAY_DOUBLE, 3, 3};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "dOOii:Simulation", names, &input.step,
                                     &given[0], &given[1], &resolution, &input.workers) ||
        array_read(given[0], "gravity", axes, &gravity) ||
        array_read(given[1], "period", vectors, &period)) {
        return NULL;
    }
    input.resolution = (abut_resolution)resolution;
    memcpy(input.gravity, gravity, sizeof input.gravity);
    memcpy(input.period, period, sizeof input.period);
    simulation_object *self = core_new_pooled(type, array_pool_new());
    if (self) {
        self->input = input;
        abut_simulation_build(&input, &self->simulation, &error);
    }
    return core_finish((PyObject *)self, &error);
}

static void simulation_dealloc(PyObject *object)
{
    simulation_object *self = (simulation_object *)object;
    PyObject_GC_UnTrack(object);
    array_pool_drop(self->pooled.pool);
    /* free the library's simulation first, because it uses the finder and the shapes */
    abut_simulation_free(self->simulation);
    Py_XDECREF(self->finder);
    Py_XDECREF(self->shapes);
    Py_XDECREF(self->known);
    core_release(object);
}

/* Visits `known`: its callables that move walls may refer to this object. */
static int simulation_traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(((simulation_object *)object)->known);
    return 0;
}

static int simulation_clear(PyObject *object)
{
    Py_CLEAR(((simulation_object *)object)->known);
    return 0;
}

/* ---- the caller's record ---- */

static PyObject *simulation_known(PyObject *object, void *Py_UNUSED(unused))
{
    PyObject *known = ((simulation_object *)object)->known;
    return Py_NewRef(known ? known : Py_None);
}

static PyObject *simulation_change_count(PyObject *object, void *Py_UNUSED(unused))
{
    return PyLong_FromSsize_t(((simulation_object *)object)->change_count);
}

static PyObject *simulation_note(PyObject *object, PyObject *known)
{
    simulation_object *self = (simulation_object *)object;
    const abut_error error = {.status = ABUT_OK};
    return simulation_begin(self) ? NULL : simulation_commit(self, &error, known);
}

/* ---- laws ---- */

static PyObject *simulation_set_laws(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    abut_index materials;
    PyObject *given, *users, *known;
    if (!PyArg_ParseTuple(args, "nOO!O:set_laws", &materials, &given, &PyTuple_Type, &users,
                          &known)) {
        return NULL;
    }
    abut_law *laws = simulation_read_laws(given, materials);
    abut_user_law *own = laws ? user_laws_read_all(users) : NULL;
    abut_error error = {.status = ABUT_OK};
    PyObject *none = NULL;
    if (own && !simulation_begin(self)) {
        const abut_user_laws all = {own, PyTuple_Size(users)};
        abut_simulation_set_user_laws(self->simulation, materials, laws, &all, &error);
        none = simulation_commit(self, &error, known);
    }
    PyMem_Free(laws);
    PyMem_Free(own);
    return none;
}

/* ---- walls ---- */

/* A row of numbers for each of some walls: states of walls that callables move, or drives. */
typedef struct wall_rows {
    const abut_index *walls;
    const double *numbers;
    abut_index count, width;
} wall_rows;

static int read_wall_rows(PyObject *walls, PyObject *numbers, abut_index width, wall_rows *rows)
{
    rows->count = array_row_count(walls), rows->width = width;
    return array_read(walls, "walls", (array_shape){ARRAY_INDEX, rows->count, 0}, &rows->walls) ||
           array_read(numbers, "rows", (array_shape){ARRAY_DOUBLE, rows->count, width},
                      &rows->numbers);
}

static int check_wall_rows(const wall_rows *rows, abut_index count)
{
    for (abut_index k = 0; k < rows->count; k++) {
        if (rows->walls[k] < 0 || rows->walls[k] >= count) {
            PyErr_Format(PyExc_IndexError, "there is no wall %zd", (Py_ssize_t)rows->walls[k]);
            return -1;
        }
    }
    return 0;
}

static void begin_walls(abut_simulation *simulation, const wall_rows *placed)
{
    for (abut_index k = 0; k < placed->count; k++) {
        abut_wall_state state;
        memcpy(&state, placed->numbers + k * placed->width, sizeof state);
        abut_simulation_begin(simulation, placed->walls[k], &state);
    }
}

static void drive_walls(abut_simulation *simulation, const wall_rows *driven)
{
    for (abut_index k = 0; k < driven->count; k++) {
        abut_drive drive;
        memcpy(&drive, driven->numbers + k * driven->width, sizeof drive);
        abut_simulation_set_drive(simulation, driven->walls[k], &drive);
    }
}

/* Replaces all walls and their finder. begun[0] has initial states of some walls, begun[1] drives.
 */
static PyObject *exchange_walls(simulation_object *self, PyObject *finder, const given_walls *walls,
                                const abut_index *numbers, const wall_rows begun[2],
                                PyObject *known)
{
    abut_error error = {.status = ABUT_OK};
    if (simulation_begin(self)) {
        return NULL;
    }
    const abut_finder *found = finder ? core_finder_of(finder) : NULL;
    PyObject *unused = self->finder;
    if (!abut_simulation_set_walls(self->simulation, found, walls->walls, walls->count, numbers,
                                   &error)) {
        self->finder = Py_XNewRef(finder);
        self->wall_count = walls->count;
        begin_walls(self->simulation, &begun[0]);
        drive_walls(self->simulation, &begun[1]);
    } else {
        unused = NULL;
    }
    PyObject *none = simulation_commit(self, &error, known);
    Py_XDECREF(unused);
    return none;
}

static int check_finder(PyObject *object, PyObject *finder)
{
    const core_state *state = PyType_GetModuleState(Py_TYPE(object));
    if (finder && !PyObject_TypeCheck(finder, state->finder_type)) {
        PyErr_SetString(PyExc_TypeError, "finder must be a _core.Finder or None");
        return -1;
    }
    return 0;
}

/* Reads the earlier number of each wall; -1 for a new wall. No number may appear twice. */
static int read_old_numbers(PyObject *given, abut_index count, abut_index had,
                            const abut_index **numbers)
{
    if (array_read(given, "before", (array_shape){ARRAY_INDEX, count, 0}, numbers)) {
        return -1;
    }
    for (abut_index k = 0; k < count; k++) {
        if ((*numbers)[k] < -1 || (*numbers)[k] >= had) {
            PyErr_Format(PyExc_IndexError, "there was no wall %zd", (Py_ssize_t)(*numbers)[k]);
            return -1;
        }
    }
    return 0;
}

static PyObject *simulation_set_walls(PyObject *object, PyObject *args)
{
    PyObject *finder, *given, *before, *placed, *states, *driven, *drives, *known, *none = NULL;
    const abut_index *old;
    given_walls walls;
    wall_rows begun[2];
    if (!PyArg_ParseTuple(args, "OO!O(OO)(OO)O:set_walls", &finder, &PyTuple_Type, &given, &before,
                          &placed, &states, &driven, &drives, &known)) {
        return NULL;
    }
    finder = finder == Py_None ? NULL : finder;
    if (check_finder(object, finder) ||
        read_wall_rows(placed, states, WALL_STATE_MEMBERS, &begun[0]) ||
        read_wall_rows(driven, drives, ABUT_DRIVE_NUMBERS, &begun[1]) ||
        simulation_read_walls(given, finder ? core_finder_mesh_count(finder) : 0, &walls)) {
        return NULL;
    }
    const abut_index had = ((simulation_object *)object)->wall_count;
    if (!read_old_numbers(before, walls.count, had, &old) &&
        !check_wall_rows(&begun[0], walls.count) && !check_wall_rows(&begun[1], walls.count)) {
        none = exchange_walls((simulation_object *)object, finder, &walls, old, begun, known);
    }
    simulation_free_walls(&walls);
    return none;
}

abut_index simulation_read_wall(PyObject *object, PyObject *number)
{
    const Py_ssize_t wall = PyLong_AsSsize_t(number);
    if (PyErr_Occurred()) {
        return -1;
    }
    if (wall < 0 || wall >= ((simulation_object *)object)->wall_count) {
        PyErr_Format(PyExc_IndexError, "there is no wall %zd", wall);
        return -1;
    }
    return simulation_at_rest(object) ? wall : -1;
}

/* A function of the library that returns a wall's state. */
typedef abut_wall_state (*state_function)(const abut_simulation *, abut_index);

static PyObject *wall_state(PyObject *object, PyObject *number, state_function state_of)
{
    const abut_index wall = simulation_read_wall(object, number);
    if (wall < 0) {
        return NULL;
    }
    const abut_wall_state state = state_of(((simulation_object *)object)->simulation, wall);
    return array_copy((array_shape){ARRAY_DOUBLE, WALL_STATE_MEMBERS, 0}, &state);
}

PyObject *simulation_wall(PyObject *object, PyObject *number)
{
    return wall_state(object, number, abut_simulation_wall);
}

PyObject *simulation_wall_now(PyObject *object, PyObject *number)
{
    return wall_state(object, number, abut_simulation_wall_now);
}

/* Reads an array of numbers for a wall. Returns the wall's number, or -1 with an error set. */
static abut_index read_wall_numbers(PyObject *object, PyObject *args, const char *format,
                                    Py_ssize_t width, const double **numbers)
{
    PyObject *number, *given;
    if (!PyArg_ParseTuple(args, format, &number, &given) ||
        array_read(given, "numbers", (array_shape){ARRAY_DOUBLE, width, 0}, numbers)) {
        return -1;
    }
    return simulation_read_wall(object, number);
}

PyObject *simulation_place(PyObject *object, PyObject *args)
{
    const double *numbers;
    const abut_index wall =
        read_wall_numbers(object, args, "OO:place", WALL_STATE_MEMBERS, &numbers);
    if (wall < 0) {
        return NULL;
    }
    abut_wall_state state;
    memcpy(&state, numbers, sizeof state);
    abut_simulation_place(((simulation_object *)object)->simulation, wall, &state);
    Py_RETURN_NONE;
}

PyObject *simulation_set_drive(PyObject *object, PyObject *args)
{
    const double *numbers;
    const abut_index wall =
        read_wall_numbers(object, args, "OO:set_drive", ABUT_DRIVE_NUMBERS, &numbers);
    if (wall < 0) {
        return NULL;
    }
    drive_walls(((simulation_object *)object)->simulation,
                &(wall_rows){&wall, numbers, 1, ABUT_DRIVE_NUMBERS});
    Py_RETURN_NONE;
}

PyObject *simulation_drive(PyObject *object, PyObject *number)
{
    const abut_index wall = simulation_read_wall(object, number);
    if (wall < 0) {
        return NULL;
    }
    const abut_drive drive = abut_simulation_drive(((simulation_object *)object)->simulation, wall);
    return array_copy((array_shape){ARRAY_DOUBLE, ABUT_DRIVE_NUMBERS, 0}, &drive);
}

PyObject *simulation_load(PyObject *object, PyObject *number)
{
    const abut_index wall = simulation_read_wall(object, number);
    if (wall < 0) {
        return NULL;
    }
    const abut_wall_load load =
        abut_simulation_load(((simulation_object *)object)->simulation, wall);
    return Py_BuildValue("((ddd)(ddd)d)", load.force[0], load.force[1], load.force[2],
                         load.torque[0], load.torque[1], load.torque[2], load.power);
}

/* ---- steps ---- */

PyObject *simulation_outcome(const abut_error *error)
{
    switch (error->status) {
#define OUTCOME(name) case ABUT_##name:
        CORE_OUTCOMES(OUTCOME)
#undef OUTCOME
        return Py_BuildValue("(innd)", (int)error->status, error->index, error->detail,
                             error->value);
    case ABUT_OK:
        Py_RETURN_NONE;
    default:
        return core_raise(error);
    }
}

static PyObject *simulation_run(PyObject *object, PyObject *steps)
{
    simulation_object *self = (simulation_object *)object;
    const Py_ssize_t count = PyLong_AsSsize_t(steps);
    if (PyErr_Occurred() || simulation_begin(self)) {
        return NULL;
    }
    abut_index done = 0;
    abut_error error = {.status = ABUT_OK};
    PyThreadState *thread = PyEval_SaveThread();
    abut_simulation_run(self->simulation, count, core_run_signal_handlers, &thread, &done, &error);
    PyEval_RestoreThread(thread);
    self->change_count++;
    self->sphere_steps += done * (abut_simulation_sphere_count(self->simulation) +
                                  abut_simulation_rigid_count(self->simulation, ABUT_BODIES));
    simulation_end(self);
    return simulation_outcome(&error);
}

/* ---- results ---- */

static PyObject *simulation_account(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const abut_simulation *s = simulation_at_rest(object);
    if (!s) {
        return NULL;
    }
    const abut_step_state state = abut_simulation_step_state(s);
    const Py_ssize_t members = sizeof state.account / sizeof state.account[0];
    return array_copy((array_shape){ARRAY_DOUBLE, members, 0}, state.account);
}

static PyObject *simulation_law_case(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const abut_simulation *s = simulation_at_rest(object);
    return s ? user_laws_case(s) : NULL;
}

static PyObject *simulation_energy(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const abut_simulation *s = simulation_at_rest(object);
    const abut_energy found = s ? abut_simulation_energy(s) : (abut_energy){0};
    return s ? Py_BuildValue("(dddddd)", found.kinetic, found.rotational, found.gravitational,
                             found.elastic, found.dissipated, found.wall_work)
             : NULL;
}

static PyObject *simulation_stable_step(PyObject *object, PyObject *number)
{
    static abut_status (*const STABLE_STEPS[])(const abut_simulation *, abut_stable_step *) = {
        abut_simulation_stable_step, abut_simulation_stable_step_of_bodies,
        abut_simulation_stable_step_of_walls};
    simulation_object *self = (simulation_object *)object;
    const size_t kind = PyLong_AsSize_t(number);
    if (!PyErr_Occurred() && kind >= sizeof STABLE_STEPS / sizeof STABLE_STEPS[0]) {
        PyErr_Format(PyExc_IndexError, "kind is %zu, but must be 0, 1 or 2", kind);
    }
    if (PyErr_Occurred() || simulation_begin(self)) {
        return NULL;
    }
    abut_stable_step longest;
    abut_error error = {.status = ABUT_OK};
    Py_BEGIN_ALLOW_THREADS
    error.status = STABLE_STEPS[kind](self->simulation, &longest);
    Py_END_ALLOW_THREADS
    simulation_end(self);
    return error.status
               ? core_raise(&error)
               : Py_BuildValue("(dnn)", longest.step, longest.index, longest.contact_count);
}

/* A notice as a tuple, or None. */
static PyObject *notice_tuple(const abut_notice *notice)
{
    if (!notice->is_there) {
        Py_RETURN_NONE;
    }
    return Py_BuildValue("(niinnd)", notice->step, (int)notice->kinds[0], (int)notice->kinds[1],
                         notice->numbers[0], notice->numbers[1], notice->ratio);
}

static PyObject *simulation_notices(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const abut_simulation *s = simulation_at_rest(object);
    if (!s) {
        return NULL;
    }
    const abut_notices found = abut_simulation_notices(s);
    if (!found.fast.is_there && !found.deep.is_there && !found.placed.is_there) {
        Py_RETURN_NONE;
    }
    return Py_BuildValue("(NNNnd)", notice_tuple(&found.fast), notice_tuple(&found.deep),
                         notice_tuple(&found.placed), found.placed_count, found.placed_speed);
}

static PyObject *simulation_statistics(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const abut_simulation *s = simulation_at_rest(object);
    if (!s) {
        return NULL;
    }
    const abut_simulation_statistics of = abut_simulation_inspect(s);
#define FORMAT(number, name) "sd"
#define PART(number, name) , #name, of.name
    return Py_BuildValue(
        "{" ABUT_STEP_PARTS(FORMAT) "snsnsnsnsnsnsnsnsnsnsnsnsnsn}" ABUT_STEP_PARTS(PART), "steps",
        of.step_count, "spheres", of.sphere_count, "contacts", of.contact_count, "pairs",
        of.pair_count, "bodies", of.body_count, "body_contacts", of.body_contact_count, "bytes",
        of.byte_count, "sphere_steps", ((simulation_object *)object)->sphere_steps, "lists_moved",
        of.lists_moved, "lists_changed", of.lists_changed, "lists_of_walls", of.lists_of_walls,
        "candidates", of.candidate_count, "bonds", of.bond_count, "breakages", of.breakage_count);
#undef FORMAT
#undef PART
}

static PyGetSetDef SIMULATION_ATTRIBUTES[] = {
    {"known", simulation_known, NULL,
     "The caller's record: the last argument of calls that change the simulation, replaced when "
     "they succeed; None at first.",
     NULL},
    {"change_count", simulation_change_count, NULL, "Grows with each step and change.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef SIMULATION_METHODS[] = {
    {"lock", simulation_take_lock, METH_O,
     "lock($self, is_of_run, /)\n--\n\n"
     "A lock for changes, or for a run, in a `with`; RuntimeError if it is taken."},
    {"lend", simulation_lend, METH_O,
     "lend($self, call, /)\n--\n\n"
     "Return call(), which may change the simulation during a run."},
    {"note", simulation_note, METH_O, "note($self, known, /)\n--\n\nReplace the record."},
    {"set_laws", simulation_set_laws, METH_VARARGS,
     "set_laws($self, materials, laws, own, known, /)\n--\n\n"
     "laws: (materials * materials, len(LAW_NUMBERS)); own: users' laws, as for apply_law."},
    {"set_walls", simulation_set_walls, METH_VARARGS,
     "set_walls($self, finder, walls, before, placed, driven, known, /)\n--\n\n"
     "finder: that of the walls' meshes, or None; walls: (materials, starts, poses, offsets, "
     "motions, half_spaces, off, vertices). half_spaces (h, 6) follow the meshes, and `off` walls "
     "that are off come last; the motions of a wall begin at its offset in motions (k, 9), the "
     "members of abut_motion in order. before: the walls' earlier numbers, or -1; placed, driven: "
     "some walls (k,), and their rows, as for place and set_drive."},
    {"place", simulation_place, METH_VARARGS,
     "place($self, wall, state, /)\n--\n\nstate: (25,), the members of abut_wall_state."},
    {"set_drive", simulation_set_drive, METH_VARARGS,
     "set_drive($self, wall, drive, /)\n--\n\ndrive: (DRIVE_NUMBERS,), the members of "
     "abut_drive."},
    {"drive", simulation_drive, METH_O,
     "drive($self, wall, /)\n--\n\nThe members of abut_drive now."},
    {"wall", simulation_wall, METH_O,
     "wall($self, number, /)\n--\n\nThe members of abut_wall_state at the last step's beginning."},
    {"wall_now", simulation_wall_now, METH_O,
     "wall_now($self, number, /)\n--\n\nThe members of abut_wall_state now."},
    {"deform", simulation_deform, METH_VARARGS,
     "deform($self, wall, mesh, velocities, known, /)\n--\n\n"
     "mesh: one that `moved` of the wall's mesh made; velocities: (v, 3) of its vertices."},
    {"nodal_forces", simulation_nodal_forces, METH_VARARGS,
     "nodal_forces($self, wall, vertices, /)\n--\n\n"
     "(vertices, 3): forces of spheres at the vertices of a wall."},
    {"restore_surface", simulation_restore_surface, METH_VARARGS,
     "restore_surface($self, wall, before, velocities_before, velocities, /)\n--\n\n"
     "(v, 3) each: vertices and velocities of a deforming wall in the last step, and velocities."},
    {"load", simulation_load, METH_O,
     "load($self, wall, /)\n--\n\nForce, torque and power of spheres on a wall."},
    {"add", simulation_add, METH_VARARGS,
     "add($self, population, rows, members, known, /)\n--\n\n"
     "rows: columns by name, with or without those that steps make; members: the spheres of "
     "clusters, else {}. None, or why bonds are not possible: (status, index, detail, value)."},
    {"remove", simulation_remove, METH_VARARGS,
     "remove($self, population, is_gone, known, /)\n--\n\nis_gone: (n,) uint8."},
    {"read", simulation_read, METH_VARARGS,
     "read($self, population, name=None, /)\n--\n\n"
     "All columns by name, or the one of this name; read-only."},
    {"assign", simulation_assign, METH_VARARGS,
     "assign($self, population, columns, /)\n--\n\nAny columns that can be assigned, as a whole."},
    {"apply", simulation_apply, METH_VARARGS,
     "apply($self, population, forces, torques, /)\n--\n\nFor the next step; (n, 3) or None."},
    {"counts", simulation_counts, METH_NOARGS,
     "counts($self, /)\n--\n\n"
     "Numbers of steps, spheres, clusters, bodies, bonds, breakages and rests."},
    {"stable_step", simulation_stable_step, METH_O,
     "stable_step($self, kind, /)\n--\n\n"
     "The members of abut_stable_step for spheres (0), bodies (1) or walls (2)."},
    {"set_shapes", simulation_set_shapes, METH_O,
     "set_shapes($self, shapes, /)\n--\n\nshapes: a tuple of Shape that begins with the old ones."},
    {"restore_breakages", simulation_restore_breakages, METH_VARARGS,
     "restore_breakages($self, breakages, rests, /)\n--\n\nRestore broken bonds and overlaps."},
    {"run", simulation_run, METH_O,
     "run($self, steps, /)\n--\n\nNone, or the outcome that names a sphere or a body: "
     "(status, index, detail, value)."},
    {"interactions", simulation_interactions, METH_O,
     "interactions($self, kind, /)\n--\n\n"
     "The columns of the last step's interactions of a kind, such as SPHERE_WALL, as for a search, "
     "with force (spot_force for bodies), spring, moment and roll."},
    {"restore", simulation_restore, METH_VARARGS,
     "restore($self, steps, account, terms, walls, /)\n--\n\n"
     "Restore the state after `steps` steps. walls: (w, 25), states at the beginning of the last "
     "step."},
    {"set_step", simulation_set_step, METH_VARARGS,
     "set_step($self, step, gravity, known, /)\n--\n\n"
     "Set the length of the next steps, and gravity (3,), unless that is None."},
    {"clear_images", simulation_clear_images, METH_VARARGS,
     "clear_images($self, population, /)\n--\n\n"
     "Set the images of spheres, clusters or bodies to 0. Nothing moves."},
    {"set_workers", simulation_set_workers, METH_VARARGS,
     "set_workers($self, workers, /)\n--\n\n"
     "Set the greatest number of threads, and return the earlier one."},
    {"set_bounds", simulation_set_bounds, METH_VARARGS,
     "set_bounds($self, bounds, stops, known, /)\n--\n\n"
     "bounds: (2, 3), or None; stops: whether a run ends when a particle is outside."},
    {"outside", simulation_outside, METH_NOARGS,
     "outside($self, /)\n--\n\nWhich spheres (n,) and which bodies (b,) are outside the bounds."},
    {"touching", simulation_touching, METH_VARARGS,
     "touching($self, centers, radii, /)\n--\n\n"
     "Which of these new spheres (n,) would touch a particle or a wall: uint8."},
    {"left_count", simulation_left_count, METH_NOARGS,
     "left_count($self, /)\n--\n\nHow many have left the bounds since they were set."},
    {"cell", simulation_cell, METH_NOARGS,
     "cell($self, /)\n--\n\nThe members of abut_cell, (CELL_NUMBERS,)."},
    {"deform_cell", simulation_deform_cell, METH_VARARGS,
     "deform_cell($self, gradient, affine, hold, known, /)\n--\n\n"
     "Set the velocity gradient (3, 3); affine: whether it changes velocities; hold: the members "
     "of abut_cell_hold, (HOLD_NUMBERS,), or None."},
    {"set_targets", simulation_set_targets, METH_VARARGS,
     "set_targets($self, targets, largest_rate, /)\n--\n\nReplace the targets (3, 3) of held "
     "stresses."},
    {"set_deformation", simulation_set_deformation, METH_O,
     "set_deformation($self, deformation, /)\n--\n\nSet the deformation gradient (3, 3)."},
    {"restore_cell", simulation_restore_cell, METH_O,
     "restore_cell($self, cell, /)\n--\n\nRestore what cell() returned."},
    {"terms", simulation_terms, METH_NOARGS,
     "terms($self, /)\n--\n\nThe step terms, (STEP_TERMS,)."},
    {"order", simulation_order, METH_NOARGS,
     "order($self, /)\n--\n\n"
     "The order in which spheres are stored, and the step of the next sort."},
    {"restore_order", simulation_restore_order, METH_VARARGS,
     "restore_order($self, order, step, /)\n--\n\nSet this order; call it after all interactions."},
    {"restore_interactions", simulation_restore_interactions, METH_VARARGS,
     "restore_interactions($self, kind, columns, /)\n--\n\n"
     "Call it after restore: all columns, including those that a search leaves out."},
    {"law_case", simulation_law_case, METH_NOARGS,
     "law_case($self, /)\n--\n\nThe members of abut_law_case for the last run that ended by a law: "
     "the number, then arrays."},
    {"account", simulation_account, METH_NOARGS,
     "account($self, /)\n--\n\nThe sums from which energies are counted, (7,)."},
    {"energy", simulation_energy, METH_NOARGS,
     "energy($self, /)\n--\n\nThe members of abut_energy."},
    {"notices", simulation_notices, METH_NOARGS,
     "notices($self, /)\n--\n\nNone, or the members of abut_notices, each None or (step, kind, "
     "other kind, number, other number, ratio)."},
    {"statistics", simulation_statistics, METH_NOARGS,
     "statistics($self, /)\n--\n\nThe members of abut_simulation_statistics by name, and "
     "sphere_steps: the sum over steps of their numbers of spheres and bodies."},
    {NULL, NULL, 0, NULL},
};

const core_type core_simulation_type = {
    {"abut._core.Simulation", SIMULATION_DOC, sizeof(simulation_object), Py_TPFLAGS_HAVE_GC},
    {simulation_new, simulation_dealloc, simulation_traverse, simulation_clear},
    {SIMULATION_METHODS, SIMULATION_ATTRIBUTES}};
