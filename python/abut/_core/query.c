#include "core.h"

int core_run_signal_handlers(void *data)
{
    PyThreadState **thread = data;
    PyEval_RestoreThread(*thread);
    const int raised = PyErr_CheckSignals();
    *thread = PyEval_SaveThread();
    return raised;
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
