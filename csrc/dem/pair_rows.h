/* Table rows of pairs, as steps store them. A row stores the number of its candidate in the
 * neighbor list. The list has the partners, the image and the row of the last step. The columns of
 * partners are NULL until they are read, or until a new list replaces this one. */
#ifndef DEM_PAIR_ROWS_H
#define DEM_PAIR_ROWS_H

#include "../interactions/active_candidates.h"
#include "state.h"

/* Whether a table is that of this step; otherwise it is that of the last one. */
static inline bool pair_rows_are_of_now(const abut_simulation *s, const interaction_table *t)
{
    return t != &s->before->tables[ABUT_SPHERE_SPHERE];
}

/* The centers of spheres at the time when the rows of a table were found. */
static inline const double *pair_rows_centers(const abut_simulation *s, const interaction_table *t)
{
    return pair_rows_are_of_now(s, t) ? s->store.centers : s->store.began;
}

/* The periodic cell at that time. */
static inline list_cell pair_rows_cell(const abut_simulation *s, const interaction_table *t)
{
    const neighbor_list *l = &s->neighbors;
    const affine_map *flow = pair_rows_are_of_now(s, t) ? &l->flow : &l->flow_before;
    return (list_cell){pair_rows_are_of_now(s, t) ? &s->lattice : &s->cell.began,
                       l->flows ? flow : NULL};
}

/* How many of each vector were subtracted from a sphere's center at the end of the last step. */
static inline vec3 pair_rows_last_wraps(const abut_simulation *s, abut_index place)
{
    return cell_last_wraps(&s->cell, vec3_load(s->store.began + 3 * place),
                           vec3_load(s->store.centers + 3 * place));
}

/* As pair_rows_last_wraps, of a rigid body. */
static inline vec3 rigid_last_wraps(const abut_simulation *s, const rigid *r)
{
    return cell_last_wraps(&s->cell, r->began, r->position);
}

/* The image of a row by its present name. The column `image` has the name of that time. */
static inline vec3 pair_rows_image(const abut_simulation *s, const interaction_table *t,
                                   abut_index row)
{
    vec3 then;
    if (t->list_firsts) {
        const list_cell cell = pair_rows_cell(s, t);
        then = active_image(&s->neighbors, &cell, pair_rows_centers(s, t), t->candidates[row]);
    } else {
        then = lattice_image(t->pair.image + 3 * row);
    }
    return pair_rows_are_of_now(s, t) ? then : cell_image_now(&s->cell, then);
}

/* For each of `count` rows of one chunk, finds the row of the last step that it continues; -1:
 * none. The rows must ascend, and `t` must have their candidates. */
void pair_rows_find_before(const abut_simulation *s, const interaction_table *t,
                           const abut_index *rows, int32_t count, abut_index *rows_before);

enum { PAIR_ROWS_BLOCKS = 3 };

/* Makes a table with the columns i, j and image. If only the list has the partners, these columns
 * are written into `blocks`. `shown` may be `t` itself, which afterwards does not need the list.
 * Returns ABUT_OK, or ABUT_NO_MEMORY with everything unchanged. */
abut_status pair_rows_show(const abut_simulation *s, const interaction_table *t,
                           memory_block blocks[PAIR_ROWS_BLOCKS], interaction_table *shown);

/* As table_renumber, but also for tables of pairs. */
abut_status pair_rows_renumber(const abut_simulation *s, interaction_table *to,
                               const interaction_table *from, const renumbering *by,
                               table_extras extras);

#endif
