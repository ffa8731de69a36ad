/* The active candidates of a step: pairs of a valid neighbor list that touch, or are within the
 * reach of their law (law.h). */
#ifndef INTERACTIONS_ACTIVE_CANDIDATES_H
#define INTERACTIONS_ACTIVE_CANDIDATES_H

#include "neighbor_list.h"

/* Reads the present places of spheres. Sets *is_whole to whether the list is still valid there; if
 * not, it must be rebuilt. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status active_place(neighbor_list *l, const neighbor_spheres *s, int workers, bool *is_whole);

/* Lists the active candidates of a chunk in active_of(), in ascending order. Returns their number.
 * If one does not touch, the complement of its number is stored, which active_candidate() converts.
 * Several threads may call it at once. */
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

/* The overlap of a candidate's spheres; negative if there is a gap. */
double active_overlap(const neighbor_list *l, const neighbor_spheres *s, int32_t candidate);

/* Whether the places in the box of a candidate's spheres are certainly nearest at image 0: they are
 * closer than half of the smallest width of the box. */
bool active_is_close(const neighbor_list *l, int32_t candidate, double width);

/* The image of a candidate's second sphere. centers: those of any step since the list was made;
 * they may be outside of the box. cell: the periodic cell of that step. */
vec3 active_image(const neighbor_list *l, const list_cell *cell, const double *centers,
                  int32_t candidate);

/* Writes the normals and overlaps of `count` candidates. */
void active_write(const neighbor_list *l, const neighbor_spheres *s, const int32_t *candidates,
                  abut_index count, double *normal, double *overlap);

#endif
