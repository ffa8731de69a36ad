/* What the law of two spheres has to know of bonds. */
#ifndef DEM_BOND_PAIRS_H
#define DEM_BOND_PAIRS_H

#include "state.h"

/* The law of two spheres, where no bond shows. */
static inline const law *simulation_pair_law(const abut_simulation *s, abut_index i, abut_index j)
{
    const int32_t *materials = s->store.materials;
    /* one material is not looked up: that of j is seldom in the cache */
    return s->laws.material_count == 1 ? s->laws.laws
                                       : laws_between(&s->laws, materials[i], materials[j]);
}

/* From the center of the first of two rows to that of the second, whose image is so many periods
 * from where it would be without. */
vec3 bonds_way(const abut_simulation *s, const int32_t rows[2], const int32_t shift[3]);

/* What two spheres of a row are to their law: between those that a bond holds none acts, and of the
 * overlap of others `rest` does not count, which they had when a bond that has broken since began;
 * where that leaves a gap the law acts as across any gap. */
typedef struct pair_touch {
    const law *law;
    double overlap, rest; /* overlap: less rest */
    bool is_hidden;       /* the law is the one that exerts nothing */
    bool has_acted;       /* of those that rest: the law has, in the step before */
} pair_touch;

/* Of rows of pairs of this step, or of the last one. */
pair_touch bonds_touch(const abut_simulation *s, const interaction_table *t, abut_index row);

/* What two spheres that rest may overlap at most: the smaller radius, which no more than two that
 * can be bonded do, so that at least half of each is left to their law. */
static inline double bonds_most_rest(const abut_simulation *s, const int32_t rows[2])
{
    const store *of = &s->store;
    return smaller(of->radii[of->places[rows[0]]], of->radii[of->places[rows[1]]]);
}

/* Let none rest by more than that. To be called after radii have changed. */
void bonds_fit_rests(abut_simulation *s);

/* Find the rows of the last step that rows of this one continue. As pair_rows_find_old, except for
 * two whose bond breaks: their law begins like that of a new contact. */
void pairs_find_old(const abut_simulation *s, const interaction_table *t, const abut_index *rows,
                    int32_t count, abut_index *old);
abut_index pairs_old(const abut_simulation *s, const interaction_table *t, abut_index row);

/* Note which spheres that rest have parted, beyond the reach of their law. */
void bonds_look_at_rests(abut_simulation *s);

/* Whether laws of pairs depend on bonds. */
static inline bool bonds_show(const abut_simulation *s)
{
    return s->bonds.has_hidden || s->bonds.rest_count > 0;
}

/* What two spheres of a row are to their law where bonds do not show. */
static inline pair_touch pairs_whole_touch(const abut_simulation *s, const interaction_table *t,
                                           abut_index row)
{
    return (pair_touch){.law = simulation_pair_law(s, table_first(t, row), table_second(t, row)),
                        .overlap = t->pair.overlap[row]};
}

static inline pair_touch pairs_touch(const abut_simulation *s, const interaction_table *t,
                                     abut_index row)
{
    return bonds_show(s) ? bonds_touch(s, t, row) : pairs_whole_touch(s, t, row);
}

#endif
