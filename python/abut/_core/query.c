#include "core.h"

int core_run_signal_handlers(void *data)
{
    PyThreadState **thread = data;
    PyEval_RestoreThread(*thread);
    const int raised = PyErr_CheckSignals();
    *thread = PyEval_SaveThread();
    return raised;
}

int core_check_count(Py_ssize_t count, Py_ssize_t wanted, const char *function)
{
    if (count == wanted) {
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "%s takes %zd arguments, not %zd", function, wanted, count);
    return -1;
}

double core_read_double(PyObject *object)
{
    return PyErr_Occurred() ? 0.0 : PyFloat_AsDouble(object);
}

int core_read_int(PyObject *object)
{
    const long value = PyErr_Occurred() ? 0 : PyLong_AsLong(object);
    if (value != (int)value) {
        PyErr_SetString(PyExc_OverflowError, "the number is no C int");
    }
    return (int)value;
}

int core_is_periodic(const double *period, int dimension)
{
    for (int axis = 0; period && axis < dimension; axis++) {
        if (period[axis] > 0.0) {
            return 1;
        }
    }
    return 0;
}
