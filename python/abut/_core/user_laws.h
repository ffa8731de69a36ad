/* Laws of users: functions for the other files of the extension. */
#ifndef ABUT_CORE_USER_LAWS_H
#define ABUT_CORE_USER_LAWS_H

#include "core.h"

/* Adds LAW_INPUTS, LAW_OUTPUTS and LAW_BLOCK to the module. Returns 0, or -1 with an error set. */
int user_laws_add_names(PyObject *module);

/* Reads all laws of a tuple; free them by PyMem_Free. NULL with an error set. */
abut_user_law *user_laws_read_all(PyObject *tuple);

/* The members of abut_law_case as a tuple. */
PyObject *user_laws_case(const abut_simulation *simulation);

/* Reads (address, parameters, vectors, scalars, identity, reach); parameters are borrowed. Returns
 * 0, or -1 with an error set. */
int user_laws_read(PyObject *tuple, abut_user_law *law);

#endif
