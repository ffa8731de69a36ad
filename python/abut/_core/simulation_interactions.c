/* The interactions of a simulation's last step as columns, for reading and restoring. */
#include "arrays.h"
#include "columns.h"
#include "simulation.h"

/* Presence of the columns that a search does not have. Restart files of abut 0.2 have no rolling of
 * bodies, which is then 0. */
enum { ALWAYS, ROLLS };

#define CARRIED(name, member, when)                                                                \
    {name, offsetof(abut_interactions, member), ABUT_COLUMN_REAL, 3, 0, when, 0, "", ""}
#define CARRIES(force_name)                                                                        \
    {CARRIED(force_name, force, ALWAYS), CARRIED("spring", spring, ALWAYS),                        \
     CARRIED("moment", moment, ROLLS), CARRIED("roll", roll, ROLLS)}

static const abut_column ROW_CARRIES[] = CARRIES("force");
static const abut_column SPOT_CARRIES[] = CARRIES("spot_force");

enum { CARRY_COUNT = sizeof ROW_CARRIES / sizeof ROW_CARRIES[0] };

/* The columns of a kind of interactions, and those from which rows and entries are counted. */
typedef struct kind_columns {
    abut_table table;
    const abut_column *carries;
    const char *row, *entry; /* names of columns; entry is NULL without entries */
} kind_columns;

#define OF_BODIES {ABUT_CONVEX_TABLE, SPOT_CARRIES, "i", "spot"}

static const kind_columns KINDS[ABUT_INTERACTION_COUNT] = {
    [ABUT_BODY_WALL] = OF_BODIES,
    [ABUT_BODY_BODY] = OF_BODIES,
    [ABUT_BODY_SPHERE] = OF_BODIES,
    [ABUT_SPHERE_WALL] = {ABUT_CONTACT_TABLE, ROW_CARRIES, "sphere", "node"},
    [ABUT_SPHERE_SPHERE] = {ABUT_PAIR_TABLE, ROW_CARRIES, "i", NULL},
};

static PyObject *names_of(PyObject *object, abut_interaction kind)
{
    const core_state *state = PyType_GetModuleState(Py_TYPE(object));
    return kind == ABUT_SPHERE_WALL     ? state->contact_names
           : kind == ABUT_SPHERE_SPHERE ? state->pair_names
                                        : NULL;
}

/* ---- counts ---- */

static column_counts count_columns(const simulation_object *self, abut_interaction kind,
                                   const abut_interactions *rows)
{
    const abut_index spheres = abut_simulation_sphere_count(self->simulation);
    const int is_periodic = core_is_periodic(self->input.period, 3);
    const abut_query query = {.sphere_count = spheres,
                              .resolution = self->input.resolution,
                              .period = self->input.period};
    switch (kind) {
    case ABUT_SPHERE_WALL:
        return column_contact_counts(rows->row_count, rows->entry_count, &query, self->wall_count);
    case ABUT_SPHERE_SPHERE:
        return column_pair_counts(rows->row_count, spheres, 3, is_periodic);
    case ABUT_BODY_WALL:
    case ABUT_BODY_BODY:
    case ABUT_BODY_SPHERE:
        break;
    }
    return column_convex_counts(&(convex_there){.rows = rows->row_count,
                                                .spots = rows->entry_count,
                                                .dimension = 3,
                                                .has_images = is_periodic,
                                                .has_spots = 1,
                                                .are_of_walls = kind == ABUT_BODY_WALL});
}

/* The number of rows with contact history: of spots for bodies, else of contacts. */
static Py_ssize_t count_carried(abut_interaction kind, const abut_interactions *rows)
{
    return KINDS[kind].table == ABUT_CONVEX_TABLE ? rows->entry_count : rows->row_count;
}

static column_table carried_by(abut_interaction kind)
{
    return (column_table){KINDS[kind].carries, CARRY_COUNT};
}

/* Whether this is the number of a kind of interactions. Sets an error if not. */
static int is_kind(long number)
{
    if (number >= 0 && number < ABUT_INTERACTION_COUNT) {
        return 1;
    }
    if (!PyErr_Occurred()) {
        PyErr_Format(PyExc_IndexError, "kind is %ld, but must be that of an interaction", number);
    }
    return 0;
}

/* The shape of the further history of laws, with as many columns as the simulation has. */
static array_shape history_shape(const simulation_object *self, abut_interaction kind,
                                 const abut_interactions *rows)
{
    return (array_shape){ARRAY_DOUBLE, count_carried(kind, rows),
                         abut_simulation_history_count(self->simulation)};
}

