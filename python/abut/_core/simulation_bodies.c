/* What convex bodies of a simulation touch, as columns. */
#include "columns.h"
#include "simulation.h"

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
