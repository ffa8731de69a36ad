/* What the files of the extension share. It moves arrays in and out of the library and knows no
 * geometry. */
#ifndef ABUT_CORE_H
#define ABUT_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "abut.h"

typedef struct core_state {
    PyTypeObject *mesh_type;
    PyTypeObject *finder_type;
    PyObject *contact_names; /* a tuple */
    PyObject *pair_names;    /* likewise */
    PyTypeObject *shape_type;
    PyTypeObject *lock_type;
    PyObject *convex_names; /* likewise */
    PyObject *entrance_names;
} core_state;

extern PyType_Spec core_mesh_spec;
extern PyType_Spec core_finder_spec;
extern PyType_Spec core_pair_finder_spec;
extern PyType_Spec core_simulation_spec;
extern PyType_Spec core_lock_spec;
extern PyType_Spec core_shape_spec;
extern PyType_Spec core_convex_finder_spec;
extern PyType_Spec core_lammps_spec;

/* The library's mesh inside a _core.Mesh; lives as long as the object. */
const abut_mesh *core_mesh_of(PyObject *mesh);

/* Likewise the library's finder inside a _core.Finder, and how many meshes it has. */
const abut_finder *core_finder_of(PyObject *finder);
abut_index core_finder_mesh_count(PyObject *finder);

/* Likewise the library's shape inside a _core.Shape. */
const abut_shape *core_shape_of(PyObject *shape);

/* What the columns of a query are called: a new tuple; NULL with an error set. */
PyObject *core_contact_names(void);
PyObject *core_pair_names(void);
PyObject *core_convex_names(void);
PyObject *core_entrance_names(void);

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

/* New columns of so many contacts and nodes; NULL with an error set. */
PyObject *core_new_contacts(const core_making *making, abut_index rows, abut_index nodes,
                            const abut_query *query, abut_columns *columns);

/* The data of a dict that has all columns of contacts, as many as the step says; 0, or -1 with an
 * error set. */
int core_read_contacts(PyObject *dict, const abut_step *step, abut_columns *columns);

/* What there is of pairs. */
typedef struct core_pair_counts {
    Py_ssize_t pairs, spheres;
    int dimension;
    int has_images;
} core_pair_counts;

/* Likewise of pairs. */
PyObject *core_new_pairs(const core_making *making, const core_pair_counts *there,
                         abut_pair_columns *columns);
int core_read_pairs(PyObject *dict, const core_pair_counts *there, abut_pair_columns *columns);

/* What there is of contacts of convex bodies. */
typedef struct core_convex_counts {
    Py_ssize_t rows, spots, bodies;
    int dimension;
    int has_images, has_spots, has_offsets, has_before;
    int are_of_walls; /* mesh and facet, instead of j */
} core_convex_counts;

/* Their columns. */
PyObject *core_new_convex(const core_making *making, const core_convex_counts *there,
                          abut_convex_columns *columns);

/* Columns of entrances, of so many pairs. */
PyObject *core_new_entrances(const core_making *making, Py_ssize_t rows, Py_ssize_t pairs,
                             int dimension, abut_entrance_columns *columns);

/* Arguments of a query. They do nothing where an error is set already, so that a row of calls needs
 * one check at its end. */
double core_read_double(PyObject *object);
int core_read_int(PyObject *object);

/* Whether there is a period along any axis; NULL: along none. */
int core_is_periodic(const double *period, int dimension);

/* Run Python's signal handlers in the midst of a query, so that Ctrl-C ends it. `data` is the state
 * of the thread that started the query, which is the one that calls here. */
int core_run_signal_handlers(void *data);

/* share(normals, overlaps, exponent), match(now, before, earlier, workers), and carry(now, before,
 * match, tangent, workers). */
PyObject *core_share(PyObject *module, PyObject *args);
PyObject *core_match(PyObject *module, PyObject *args);
PyObject *core_carry(PyObject *module, PyObject *args);

/* match_pairs(now, before, earlier, other_earlier, workers), and carry_pairs(now, before, earlier,
 * other_earlier, match, tangent, workers). */
PyObject *core_match_pairs(PyObject *module, PyObject *args);
PyObject *core_carry_pairs(PyObject *module, PyObject *args);

/* spots_match(now_offsets, now_type, now_feature, before_offsets, before_type, before_feature,
 * row_match, swapped). */
PyObject *core_spots_match(PyObject *module, PyObject *args);

/* simd(), simd_levels() and set_simd(name). */
PyObject *core_simd(PyObject *module, PyObject *unused);
PyObject *core_simd_levels(PyObject *module, PyObject *unused);
PyObject *core_set_simd(PyObject *module, PyObject *name);

/* Set the Python error for a status other than ABUT_OK; always NULL. */
PyObject *core_raise(const abut_error *error);

/* Free the memory of an instance of a heap type, which owns a reference to its type. */
void core_release(PyObject *self);

#endif
