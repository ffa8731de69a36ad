/* Laws of users, as the border's files share them. */
#ifndef ABUT_CORE_USER_LAWS_H
#define ABUT_CORE_USER_LAWS_H

#include "core.h"

/* Have LAW_INPUTS and LAW_OUTPUTS; 0, or -1 with an error set. */
int user_laws_add_names(PyObject *module);

/* Likewise all of a tuple: to be freed by PyMem_Free; NULL with an error set. */
abut_user_law *user_laws_read_all(PyObject *tuple);

/* The members of abut_law_case. */
PyObject *user_laws_tell_case(const abut_simulation *simulation);

/* Read (address, parameters, vectors, scalars, identity, reach); parameters are borrowed. Likewise.
 */
int user_laws_read(PyObject *tuple, abut_user_law *law);

#endif
