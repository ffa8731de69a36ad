/* Interactions across a gap: which partners that do not touch are table rows of a step. A contact's
 * share of the push is in its column `share`; its share of the attraction is computed here. */
#ifndef DEM_APART_H
#define DEM_APART_H

#include "view.h"

/* Computes pair_reach, wall_reach and body_reach: the largest gaps across which any law acts. Call
 * it when materials, laws, sizes or walls have changed. */
void apart_measure(abut_simulation *s);

/* The largest reach of a body's laws, with any partner. */
double apart_body_reach(const abut_simulation *s, abut_index body);

/* The law of a spot in this step; laws_none() if the spot has a gap across which its law does not
 * act. Some laws act across a gap only if the spot was active in the last step. */
const law *apart_spot_law(const abut_simulation *s, const view *v, abut_index spot);

/* Removes contacts with walls that are out of reach of their law, or have no share of the force.
 * Call it before rows are matched, so that no removed row continues a history. Returns ABUT_OK, or
 * the error that ends the step. */
abut_status apart_drop_far_contacts(abut_simulation *s, const parallel_plan *plan);

/* Reserves memory for apart_end_untouched, before a change of laws. ABUT_OK or ABUT_NO_MEMORY. */
abut_status apart_reserve(abut_simulation *s);

/* Ends contacts of the last step that have a gap, if their old law acts before touch and their new
 * law does not. Whether such a contact has ever touched is unknown. before: the old laws;
 * materials: the new materials by row, or NULL. */
void apart_end_untouched(abut_simulation *s, const law_table *before, const abut_index *materials);

/* Computes each wall contact's share of the attraction on its sphere (docs/dem.md, section 2). Call
 * it when all rows are known. ABUT_OK or ABUT_NO_MEMORY. */
abut_status apart_share_pulls(abut_simulation *s, const parallel_plan *plan);

/* A contact's share of the attraction on its sphere in this step; 1 if contacts do not share. */
static inline double apart_pull_share(const abut_simulation *s, abut_index row)
{
    return s->input.resolution == ABUT_SHARING ? ((const double *)s->pull_block.data)[row] : 1.0;
}

/* Removes contacts with walls that have a gap and exert no force. Either the gap is beyond the
 * law's reach, or the law begins at touch and the two have not touched since the gap came within
 * reach. Call it when rows are matched. Returns ABUT_OK, or the error that ends the step. */
abut_status apart_drop_contacts(abut_simulation *s, const parallel_plan *plan);

/* Whether a candidate with a gap becomes a table row: its law acts across this gap. */
bool apart_candidate_is_active(const abut_simulation *s, int32_t candidate, double overlap);

#endif
