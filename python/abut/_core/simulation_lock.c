/* Locks of a simulation for changes and runs, which take several calls of the library. */
#include "simulation.h"

/* A lock. Its deallocation releases it, too, so that an interrupt can never leave it locked. */
typedef struct simulation_lock {
    PyObject_HEAD
    simulation_object *simulation;  /* NULL: released */
    struct simulation_lock *lender; /* the lock that permits this one, or NULL */
    unsigned long thread;
    int is_of_run, is_lent;
} simulation_lock;

static const char LOCK_DOC[] = "A lock for changes or runs of a Simulation: see Simulation.lock.";

/* ---- taking and releasing ---- */

static int is_running(const simulation_lock *lock)
{
    return lock && (lock->is_of_run || is_running(lock->lender));
}

static int refuse(const simulation_lock *held, int is_of_run)
{
    if (is_of_run && is_running(held)) {
        PyErr_SetString(PyExc_RuntimeError,
                        "the simulation is running already, in another thread or around a "
                        "callable: wait until run() returns");
    } else {
        PyErr_Format(PyExc_RuntimeError,
                     "the simulation is at work: wait until the call that %s it, in another thread "
                     "or interrupted by a signal, returns",
                     is_running(held) ? "steps" : "changes");
    }
    return -1;
}

/* Checks that no lock is taken, or that a run in this thread permits changes. Returns 0, or -1 with
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

/* Releases a lock. Its lender is then the current lock, unless the lender was released before. */
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
