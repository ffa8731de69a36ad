/* Who may change a simulation, or run it, in calls that take several of the library's. */
#include "simulation.h"

/* The right to do so. It is given back when it is let go of, too, so that there is no moment in
 * which an interrupt could leave it behind. */
typedef struct simulation_lock {
    PyObject_HEAD
    simulation_object *simulation;  /* NULL: given back */
    struct simulation_lock *lender; /* who lent it; NULL: nobody */
    unsigned long thread;
    int is_of_run, is_lent;
} simulation_lock;

static const char LOCK_DOC[] =
    "The right to change a Simulation, or to run it: see Simulation.lock.";

/* ---- taking and giving back ---- */

static int is_running(const simulation_lock *lock)
{
    return lock && (lock->is_of_run || is_running(lock->lender));
}

static int refuse(const simulation_lock *held, int is_of_run)
{
    if (is_of_run && is_running(held)) {
        PyErr_SetString(PyExc_RuntimeError,
                        "the simulation runs already: another thread, or a callable, did so");
    } else {
        PyErr_Format(PyExc_RuntimeError,
                     "the simulation is at work: wait until the call that %s it, of another thread "
                     "or one that a signal has interrupted, returns",
                     is_running(held) ? "steps" : "changes");
    }
    return -1;
}

/* Whether it is free: nobody has it, or a run in this thread has lent it for changes. 0, or -1 with
 * an error set. */
static int check_free(const simulation_lock *held, unsigned long thread, int is_of_run)
{
    const int is_free = !held || (held->is_lent && held->thread == thread && !is_of_run);
    return is_free ? 0 : refuse(held, is_of_run);
}

PyObject *simulation_take_lock(PyObject *object, PyObject *is_of_run)
{
    simulation_object *self = (simulation_object *)object;
    const core_state *state = PyType_GetModuleState(Py_TYPE(object));
    const unsigned long thread = PyThread_get_thread_ident();
    const int runs = PyObject_IsTrue(is_of_run);
    if (runs < 0) {
        return NULL;
    }
    simulation_lock *lock = (simulation_lock *)PyType_GenericAlloc(state->lock_type, 0);
    if (!lock || check_free(self->lock, thread, runs)) {
        Py_XDECREF((PyObject *)lock);
        return NULL;
    }
    lock->simulation = (simulation_object *)Py_NewRef(object);
    lock->lender = (simulation_lock *)Py_XNewRef((PyObject *)self->lock);
    lock->thread = thread;
    lock->is_of_run = runs;
    self->lock = lock;
    return (PyObject *)lock;
}

/* Its lender has it again, unless that has given it back before. */
static void give_back(simulation_lock *lock)
{
    simulation_object *self = lock->simulation;
    if (!self) {
        return;
    }
    lock->simulation = NULL;
    while (self->lock && !self->lock->simulation) {
        self->lock = self->lock->lender;
    }
    Py_DECREF((PyObject *)self);
}

PyObject *simulation_lend(PyObject *object, PyObject *call)
{
    simulation_lock *lock = ((simulation_object *)object)->lock;
    if (!lock) {
        return PyObject_CallNoArgs(call);
    }
    Py_INCREF((PyObject *)lock);
    const int was_lent = lock->is_lent;
    lock->is_lent = 1;
    PyObject *result = PyObject_CallNoArgs(call);
    lock->is_lent = was_lent;
    Py_DECREF((PyObject *)lock);
    return result;
}

/* ---- the type ---- */

static PyObject *lock_enter(PyObject *object, PyObject *Py_UNUSED(unused))
{
    return Py_NewRef(object);
}

static PyObject *lock_exit(PyObject *object, PyObject *Py_UNUSED(error))
{
    give_back((simulation_lock *)object);
    Py_RETURN_NONE;
}

static void lock_dealloc(PyObject *object)
{
    simulation_lock *self = (simulation_lock *)object;
    give_back(self);
    Py_XDECREF((PyObject *)self->lender);
    core_release(object);
}

static PyMethodDef LOCK_METHODS[] = {
    {"__enter__", lock_enter, METH_NOARGS, NULL},
    {"__exit__", lock_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

const core_type core_lock_type = {
    {"abut._core.Lock", LOCK_DOC, sizeof(simulation_lock), Py_TPFLAGS_DISALLOW_INSTANTIATION},
    {NULL, lock_dealloc, NULL, NULL},
    {LOCK_METHODS, NULL}};
