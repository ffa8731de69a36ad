#include "arrays.h"

#include <numpy/arrayobject.h>
#include <string.h>

#include "pool.h"

/* NumPy's type numbers, item sizes and names of types, for each array_kind. */
static const int NUMPY_TYPES[] = {NPY_FLOAT64, NPY_INTP, NPY_UINT8};
static const size_t ITEM_SIZES[] = {sizeof(double), sizeof(abut_index), sizeof(uint8_t)};
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

/* The lengths of an array's axes. */
typedef struct axes {
    int rank;
    npy_intp lengths[3];
} axes;

static axes axes_of(array_shape shape)
{
    if (shape.columns < 0) {
        return (axes){3, {shape.rows, 2, -shape.columns}};
    }
    return (axes){shape.columns == 0 ? 1 : 2, {shape.rows, shape.columns, 0}};
}

/* Whether an object is a contiguous, aligned array of this kind in native byte order. */
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
    const axes wanted = axes_of(shape);
    int fits = PyArray_NDIM(array) == wanted.rank;
    for (int k = 0; fits && k < wanted.rank; k++) {
        fits = PyArray_DIM(array, k) == wanted.lengths[k];
    }
    return fits;
}

int array_column_count(PyObject *object)
{
    PyArrayObject *array = PyArray_Check(object) ? (PyArrayObject *)object : NULL;
    return array && PyArray_NDIM(array) == 2 && PyArray_DIM(array, 1) == 2 ? 2 : 3;
}

Py_ssize_t array_row_count(PyObject *object)
{
    PyArrayObject *array = PyArray_Check(object) ? (PyArrayObject *)object : NULL;
    return array && PyArray_NDIM(array) > 0 ? PyArray_DIM(array, 0) : 0;
}

int array_read(PyObject *object, const char *name, array_shape shape, void *data)
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
    const void *address = PyArray_DATA(found);
    memcpy(data, &address, sizeof address);
    return 0;
}

int array_read_optional(PyObject *object, const char *name, array_shape shape, void *data)
{
    const void *none = NULL;
    memcpy(data, &none, sizeof none);
    return object == Py_None ? 0 : array_read(object, name, shape, data);
}

int array_read_offsets(PyObject *object, const char *name, const abut_index **offsets,
                       abut_index *count)
{
    const Py_ssize_t rows = array_row_count(object);
    if (array_read(object, name, (array_shape){ARRAY_INDEX, rows, 0}, offsets)) {
        return -1;
    }
    if (rows == 0) {
        PyErr_Format(PyExc_ValueError, "%s is empty, but must begin with 0", name);
        return -1;
    }
    *count = rows - 1;
    return 0;
}

PyObject *array_at(PyObject *owner, const void *shown, const array_place *place, int dimension)
{
    abut_index rows;
    void *data;
    memcpy(&rows, (const char *)shown + place->count, sizeof rows);
    memcpy(&data, (const char *)shown + place->data, sizeof data);
    const Py_ssize_t columns = place->columns == ABUT_DIMENSION ? dimension : place->columns;
    const axes shape = axes_of((array_shape){place->kind, rows + place->further, columns});
    PyObject *view = PyArray_New(&PyArray_Type, shape.rank, shape.lengths, NUMPY_TYPES[place->kind],
                                 NULL, data, 0, NPY_ARRAY_CARRAY_RO, NULL);
    if (view && PyArray_SetBaseObject((PyArrayObject *)view, Py_NewRef(owner))) {
        Py_CLEAR(view);
    }
    return view;
}

PyObject *array_make(array_shape shape, void **data)
{
    const axes sizes = axes_of(shape);
    PyObject *array = PyArray_SimpleNew(sizes.rank, sizes.lengths, NUMPY_TYPES[shape.kind]);
    if (array) {
        *data = PyArray_DATA((PyArrayObject *)array);
    }
    return array;
}

