#include "arrays.h"

PyObject *core_share(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *normals, *overlaps;
    array_data of_normals, of_overlaps;
    double exponent;
    void *shares;
    if (!PyArg_ParseTuple(args, "OOd:share", &normals, &overlaps, &exponent) ||
        array_read(normals, "normals", (array_shape){ARRAY_DOUBLE, ARRAY_ANY_ROWS, 3},
                   &of_normals) ||
        array_read(overlaps, "overlaps", (array_shape){ARRAY_DOUBLE, of_normals.rows, 0},
                   &of_overlaps)) {
        return NULL;
    }
    PyObject *array = array_make((array_shape){ARRAY_DOUBLE, of_normals.rows, 0}, &shares);
    if (!array) {
        return NULL;
    }
    if (abut_share(of_normals.rows, of_normals.data, of_overlaps.data, exponent, shares)) {
        Py_DECREF(array);
        return PyErr_NoMemory();
    }
    return array;
}
