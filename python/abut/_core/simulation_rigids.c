/* Rigid bodies of a simulation, clusters and convex bodies, as columns. */
#include "columns.h"
#include "simulation.h"

/* ---- columns ---- */

/* What is known of columns of so many bodies of a kind, whose members are so many spheres; goes_on:
 * whether they have what steps have made. */
static column_counts counts_of(int kind, Py_ssize_t bodies, Py_ssize_t members, int goes_on)
{
    return (column_counts){
        .lengths = {[ABUT_COLUMN_ROWS] = bodies, [ABUT_COLUMN_ENTRIES] = members},
        .presences = {[ABUT_COLUMN_ALWAYS] = 1,
                      [ABUT_COLUMN_WITH_BEFORE] = goes_on,
                      [ABUT_COLUMN_WITH_MEMBERS] = kind == ABUT_CLUSTERS,
                      [ABUT_COLUMN_WITH_SHAPES] = kind == ABUT_BODIES}};
}

static abut_index count_clusters(const abut_simulation *simulation)
{
    return abut_simulation_rigid_count(simulation, ABUT_CLUSTERS);
}

static abut_index count_bodies(const abut_simulation *simulation)
{
    return abut_simulation_rigid_count(simulation, ABUT_BODIES);
}

/* Whether there is a kind of this number: 0, or -1 with an error set. */
static int check_kind(long number)
{
    if (number != ABUT_CLUSTERS && number != ABUT_BODIES) {
        PyErr_Format(PyExc_IndexError, "there is no kind %ld of rigid bodies", number);
        return -1;
    }
    return 0;
}

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

/* ---- coming ---- */

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

/* What is to be added. */
typedef struct new_rigids {
    int kind;
    abut_rigids rigids;
    abut_spheres spheres; /* of clusters */
    PyObject *known;
} new_rigids;

static int read_columns(new_rigids *r, PyObject *rigids, PyObject *spheres)
{
    const int has_members = r->kind == ABUT_CLUSTERS;
    if (has_members && simulation_read_new_spheres(spheres, &r->spheres)) {
        return -1;
    }
    r->rigids.count = simulation_row_count(rigids, "masses");
    const int goes_on = PyDict_GetItemString(rigids, "turns") != NULL;
    const column_counts counts = counts_of(r->kind, r->rigids.count, r->spheres.count, goes_on);
    if (r->rigids.count < 0 ||
        column_read(column_table_of(ABUT_RIGID_TABLE), &counts, rigids, &r->rigids)) {
        return -1;
    }
    return has_members ? check_member_counts(&r->rigids, r->spheres.count) : 0;
}

static int read_new_rigids(PyObject *args, new_rigids *r)
{
    PyObject *rigids, *spheres;
    if (!PyArg_ParseTuple(args, "iO!OO:add_rigids", &r->kind, &PyDict_Type, &rigids, &spheres,
                          &r->known) ||
        check_kind(r->kind)) {
        return -1;
    }
    if (r->kind == ABUT_CLUSTERS && !PyDict_Check(spheres)) {
        PyErr_SetString(PyExc_TypeError, "spheres is no dict");
        return -1;
    }
    return read_columns(r, rigids, spheres);
}

PyObject *simulation_add_rigids(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    new_rigids r = {0};
    if (read_new_rigids(args, &r) || simulation_begin(self)) {
        return NULL;
    }
    const abut_spheres *spheres = r.kind == ABUT_CLUSTERS ? &r.spheres : NULL;
    abut_error error = {.status = ABUT_OK};
    Py_BEGIN_ALLOW_THREADS
    abut_simulation_add_rigids(self->simulation, (abut_rigid_kind)r.kind, &r.rigids, spheres,
                               &error);
    Py_END_ALLOW_THREADS
    return simulation_commit(self, &error, r.known);
}

/* ---- going ---- */

PyObject *simulation_remove_bodies(PyObject *object, PyObject *args)
{
    return simulation_take_away(object, args, count_bodies, abut_simulation_remove_bodies);
}

