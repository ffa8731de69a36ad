/* From the facets that a sphere touches to its contacts. */
#include "resolution.h"

#include "../base/memory.h"

void share_scratch_free(share_scratch *s)
{
    sharing_free(&s->solver);
    memory_free(s->normals);
    memory_free(s->overlaps);
    memory_free(s->shares);
    *s = (share_scratch){0};
}

/* Room to solve for this many contacts. */
static abut_status reserve(share_scratch *s, abut_index count)
{
    double *shares = memory_grow(s->shares, count, &s->share_capacity, sizeof *shares);
    s->shares = shares ? shares : s->shares;
    double *overlaps = memory_grow(s->overlaps, count, &s->overlap_capacity, sizeof *overlaps);
    s->overlaps = overlaps ? overlaps : s->overlaps;
    vec3 *normals = memory_grow(s->normals, count, &s->normal_capacity, sizeof *normals);
    s->normals = normals ? normals : s->normals;
    return shares && overlaps && normals ? ABUT_OK : ABUT_NO_MEMORY;
}

/* Leave out the contacts that carry nothing. */
static void drop_zero_shares(touching *t, double *shares)
{
    int32_t left = 0;
    for (int32_t n = 0; n < t->count; n++) {
        if (shares[n] > 0.0) {
            t->items[left] = t->items[n];
            shares[left++] = shares[n];
        }
    }
    t->count = left;
}

static abut_status share(const resolution *r, touching *t, double radius, share_scratch *s,
                         parallel_job *job)
{
    abut_status status = reserve(s, t->count);
    if (status) {
        return status;
    }
    for (int32_t n = 0; n < t->count; n++) {
        s->normals[n] = kept_normal(t->of, t->items[n]);
        s->overlaps[n] = radius - t->of->distance[t->items[n]];
    }
    status =
        sharing_solve(&s->solver, t->count, s->normals, s->overlaps, r->exponent, s->shares, job);
    if (!status && !r->keeps_zero) {
        drop_zero_shares(t, s->shares);
    }
    return status;
}

abut_status resolution_apply(const resolution *r, touching *t, double radius,
                             share_scratch *scratch, parallel_job *job)
{
    switch (r->kind) {
    case ABUT_HIERARCHY:
        return hierarchy_eliminate(t, r->flat_tilt, job);
    case ABUT_SHARING:
        hierarchy_sort(t);
        return share(r, t, radius, scratch, job);
    case ABUT_ALL:
        hierarchy_sort(t);
        break;
    }
    return ABUT_OK;
}
