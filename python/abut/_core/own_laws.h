/* Laws of users, as the border's files share them. */
#ifndef ABUT_CORE_OWN_LAWS_H
#define ABUT_CORE_OWN_LAWS_H

#include "core.h"

/* Have LAW_INPUTS and LAW_OUTPUTS; 0, or -1 with an error set. */
int own_laws_add_names(PyObject *module);

/* Likewise all of a tuple: to be freed by PyMem_Free; NULL with an error set. */
abut_own_law *own_laws_read_all(PyObject *tuple);

/* The members of abut_law_case. */
PyObject *own_laws_tell_case(const abut_simulation *simulation);

/* Read (address, parameters, vectors, scalars, identity, reach); parameters are borrowed. Likewise.
 */
int own_laws_read(PyObject *tuple, abut_own_law *law);

#endif
