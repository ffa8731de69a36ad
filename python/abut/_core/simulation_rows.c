/* Spheres, contacts and pairs of a simulation, as columns. */
#include <string.h>

#include "columns.h"
#include "simulation.h"

/* ---- spheres ---- */

enum { PER_SPHERE };

/* Whether a column must be given: what spheres are made of, or what a step makes of them. */
enum { GIVEN, MADE };

#define SPHERE(member, type, width, when)                                                          \
    COLUMN(abut_spheres, member, ABUT_COLUMN_##type, width, PER_SPHERE, when, ABUT_LOCKED)

static const abut_column SPHERE_COLUMNS[] = {
    SPHERE(centers, REAL, 3, GIVEN),   SPHERE(radii, REAL, 0, GIVEN),
    SPHERE(masses, REAL, 0, GIVEN),    SPHERE(velocities, REAL, 3, GIVEN),
    SPHERE(spins, REAL, 3, GIVEN),     SPHERE(materials, INDEX, 0, GIVEN),
    SPHERE(clusters, INDEX, 0, GIVEN), SPHERE(forces, REAL, 3, MADE),
    SPHERE(torques, REAL, 3, MADE),    SPHERE(images, INDEX, 3, MADE),
    SPHERE(began, REAL, 3, MADE),      SPHERE(works, REAL, 4, MADE),
};

static const column_table SPHERES = {SPHERE_COLUMNS,
                                     sizeof SPHERE_COLUMNS / sizeof SPHERE_COLUMNS[0]};

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
    return simulation_read_new(SPHERES, dict, "radii", &spheres->count, spheres);
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
    const column_counts counts = {.lengths = {[PER_SPHERE] = spheres.count}};
    PyObject *array = column_array(SPHERES, name, &counts, &spheres);
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
    if (simulation_begin_assigning(self, SPHERES, abut_simulation_sphere_count, dict,
                                   &spheres.count, &spheres)) {
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    Py_BEGIN_ALLOW_THREADS
    abut_simulation_assign(self->simulation, &spheres, &error);
    Py_END_ALLOW_THREADS
    return simulation_commit(self, &error, NULL);
}

/* ---- tables ---- */

/* What contacts and pairs carry beside the columns that a search has: each an entry a row, always.
 */
#define CARRIES(of)                                                                                \
    COLUMN(of, force, ABUT_COLUMN_REAL, 3, 0, 0, 0),                                               \
        COLUMN(of, moment, ABUT_COLUMN_REAL, 3, 0, 0, 0),                                          \
        COLUMN(of, spring, ABUT_COLUMN_REAL, 3, 0, 0, 0),                                          \
        COLUMN(of, roll, ABUT_COLUMN_REAL, 3, 0, 0, 0)

static const abut_column CONTACT_CARRIES[] = {CARRIES(abut_contact_state)};
static const abut_column PAIR_CARRIES[] = {CARRIES(abut_pair_state)};

enum { CARRY_COUNT = sizeof CONTACT_CARRIES / sizeof CONTACT_CARRIES[0] };

static const column_table CARRIED_BY_CONTACTS = {CONTACT_CARRIES, CARRY_COUNT};
static const column_table CARRIED_BY_PAIRS = {PAIR_CARRIES, CARRY_COUNT};

PyObject *simulation_add_carried(column_table table, PyObject *dict, Py_ssize_t rows,
                                 PyObject *pool, void *target)
{
    const column_counts counts = {.lengths = {rows}, .presences = {1}};
    PyObject *more = dict ? column_dict(table, NULL, &counts, pool, target) : NULL;
    if (!more || PyDict_Update(dict, more)) {
        Py_CLEAR(dict);
    }
    Py_XDECREF(more);
    return dict;
}

int simulation_read_carried(column_table table, PyObject *dict, Py_ssize_t rows, void *target)
{
    const column_counts counts = {.lengths = {rows}, .presences = {1}};
    return column_read(table, &counts, dict, target);
}

PyObject *simulation_contacts(PyObject *object, PyObject *Py_UNUSED(unused))
{
    simulation_object *self = (simulation_object *)object;
    const core_state *state = PyType_GetModuleState(Py_TYPE(object));
    if (simulation_begin(self)) {
        return NULL;
    }
    const abut_query query = {.sphere_count = abut_simulation_sphere_count(self->simulation),
                              .resolution = self->input.resolution,
                              .period = self->input.period};
    abut_contact_state rows = {.contact_count = abut_simulation_contact_count(self->simulation),
                               .node_count = abut_simulation_contact_node_count(self->simulation)};
    abut_error error = {.status = ABUT_OK};
    const column_counts counts =
        column_contact_counts(rows.contact_count, rows.node_count, &query, self->wall_count);
    PyObject *dict = column_dict(column_table_of(ABUT_CONTACT_TABLE), state->contact_names, &counts,
                                 self->of.pool, &rows.columns);
    dict =
        simulation_add_carried(CARRIED_BY_CONTACTS, dict, rows.contact_count, self->of.pool, &rows);
    if (dict) {
        Py_BEGIN_ALLOW_THREADS
        abut_simulation_write_contacts(self->simulation, &rows, &error);
        Py_END_ALLOW_THREADS
    }
    simulation_end(self);
    return core_finish(dict, &error);
}

static column_counts count_pairs(const simulation_object *self, abut_index pairs)
{
    return column_pair_counts(pairs, abut_simulation_sphere_count(self->simulation), 3,
                              core_is_periodic(self->input.period, 3));
}

PyObject *simulation_pairs(PyObject *object, PyObject *Py_UNUSED(unused))
{
    simulation_object *self = (simulation_object *)object;
    const core_state *state = PyType_GetModuleState(Py_TYPE(object));
    if (simulation_begin(self)) {
        return NULL;
    }
    abut_pair_state rows = {.pair_count = abut_simulation_pair_count(self->simulation)};
    const column_counts counts = count_pairs(self, rows.pair_count);
    abut_error error = {.status = ABUT_OK};
    PyObject *dict = column_dict(column_table_of(ABUT_PAIR_TABLE), state->pair_names, &counts,
                                 self->of.pool, &rows.columns);
    dict = simulation_add_carried(CARRIED_BY_PAIRS, dict, rows.pair_count, self->of.pool, &rows);
    if (dict) {
        Py_BEGIN_ALLOW_THREADS
        abut_simulation_write_pairs(self->simulation, &rows, &error);
        Py_END_ALLOW_THREADS
    }
    simulation_end(self);
    return core_finish(dict, &error);
}

/* ---- going on from a file ---- */

/* All columns are there, also those that a search leaves out. */
static int read_contact_state(PyObject *dict, abut_index spheres, abut_contact_state *rows)
{
    rows->contact_count = simulation_row_count(dict, "sphere");
    rows->node_count = rows->contact_count < 0 ? -1 : simulation_row_count(dict, "node");
    const column_counts counts = {
        .lengths = {[ABUT_COLUMN_ROWS] = rows->contact_count,
                    [ABUT_COLUMN_ENTRIES] = rows->node_count,
                    [ABUT_COLUMN_ENTRY_OFFSETS] = rows->contact_count + 1,
                    [ABUT_COLUMN_OFFSETS] = spheres + 1},
        .presences = {[ABUT_COLUMN_ALWAYS] = 1,
                      [ABUT_COLUMN_WITH_MESHES] = 1,
                      [ABUT_COLUMN_WITH_SHARING] = 1,
                      [ABUT_COLUMN_WITH_PERIOD] = 1},
    };
    return rows->node_count < 0 ||
           column_read(column_table_of(ABUT_CONTACT_TABLE), &counts, dict, &rows->columns) ||
           simulation_read_carried(CARRIED_BY_CONTACTS, dict, rows->contact_count, rows);
}

static int read_pair_state(PyObject *dict, const simulation_object *self, abut_pair_state *rows)
{
    rows->pair_count = simulation_row_count(dict, "i");
    const column_counts counts = count_pairs(self, rows->pair_count);
    return rows->pair_count < 0 ||
           column_read(column_table_of(ABUT_PAIR_TABLE), &counts, dict, &rows->columns) ||
           simulation_read_carried(CARRIED_BY_PAIRS, dict, rows->pair_count, rows);
}

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

/* A step that was saved, and its tables. */
typedef struct saved_step {
    abut_step_state state;
    abut_contact_state contacts;
    abut_pair_state pairs;
} saved_step;

static int read_saved_step(PyObject *args, const simulation_object *self, saved_step *saved)
{
    PyObject *contacts, *pairs, *account, *walls;
    abut_step_state *state = &saved->state;
    const abut_index spheres = abut_simulation_sphere_count(self->simulation);
    state->contacts = &saved->contacts;
    state->pairs = &saved->pairs;
    return !PyArg_ParseTuple(args, "nOOO!O!:restore", &state->step_count, &account, &walls,
                             &PyDict_Type, &contacts, &PyDict_Type, &pairs) ||
           read_account(account, state) ||
           /* all members are doubles */
           array_read(walls, "walls",
                      (array_shape){ARRAY_DOUBLE, self->wall_count, WALL_STATE_MEMBERS},
                      &state->walls) ||
           read_contact_state(contacts, spheres, &saved->contacts) ||
           read_pair_state(pairs, self, &saved->pairs);
}

PyObject *simulation_restore(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    saved_step saved = {0};
    if (simulation_begin(self)) {
        return NULL;
    }
    if (read_saved_step(args, self, &saved)) {
        simulation_end(self);
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    Py_BEGIN_ALLOW_THREADS
    abut_simulation_restore(self->simulation, &saved.state, &error);
    Py_END_ALLOW_THREADS
    return simulation_commit(self, &error, NULL);
}
