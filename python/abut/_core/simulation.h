/* A _core.Simulation, as its files share it. */
#ifndef ABUT_CORE_SIMULATION_H
#define ABUT_CORE_SIMULATION_H

#include "core.h"

struct simulation_lock;

typedef struct simulation_object {
    PyObject_HEAD
    PyObject *known;  /* what the caller knows of it, and exchanges with what it changes */
    PyObject *finder; /* a _core.Finder, which the library's simulation borrows; NULL: no meshes */
    PyObject *shapes; /* a tuple of _core.Shape, likewise; NULL: none */
    PyObject *pool;   /* of its tables' memory */
    abut_simulation *simulation;
    abut_simulation_input input;  /* what it was made of */
    abut_index wall_count;        /* meshes, and half spaces behind them */
    Py_ssize_t change_count;      /* grows with each step and change */
    Py_ssize_t sphere_steps;      /* steps, times spheres and bodies in them */
    int is_at_work;               /* see simulation_begin */
    struct simulation_lock *lock; /* the last one that was taken, borrowed; NULL: none */
} simulation_object;

/* The members of abut_wall_state, in its order, all of which are doubles. */
enum { WALL_STATE_MEMBERS = sizeof(abut_wall_state) / sizeof(double) };

/* Begin to use the library's simulation, which is for one thread: another one may come while the
 * interpreter's lock is released, and so may the handler of a signal. 0, or -1 with an error set
 * where it is in use; what has begun ends with simulation_end. */
int simulation_begin(simulation_object *self);
void simulation_end(simulation_object *self);

/* End, and return None, or NULL with the error set. */
PyObject *simulation_finish(simulation_object *self, const abut_error *error);

/* End what has changed the simulation; likewise. Where it has succeeded, the caller knows `known`
 * of it from now on, with nothing in between; NULL: what it knew. */
PyObject *simulation_commit(simulation_object *self, const abut_error *error, PyObject *known);

/* The members as a tuple. */
PyObject *simulation_tell_step(const abut_stable_step *longest);

/* Laws of so many materials each with each, (materials * materials, 8): the caller frees them by
 * PyMem_Free; NULL with an error set. */
abut_law *simulation_read_laws(PyObject *given, Py_ssize_t materials);

/* Walls that callers give as columns: materials, starts, poses, offsets, motions and half_spaces.
 */
enum { WALL_COLUMNS = 6 };
typedef struct given_walls {
    abut_wall *walls;
    abut_motion *motions;
    Py_ssize_t count;
} given_walls;

/* 0, or -1 with an error set; else free them by simulation_free_walls. */
int simulation_read_walls(PyObject *const *given, Py_ssize_t meshes, given_walls *walls);
void simulation_free_walls(given_walls *walls);

/* Methods that say who may change it: see simulation.c, which lists them. */
PyObject *simulation_take_lock(PyObject *object, PyObject *is_of_run);
PyObject *simulation_lend(PyObject *object, PyObject *call);

/* Methods that tell of walls, and place them. */
PyObject *simulation_wall(PyObject *object, PyObject *number);
PyObject *simulation_wall_now(PyObject *object, PyObject *number);
PyObject *simulation_place(PyObject *object, PyObject *args);
PyObject *simulation_load(PyObject *object, PyObject *number);

/* Methods that take and give columns: see simulation.c, which lists them. */
PyObject *simulation_add(PyObject *object, PyObject *args);
PyObject *simulation_remove(PyObject *object, PyObject *args);
PyObject *simulation_read(PyObject *object, PyObject *name);
PyObject *simulation_assign(PyObject *object, PyObject *dict);
PyObject *simulation_add_clusters(PyObject *object, PyObject *args);
PyObject *simulation_clusters(PyObject *object, PyObject *unused);
PyObject *simulation_assign_clusters(PyObject *object, PyObject *dict);
PyObject *simulation_contacts(PyObject *object, PyObject *unused);
PyObject *simulation_pairs(PyObject *object, PyObject *unused);
PyObject *simulation_restore(PyObject *object, PyObject *args);

PyObject *simulation_set_shapes(PyObject *object, PyObject *shapes);
PyObject *simulation_add_bodies(PyObject *object, PyObject *args);
PyObject *simulation_remove_bodies(PyObject *object, PyObject *args);
PyObject *simulation_bodies(PyObject *object, PyObject *unused);
PyObject *simulation_assign_bodies(PyObject *object, PyObject *dict);
PyObject *simulation_apply_to_bodies(PyObject *object, PyObject *args);
PyObject *simulation_stable_step_of_bodies(PyObject *object, PyObject *unused);
PyObject *simulation_body_contacts(PyObject *object, PyObject *meeting);
PyObject *simulation_restore_body_contacts(PyObject *object, PyObject *args);

#endif