static int add_history(const simulation_object *self, abut_interaction kind, PyObject *dict,
                       abut_interactions *rows)
{
    const array_shape shape = history_shape(self, kind, rows);
    void *data = NULL;
    if (shape.columns == 0) {
        return 0;
    }
    PyObject *history = array_make_zeros(shape, &data);
    const int status = history ? PyDict_SetItemString(dict, "history", history) : -1;
    rows->history = data;
    Py_XDECREF(history);
    return status;
}

static int read_history(const simulation_object *self, abut_interaction kind, PyObject *dict,
                        abut_interactions *rows)
{
    const array_shape shape = history_shape(self, kind, rows);
    PyObject *history = PyDict_GetItemString(dict, "history");
    return history && shape.columns > 0 ? array_read(history, "history", shape, &rows->history) : 0;
}

/* ---- reading ---- */

static PyObject *make_columns(PyObject *object, abut_interaction kind, abut_interactions *rows)
{
    const simulation_object *self = (simulation_object *)object;
    const column_counts counts = count_columns(self, kind, rows);
    const column_counts carried = {.lengths = {count_carried(kind, rows)}, .presences = {1, 1}};
    PyObject *dict = column_dict(column_table_of(KINDS[kind].table), names_of(object, kind),
                                 &counts, self->pooled.pool, &rows->columns);
    PyObject *more =
        dict ? column_dict(carried_by(kind), NULL, &carried, self->pooled.pool, rows) : NULL;
    if (!more || PyDict_Update(dict, more) || add_history(self, kind, dict, rows)) {
        Py_CLEAR(dict);
    }
    Py_XDECREF(more);
    return dict;
}

PyObject *simulation_interactions(PyObject *object, PyObject *number)
{
    simulation_object *self = (simulation_object *)object;
    const long given = PyLong_AsLong(number);
    if (!is_kind(given) || simulation_begin(self)) {
        return NULL;
    }
    const abut_interaction kind = (abut_interaction)given;
    abut_interactions rows = abut_simulation_count_interactions(self->simulation, kind);
    abut_error error = {.status = ABUT_OK};
    PyObject *dict = make_columns(object, kind, &rows);
    if (dict) {
        Py_BEGIN_ALLOW_THREADS
        abut_simulation_write_interactions(self->simulation, kind, &rows, &error);
        Py_END_ALLOW_THREADS
    }
    simulation_end(self);
    return core_finish(dict, &error);
}

/* ---- restoring ---- */

static int read_rows(const simulation_object *self, abut_interaction kind, PyObject *dict,
                     abut_interactions *rows)
{
    const kind_columns *source = &KINDS[kind];
    rows->row_count = simulation_row_count(dict, source->row);
    rows->entry_count = rows->row_count < 0 ? -1
                        : source->entry     ? simulation_row_count(dict, source->entry)
                                            : 0;
    if (rows->entry_count < 0) {
        return -1;
    }
    const int has_rolls =
        source->table != ABUT_CONVEX_TABLE || PyDict_GetItemString(dict, "roll") != NULL;
    column_counts counts = count_columns(self, kind, rows);
    const column_counts carried = {.lengths = {count_carried(kind, rows)},
                                   .presences = {1, has_rolls}};
    if (kind == ABUT_SPHERE_WALL) {
        /* files have all columns, including those that a search leaves out */
        counts.presences[ABUT_COLUMN_WITH_MESHES] = counts.presences[ABUT_COLUMN_WITH_SHARING] =
            counts.presences[ABUT_COLUMN_WITH_PERIOD] = 1;
    }
    return column_read(column_table_of(source->table), &counts, dict, &rows->columns) ||
           column_read(carried_by(kind), &carried, dict, rows) ||
           read_history(self, kind, dict, rows);
}

PyObject *simulation_restore_interactions(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    PyObject *dict;
    int number;
    abut_interactions rows = {0};
    abut_error error = {.status = ABUT_OK};
    if (!PyArg_ParseTuple(args, "iO!:restore_interactions", &number, &PyDict_Type, &dict) ||
        !is_kind(number) || simulation_begin(self)) {
        return NULL;
    }
    const abut_interaction kind = (abut_interaction)number;
    if (read_rows(self, kind, dict, &rows)) {
        simulation_end(self);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    abut_simulation_restore_interactions(self->simulation, kind, &rows, &error);
    Py_END_ALLOW_THREADS
    return simulation_commit(self, &error, NULL);
}
