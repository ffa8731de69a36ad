/* The pairs that touch, in every step by a neighbor list that is whole. */
#ifndef INTERACTIONS_TOUCHING_H
#define INTERACTIONS_TOUCHING_H

#include "neighbor_list.h"

/* Look where spheres are, and make the list anew where it has to be. Other than ABUT_OK, error says
 * why; it names spheres by place. */
abut_status touching_refresh(neighbor_list *l, const neighbor_spheres *s, const parallel_plan *plan,
                             abut_error *error);

/* List the candidates of a chunk that touch, or are within the reach of their law, in
 * touching_active(), ascending; returns how many. Those that do not touch are listed by complement:
 * touching_candidate() has their number. Threads may call it at once. */
int32_t touching_list(neighbor_list *l, const neighbor_spheres *s, abut_index chunk);

static inline int32_t *touching_active(const neighbor_list *l, abut_index chunk)
{
    return l->active + l->begins[chunk * NEIGHBOR_CHUNK];
}

static inline bool touching_is_apart(int32_t active)
{
    return active < 0;
}

static inline int32_t touching_candidate(int32_t active)
{
    return active < 0 ? ~active : active;
}

/* Write i, j, normal, overlap and image of some of a chunk's active candidates, LAW_BLOCK at most,
 * beginning at a row, and match: the row of the last step that each one continues, or -1. */
void touching_write(neighbor_list *l, const neighbor_spheres *s, const int32_t *active,
                    int32_t count, const abut_pair_columns *to, abut_index *match, abut_index row);

/* Note the rows of a chunk's active candidates, which begin at a row, and write the offsets of the
 * chunk's spheres. The chunk's other candidates have no row in this step. */
void touching_write_offsets(neighbor_list *l, abut_index chunk, int32_t count, abut_index row,
                            abut_index *offsets);

/* Whether some pair of this step has a sphere of this row, or a later one. rows: of each place. */
bool touching_has_row(const neighbor_list *l, const int32_t *rows, abut_index first);

/* To be called when the step is done: what it has found is what the next one goes on from. */
void touching_keep(neighbor_list *l);

#endif
