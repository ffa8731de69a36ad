/* The pairs that touch, in every step by a neighbor list that is whole. */
#ifndef INTERACTIONS_ACTIVE_CANDIDATES_H
#define INTERACTIONS_ACTIVE_CANDIDATES_H

#include "neighbor_list.h"

/* Look where spheres are, and whether the list is whole there; if not, it has to be made anew.
 * ABUT_OK or ABUT_NO_MEMORY. */
abut_status active_place(neighbor_list *l, const neighbor_spheres *s, int workers, bool *is_whole);

/* List the candidates of a chunk that touch, or are within the reach of their law, in
 * active_of(), ascending; returns how many. Those that do not touch are listed by complement:
 * active_candidate() has their number. Threads may call it at once. */
int32_t active_list(const neighbor_list *l, const neighbor_spheres *s, abut_index chunk);

static inline int32_t *active_of(const neighbor_list *l, abut_index chunk)
{
    return l->active + l->begins[chunk * NEIGHBOR_CHUNK];
}

static inline bool active_is_apart(int32_t active)
{
    return active < 0;
}

static inline int32_t active_candidate(int32_t active)
{
    return active < 0 ? ~active : active;
}

/* The overlap of a candidate: negative across a gap. */
double active_overlap(const neighbor_list *l, const neighbor_spheres *s, int32_t candidate);

/* By how many periods the second sphere of a candidate is shifted along an axis, between centers
 * that may be outside of the box: those of this step, or of any since the list was made. */
double active_image(const neighbor_list *l, const lattice *of, const double *centers,
                    int32_t candidate, int axis);

/* Write the normals and overlaps of some candidates. */
void active_write(const neighbor_list *l, const neighbor_spheres *s, const int32_t *candidates,
                  abut_index count, double *normal, double *overlap);

#endif
