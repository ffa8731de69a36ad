#include "lattice.h"

#include "error.h"

abut_status lattice_check(const lattice *l, abut_error *error)
{
    for (int axis = 0; axis < 3; axis++) {
        const double period = l->period[axis];
        if (!(period >= 0.0 && period <= ABUT_COORDINATE_LIMIT)) {
            return error_set(error, ABUT_BAD_PERIOD, axis, 0, period);
        }
    }
    return ABUT_OK;
}
