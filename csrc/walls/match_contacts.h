/* Which contact of the step before a contact continues, of columns that need no checks. */
#ifndef WALLS_MATCH_CONTACTS_H
#define WALLS_MATCH_CONTACTS_H

#include "../base/pool.h"
#include "motion.h"

/* The contacts of two steps, and where their matches are written. */
typedef struct contact_matching {
    abut_step now, before;
    const motion *motion;      /* of the meshes, between both steps */
    const abut_index *earlier; /* each sphere's number in the step before; NULL: the same */
    abut_index *match;         /* each contact's row in the step before; -1: it is new */
    pool *scratches;           /* memory of threads; free with pool_empty */
    int workers;
} contact_matching;

/* What abut_contacts_match does. ABUT_OK, ABUT_NO_MEMORY or ABUT_INTERRUPTED. */
abut_status contacts_match(const contact_matching *m);

#endif
