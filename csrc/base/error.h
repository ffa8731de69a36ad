/* Errors as callers see them: a status and the numbers in its message, which abut/base.h lists. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "../abut/base.h"

/* Fills in the error, unless it is NULL, and returns the status. */
abut_status error_set(abut_error *error, abut_status status, abut_index index, abut_index detail,
                      double value);

/* Fills in a status with a message that names no number: ABUT_NO_MEMORY, ABUT_OK and others. */
abut_status error_set_status(abut_error *error, abut_status status);

#endif
