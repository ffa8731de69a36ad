/* Bonds of a simulation, and what has broken, as columns. */
#include "columns.h"
#include "simulation.h"

enum { PER_ROW };

/* Whether a column must be given: what bonds are made of, or what steps have made of them. */
enum { GIVEN, GONE_ON };

#define BOND(member, type, width, when)                                                            \
    COLUMN(abut_bonds, member, ABUT_COLUMN_##type, width, PER_ROW, when, ABUT_LOCKED)
#define BREAKAGE(member, type, width)                                                              \
    COLUMN(abut_breakages, member, ABUT_COLUMN_##type, width, PER_ROW, GIVEN, ABUT_LOCKED)
#define REST(member, type, width)                                                                  \
    COLUMN(abut_rests, member, ABUT_COLUMN_##type, width, PER_ROW, GIVEN, ABUT_LOCKED)

static const abut_column BOND_COLUMNS[] = {
    BOND(i, INDEX, 0, GIVEN),
    BOND(j, INDEX, 0, GIVEN),
    BOND(ids, INDEX, 2, GIVEN),
    BOND(young, REAL, 0, GIVEN),
    BOND(poisson, REAL, 0, GIVEN),
    BOND(radius, REAL, 0, GIVEN),
    BOND(damping, REAL, 0, GIVEN),
    BOND(tensile_strength, REAL, 0, GIVEN),
    BOND(shear_strength, REAL, 0, GIVEN),
    BOND(contact, INDEX, 0, GIVEN),
    BOND(length, REAL, 0, GONE_ON),
    BOND(rest_overlap, REAL, 0, GONE_ON),
    BOND(shift, INDEX, 3, GONE_ON),
    BOND(turns, REAL, 8, GONE_ON),
    BOND(force, REAL, 3, GONE_ON),
    BOND(moments, REAL, 6, GONE_ON),
    BOND(energy, REAL, 0, GONE_ON),
    BOND(tension, REAL, 0, GONE_ON),
    BOND(shear, REAL, 0, GONE_ON),
};

static const abut_column BREAKAGE_COLUMNS[] = {
    BREAKAGE(step, INDEX, 0),     BREAKAGE(ids, INDEX, 2),   BREAKAGE(point, REAL, 3),
    BREAKAGE(of_shear, INDEX, 0), BREAKAGE(energy, REAL, 0),
};

static const abut_column REST_COLUMNS[] = {
    REST(i, INDEX, 0),
    REST(j, INDEX, 0),
    REST(shift, INDEX, 3),
    REST(overlap, REAL, 0),
};

static const column_table BONDS = {BOND_COLUMNS, sizeof BOND_COLUMNS / sizeof BOND_COLUMNS[0]};
static const column_table BREAKAGES = {BREAKAGE_COLUMNS,
                                       sizeof BREAKAGE_COLUMNS / sizeof BREAKAGE_COLUMNS[0]};
static const column_table RESTS = {REST_COLUMNS, sizeof REST_COLUMNS / sizeof REST_COLUMNS[0]};

/* ---- coming ---- */

/* Whether a dict has columns of bonds that go on: all of those, or none. */
static int goes_on(PyObject *dict)
{
    return PyDict_GetItemString(dict, "length") != NULL;
}

PyObject *simulation_add_bonds(PyObject *object, PyObject *dict)
{
    simulation_object *self = (simulation_object *)object;
    abut_bonds bonds = {0};
    if (!PyDict_Check(dict)) {
        return PyErr_Format(PyExc_TypeError, "bonds is no dict");
    }
    bonds.count = simulation_row_count(dict, "young");
    const column_counts counts = {.lengths = {bonds.count}, .presences = {1, goes_on(dict)}};
    if (bonds.count < 0 || column_read(BONDS, &counts, dict, &bonds) || simulation_begin(self)) {
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    Py_BEGIN_ALLOW_THREADS
    abut_simulation_add_bonds(self->simulation, &bonds, &error);
    Py_END_ALLOW_THREADS
    self->change_count++;
    simulation_end(self);
    return simulation_tell_outcome(&error);
}

/* ---- reading ---- */

PyObject *simulation_bonds(PyObject *object, PyObject *Py_UNUSED(unused))
{
    simulation_object *self = (simulation_object *)object;
    if (simulation_begin(self)) {
        return NULL;
    }
    abut_bonds bonds = {.count = abut_simulation_bond_count(self->simulation)};
    const column_counts counts = {.lengths = {bonds.count}, .presences = {1, 1}};
    PyObject *dict = column_dict(BONDS, NULL, &counts, self->of.pool, &bonds);
    if (dict) {
        abut_simulation_read_bonds(self->simulation, &bonds);
    }
    simulation_end(self);
    return dict;
}

PyObject *simulation_breakages(PyObject *object, PyObject *Py_UNUSED(unused))
{
    simulation_object *self = (simulation_object *)object;
    if (simulation_begin(self)) {
        return NULL;
    }
    abut_breakages breakages = {.count = abut_simulation_breakage_count(self->simulation)};
    const column_counts counts = {.lengths = {breakages.count}, .presences = {1}};
    PyObject *dict = column_dict(BREAKAGES, NULL, &counts, self->of.pool, &breakages);
    if (dict) {
        abut_simulation_read_breakages(self->simulation, &breakages);
    }
    simulation_end(self);
    return dict;
}

PyObject *simulation_rests(PyObject *object, PyObject *Py_UNUSED(unused))
{
    simulation_object *self = (simulation_object *)object;
    if (simulation_begin(self)) {
        return NULL;
    }
    abut_rests rests = {.count = abut_simulation_rest_count(self->simulation)};
    const column_counts counts = {.lengths = {rests.count}, .presences = {1}};
    PyObject *dict = column_dict(RESTS, NULL, &counts, self->of.pool, &rests);
    if (dict) {
        abut_simulation_read_rests(self->simulation, &rests);
    }
    simulation_end(self);
    return dict;
}

PyObject *simulation_bond_counts(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const abut_simulation *s = simulation_at_rest(object);
    return s ? Py_BuildValue("(nnn)", abut_simulation_bond_count(s),
                             abut_simulation_breakage_count(s), abut_simulation_rest_count(s))
             : NULL;
}

/* ---- going on from a file ---- */

PyObject *simulation_restore_breakages(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    PyObject *given[2];
    abut_breakages breakages = {0};
    abut_rests rests = {0};
    if (!PyArg_ParseTuple(args, "O!O!:restore_breakages", &PyDict_Type, &given[0], &PyDict_Type,
                          &given[1]) ||
        simulation_read_new(BREAKAGES, given[0], "step", &breakages.count, &breakages) ||
        simulation_read_new(RESTS, given[1], "overlap", &rests.count, &rests) ||
        simulation_begin(self)) {
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    abut_simulation_restore_breakages(self->simulation, &breakages, &rests, &error);
    return simulation_commit(self, &error, NULL);
}
