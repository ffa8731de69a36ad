/* Fills in errors: a status, and the numbers in its message. abut/base.h lists the messages. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "../abut/base.h"

/* Fills in the error, unless it is NULL, and returns the status. */
abut_status error_set(abut_error *error, abut_status status, abut_index index, abut_index detail,
                      double value);

/* Fills in the error, unless it is NULL, for a status with a message without numbers, such as
 * ABUT_NO_MEMORY or ABUT_OK. Returns the status. */
abut_status error_set_status(abut_error *error, abut_status status);

#endif
