/* The object of a _core.Simulation, shared by its files. */
#ifndef ABUT_CORE_SIMULATION_H
#define ABUT_CORE_SIMULATION_H

#include "columns.h"

struct simulation_lock;

typedef struct simulation_object {
    core_pooled pooled; /* the pool has the memory of the tables */
    PyObject *known;    /* the caller's record, replaced with each change */
    PyObject *finder; /* a _core.Finder, which the library's simulation borrows; NULL: no meshes */
    PyObject *shapes; /* a tuple of _core.Shape, which it borrows; NULL: no shapes */
    abut_simulation *simulation;
    abut_simulation_input input;  /* the input that it was made from */
    abut_index wall_count;        /* meshes, half spaces and walls that are off */
    Py_ssize_t change_count;      /* a count that grows with each step and change */
    Py_ssize_t sphere_steps;      /* sum over steps of their numbers of spheres and bodies */
    int is_at_work;               /* see simulation_begin */
    struct simulation_lock *lock; /* the lock that was taken last, borrowed; NULL: none */
} simulation_object;

/* Number of members of abut_wall_state, all of which are doubles. */
enum { WALL_STATE_MEMBERS = sizeof(abut_wall_state) / sizeof(double) };

/* Begins to use the library's simulation, which is for one thread: another thread or a signal
 * handler may run while the interpreter lock is released. Returns 0, or -1 with an error set if it
 * is in use. End the use by simulation_end. */
int simulation_begin(simulation_object *self);
void simulation_end(simulation_object *self);

/* The library's simulation, for short calls that keep the interpreter lock. NULL with an error set
 * if it is in use. */
const abut_simulation *simulation_at_rest(PyObject *object);

/* Ends the use that simulation_begin began. Returns None, or NULL with the error set. */
PyObject *simulation_finish(simulation_object *self, const abut_error *error);

/* Ends a change of the simulation. Returns None, or NULL with the error set. If the change
 * succeeded, `known` replaces the caller's record at once; NULL keeps it. */
PyObject *simulation_commit(simulation_object *self, const abut_error *error, PyObject *known);

/* The outcome of a run, or why bonds are not possible: None, (status, index, detail, value), or
 * NULL with the error set. The caller writes the message, since users have other numbers of
 * spheres. */
PyObject *simulation_outcome(const abut_error *error);

/* The names of a law's numbers, in order: a new tuple; NULL with an error set. */
PyObject *simulation_law_numbers(void);

/* Reads the laws of all pairs of materials from an array with a row for each; free them by
 * PyMem_Free. NULL with an error set. */
abut_law *simulation_read_laws(PyObject *given, Py_ssize_t materials);

/* Walls that callers give as a tuple of columns: materials, starts, poses, offsets, motions,
 * half_spaces, the number that are off, and vertices. */
typedef struct given_walls {
    abut_wall *walls;
    abut_motion *motions;
    Py_ssize_t count;
} given_walls;

/* Reads walls; free them by simulation_free_walls. Returns 0, or -1 with an error set. */
int simulation_read_walls(PyObject *tuple, Py_ssize_t meshes, given_walls *walls);
void simulation_free_walls(given_walls *walls);

/* The number of rows of the column with this name in a dict; -1 with an error set. */
Py_ssize_t simulation_row_count(PyObject *dict, const char *name);

/* Reads the number of a wall; -1 with an error set, also if the simulation is in use. */
abut_index simulation_read_wall(PyObject *object, PyObject *number);

/* Methods, which simulation.c lists. */
core_function simulation_take_lock, simulation_lend, simulation_wall, simulation_wall_now,
    simulation_place, simulation_load, simulation_add, simulation_remove, simulation_read,
    simulation_assign, simulation_apply, simulation_counts, simulation_restore, simulation_terms,
    simulation_set_bounds, simulation_outside, simulation_left_count, simulation_set_step,
    simulation_interactions, simulation_set_shapes, simulation_restore_breakages,
    simulation_set_drive, simulation_drive, simulation_restore_interactions, simulation_deform,
    simulation_nodal_forces, simulation_restore_surface, simulation_order, simulation_restore_order,
    simulation_cell, simulation_deform_cell, simulation_set_deformation, simulation_set_targets,
    simulation_restore_cell, simulation_set_workers, simulation_clear_images, simulation_touching;

#endif
