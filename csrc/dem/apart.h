/* Interactions across a gap: which partners that do not touch are table rows of a step. */
#ifndef DEM_APART_H
#define DEM_APART_H

#include "view.h"

/* Computes the cutoffs pair_reach, wall_reach and body_reach: the farthest reaches of any law. Call
 * it when materials, laws, sizes or walls have changed. */
void apart_measure(abut_simulation *s);

/* The farthest reach of a body's laws, with any partner. */
double apart_body_reach(const abut_simulation *s, abut_index body);

/* The law of a spot of this step. It is laws_none() for a gap that is out of reach, or that the law
 * spans only if the spot was active in the last step. */
const law *apart_spot_law(const abut_simulation *s, const view *v, abut_index spot);

/* Removes contacts with walls that are out of reach of their law, or carry no share. Call it before
 * rows are matched, so that no such row continues a history. ABUT_OK, or why the step ends. */
abut_status apart_drop_far_contacts(abut_simulation *s, const parallel_plan *plan);

/* Reserves memory for apart_end_untouched, before a change of laws. ABUT_OK or ABUT_NO_MEMORY. */
abut_status apart_reserve(abut_simulation *s);

/* Ends contacts of the last step with a gap, if only the old law acts before touch: whether they
 * have ever touched is unknown. before: old laws; materials: new ones by row, or NULL. */
void apart_end_untouched(abut_simulation *s, const law_table *before, const abut_index *materials);

/* Computes each wall contact's share of the attraction on its sphere (docs/dem.md, section 2). Call
 * it when all rows are known. ABUT_OK or ABUT_NO_MEMORY. */
abut_status apart_share_pulls(abut_simulation *s, const parallel_plan *plan);

/* A contact's share of the attraction on its sphere, in this step; 1 unless contacts share. */
static inline double apart_pull_share(const abut_simulation *s, abut_index row)
{
    return s->input.resolution == ABUT_SHARING ? ((const double *)s->pull_block.data)[row] : 1.0;
}

/* Removes contacts with walls that have a gap and exert nothing: out of reach, or not in touch
 * since they came within reach. Call it when rows are matched. ABUT_OK, or why the step ends. */
abut_status apart_drop_contacts(abut_simulation *s, const parallel_plan *plan);

/* Whether a candidate with a gap, within reach of its law, is a row. */
bool apart_candidate_is_active(const abut_simulation *s, int32_t candidate, double overlap);

#endif
