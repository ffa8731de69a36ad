/* Convex bodies of a simulation, and what they touch, as columns. */
#include <string.h>

#include "columns.h"
#include "simulation.h"

enum { PER_BODY };

/* Whether a column must be given: what bodies are made of, what new bodies need not have, and what
 * a step makes of them. */
enum { GIVEN, GONE_ON, MADE };

#define BODY(member, type, width, when)                                                            \
    COLUMN(abut_bodies, member, ABUT_COLUMN_##type, width, PER_BODY, when, ABUT_LOCKED)

static const abut_column BODY_COLUMNS[] = {
    BODY(shapes, INDEX, 0, GIVEN),
    BODY(scales, REAL, 0, GIVEN),
    BODY(materials, INDEX, 0, GIVEN),
    BODY(masses, REAL, 0, GIVEN),
    BODY(inertias, REAL, 3, GIVEN),
    BODY(axes, REAL, 4, GIVEN),
    BODY(positions, REAL, 3, GIVEN),
    BODY(orientations, REAL, 4, GIVEN),
    BODY(velocities, REAL, 3, GIVEN),
    BODY(angular_momenta, REAL, 3, GIVEN),
    BODY(states, REAL, ABUT_BODY_STATE, GONE_ON),
    BODY(spins, REAL, 3, MADE),
    BODY(forces, REAL, 3, MADE),
    BODY(torques, REAL, 3, MADE),
    BODY(images, INDEX, 3, MADE),
};

static const column_table BODIES = {BODY_COLUMNS, sizeof BODY_COLUMNS / sizeof BODY_COLUMNS[0]};

/* ---- shapes ---- */

/* Exchange the shapes, and the tuple that keeps them. */
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
        PyErr_SetString(PyExc_TypeError, "shapes is no tuple");
        return NULL;
    }
    const abut_shape **pointers = core_read_shapes(shapes, PyType_GetModuleState(Py_TYPE(object)));
    PyObject *none =
        pointers ? exchange_shapes((simulation_object *)object, shapes, pointers) : NULL;
    PyMem_Free(pointers);
    return none;
}

/* ---- bodies ---- */

