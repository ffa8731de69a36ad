/* Populations of a simulation as columns. All are added, removed, read, assigned and pushed in the
 * same way, by the lists of columns in csrc/abut. */
#include <string.h>

#include "columns.h"
#include "simulation.h"

/* A caller's columns of any population. Each struct begins with `count`, except grains. */
typedef union state_columns {
    abut_spheres spheres;
    abut_rigids rigids;
    abut_bonds bonds;
    abut_breakages breakages;
    abut_rests rests;
    abut_grains grains;
} state_columns;

/* Columns with an entry for each grain, or for each sphere. */
enum { PER_GRAIN, PER_SPHERE };

#define GRAIN(member, type, width, per)                                                            \
    COLUMN(abut_grains, member, ABUT_COLUMN_##type, width, per, 0, ABUT_LOCKED)

static const abut_column GRAIN_COLUMNS[] = {
    GRAIN(centers, REAL, 3, PER_GRAIN),
    GRAIN(velocities, REAL, 3, PER_GRAIN),
    GRAIN(masses, REAL, 0, PER_GRAIN),
    GRAIN(of_sphere, INDEX, 0, PER_SPHERE),
};

static abut_index count_clusters(const abut_simulation *s)
{
    return abut_simulation_rigid_count(s, ABUT_CLUSTERS);
}

static abut_index count_bodies(const abut_simulation *s)
{
    return abut_simulation_rigid_count(s, ABUT_BODIES);
}

/* A population: its list of columns, the column from which new rows are counted, and one that only
 * restored rows have. */
typedef struct kind {
    abut_table table;
    abut_index (*count)(const abut_simulation *s);
    const char *counted, *made;
} kind;

static const kind KINDS[CORE_POPULATIONS] = {
    [CORE_CLUSTERS] = {ABUT_RIGID_TABLE, count_clusters, "masses", "turns"},
    [CORE_BODIES] = {ABUT_RIGID_TABLE, count_bodies, "masses", "turns"},
    [CORE_SPHERES] = {ABUT_SPHERE_TABLE, abut_simulation_sphere_count, "radii", NULL},
    [CORE_BONDS] = {ABUT_BOND_TABLE, abut_simulation_bond_count, "young", "length"},
    [CORE_BREAKAGES] = {ABUT_BREAKAGE_TABLE, abut_simulation_breakage_count, "step", NULL},
    [CORE_RESTS] = {ABUT_REST_TABLE, abut_simulation_rest_count, "overlap", NULL},
    [CORE_GRAINS] = {.count = abut_simulation_grain_count},
};

static column_table table_of(int population)
{
    if (population == CORE_GRAINS) {
        return (column_table){GRAIN_COLUMNS, sizeof GRAIN_COLUMNS / sizeof GRAIN_COLUMNS[0]};
    }
    return column_table_of(KINDS[population].table);
}

static abut_index count_rows(const simulation_object *self, int population)
{
    return KINDS[population].count(self->simulation);
}

/* Checks that a method supports a population; it supports those up to `last`. Returns 0, or -1 with
 * an error set. */
static int check_population(int population, int last)
{
    if (population < 0 || population > last) {
        PyErr_Format(PyExc_IndexError, "population is %d, but must be 0 to %d", population, last);
        return -1;
    }
    return 0;
}

static int begin(simulation_object *self, int population, int last)
{
    return check_population(population, last) ? -1 : simulation_begin(self);
}

/* Ends the use of the simulation after an error, and returns NULL. */
static PyObject *give_up(simulation_object *self)
{
    simulation_end(self);
    return NULL;
}

/* The counts of columns. `entries` is the number of members, or of spheres for grains. */
static column_counts counts_of(int population, Py_ssize_t rows, Py_ssize_t entries, int is_restored)
{
    return (column_counts){.lengths = {[ABUT_COLUMN_ROWS] = rows, [ABUT_COLUMN_ENTRIES] = entries},
                           .presences = {[ABUT_COLUMN_ALWAYS] = 1,
                                         [ABUT_COLUMN_WITH_BEFORE] = is_restored,
                                         [ABUT_COLUMN_WITH_MEMBERS] = population == CORE_CLUSTERS,
                                         [ABUT_COLUMN_WITH_SHAPES] = population == CORE_BODIES}};
}

PyObject *simulation_counts(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const simulation_object *self = (const simulation_object *)object;
    const abut_simulation *s = simulation_at_rest(object);
    return s ? Py_BuildValue("(nnnnnnn)", abut_simulation_step_count(s),
                             count_rows(self, CORE_SPHERES), count_rows(self, CORE_CLUSTERS),
                             count_rows(self, CORE_BODIES), count_rows(self, CORE_BONDS),
                             count_rows(self, CORE_BREAKAGES), count_rows(self, CORE_RESTS))
             : NULL;
}

/* ---- reading ---- */

static void read_rows(const abut_simulation *s, int population, const state_columns *to)
{
    switch (population) {
    case CORE_SPHERES:
        abut_simulation_read(s, &to->spheres);
        break;
    case CORE_BONDS:
        abut_simulation_read_bonds(s, &to->bonds);
        break;
    case CORE_BREAKAGES:
        abut_simulation_read_breakages(s, &to->breakages);
        break;
    case CORE_RESTS:
        abut_simulation_read_rests(s, &to->rests);
        break;
    case CORE_GRAINS:
        abut_simulation_read_grains(s, &to->grains);
        break;
    default:
        abut_simulation_read_rigids(s, (abut_rigid_kind)population, &to->rigids);
    }
}

/* The number of members of all clusters; -1 with an error set. */
static Py_ssize_t count_members(const abut_simulation *s)
{
    state_columns to = {.rigids = {.count = count_clusters(s)}};
    const column_counts counts = counts_of(CORE_CLUSTERS, to.rigids.count, 0, 0);
    PyObject *array = column_array(table_of(CORE_CLUSTERS), "member_counts", &counts, &to);
    if (!array) {
        return -1;
    }
    Py_ssize_t sum = 0;
    read_rows(s, CORE_CLUSTERS, &to);
    for (abut_index i = 0; i < to.rigids.count; i++) {
        sum += to.rigids.member_counts[i];
    }
    Py_DECREF(array);
    return sum;
}

/* A dict with all columns, or the column with this name. */
static PyObject *read_columns(simulation_object *self, int population, const char *name)
{
    const abut_simulation *s = self->simulation;
    const abut_index rows = count_rows(self, population);
    const Py_ssize_t entries = population == CORE_CLUSTERS ? count_members(s)
                               : population == CORE_GRAINS ? count_rows(self, CORE_SPHERES)
                                                           : 0;
    if (entries < 0) {
        return NULL;
    }
    state_columns to = {.spheres = {.count = population == CORE_GRAINS ? 0 : rows}};
    const column_counts counts = counts_of(population, rows, entries, 1);
    const column_table table = table_of(population);
    PyObject *found = name ? column_array(table, name, &counts, &to)
                           : column_dict(table, NULL, &counts, self->pooled.pool, &to);
    if (found) {
        Py_BEGIN_ALLOW_THREADS
        read_rows(s, population, &to);
        Py_END_ALLOW_THREADS
    }
    return found;
}

PyObject *simulation_read(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    const char *name = NULL;
    int population;
    if (!PyArg_ParseTuple(args, "i|s:read", &population, &name) ||
        begin(self, population, CORE_GRAINS)) {
        return NULL;
    }
    PyObject *found = read_columns(self, population, name);
    simulation_end(self);
    return found;
}

/* ---- adding ---- */

Py_ssize_t simulation_row_count(PyObject *dict, const char *name)
{
    PyObject *array = PyDict_GetItemString(dict, name);
    if (!array) {
        PyErr_Format(PyExc_TypeError, "%s is missing", name);
        return -1;
    }
    return array_row_count(array);
}

/* Reads the columns of new rows. Returns 0, or -1 with an error set. */
static int read_new(int population, PyObject *dict, Py_ssize_t entries, state_columns *to)
{
    if (check_population(population, CORE_RESTS)) {
        return -1;
    }
    const kind *source = &KINDS[population];
    to->spheres.count = simulation_row_count(dict, source->counted);
    const int is_restored = source->made && PyDict_GetItemString(dict, source->made);
    const column_counts counts = counts_of(population, to->spheres.count, entries, is_restored);
    return to->spheres.count < 0 ? -1 : column_read(table_of(population), &counts, dict, to);
}

static int check_member_counts(const abut_rigids *clusters, Py_ssize_t members)
{
    Py_ssize_t rest = members;
    for (abut_index i = 0; i < clusters->count; i++) {
        const abut_index count = clusters->member_counts[i];
        rest = count > 0 && count <= rest ? rest - count : -1;
        if (rest < 0) {
            break;
        }
    }
    if (rest) {
        PyErr_Format(PyExc_ValueError, "member_counts do not add up to %zd spheres", members);
        return -1;
    }
    return 0;
}

/* New rows; those of clusters come with all their members. */
typedef struct newcomers {
    int population;
    state_columns rows, members;
    PyObject *known;
} newcomers;

static int read_newcomers(PyObject *args, newcomers *new)
{
    PyObject *dict, *members;
    if (!PyArg_ParseTuple(args, "iO!O!O:add", &new->population, &PyDict_Type, &dict, &PyDict_Type,
                          &members, &new->known)) {
        return -1;
    }
    if (new->population != CORE_CLUSTERS) {
        return read_new(new->population, dict, 0, &new->rows);
    }
    const abut_spheres *spheres = &new->members.spheres;
    return read_new(CORE_SPHERES, members, 0, &new->members) ||
           read_new(CORE_CLUSTERS, dict, spheres->count, &new->rows) ||
           check_member_counts(&new->rows.rigids, spheres->count);
}

static void add_rows(abut_simulation *s, const newcomers *new, abut_error *error)
{
    const abut_spheres *members = new->population == CORE_CLUSTERS ? &new->members.spheres : NULL;
    switch (new->population) {
    case CORE_SPHERES:
        abut_simulation_add(s, &new->rows.spheres, error);
        break;
    case CORE_BONDS:
        abut_simulation_add_bonds(s, &new->rows.bonds, error);
        break;
    default:
        abut_simulation_add_rigids(s, (abut_rigid_kind)new->population, &new->rows.rigids, members,
                                   error);
    }
}

PyObject *simulation_add(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    newcomers new = {0};
    abut_error error = {.status = ABUT_OK};
    if (read_newcomers(args, &new) || begin(self, new.population, CORE_BONDS)) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    add_rows(self->simulation, &new, &error);
    Py_END_ALLOW_THREADS
    if (new.population == CORE_BONDS && error.status) {
        simulation_end(self);
        return simulation_outcome(&error);
    }
    return simulation_commit(self, &error, new.known);
}

PyObject *simulation_restore_breakages(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    PyObject *given[2];
    state_columns breakages = {0}, rests = {0};
    abut_error error = {.status = ABUT_OK};
    if (!PyArg_ParseTuple(args, "O!O!:restore_breakages", &PyDict_Type, &given[0], &PyDict_Type,
                          &given[1]) ||
        read_new(CORE_BREAKAGES, given[0], 0, &breakages) ||
        read_new(CORE_RESTS, given[1], 0, &rests) || simulation_begin(self)) {
        return NULL;
    }
    abut_simulation_restore_breakages(self->simulation, &breakages.breakages, &rests.rests, &error);
    return simulation_commit(self, &error, NULL);
}

/* ---- removing ---- */

PyObject *simulation_remove(PyObject *object, PyObject *args)
{
    static abut_status (*const REMOVE[])(abut_simulation *, const uint8_t *, abut_error *) = {
        [CORE_BODIES] = abut_simulation_remove_bodies,
        [CORE_SPHERES] = abut_simulation_remove,
        [CORE_BONDS] = abut_simulation_remove_bonds};
    simulation_object *self = (simulation_object *)object;
    PyObject *given, *known;
    const uint8_t *is_gone;
    int population;
    if (!PyArg_ParseTuple(args, "iOO:remove", &population, &given, &known) ||
        check_population(population - CORE_BODIES, CORE_BONDS - CORE_BODIES) ||
        simulation_begin(self)) {
        return NULL;
    }
    const array_shape shape = {ARRAY_BYTE, count_rows(self, population), 0};
    if (array_read(given, "is_gone", shape, &is_gone)) {
        return give_up(self);
    }
    abut_error error = {.status = ABUT_OK};
    Py_BEGIN_ALLOW_THREADS
    REMOVE[population](self->simulation, is_gone, &error);
    Py_END_ALLOW_THREADS
    return simulation_commit(self, &error, known);
}

/* ---- assigning ---- */

static void assign_rows(abut_simulation *s, int population, const state_columns *from,
                        abut_error *error)
{
    switch (population) {
    case CORE_SPHERES:
        abut_simulation_assign(s, &from->spheres, error);
        break;
    case CORE_BONDS:
        abut_simulation_assign_bonds(s, &from->bonds, error);
        break;
    default:
        abut_simulation_assign_rigids(s, (abut_rigid_kind)population, &from->rigids, error);
    }
}

PyObject *simulation_assign(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    PyObject *dict;
    int population;
    if (!PyArg_ParseTuple(args, "iO!:assign", &population, &PyDict_Type, &dict) ||
        begin(self, population, CORE_BONDS)) {
        return NULL;
    }
    state_columns from = {.spheres = {.count = count_rows(self, population)}};
    const column_counts counts = {.lengths = {from.spheres.count}};
    if (column_read(table_of(population), &counts, dict, &from)) {
        return give_up(self);
    }
    abut_error error = {.status = ABUT_OK};
    Py_BEGIN_ALLOW_THREADS
    assign_rows(self->simulation, population, &from, &error);
    Py_END_ALLOW_THREADS
    return simulation_commit(self, &error, NULL);
}

PyObject *simulation_clear_images(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    const abut_error error = {.status = ABUT_OK};
    int population;
    if (!PyArg_ParseTuple(args, "i:clear_images", &population) ||
        begin(self, population, CORE_SPHERES)) {
        return NULL;
    }
    if (population == CORE_SPHERES) {
        abut_simulation_clear_images(self->simulation);
    } else {
        abut_simulation_clear_rigid_images(self->simulation, (abut_rigid_kind)population);
    }
    return simulation_commit(self, &error, NULL);
}

/* ---- forces ---- */

PyObject *simulation_apply(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    PyObject *given[2];
    const double *forces, *torques;
    int population;
    if (!PyArg_ParseTuple(args, "iOO:apply", &population, &given[0], &given[1]) ||
        begin(self, population, CORE_SPHERES)) {
        return NULL;
    }
    const array_shape shape = {ARRAY_DOUBLE, count_rows(self, population), 3};
    if (array_read_optional(given[0], "forces", shape, &forces) ||
        array_read_optional(given[1], "torques", shape, &torques)) {
        return give_up(self);
    }
    abut_error error = {.status = ABUT_OK};
    (population == CORE_BODIES ? abut_simulation_apply_to_bodies
                               : abut_simulation_apply)(self->simulation, forces, torques, &error);
    return simulation_finish(self, &error);
}
