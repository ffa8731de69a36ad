#include "arrays.h"

#include <numpy/arrayobject.h>

/* By array_kind. */
static const int NUMPY_TYPES[] = {NPY_FLOAT64, NPY_INTP, NPY_UINT8};
static const char *const NUMPY_NAMES[] = {"float64", "intp", "uint8"};

static int import_numpy(void)
{
    import_array1(-1);
    return 0;
}

int array_import(void)
{
    return import_numpy();
}

static int rank_of(array_shape shape)
{
    return shape.columns == 0 ? 1 : 2;
}

static int has_kind(PyObject *object, array_kind kind)
{
    if (!PyArray_Check(object)) {
        return 0;
    }
    PyArrayObject *array = (PyArrayObject *)object;
    return PyArray_EquivTypenums(PyArray_TYPE(array), NUMPY_TYPES[kind]) &&
           PyArray_ISCARRAY_RO(array);
}

static int has_shape(PyArrayObject *array, array_shape shape)
{
    if (PyArray_NDIM(array) != rank_of(shape)) {
        return 0;
    }
    const int rows_fit = shape.rows == ARRAY_ANY_ROWS || PyArray_DIM(array, 0) == shape.rows;
    return rows_fit && (shape.columns == 0 || PyArray_DIM(array, 1) == shape.columns);
}

int array_read(PyObject *object, const char *name, array_shape shape, array_data *array)
{
    if (!has_kind(object, shape.kind)) {
        PyErr_Format(PyExc_TypeError, "%s must be a contiguous %s array", name,
                     NUMPY_NAMES[shape.kind]);
        return -1;
    }
    PyArrayObject *found = (PyArrayObject *)object;
    if (!has_shape(found, shape)) {
        PyErr_Format(PyExc_ValueError, "%s has the wrong shape", name);
        return -1;
    }
    array->data = PyArray_DATA(found);
    array->rows = PyArray_DIM(found, 0);
    return 0;
}

int array_read_optional(PyObject *object, const char *name, array_shape shape, array_data *array)
{
    *array = (array_data){NULL, 0};
    return object == Py_None ? 0 : array_read(object, name, shape, array);
}

PyObject *array_view(PyObject *owner, array_shape shape, const void *data)
{
    const npy_intp lengths[] = {shape.rows, shape.columns};
    PyObject *view = PyArray_New(&PyArray_Type, rank_of(shape), lengths, NUMPY_TYPES[shape.kind],
                                 NULL, (void *)data, 0, NPY_ARRAY_CARRAY_RO, NULL);
    if (!view) {
        return NULL;
    }
    Py_INCREF(owner);
    if (PyArray_SetBaseObject((PyArrayObject *)view, owner)) {
        Py_DECREF(view);
        return NULL;
    }
    return view;
}

PyObject *array_make(array_shape shape, void **data)
{
    const npy_intp lengths[] = {shape.rows, shape.columns};
    PyObject *array = PyArray_SimpleNew(rank_of(shape), lengths, NUMPY_TYPES[shape.kind]);
    if (array) {
        *data = PyArray_DATA((PyArrayObject *)array);
    }
    return array;
}

/* The data of an array that the tuple now owns; NULL where there is no array. */
static void *put(PyObject *tuple, Py_ssize_t position, PyObject *array)
{
    if (!array || PyTuple_SetItem(tuple, position, array)) {
        return NULL;
    }
    return PyArray_DATA((PyArrayObject *)array);
}

void *array_new(PyObject *tuple, Py_ssize_t position, array_shape shape)
{
    void *data;
    return PyErr_Occurred() ? NULL : put(tuple, position, array_make(shape, &data));
}

void *array_new_zeros(PyObject *tuple, Py_ssize_t position, array_shape shape)
{
    const npy_intp lengths[] = {shape.rows, shape.columns};
    if (PyErr_Occurred()) {
        return NULL;
    }
    return put(tuple, position, PyArray_ZEROS(rank_of(shape), lengths, NUMPY_TYPES[shape.kind], 0));
}
