/* The order in which spheres are stored, and the tables that are renumbered with it. */
#ifndef DEM_SPHERE_ORDER_H
#define DEM_SPHERE_ORDER_H

#include "state.h"

/* Sorts the places of spheres by their centers, if it is time for it. ABUT_OK or ABUT_NO_MEMORY. */
abut_status order_spheres(abut_simulation *s);

/* The new number of each place, row, body and wall; -1: removed. Arrays may be NULL: unchanged. */
typedef struct renaming {
    const int32_t *places, *rows, *bodies, *walls;
    abut_index place_count, body_count; /* numbers after the change */
    bool pairs_stay; /* the table of pairs stays: it is updated with the neighbor list */
} renaming;

/* Renumbers the tables of the last step. ABUT_OK, or ABUT_NO_MEMORY with everything unchanged. */
abut_status order_renumber_tables(abut_simulation *s, const renaming *by);

/* Moves the last step's rows of pairs so that they are consecutive. ABUT_OK, or ABUT_NO_MEMORY with
 * everything unchanged. */
abut_status order_compact_pairs(abut_simulation *s);

/* Moves the sphere at place source[k] to place k < count, and renumbers the tables. new_rows: the
 * new row of each sphere; NULL: rows are unchanged. ABUT_OK, or ABUT_NO_MEMORY with everything
 * unchanged. */
abut_status order_rearrange(abut_simulation *s, const int32_t *source, abut_index count,
                            const int32_t *new_rows);

/* Only in builds with ABUT_TESTING: spheres are sorted before every step, even if there are few. */
void order_sort_always(bool is_forced);

#endif
