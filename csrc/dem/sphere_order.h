/* In which order spheres are stored, and tables that follow. */
#ifndef DEM_SPHERE_ORDER_H
#define DEM_SPHERE_ORDER_H

#include "state.h"

/* Sort spheres by place where it is time. ABUT_OK or ABUT_NO_MEMORY. */
abut_status order_spheres(abut_simulation *s);

/* Other numbers of places and rows of spheres, of bodies and of walls: for each old one the new
 * one, or -1. NULL: they stay. */
typedef struct renaming {
    const int32_t *places, *rows, *bodies, *walls;
    abut_index place_count, body_count; /* of new ones */
    bool pairs_stay;                    /* those of spheres go along with the neighbor list */
} renaming;

/* The tables of the last step by other numbers. ABUT_OK or ABUT_NO_MEMORY, with everything as it
 * was. */
abut_status order_renumber_tables(abut_simulation *s, const renaming *by);

/* Let the rows of pairs of the last step follow one another. ABUT_OK or ABUT_NO_MEMORY, with
 * everything as it was. */
abut_status order_compact_pairs(abut_simulation *s);

/* Store the spheres that were at source[k] in place k, `count` of them; tables follow, also to
 * other numbers of rows, or NULL. ABUT_OK or ABUT_NO_MEMORY, with everything as it was. */
abut_status order_rearrange(abut_simulation *s, const int32_t *source, abut_index count,
                            const int32_t *new_rows);

/* Of a build for tests, ABUT_TESTING: sort before every step, however few spheres there are. */
void order_sort_always(bool is_forced);

#endif
