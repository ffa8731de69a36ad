/* Those that do not touch, but may pull each other: which of them are rows of a step. */
#ifndef DEM_APART_H
#define DEM_APART_H

#include "view.h"

/* Find how far apart spheres, spheres and walls, and bodies and all others are searched for: the
 * farthest reaches of any. To be called where materials, laws, sizes or walls have changed. */
void apart_measure(abut_simulation *s);

/* How far a body pulls others, whatever they are. */
double apart_body_reach(const abut_simulation *s, abut_index body);

/* The law of a spot of this step: where it is apart, and not within reach of its law, or did not
 * exert anything in the step before as it would have to, the one that exerts nothing. */
const law *apart_spot_law(const abut_simulation *s, const view *v, abut_index spot);

/* Leave out the rows of spheres and walls that cannot be contacts, since they are beyond the reach
 * of their own law, or carry nothing of what they share: before rows are matched, so that none of
 * them goes on with what another one remembers. ABUT_OK, or why the step is to end. */
abut_status apart_drop_far_contacts(abut_simulation *s, const parallel_plan *plan);

/* To be called before laws or materials change, for what apart_end_untouched needs. ABUT_OK or
 * ABUT_NO_MEMORY. */
abut_status apart_reserve(abut_simulation *s);

/* End the contacts of the last step that are apart, whose law began apart before laws or materials
 * change, and does not now: it is not known whether they have ever touched. before: the laws before
 * the change; materials: those that spheres get after this call, by row; NULL: they stay. */
void apart_end_untouched(abut_simulation *s, const law_table *before, const abut_index *materials);

/* Compute which share each of a sphere's contacts has of what it pulls (docs/dem.md, section 2). To
 * be called when all rows are known. ABUT_OK or ABUT_NO_MEMORY. */
abut_status apart_share_pulls(abut_simulation *s, const parallel_plan *plan);

/* The share that a contact of this step has of what it pulls; 1 unless contacts share. */
static inline double apart_pull_share(const abut_simulation *s, abut_index row)
{
    return s->input.resolution == ABUT_SHARING ? ((const double *)s->pull_block.data)[row] : 1.0;
}

/* Leave out the rows on walls of spheres that are apart and do not pull: those beyond the reach of
 * their own law, and those that have not been in touch since they were. To be called where rows are
 * matched. ABUT_OK, or why the step is to end. */
abut_status apart_drop_contacts(abut_simulation *s, const parallel_plan *plan);

/* Whether a candidate that is apart, but within the reach of its law, is a row. */
bool apart_candidate_lives(const abut_simulation *s, int32_t candidate, double overlap);

#endif
