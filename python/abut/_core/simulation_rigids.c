/* Rigid bodies of a simulation, clusters and convex bodies, as columns. */
#include "columns.h"
#include "simulation.h"

/* ---- columns ---- */

enum { PER_BODY, PER_MEMBER };

/* Whether a column must be given: what all bodies or those of a kind are made of, how many members
 * of clusters there are, which must be known before these are, what clusters and convex bodies that
 * are new need not have, and what a step makes of them. */
enum { GIVEN, OF_MEMBERS, GONE_ON, MADE };

#define RIGID(member, type, width, per, when)                                                      \
    COLUMN(abut_rigids, member, ABUT_COLUMN_##type, width, per, when, ABUT_LOCKED)

#define MOTION                                                                                     \
    RIGID(positions, REAL, 3, PER_BODY, GIVEN), RIGID(orientations, REAL, 4, PER_BODY, GIVEN),     \
        RIGID(velocities, REAL, 3, PER_BODY, GIVEN),                                               \
        RIGID(angular_momenta, REAL, 3, PER_BODY, GIVEN), RIGID(masses, REAL, 0, PER_BODY, GIVEN), \
        RIGID(inertias, REAL, 3, PER_BODY, GIVEN), RIGID(fixed, INDEX, 0, PER_BODY, GIVEN)

static const abut_column CLUSTER_COLUMNS[] = {
    MOTION,
    RIGID(member_counts, INDEX, 0, PER_BODY, GIVEN),
    RIGID(members, REAL, 3, PER_MEMBER, OF_MEMBERS),
    RIGID(images, INDEX, 3, PER_BODY, GONE_ON),
    RIGID(spins, REAL, 3, PER_BODY, GONE_ON),
    RIGID(began, REAL, 10, PER_BODY, GONE_ON),
    RIGID(works, REAL, 4, PER_BODY, GONE_ON),
};

static const abut_column BODY_COLUMNS[] = {
    MOTION,
    RIGID(shapes, INDEX, 0, PER_BODY, GIVEN),
    RIGID(scales, REAL, 0, PER_BODY, GIVEN),
    RIGID(materials, INDEX, 0, PER_BODY, GIVEN),
    RIGID(axes, REAL, 4, PER_BODY, GIVEN),
    RIGID(states, REAL, ABUT_BODY_STATE, PER_BODY, GONE_ON),
    RIGID(spins, REAL, 3, PER_BODY, MADE),
    RIGID(forces, REAL, 3, PER_BODY, MADE),
    RIGID(torques, REAL, 3, PER_BODY, MADE),
    RIGID(images, INDEX, 3, PER_BODY, MADE),
};

static const column_table TABLES[] = {
    [ABUT_CLUSTERS] = {CLUSTER_COLUMNS, sizeof CLUSTER_COLUMNS / sizeof CLUSTER_COLUMNS[0]},
    [ABUT_BODIES] = {BODY_COLUMNS, sizeof BODY_COLUMNS / sizeof BODY_COLUMNS[0]},
};

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
    const column_counts counts = {
        .lengths = {[PER_BODY] = r->rigids.count, [PER_MEMBER] = r->spheres.count},
        .presences = {[GIVEN] = 1, [OF_MEMBERS] = 1},
    };
    if (r->rigids.count < 0 || column_read(TABLES[r->kind], &counts, rigids, &r->rigids)) {
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
    const column_counts counts = {.lengths = {[PER_BODY] = clusters.count}};
    PyObject *array = column_array(TABLES[ABUT_CLUSTERS], "member_counts", &counts, &clusters);
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
    const column_counts counts = {
        .lengths = {[PER_BODY] = rigids.count, [PER_MEMBER] = members},
        .presences = {[GIVEN] = 1, [OF_MEMBERS] = 1, [GONE_ON] = 1, [MADE] = 1},
    };
    PyObject *dict =
        members < 0 ? NULL : column_dict(TABLES[kind], NULL, &counts, self->of.pool, &rigids);
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
    if (simulation_begin_assigning(self, TABLES[kind], count, dict, &rigids.count, &rigids)) {
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
