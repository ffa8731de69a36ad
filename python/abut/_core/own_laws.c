/* Laws of users: what they are told of, and how they are asked outside of simulations. */
#include "own_laws.h"

#include <string.h>

#include "arrays.h"

#define ENTRY(name, numbers) {#name, numbers},

typedef struct own_column {
    const char *name;
    int numbers;
} own_column;

static const own_column INPUTS[] = {ABUT_LAW_INPUTS(ENTRY)};
static const own_column OUTPUTS[] = {ABUT_LAW_OUTPUTS(ENTRY)};

#define COUNT(name, numbers) +(numbers)

enum { INPUT_COUNT = 0 ABUT_LAW_INPUTS(COUNT), OUTPUT_COUNT = 0 ABUT_LAW_OUTPUTS(COUNT) };

static PyObject *names_of(const own_column *columns, size_t count)
{
    PyObject *tuple = PyTuple_New((Py_ssize_t)count);
    for (size_t k = 0; tuple && k < count; k++) {
        PyObject *entry = Py_BuildValue("(si)", columns[k].name, columns[k].numbers);
        if (!entry || PyTuple_SetItem(tuple, (Py_ssize_t)k, entry)) {
            Py_CLEAR(tuple);
        }
    }
    return tuple;
}

int own_laws_add_names(PyObject *module)
{
    PyObject *inputs = names_of(INPUTS, sizeof INPUTS / sizeof INPUTS[0]);
    PyObject *outputs = names_of(OUTPUTS, sizeof OUTPUTS / sizeof OUTPUTS[0]);
    const int status = PyModule_AddObjectRef(module, "LAW_INPUTS", inputs) ||
                               PyModule_AddObjectRef(module, "LAW_OUTPUTS", outputs)
                           ? -1
                           : 0;
    Py_XDECREF(inputs);
    Py_XDECREF(outputs);
    return status;
}

int own_laws_read(PyObject *tuple, abut_own_law *law)
{
    PyObject *address, *parameters;
    *law = (abut_own_law){0};
    if (!PyArg_ParseTuple(tuple, "OOiii", &address, &parameters, &law->vector_count,
                          &law->scalar_count, &law->identity)) {
        return -1;
    }
    /* of a pointer to a function, which no pointer to data may become */
    const uintptr_t number = (uintptr_t)PyLong_AsVoidPtr(address);
    if (PyErr_Occurred()) {
        return -1;
    }
    memcpy(&law->function, &number, sizeof law->function);
    law->parameter_count = array_row_count(parameters);
    return array_read(parameters, "parameters",
                      (array_shape){ARRAY_DOUBLE, law->parameter_count, 0}, &law->parameters);
}

PyObject *core_apply_law(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *tuple, *given, *old, *made[2] = {NULL, NULL}, *result = NULL;
    double step;
    Py_ssize_t count, repeats;
    const double *inputs, *history;
    void *outputs[2];
    abut_own_law law;
    if (!PyArg_ParseTuple(args, "O!dnOOn:apply_law", &PyTuple_Type, &tuple, &step, &count, &given,
                          &old, &repeats) ||
        own_laws_read(tuple, &law)) {
        return NULL;
    }
    const Py_ssize_t kept = 3 * (Py_ssize_t)law.vector_count + law.scalar_count;
    if (array_read(given, "inputs", (array_shape){ARRAY_DOUBLE, INPUT_COUNT, count}, &inputs) ||
        array_read(old, "history", (array_shape){ARRAY_DOUBLE, kept, count}, &history)) {
        return NULL;
    }
    made[0] = array_make((array_shape){ARRAY_DOUBLE, OUTPUT_COUNT, count}, &outputs[0]);
    made[1] = array_make((array_shape){ARRAY_DOUBLE, kept, count}, &outputs[1]);
    if (made[0] && made[1]) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t k = 0; k < repeats; k++) {
            abut_own_law_apply(&law, step, count, inputs, history, outputs[0], outputs[1]);
        }
        Py_END_ALLOW_THREADS
        result = PyTuple_Pack(2, made[0], made[1]);
    }
    Py_XDECREF(made[0]);
    Py_XDECREF(made[1]);
    return result;
}
