/* How a sphere's touching facets become its contacts: as the query asks. */
#ifndef WALLS_RESOLUTION_H
#define WALLS_RESOLUTION_H

#include "hierarchy.h"
#include "sharing.h"

/* What a query says of it. */
typedef struct resolution {
    abut_resolution kind;
    double flat_tilt; /* sin(flat_angle / 2) */
    double exponent;
    bool keeps_zero; /* contacts whose share is 0 */
} resolution;

/* What shares are computed in. Zero-initialize, free with share_scratch_free. */
typedef struct share_scratch {
    sharing solver;
    vec3 *normals;
    double *overlaps, *shares; /* shares: of what was resolved last */
    abut_index normal_capacity, overlap_capacity, share_capacity;
} share_scratch;

/* Leave a sphere's contacts of the facets that it touches, sorted canonically. ABUT_OK, or why the
 * job is to end. */
abut_status resolution_apply(const resolution *r, touching *t, double radius,
                             share_scratch *scratch, parallel_job *job);
void share_scratch_free(share_scratch *scratch);

#endif
