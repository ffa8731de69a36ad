#include "arrays.h"

PyObject *core_share(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *given[2];
    const double *normals, *overlaps;
    double exponent;
    void *shares;
    if (!PyArg_ParseTuple(args, "OOd:share", &given[0], &given[1], &exponent)) {
        return NULL;
    }
    const abut_index count = array_row_count(given[0]);
    const array_shape numbers = {ARRAY_DOUBLE, count, 0};
    if (array_read(given[0], "normals", (array_shape){ARRAY_DOUBLE, count, 3}, &normals) ||
        array_read(given[1], "overlaps", numbers, &overlaps)) {
        return NULL;
    }
    PyObject *array = array_make(numbers, &shares);
    if (array && abut_share(count, normals, overlaps, exponent, shares)) {
        Py_DECREF(array);
        return PyErr_NoMemory();
    }
    return array;
}