PyObject *simulation_add_bodies(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    PyObject *dict, *known;
    abut_bodies bodies = {0};
    if (!PyArg_ParseTuple(args, "O!O:add_bodies", &PyDict_Type, &dict, &known) ||
        simulation_read_new(BODIES, dict, "masses", &bodies.count, &bodies) ||
        simulation_begin(self)) {
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    abut_simulation_add_bodies(self->simulation, &bodies, &error);
    return simulation_commit(self, &error, known);
}

PyObject *simulation_remove_bodies(PyObject *object, PyObject *args)
{
    return simulation_take_away(object, args, abut_simulation_body_count,
                                abut_simulation_remove_bodies);
}

PyObject *simulation_bodies(PyObject *object, PyObject *Py_UNUSED(unused))
{
    simulation_object *self = (simulation_object *)object;
    if (simulation_begin(self)) {
        return NULL;
    }
    abut_bodies bodies = {.count = abut_simulation_body_count(self->simulation)};
    const column_counts counts = {.lengths = {[PER_BODY] = bodies.count},
                                  .presences = {[GIVEN] = 1, [GONE_ON] = 1, [MADE] = 1}};
    PyObject *dict = column_dict(BODIES, NULL, &counts, self->of.pool, &bodies);
    if (dict) {
        abut_simulation_read_bodies(self->simulation, &bodies);
    }
    simulation_end(self);
    return dict;
}

PyObject *simulation_assign_bodies(PyObject *object, PyObject *dict)
{
    simulation_object *self = (simulation_object *)object;
    abut_bodies bodies = {0};
    if (simulation_begin_assigning(self, BODIES, abut_simulation_body_count, dict, &bodies.count,
                                   &bodies)) {
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    abut_simulation_assign_bodies(self->simulation, &bodies, &error);
    return simulation_commit(self, &error, NULL);
}

PyObject *simulation_apply_to_bodies(PyObject *object, PyObject *args)
{
    return simulation_push(object, args, abut_simulation_body_count,
                           abut_simulation_apply_to_bodies);
}

PyObject *simulation_stable_step_of_bodies(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const abut_simulation *s = simulation_at_rest(object);
    if (!s) {
        return NULL;
    }
    abut_stable_step longest;
    const abut_error error = {.status = abut_simulation_stable_step_of_bodies(s, &longest)};
    return error.status ? core_raise(&error) : simulation_tell_step(&longest);
}

/* ---- contacts ---- */

/* What spots carry beside the columns that a search has. */
static const abut_column SPOT_CARRIES[] = {
    {"spot_force", offsetof(abut_body_contacts, force), ABUT_COLUMN_REAL, 3, 0, 0, 0, "", ""},
    COLUMN(abut_body_contacts, spring, ABUT_COLUMN_REAL, 3, 0, 0, 0),
};

static const column_table CARRIED_BY_SPOTS = {SPOT_CARRIES,
                                              sizeof SPOT_CARRIES / sizeof SPOT_CARRIES[0]};

/* What rolling adds to that. Files of abut 0.2 do not have it; then it is 0. */
static const abut_column SPOT_ROLLS[] = {
    COLUMN(abut_body_contacts, moment, ABUT_COLUMN_REAL, 3, 0, 0, 0),
    COLUMN(abut_body_contacts, roll, ABUT_COLUMN_REAL, 3, 0, 0, 0),
};

static const column_table ROLLED_BY_SPOTS = {SPOT_ROLLS, sizeof SPOT_ROLLS / sizeof SPOT_ROLLS[0]};

/* What there is of so many rows and spots. */
static column_counts count_contacts(const simulation_object *self, abut_meeting meeting,
                                    const abut_body_contacts *rows)
{
    return column_convex_counts(
        &(convex_there){.rows = rows->row_count,
                        .spots = rows->spot_count,
                        .dimension = 3,
                        .has_images = core_is_periodic(self->input.period, 3),
                        .has_spots = 1,
                        .are_of_walls = meeting == ABUT_WITH_WALLS});
}

/* The number of a meeting, which begins the use of the simulation; -1 with an error set. */
static int begin_meeting(simulation_object *self, long number)
{
    if (number < 0 || number >= ABUT_MEETING_COUNT) {
        PyErr_Format(PyExc_IndexError, "there is no table %ld", number);
        return -1;
    }
    return simulation_begin(self) ? -1 : (int)number;
}

PyObject *simulation_body_contacts(PyObject *object, PyObject *number)
{
    simulation_object *self = (simulation_object *)object;
    const long given = PyLong_AsLong(number);
    const int meeting = PyErr_Occurred() ? -1 : begin_meeting(self, given);
    if (meeting < 0) {
        return NULL;
    }
    abut_body_contacts rows =
        abut_simulation_count_body_contacts(self->simulation, (abut_meeting)meeting);
    const column_counts counts = count_contacts(self, (abut_meeting)meeting, &rows);
    PyObject *dict = column_dict(column_table_of(ABUT_CONVEX_TABLE), NULL, &counts, self->of.pool,
                                 &rows.columns);
    dict = simulation_add_carried(CARRIED_BY_SPOTS, dict, rows.spot_count, self->of.pool, &rows);
    dict = simulation_add_carried(ROLLED_BY_SPOTS, dict, rows.spot_count, self->of.pool, &rows);
    if (dict) {
        abut_simulation_write_body_contacts(self->simulation, (abut_meeting)meeting, &rows);
    }
    simulation_end(self);
    return dict;
}

static int read_contacts(const simulation_object *self, abut_meeting meeting, PyObject *dict,
                         abut_body_contacts *rows)
{
    rows->row_count = simulation_row_count(dict, "i");
    rows->spot_count = rows->row_count < 0 ? -1 : simulation_row_count(dict, "spot");
    const column_counts counts = count_contacts(self, meeting, rows);
    return rows->spot_count < 0 ||
           column_read(column_table_of(ABUT_CONVEX_TABLE), &counts, dict, &rows->columns) ||
           simulation_read_carried(CARRIED_BY_SPOTS, dict, rows->spot_count, rows) ||
           (PyDict_GetItemString(dict, "roll") &&
            simulation_read_carried(ROLLED_BY_SPOTS, dict, rows->spot_count, rows));
}

PyObject *simulation_restore_body_contacts(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    PyObject *dict;
    int number;
    abut_body_contacts rows = {0};
    abut_error error = {.status = ABUT_OK};
    if (!PyArg_ParseTuple(args, "iO!:restore_body_contacts", &number, &PyDict_Type, &dict)) {
        return NULL;
    }
    const int meeting = begin_meeting(self, number);
    if (meeting < 0) {
        return NULL;
    }
    if (read_contacts(self, (abut_meeting)meeting, dict, &rows)) {
        simulation_end(self);
        return NULL;
    }
    abut_simulation_restore_body_contacts(self->simulation, (abut_meeting)meeting, &rows, &error);
    return simulation_commit(self, &error, NULL);
}
