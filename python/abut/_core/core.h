/* What the files of the extension share. It moves arrays in and out of the library and knows no
 * geometry. */
#ifndef ABUT_CORE_H
#define ABUT_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "abut.h"

/* Where nothing else is said, a function that returns an int returns 0, or else another number with
 * an error set, and one that returns a pointer that, or NULL with an error set. */

/* What the module holds: types, and tuples of what the columns of queries are called. */
#define CORE_STATE(X)                                                                              \
    X(PyTypeObject, mesh_type)                                                                     \
    X(PyTypeObject, finder_type)                                                                   \
    X(PyTypeObject, shape_type)                                                                    \
    X(PyTypeObject, lock_type)                                                                     \
    X(PyObject, contact_names)                                                                     \
    X(PyObject, pair_names)                                                                        \
    X(PyObject, convex_names)                                                                      \
    X(PyObject, entrance_names)

#define CORE_MEMBER(type, member) type *member;
typedef struct core_state {
    CORE_STATE(CORE_MEMBER)
} core_state;
#undef CORE_MEMBER

/* Populations of a simulation: rigid bodies by the library's numbers of their kinds; those up to
 * bonds come, go and are assigned. */
typedef enum core_population {
    CORE_CLUSTERS = ABUT_CLUSTERS,
    CORE_BODIES = ABUT_BODIES,
    CORE_SPHERES,
    CORE_BONDS,
    CORE_BREAKAGES,
    CORE_RESTS,
    CORE_GRAINS,
    CORE_POPULATIONS
} core_population;

/* What may end a run, or be in the way of bonds, for the caller to say, as X(name). */
#define CORE_OUTCOMES(X)                                                                           \
    X(LAW_MISSING)                                                                                 \
    X(OUT_OF_BOUNDS)                                                                               \
    X(LAW_NOT_FINITE)                                                                              \
    X(LAW_RADIUS)                                                                                  \
    X(SPHERE_LOST)                                                                                 \
    X(BODY_LAW)                                                                                    \
    X(BODY_CURVATURE)                                                                              \
    X(BODY_LOST)                                                                                   \
    X(WALL_LOST)                                                                                   \
    X(BODY_IMAGES)                                                                                 \
    X(TOO_MANY_IMAGES)                                                                             \
    X(BODY_MANY_IMAGES)                                                                            \
    X(BODY_TOO_SMALL)                                                                              \
    X(BOND_ITSELF)                                                                                 \
    X(BOND_TWICE)                                                                                  \
    X(BOND_IN_CLUSTER)                                                                             \
    X(BOND_TOO_SHORT)                                                                              \
    X(BOND_STIFFNESS)

/* A type, of which module.c makes a PyType_Spec; what it has not is NULL. */
typedef struct core_type {
    struct {
        const char *name, *doc;
        size_t size;
        unsigned flags; /* beside those that all types have */
    } is;
    struct {
        newfunc make;
        destructor dealloc;
        traverseproc traverse;
        inquiry clear;
    } life;
    struct {
        PyMethodDef *methods;
        PyGetSetDef *attributes;
    } has;
} core_type;

extern const core_type core_mesh_type, core_finder_type, core_pair_finder_type,
    core_simulation_type, core_lock_type, core_shape_type, core_convex_finder_type,
    core_lammps_type;

/* The library's mesh inside a _core.Mesh; lives as long as the object. */
const abut_mesh *core_mesh_of(PyObject *mesh);

/* Likewise the library's finder inside a _core.Finder, and how many meshes it has. Who reads it
 * without the interpreter lock says so: by 1 before, by -1 afterwards, with the lock. Meanwhile it
 * is not updated. */
const abut_finder *core_finder_of(PyObject *finder);
void core_finder_use(PyObject *finder, int by);

/* Exchange a mesh for what its `moved` has made. */
int core_finder_exchange(PyObject *finder, Py_ssize_t number, PyObject *mesh);
abut_index core_finder_mesh_count(PyObject *finder);

/* Likewise the library's shape inside a _core.Shape. */
const abut_shape *core_shape_of(PyObject *shape);

/* The library's meshes, or shapes, in a tuple of such objects: to be freed by PyMem_Free. */
const abut_mesh **core_read_meshes(PyObject *tuple, const core_state *state);
const abut_shape **core_read_shapes(PyObject *tuple, const core_state *state);

/* Memory for so many pointers, and one more so that there is some in any case, once all objects of
 * a tuple are of this type. */
void *core_pointers(PyObject *tuple, PyTypeObject *type, const char *tuple_name,
                    const char *type_name);

/* What an object begins with whose results have their memory from a pool. */
typedef struct core_pooled {
    PyObject_HEAD
    PyObject *pool;
} core_pooled;

/* A new object that begins so; it takes over the reference to the pool, which may be NULL where
 * that could not be made. */
void *core_new_pooled(PyTypeObject *type, PyObject *pool);

/* What was made, or where the library has failed to fill it, NULL with the error set; it may be
 * NULL already. */
PyObject *core_finish(PyObject *made, const abut_error *error);

/* What the columns of a finder's queries are made with. */
typedef struct core_making {
    abut_index mesh_count;
    PyObject *pool; /* of large columns' memory */
    PyObject *names;
} core_making;

/* Columns that are made before the rows are counted. */
typedef struct core_room {
    PyObject *dict; /* NULL: there are none */
    abut_room room; /* their data */
} core_room;

/* Room for so many rows and nodes of a query, or none where there is no memory; 0, or -1 with an
 * error set. */
int core_make_room(const core_making *making, abut_index rows, abut_index nodes,
                   const abut_query *query, core_room *room);

/* The columns of a query's contacts: a new dict of new arrays, or the room's where there is one and
 * it was enough; it is used up. NULL with an error set. */
PyObject *core_write_contacts(const abut_contacts *contacts, const abut_query *query,
                              const core_making *making, core_room *room);

/* Whether there is a period along any axis; NULL: along none. */
int core_is_periodic(const double *period, int dimension);

/* Run Python's signal handlers in the midst of a query, so that Ctrl-C ends it. `data` is the state
 * of the thread that started the query, which is the one that calls here. */
int core_run_signal_handlers(void *data);

/* Functions of the module, and methods: module.c and the types list what they take. */
typedef PyObject *core_function(PyObject *self, PyObject *argument);
core_function core_share, core_match, core_carry, core_match_pairs, core_carry_pairs,
    core_spots_match, core_apply_law, core_law_reach, core_simd, core_simd_levels, core_set_simd,
    core_columns;

/* Set the Python error for a status other than ABUT_OK; always NULL. */
PyObject *core_raise(const abut_error *error);

/* Free the memory of an instance of a heap type, which owns a reference to its type. */
void core_release(PyObject *self);

#endif
