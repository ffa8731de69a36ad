/* Laws of users: their inputs and outputs, and their evaluation outside of simulations. */
#include "user_laws.h"

#include <stddef.h>
#include <string.h>

#include "arrays.h"
#include "simulation.h"

#define ENTRY(name, numbers) {#name, numbers},

typedef struct own_column {
    const char *name;
    int numbers;
} own_column;

static const own_column INPUTS[] = {ABUT_LAW_INPUTS(ENTRY)};
static const own_column OUTPUTS[] = {ABUT_LAW_OUTPUTS(ENTRY)};

#define WORD(name) {#name, (int)(offsetof(abut_law_block, name) / sizeof(int64_t))},
#define WORD_OF_COLUMN(name, numbers) WORD(name)

/* Offsets of a block's members, in words of eight bytes. Pointers must have eight bytes, as on all
 * machines that numba supports. */
static const own_column WORDS[] = {WORD(size) WORD(count) WORD(step) ABUT_LAW_INPUTS(WORD_OF_COLUMN)
                                       WORD(parameters) WORD(history_in) WORD(history_out)
                                           ABUT_LAW_OUTPUTS(WORD_OF_COLUMN)};

_Static_assert(sizeof(void *) != sizeof(int64_t) ||
                   sizeof(abut_law_block) / sizeof(int64_t) == sizeof WORDS / sizeof *WORDS,
               "LAW_BLOCK has each member of abut_law_block");

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

#define ADD(module, name, columns)                                                                 \
    add_names(module, name, columns, sizeof(columns) / sizeof *(columns))

static int add_names(PyObject *module, const char *name, const own_column *columns, size_t count)
{
    PyObject *names = names_of(columns, count);
    const int status = PyModule_AddObjectRef(module, name, names);
    Py_XDECREF(names);
    return status;
}

int user_laws_add_names(PyObject *module)
{
    return ADD(module, "LAW_INPUTS", INPUTS) || ADD(module, "LAW_OUTPUTS", OUTPUTS) ||
                   ADD(module, "LAW_BLOCK", WORDS)
               ? -1
               : 0;
}

int user_laws_read(PyObject *tuple, abut_user_law *law)
{
    PyObject *address, *parameters;
    *law = (abut_user_law){0};
    if (!PyArg_ParseTuple(tuple, "OOiiid", &address, &parameters, &law->vector_count,
                          &law->scalar_count, &law->identity, &law->reach)) {
        return -1;
    }
    /* convert by an integer, because a pointer to data cannot become a pointer to a function */
    const uintptr_t number = (uintptr_t)PyLong_AsVoidPtr(address);
    if (PyErr_Occurred()) {
        return -1;
    }
    memcpy(&law->function, &number, sizeof law->function);
    law->parameter_count = array_row_count(parameters);
    return array_read(parameters, "parameters",
                      (array_shape){ARRAY_DOUBLE, law->parameter_count, 0}, &law->parameters);
}

abut_user_law *user_laws_read_all(PyObject *tuple)
{
    const Py_ssize_t count = PyTuple_Size(tuple);
    abut_user_law *laws = PyMem_Malloc(((size_t)count + 1) * sizeof *laws);
    if (!laws) {
        PyErr_NoMemory();
    }
    for (Py_ssize_t k = 0; laws && k < count; k++) {
        if (user_laws_read(PyTuple_GetItem(tuple, k), &laws[k])) {
            PyMem_Free(laws);
            return NULL;
        }
    }
    return laws;
}

#define COPY(numbers)                                                                              \
    array_copy((array_shape){ARRAY_DOUBLE, sizeof(numbers) / sizeof(double), 0}, numbers)

PyObject *user_laws_case(const abut_simulation *simulation)
{
    const abut_law_case found = abut_simulation_law_case(simulation);
    return Py_BuildValue("(iNNNN)", found.number, COPY(found.inputs), COPY(found.outputs),
                         COPY(found.history_in), COPY(found.history_out));
}

/* A user's law or a built-in law, and the length of a contact's history under it. */
typedef struct given_law {
    abut_user_law own;
    abut_law *built_in; /* NULL for a user's law; free it by PyMem_Free */
    Py_ssize_t kept;
} given_law;

/* Length of the history of a built-in law: two vectors, the overlap, and its largest value. */
enum { BUILT_IN_KEEPS = 8 };

static int read_law(PyObject *given, given_law *law)
{
    *law = (given_law){.kept = BUILT_IN_KEEPS};
    if (!PyTuple_Check(given)) {
        law->built_in = simulation_read_laws(given, 1);
        return law->built_in ? 0 : -1;
    }
    const int status = user_laws_read(given, &law->own);
    law->kept = 3 * (Py_ssize_t)law->own.vector_count + law->own.scalar_count;
    return status;
}

/* Inputs and outputs of an evaluation. */
typedef struct evaluation {
    double step;
    Py_ssize_t count, repeats;
    const double *inputs, *history;
    void *outputs[2];
} evaluation;

static void evaluate(const given_law *law, const evaluation *e, abut_error *error)
{
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t k = 0; k < e->repeats && !error->status; k++) {
        if (law->built_in) {
            abut_law_apply(law->built_in, e->step, e->count, e->inputs, e->history, e->outputs[0],
                           e->outputs[1], error);
        } else {
            abut_user_law_apply(&law->own, e->step, e->count, e->inputs, e->history, e->outputs[0],
                                e->outputs[1]);
        }
    }
    Py_END_ALLOW_THREADS
}

static PyObject *result_of(const given_law *law, evaluation *e)
{
    PyObject *result = NULL;
    abut_error error = {.status = ABUT_OK};
    PyObject *outputs =
        array_make((array_shape){ARRAY_DOUBLE, ABUT_LAW_OUTPUT_COUNT, e->count}, &e->outputs[0]);
    PyObject *history =
        array_make((array_shape){ARRAY_DOUBLE, law->kept, e->count}, &e->outputs[1]);
    if (outputs && history) {
        evaluate(law, e, &error);
        result = core_finish(PyTuple_Pack(2, outputs, history), &error);
    }
    Py_XDECREF(outputs);
    Py_XDECREF(history);
    return result;
}

PyObject *core_apply_law(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *given, *inputs, *history, *result = NULL;
    evaluation e;
    given_law law;
    if (!PyArg_ParseTuple(args, "OdnOOn:apply_law", &given, &e.step, &e.count, &inputs, &history,
                          &e.repeats) ||
        read_law(given, &law)) {
        return NULL;
    }
    if (!array_read(inputs, "inputs", (array_shape){ARRAY_DOUBLE, ABUT_LAW_INPUT_COUNT, e.count},
                    &e.inputs) &&
        !array_read(history, "history", (array_shape){ARRAY_DOUBLE, law.kept, e.count},
                    &e.history)) {
        result = result_of(&law, &e);
    }
    PyMem_Free(law.built_in);
    return result;
}

PyObject *core_law_reach(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *given;
    double radius, begins = 0.0;
    if (!PyArg_ParseTuple(args, "Od:law_reach", &given, &radius)) {
        return NULL;
    }
    abut_law *law = simulation_read_laws(given, 1);
    if (!law) {
        return NULL;
    }
    const double reach = abut_law_reach(law, radius, &begins);
    PyMem_Free(law);
    return Py_BuildValue("(dd)", reach, begins);
}
