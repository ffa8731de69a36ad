/* Matching: which contact of the last step each contact continues. Columns are not checked. */
#ifndef WALLS_MATCH_CONTACTS_H
#define WALLS_MATCH_CONTACTS_H

#include "../base/pool.h"
#include "motion.h"

/* The contacts of two steps, and their matches. */
typedef struct contact_matching {
    abut_step now, before;
    const motion *motion;      /* motion of the meshes from the step before to now */
    const abut_index *earlier; /* each sphere's number in the step before; NULL: the same */
    abut_index *match;         /* each contact's row in the step before, or -1 */
    pool *scratches;           /* memory of threads; free it with pool_empty */
    int workers;
} contact_matching;

/* Does the work of abut_contacts_match. Returns ABUT_OK, ABUT_NO_MEMORY or ABUT_INTERRUPTED. */
abut_status contacts_match(const contact_matching *m);

#endif
