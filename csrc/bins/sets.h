/* A mesh with its bins. Sets of bins are built when a query needs them, published atomically and
 * kept. No result depends on which sets exist.
 *
 * Sets are made for a ladder of reaches: four steps an octave, from a fraction of the usual facet
 * up to the size of the mesh. So their number is bounded for any radii, and the smallest set that
 * serves a reach is close to it. */
#ifndef BINS_SETS_H
#define BINS_SETS_H

#include "../abut/contacts.h"
#include <stdatomic.h>

#include "bins.h"

/* How many spheres have used a step; and from how many on a fine set saves time, or 0 if that is
 * not yet known. */
typedef struct set_use {
    atomic_intptr_t spheres, enough;
} set_use;

typedef struct facet_extents {
    double usual;  /* the usual extent of a facet: the ladder begins at a fraction of it */
    double median; /* mean extent of the facets in the octave that has the median; not less than
                      `usual` */
    abut_index smaller_count; /* number of facets in the octaves from that of `usual` to the one
                                 below the median's */
} facet_extents;

/* Set k serves reaches up to ladder step k. The first set also serves reaches below its step, which
 * are far smaller than the facets. For reaches as large as the mesh every facet is a candidate: the
 * last set has one cell. */
typedef struct binned_mesh {
    const abut_mesh *mesh;
    vicinity near;   /* the part of the mesh that is in bins */
    double *anchors; /* where vertices were when the ladder was begun; NULL if they never moved */
    box bounds;      /* bounds of all facets, grown by the slack, in the mesh's frame */
    facet_extents extents;
    double whole_reach; /* larger reaches use the last set */
    int first_octave;   /* the octave of the ladder's first step */
    int step_count;
    _Atomic(bins *) *sets; /* step_count + 1: NULL until a query needs the set, then constant */
    _Atomic(bins *) *fine_sets; /* the fine set of each step; NULL until enough spheres use it */
    set_use *uses;              /* step_count + 1: the use of each set */
} binned_mesh;

/* Prepares the ladder of a mesh, without sets. Zero-initialize `binned`, and free it in any case.
 * Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status sets_prepare(binned_mesh *binned, const abut_mesh *mesh, const vicinity *near);
void sets_free(binned_mesh *binned);

/* Replaces the mesh by one with the same facets and other vertices. The sets are kept if no vertex
 * is farther from its anchor than the slack; otherwise a new ladder begins. Returns ABUT_OK, or
 * ABUT_NO_MEMORY without any change. */
abut_status sets_update(binned_mesh *binned, const abut_mesh *mesh);

enum { REACH_OCTAVES = 32, BAND_LIMIT = 16 };

/* The reaches (radius plus gap) of a query's spheres. */
typedef struct reach_profile {
    abut_index sphere_count;
    double smallest, largest;
    int first_octave;
    abut_index counts[REACH_OCTAVES]; /* counts[k]: spheres, or a sample of them, with k =
                                         ilogb(reach) - first_octave; the last element also counts
                                         all above */
} reach_profile;

/* A set of bins and the spheres that it serves: low < reach <= high. */
typedef struct reach_band {
    const bins *set;
    double low, high;
} reach_band;

/* Chooses the bands of a query's spheres, at most BAND_LIMIT, from reach 0 to the largest without
 * gaps, and builds missing sets. Threads may call it concurrently: if two build the same set, one
 * discards its own. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status sets_choose_bands(const binned_mesh *mesh, const reach_profile *profile,
                              reach_band *bands, int *band_count);

/* Builds the fine set for spheres of this reach > 0, which queries build only after very many
 * spheres. Threads may call it concurrently. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status sets_refine(const binned_mesh *mesh, double reach);

/* Adds a mesh's sets to a finder's statistics. */
void sets_inspect(const binned_mesh *binned, abut_statistics *sum);

#endif
