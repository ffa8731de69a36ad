/* The order in which spheres are stored, and tables that follow it. */
#ifndef DEM_SPHERE_ORDER_H
#define DEM_SPHERE_ORDER_H

#include "state.h"

/* Sorts the places of spheres by their centers if it is due. ABUT_OK or ABUT_NO_MEMORY. */
abut_status order_spheres(abut_simulation *s);

/* A renumbering of places, rows, bodies and walls; -1: removed. NULL: unchanged. */
typedef struct renaming {
    const int32_t *places, *rows, *bodies, *walls;
    abut_index place_count, body_count; /* after the renumbering */
    bool pairs_stay;                    /* the table of pairs is updated with the neighbor list */
} renaming;

/* Renumbers the tables of the last step. ABUT_OK, or ABUT_NO_MEMORY with everything unchanged. */
abut_status order_renumber_tables(abut_simulation *s, const renaming *by);

/* Makes the last step's rows of pairs consecutive. ABUT_OK, or ABUT_NO_MEMORY with no change. */
abut_status order_compact_pairs(abut_simulation *s);

/* Moves the sphere at place source[k] to place k < count, and renumbers the tables; by new_rows,
 * too, unless it is NULL. ABUT_OK, or ABUT_NO_MEMORY with everything unchanged. */
abut_status order_rearrange(abut_simulation *s, const int32_t *source, abut_index count,
                            const int32_t *new_rows);

/* In builds with ABUT_TESTING: sort before every step, for any number of spheres. */
void order_sort_always(bool is_forced);

#endif