/* ---- reading and assigning ---- */

/* How many spheres all clusters have; -1 with an error set. */
static Py_ssize_t count_members(const abut_simulation *simulation)
{
    abut_rigids clusters = {.count = abut_simulation_rigid_count(simulation, ABUT_CLUSTERS)};
    const column_counts counts = counts_of(ABUT_CLUSTERS, clusters.count, 0, 0);
    PyObject *array =
        column_array(column_table_of(ABUT_RIGID_TABLE), "member_counts", &counts, &clusters);
    if (!array) {
        return -1;
    }
    Py_ssize_t sum = 0;
    abut_simulation_read_rigids(simulation, ABUT_CLUSTERS, &clusters);
    for (abut_index i = 0; i < clusters.count; i++) {
        sum += clusters.member_counts[i];
    }
    Py_DECREF(array);
    return sum;
}

static PyObject *rigids_dict(simulation_object *self, abut_rigid_kind kind)
{
    abut_rigids rigids = {.count = abut_simulation_rigid_count(self->simulation, kind)};
    const Py_ssize_t members = kind == ABUT_CLUSTERS ? count_members(self->simulation) : 0;
    const column_counts counts = counts_of(kind, rigids.count, members, 1);
    PyObject *dict = members < 0 ? NULL
                                 : column_dict(column_table_of(ABUT_RIGID_TABLE), NULL, &counts,
                                               self->of.pool, &rigids);
    if (dict) {
        abut_simulation_read_rigids(self->simulation, kind, &rigids);
    }
    return dict;
}

PyObject *simulation_rigids(PyObject *object, PyObject *number)
{
    simulation_object *self = (simulation_object *)object;
    const long kind = PyLong_AsLong(number);
    if ((kind == -1 && PyErr_Occurred()) || check_kind(kind) || simulation_begin(self)) {
        return NULL;
    }
    PyObject *dict = rigids_dict(self, (abut_rigid_kind)kind);
    simulation_end(self);
    return dict;
}

PyObject *simulation_assign_rigids(PyObject *object, PyObject *args)
{
    simulation_object *self = (simulation_object *)object;
    PyObject *dict;
    int kind;
    abut_rigids rigids = {0};
    if (!PyArg_ParseTuple(args, "iO!:assign_rigids", &kind, &PyDict_Type, &dict) ||
        check_kind(kind)) {
        return NULL;
    }
    simulation_count *count = kind == ABUT_CLUSTERS ? count_clusters : count_bodies;
    if (simulation_begin_assigning(self, column_table_of(ABUT_RIGID_TABLE), count, dict,
                                   &rigids.count, &rigids)) {
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    Py_BEGIN_ALLOW_THREADS
    abut_simulation_assign_rigids(self->simulation, (abut_rigid_kind)kind, &rigids, &error);
    Py_END_ALLOW_THREADS
    return simulation_commit(self, &error, NULL);
}

PyObject *simulation_apply_to_bodies(PyObject *object, PyObject *args)
{
    return simulation_push(object, args, count_bodies, abut_simulation_apply_to_bodies);
}

/* The longest stable step of those that a function of the library's asks. */
static PyObject *tell_longest(PyObject *object,
                              abut_status (*ask)(const abut_simulation *, abut_stable_step *))
{
    const abut_simulation *s = simulation_at_rest(object);
    if (!s) {
        return NULL;
    }
    abut_stable_step longest;
    const abut_error error = {.status = ask(s, &longest)};
    return error.status ? core_raise(&error) : simulation_tell_step(&longest);
}

PyObject *simulation_stable_step_of_bodies(PyObject *object, PyObject *Py_UNUSED(unused))
{
    return tell_longest(object, abut_simulation_stable_step_of_bodies);
}

PyObject *simulation_stable_step_of_walls(PyObject *object, PyObject *Py_UNUSED(unused))
{
    return tell_longest(object, abut_simulation_stable_step_of_walls);
}
