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
    for (int k = 0; period && k < dimension * dimension; k++) {
        if (period[k] != 0.0) {
            return 1;
        }
    }
    return 0;
}
