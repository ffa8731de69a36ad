/* A _core.Simulation, as its files share it. */
#ifndef ABUT_CORE_SIMULATION_H
#define ABUT_CORE_SIMULATION_H

#include "columns.h"

struct simulation_lock;

typedef struct simulation_object {
    core_pooled of;   /* whose pool is that of its tables' memory */
    PyObject *known;  /* what the caller knows of it, and exchanges with what it changes */
    PyObject *finder; /* a _core.Finder, which the library's simulation borrows; NULL: no meshes */
    PyObject *shapes; /* a tuple of _core.Shape, likewise; NULL: none */
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

/* The library's simulation where it is not in use, for what takes no time and keeps the
 * interpreter's lock, so that nobody comes meanwhile. */
const abut_simulation *simulation_at_rest(PyObject *object);

/* End, and return None, or NULL with the error set. */
PyObject *simulation_finish(simulation_object *self, const abut_error *error);

/* End what has changed the simulation; likewise. Where it has succeeded, the caller knows `known`
 * of it from now on, with nothing in between; NULL: what it knew. */
PyObject *simulation_commit(simulation_object *self, const abut_error *error, PyObject *known);

/* None; or what ended a run, or bonds that cannot be, for the caller to say, who knows spheres by
 * other numbers: (status, index, detail, value); or NULL with the error set. */
PyObject *simulation_tell_outcome(const abut_error *error);

/* The names of a law's numbers, in their order: a new tuple; NULL with an error set. */
PyObject *simulation_law_numbers(void);

/* Laws of so many materials each with each, a row of numbers each: the caller frees them by
 * PyMem_Free; NULL with an error set. */
abut_law *simulation_read_laws(PyObject *given, Py_ssize_t materials);

/* Walls that callers give as a tuple of columns: materials, starts, poses, offsets, motions
 * half_spaces, and how many are off. */
typedef struct given_walls {
    abut_wall *walls;
    abut_motion *motions;
    Py_ssize_t count;
} given_walls;

/* 0, or -1 with an error set; else free them by simulation_free_walls. */
int simulation_read_walls(PyObject *tuple, Py_ssize_t meshes, given_walls *walls);
void simulation_free_walls(given_walls *walls);

/* How many rows columns are of that a dict has, from this one; -1 with an error set. */
Py_ssize_t simulation_row_count(PyObject *dict, const char *name);

/* The number of a wall, where the simulation is not in use; -1 with an error set. */
abut_index simulation_read_wall(PyObject *object, PyObject *number);

/* Methods: see simulation.c, which lists them. */
core_function simulation_take_lock, simulation_lend, simulation_wall, simulation_wall_now,
    simulation_place, simulation_load, simulation_add, simulation_remove, simulation_read,
    simulation_assign, simulation_apply, simulation_counts, simulation_restore, simulation_terms,
    simulation_set_bounds, simulation_outside, simulation_left_count, simulation_set_step,
    simulation_interactions, simulation_set_shapes, simulation_restore_breakages,
    simulation_set_drive, simulation_drive, simulation_restore_interactions, simulation_deform,
    simulation_nodal_forces, simulation_restore_surface, simulation_order, simulation_restore_order;

#endif
