/* Bonds of a simulation, and what has broken, as columns. */
#include "columns.h"
#include "simulation.h"

/* ---- coming ---- */

/* What is known of columns of so many rows; goes_on: whether they have what steps have made. */
static column_counts counts_of(Py_ssize_t rows, int goes_on)
{
    return (column_counts){
        .lengths = {rows},
        .presences = {[ABUT_COLUMN_ALWAYS] = 1, [ABUT_COLUMN_WITH_BEFORE] = goes_on}};
}

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
    const column_counts counts = counts_of(bonds.count, goes_on(dict));
    if (bonds.count < 0 || column_read(column_table_of(ABUT_BOND_TABLE), &counts, dict, &bonds) ||
        simulation_begin(self)) {
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
    const column_counts counts = counts_of(bonds.count, 1);
    PyObject *dict =
        column_dict(column_table_of(ABUT_BOND_TABLE), NULL, &counts, self->of.pool, &bonds);
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
    const column_counts counts = counts_of(breakages.count, 0);
    PyObject *dict =
        column_dict(column_table_of(ABUT_BREAKAGE_TABLE), NULL, &counts, self->of.pool, &breakages);
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
    const column_counts counts = counts_of(rests.count, 0);
    PyObject *dict =
        column_dict(column_table_of(ABUT_REST_TABLE), NULL, &counts, self->of.pool, &rests);
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
        simulation_read_new(column_table_of(ABUT_BREAKAGE_TABLE), given[0], "step",
                            &breakages.count, &breakages) ||
        simulation_read_new(column_table_of(ABUT_REST_TABLE), given[1], "overlap", &rests.count,
                            &rests) ||
        simulation_begin(self)) {
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    abut_simulation_restore_breakages(self->simulation, &breakages, &rests, &error);
    return simulation_commit(self, &error, NULL);
}
