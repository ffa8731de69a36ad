/* A mesh with its bins. Sets of bins are built when a query needs them, published at once and kept;
 * no result depends on which sets there are.
 *
 * Sets are of a ladder of reaches, four steps an octave from a part of the usual facet up to the
 * mesh: its sets are finite, whatever radii are asked for, and the smallest that serves is close.
 */
#ifndef BINS_SETS_H
#define BINS_SETS_H

#include "../abut/contacts.h"
#include <stdatomic.h>

#include "bins.h"

/* How many spheres asked for a set, and from how many on a finer one pays: 0 where that is not
 * known yet. */
typedef struct set_use {
    atomic_intptr_t spheres, enough;
} set_use;

typedef struct facet_extents {
    double usual;             /* of the facets that the ladder begins at */
    double median;            /* as large as the usual facet, or larger */
    abut_index smaller_count; /* facets that are smaller than the median, where `usual` is the size
                                 of these */
} facet_extents;

/* Set k serves reaches up to ladder step k. Reaches below the first, far smaller than the facets,
 * use the first; to reaches as large as the mesh every facet is a candidate: the last set has but
 * one cell. */
typedef struct binned_mesh {
    const abut_mesh *mesh;
    vicinity near;   /* which of its facets are in bins */
    double *anchors; /* where its vertices were when the ladder was begun; NULL: they never moved */
    box bounds;      /* of all facets, grown by the slack, in its own frame */
    facet_extents extents;
    double whole_reach; /* larger reaches use the last set */
    int first_octave;   /* of the ladder */
    int step_count;
    _Atomic(bins *) *sets; /* step_count + 1, NULL until a query needs it, then never changes */
    _Atomic(bins *) *fine_sets; /* likewise: for reaches that many spheres had */
    set_use *uses;              /* step_count + 1 */
} binned_mesh;

/* The ladder of a mesh, with no set yet. ABUT_OK or ABUT_NO_MEMORY; zero-initialize, and free in
 * any case. */
abut_status sets_prepare(binned_mesh *binned, const abut_mesh *mesh, const vicinity *near);
void sets_free(binned_mesh *binned);

/* Exchange the mesh for one of the same facets with other vertices. The sets stay where no vertex
 * is farther from its anchor than the slack; else the ladder begins anew. ABUT_OK or
 * ABUT_NO_MEMORY: then nothing has changed. */
abut_status sets_update(binned_mesh *binned, const abut_mesh *mesh);

enum { REACH_OCTAVES = 32, BAND_LIMIT = 16 };

/* What a query's spheres need: their reaches (radius plus gap). */
typedef struct reach_profile {
    abut_index sphere_count;
    double smallest, largest;
    int first_octave;
    abut_index counts[REACH_OCTAVES]; /* spheres, or a sample of them, by octave: ilogb(reach) -
                                         first_octave, the last takes the rest */
} reach_profile;

/* A set of bins and the spheres that it serves: low < reach <= high. */
typedef struct reach_band {
    const bins *set;
    double low, high;
} reach_band;

/* Write the bands for a query's spheres, at most BAND_LIMIT, from reach 0 to the largest without a
 * gap, and build the sets that are missing: ABUT_OK or ABUT_NO_MEMORY. Any number of threads may
 * ask at once; of two that build the same set one throws its own away. */
abut_status sets_choose_bands(const binned_mesh *mesh, const reach_profile *profile,
                              reach_band *bands, int *band_count);

/* Build the finer set that spheres of this reach, > 0, would get once very many had asked: ABUT_OK
 * or ABUT_NO_MEMORY. Any number of threads may ask at once. */
abut_status sets_refine(const binned_mesh *mesh, double reach);

/* Add what the mesh's sets are to a finder's statistics. */
void sets_inspect(const binned_mesh *binned, abut_statistics *sum);

#endif
