/* Reads and makes NumPy arrays. Only arrays.c includes NumPy's headers. */
#ifndef ABUT_CORE_ARRAYS_H
#define ABUT_CORE_ARRAYS_H

#include "core.h"

typedef enum array_kind { ARRAY_DOUBLE, ARRAY_INDEX, ARRAY_BYTE } array_kind;

/* The required shape of an argument: (rows,) if columns is 0, (rows, 2, n) if columns is
 * ARRAY_TWICE(n), else (rows, columns). */
#define ARRAY_TWICE(n) (-(n))
typedef struct array_shape {
    array_kind kind;
    Py_ssize_t rows;
    Py_ssize_t columns;
} array_shape;

/* Loads NumPy's API table. Returns 0, or -1 with an error set. */
int array_import(void);

/* The number of columns, 2 or 3, of coordinates in the plane or in space. It is 3 for all other
 * objects, which array_read rejects. */
int array_column_count(PyObject *object);

/* The number of rows of an argument that may have any number of them. It is 0 for an object that is
 * no array, which array_read rejects. */
Py_ssize_t array_row_count(PyObject *object);

/* Reads a contiguous, native array of exactly this shape. The pointer at `data` gets its data,
 * which live as long as the object. Returns 0, or -1 with a TypeError or ValueError that has the
 * name. */
int array_read(PyObject *object, const char *name, array_shape shape, void *data);

/* array_read for an argument that may be None: the pointer is then NULL. */
int array_read_optional(PyObject *object, const char *name, array_shape shape, void *data);

/* Reads offsets and returns the number of items, which is one less than that of offsets. An empty
 * array is an error. */
int array_read_offsets(PyObject *object, const char *name, const abut_index **offsets,
                       abut_index *count);

/* The place of an array in a struct of the library that describes an object. */
typedef struct array_place {
    array_kind kind;
    size_t count;       /* offset of the member with the number of rows */
    int further;        /* rows in addition to this number */
    Py_ssize_t columns; /* ABUT_DIMENSION stands for the number of dimensions */
    size_t data;
} array_place;

/* A read-only array of the data at a place, which keeps `owner` alive. */
PyObject *array_at(PyObject *owner, const void *shown, const array_place *place, int dimension);

/* Makes an array that owns its memory, and returns its data. NULL with an error set. */
PyObject *array_make(array_shape shape, void **data);

/* Makes an array with a copy of `data`, or with unset entries if `data` is NULL. Returns NULL with
 * an error set if it fails. */
PyObject *array_copy(array_shape shape, const void *data);

/* Makes an array of zeros. NULL with an error set. */
PyObject *array_make_zeros(array_shape shape, void **data);

/* Reduces the rows of an array that array_make made, and that no other code has. Returns 0, or -1
 * with an error set. */
int array_resize(PyObject *array, array_shape shape);

/* Makes an array read-only. */
void array_lock(PyObject *array);

/* Makes a pool for the memory of arrays: see pool.h. Each array with memory of the pool keeps it
 * alive. NULL with an error set. */
PyObject *array_pool_new(void);

/* Closes the owner's pool: frees its unused blocks, stops keeping blocks, and releases it. It may
 * be NULL. */
void array_pool_drop(PyObject *pool);

/* Starts a query: frees the blocks that the last few queries have not used. */
void array_pool_age(PyObject *pool);

/* Makes this thread's new arrays use memory of the pool until array_pool_leave. If the caller has
 * set a memory handler of its own (NEP 49), arrays use that one. Returns 0 and the argument of
 * array_pool_leave, or -1 with an error set. */
int array_pool_enter(PyObject *pool, PyObject **before);

/* Restores the memory handler `before`, if it is not NULL. Returns 0, or -1 with an error set. An
 * error that was set before the call is kept. */
int array_pool_leave(PyObject *before);

#endif
