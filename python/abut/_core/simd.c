#include "core.h"

PyObject *core_simd(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyUnicode_FromString(abut_simd());
}

PyObject *core_simd_levels(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    PyObject *text = PyUnicode_FromString(abut_simd_levels());
    PyObject *comma = PyUnicode_FromString(", ");
    PyObject *levels = text && comma ? PyUnicode_Split(text, comma, -1) : NULL;
    Py_XDECREF(text);
    Py_XDECREF(comma);
    return levels;
}

PyObject *core_set_simd(PyObject *Py_UNUSED(module), PyObject *name)
{
    if (name != Py_None && !PyUnicode_Check(name)) {
        PyErr_SetString(PyExc_TypeError, "name must be a string or None");
        return NULL;
    }
    PyObject *bytes = name == Py_None ? NULL : PyUnicode_AsUTF8String(name);
    if (name != Py_None && !bytes) {
        return NULL;
    }
    const abut_error error = {.status = abut_simd_choose(bytes ? PyBytes_AsString(bytes) : NULL)};
    Py_XDECREF(bytes);
    if (error.status) {
        return core_raise(&error);
    }
    Py_RETURN_NONE;
}
