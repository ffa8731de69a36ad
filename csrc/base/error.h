/* What failed, as callers are told: a status, with the numbers that its message names (abut.h says
 * which). */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "../abut/base.h"

/* Fill in an error, where the caller wants one; returns the status. */
abut_status error_set(abut_error *error, abut_status status, abut_index index, abut_index detail,
                      double value);

/* The same of a status whose message names no number, as ABUT_NO_MEMORY, or of ABUT_OK. */
abut_status error_set_status(abut_error *error, abut_status status);

#endif
