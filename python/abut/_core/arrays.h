/* NumPy in, NumPy out: the only file that includes NumPy's headers is arrays.c. */
#ifndef ABUT_CORE_ARRAYS_H
#define ABUT_CORE_ARRAYS_H

#include "core.h"

typedef enum array_kind { ARRAY_DOUBLE, ARRAY_INDEX, ARRAY_BYTE } array_kind;

/* What an argument must be: (rows,) where columns is 0, else (rows, columns), or (rows, 2, n) where
 * they are ARRAY_TWICE(n). */
#define ARRAY_TWICE(n) (-(n))
typedef struct array_shape {
    array_kind kind;
    Py_ssize_t rows;
    Py_ssize_t columns;
} array_shape;

/* Load NumPy's API table; 0, or -1 with an error set. */
int array_import(void);

/* How many columns an argument has that may be of 2 or 3 dimensions: 2, or else 3, as array_read
 * may then find wrong. */
int array_column_count(PyObject *object);

/* How many rows an argument has that may have any number, for array_read: 0 where it is no array,
 * as that may then find wrong. */
Py_ssize_t array_row_count(PyObject *object);

/* Read a contiguous, native array of this very shape: its data, which live as long as the object,
 * go into the pointer at `data`. 0, or -1 with a TypeError or ValueError that names it. */
int array_read(PyObject *object, const char *name, array_shape shape, void *data);

/* Likewise of an argument that may be None: the pointer becomes NULL then. */
int array_read_optional(PyObject *object, const char *name, array_shape shape, void *data);

/* Read offsets of any number of items, which is told; an error where there is none, since they have
 * one entry more. */
int array_read_offsets(PyObject *object, const char *name, const abut_index **offsets,
                       abut_index *count);

/* Where to find an array in a struct that the library shows of an object. */
typedef struct array_place {
    array_kind kind;
    size_t count;       /* where the number of its rows is, an abut_index */
    int further;        /* rows beside these */
    Py_ssize_t columns; /* ABUT_DIMENSION: as many as there are dimensions */
    size_t data;
} array_place;

/* The array at a place, read-only, which keeps its owner alive. */
PyObject *array_at(PyObject *owner, const void *shown, const array_place *place, int dimension);

/* A new array that owns its memory, and its data; NULL with an error set. */
PyObject *array_make(array_shape shape, void **data);

/* Likewise with a copy of these data, unless they are NULL. */
PyObject *array_copy(array_shape shape, const void *data);

/* Likewise, all zeros. */
PyObject *array_make_zeros(array_shape shape, void **data);

/* Fewer rows of an array that array_make made, and nobody else has seen; 0, or -1 with an error
 * set. */
int array_resize(PyObject *array, array_shape shape);

/* Make it read-only. */
void array_lock(PyObject *array);

/* A pool for the memory of arrays, see pool.h. It lives until nobody holds it: each array that was
 * made with its memory does. NULL with an error set. */
PyObject *array_pool_new(void);

/* Its owner goes: free what the pool keeps, keep nothing from now on, and let go of it. It may be
 * NULL. */
void array_pool_drop(PyObject *pool);

/* A query begins: free what the last few queries have not used. */
void array_pool_age(PyObject *pool);

/* Arrays that this thread makes have their memory from the pool, until it is left: 0 and what to
 * leave it with, or -1 with an error set. Where the caller has chosen another handler of memory
 * (NEP 49), arrays have theirs from that one. */
int array_pool_enter(PyObject *pool, PyObject **before);

/* Go back to the handler before, or do nothing where that is NULL: 0, or -1 with an error set. An
 * error that was set already stays. */
int array_pool_leave(PyObject *before);

#endif
