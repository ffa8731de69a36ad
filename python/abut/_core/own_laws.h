/* Laws of users, as the border's files share them. */
#ifndef ABUT_CORE_OWN_LAWS_H
#define ABUT_CORE_OWN_LAWS_H

#include "core.h"

/* Have LAW_INPUTS and LAW_OUTPUTS; 0, or -1 with an error set. */
int own_laws_add_names(PyObject *module);

/* Read (address, parameters, vectors, scalars, identity); parameters are borrowed. Likewise. */
int own_laws_read(PyObject *tuple, abut_own_law *law);

#endif