PyObject *array_copy(array_shape shape, const void *data)
{
    void *made;
    PyObject *array = array_make(shape, &made);
    const Py_ssize_t count = shape.rows * (shape.columns ? shape.columns : 1);
    if (array && data) {
        memcpy(made, data, (size_t)count * ITEM_SIZES[shape.kind]);
    }
    return array;
}

PyObject *array_make_zeros(array_shape shape, void **data)
{
    const axes sizes = axes_of(shape);
    PyObject *array = PyArray_ZEROS(sizes.rank, sizes.lengths, NUMPY_TYPES[shape.kind], 0);
    if (array) {
        *data = PyArray_DATA((PyArrayObject *)array);
    }
    return array;
}

int array_resize(PyObject *array, array_shape shape)
{
    axes sizes = axes_of(shape);
    PyArray_Dims dims = {sizes.lengths, sizes.rank};
    PyObject *none = PyArray_Resize((PyArrayObject *)array, &dims, 0, NPY_CORDER);
    Py_XDECREF(none);
    return none ? 0 : -1;
}

void array_lock(PyObject *array)
{
    PyArray_CLEARFLAGS((PyArrayObject *)array, NPY_ARRAY_WRITEABLE);
}

/* ---- the pool as NumPy's memory handler (NEP 49), in a capsule ---- */

static const char CAPSULE_NAME[] = "mem_handler";

static PyDataMem_Handler *handler_in(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, CAPSULE_NAME);
}

static void free_handler(PyObject *capsule)
{
    PyDataMem_Handler *handler = handler_in(capsule);
    core_pool_free(handler->allocator.ctx);
    PyMem_Free(handler);
}

/* Makes a pool over NumPy's own functions, which use huge pages. The pool does not report to
 * tracemalloc, because NumPy reports each array. */
static core_pool *new_pool(void)
{
    const PyDataMem_Handler *numpy = handler_in(PyDataMem_DefaultHandler);
    if (!numpy) {
        return NULL;
    }
    const PyDataMemAllocator *from = &numpy->allocator;
    const core_pool_source source = {from->ctx, from->malloc, from->calloc, from->free};
    core_pool *made = core_pool_new(&source);
    if (!made) {
        PyErr_NoMemory();
    }
    return made;
}

PyObject *array_pool_new(void)
{
    core_pool *made = new_pool();
    if (!made) {
        return NULL;
    }
    PyDataMem_Handler *handler = PyMem_Malloc(sizeof *handler);
    if (!handler) {
        core_pool_free(made);
        return PyErr_NoMemory();
    }
    *handler = (PyDataMem_Handler){
        .name = "abut",
        .version = 1,
        .allocator = {made, core_pool_take, core_pool_take_zeros, core_pool_resize, core_pool_give},
    };
    PyObject *capsule = PyCapsule_New(handler, CAPSULE_NAME, free_handler);
    if (!capsule) {
        core_pool_free(made);
        PyMem_Free(handler);
    }
    return capsule;
}

void array_pool_drop(PyObject *capsule)
{
    if (capsule) {
        core_pool_close(handler_in(capsule)->allocator.ctx);
        Py_DECREF(capsule);
    }
}

void array_pool_age(PyObject *capsule)
{
    core_pool_age(handler_in(capsule)->allocator.ctx);
}

int array_pool_enter(PyObject *capsule, PyObject **before)
{
    *before = PyDataMem_GetHandler();
    if (!*before) {
        return -1;
    }
    if (*before != PyDataMem_DefaultHandler) {
        Py_CLEAR(*before);
        return 0;
    }
    PyObject *same = PyDataMem_SetHandler(capsule);
    if (!same) {
        Py_CLEAR(*before);
        return -1;
    }
    Py_DECREF(same);
    return 0;
}

int array_pool_leave(PyObject *before)
{
    PyObject *type, *value, *traceback;
    if (!before) {
        return 0;
    }
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *left = PyDataMem_SetHandler(before);
    Py_DECREF(before);
    Py_XDECREF(left);
    if (left) {
        PyErr_Restore(type, value, traceback);
        return 0;
    }
    Py_XDECREF(type), Py_XDECREF(value), Py_XDECREF(traceback);
    return -1;
}
