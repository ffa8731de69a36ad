/* Declarations for all files of the extension, which passes arrays to and from the library and has
 * no geometry. */
#ifndef ABUT_CORE_H
#define ABUT_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "abut.h"

/* By default, a function that returns an int returns 0, or another number with
 * an error set. A function that returns a pointer returns NULL with an error set. */

/* State of the module: types, and tuples with the names of columns of queries. */
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

/* Populations of a simulation. Clusters and bodies have the library's numbers. Those up to
 * CORE_BONDS can be added, removed and assigned. */
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

/* Statuses that end a run or prevent bonds, as X(name). Python writes their messages. */
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
    X(CELL_SMALL)                                                                                  \
    X(CELL_LARGE)                                                                                  \
    X(BODY_IMAGES)                                                                                 \
    X(TOO_MANY_IMAGES)                                                                             \
    X(BODY_MANY_IMAGES)                                                                            \
    X(BODY_TOO_SMALL)                                                                              \
    X(BOND_ITSELF)                                                                                 \
    X(BOND_TWICE)                                                                                  \
    X(BOND_IN_CLUSTER)                                                                             \
    X(BOND_TOO_SHORT)                                                                              \
    X(BOND_STIFFNESS)

/* The description of a type, from which module.c makes a PyType_Spec. Unused members are NULL. */
typedef struct core_type {
    struct {
        const char *name, *doc;
        size_t size;
        unsigned flags; /* in addition to those of all types */
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

/* The library's mesh in a _core.Mesh; it lives as long as the object. */
const abut_mesh *core_mesh_of(PyObject *mesh);

/* The library's finder of a _core.Finder. Code that reads it without the interpreter lock calls
 * core_finder_use with 1 before and -1 afterwards, with the lock. In between it cannot be updated.
 */
const abut_finder *core_finder_of(PyObject *finder);
void core_finder_use(PyObject *finder, int by);

/* Replaces a mesh of a finder by a mesh that Mesh.moved made from it. */
int core_finder_exchange(PyObject *finder, Py_ssize_t number, PyObject *mesh);
abut_index core_finder_mesh_count(PyObject *finder);

/* The library's shape in a _core.Shape; it lives as long as the object. */
const abut_shape *core_shape_of(PyObject *shape);

/* Arrays of the library's meshes or shapes in a tuple of objects; free them by PyMem_Free. */
const abut_mesh **core_read_meshes(PyObject *tuple, const core_state *state);
const abut_shape **core_read_shapes(PyObject *tuple, const core_state *state);

/* Checks that all objects of a tuple have this type, and allocates a pointer for each and one more,
 * so that the size is never 0. */
void *core_pointers(PyObject *tuple, PyTypeObject *type, const char *tuple_name,
                    const char *type_name);

/* The first members of an object with a memory pool for its results. */
typedef struct core_pooled {
    PyObject_HEAD
    PyObject *pool;
} core_pooled;

/* Makes an object that begins with a core_pooled, and takes over the reference to the pool. Returns
 * NULL if the pool is NULL because it could not be made. */
void *core_new_pooled(PyTypeObject *type, PyObject *pool);

/* Returns `made`, which may be NULL, if there is no error; else releases it and raises the error.
 */
PyObject *core_finish(PyObject *made, const abut_error *error);

/* What a finder needs to make the columns of a query. */
typedef struct core_making {
    abut_index mesh_count;
    PyObject *pool; /* memory of large columns */
    PyObject *names;
} core_making;

/* Columns that are allocated before the number of rows is known. */
typedef struct core_room {
    PyObject *dict; /* NULL: none */
    abut_room room; /* their data */
} core_room;

/* Allocates columns for this number of rows and nodes, if there is enough memory. Returns 0, or -1
 * with an error set. */
int core_make_room(const core_making *making, abut_index rows, abut_index nodes,
                   const abut_query *query, core_room *room);

/* The columns of a query's contacts: those of `room` if they were long enough, else new ones. Takes
 * over or frees the columns of `room`. NULL with an error set. */
PyObject *core_write_contacts(const abut_contacts *contacts, const abut_query *query,
                              const core_making *making, core_room *room);

/* Whether space repeats along any row of `period`, dimension x dimension. NULL: along none. */
int core_is_periodic(const double *period, int dimension);

/* Runs Python's signal handlers during a query, so that Ctrl-C ends it. The thread that started the
 * query calls it; `data` is the state of this thread. */
int core_run_signal_handlers(void *data);

/* Functions and methods of the module; module.c and the types list their arguments. */
typedef PyObject *core_function(PyObject *self, PyObject *argument);
core_function core_share, core_match, core_carry, core_match_pairs, core_carry_pairs,
    core_spots_match, core_apply_law, core_law_reach, core_simd, core_simd_levels, core_set_simd,
    core_columns;

/* Sets the Python error for a status other than ABUT_OK, and returns NULL. */
PyObject *core_raise(const abut_error *error);

/* Frees the memory of an instance of a heap type, which owns a reference to its type. */
void core_release(PyObject *self);

#endif
