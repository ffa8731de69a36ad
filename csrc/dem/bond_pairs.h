/* How bonds change the contact law of two spheres. */
#ifndef DEM_BOND_PAIRS_H
#define DEM_BOND_PAIRS_H

#include "state.h"

/* The law for the materials of two spheres at these places; bonds are not considered. */
static inline const law *simulation_pair_law(const abut_simulation *s, abut_index place_i,
                                             abut_index place_j)
{
    const int32_t *materials = s->store.materials;
    /* with one material, materials[place_j] is not read: it is rarely in the cache */
    return s->laws.material_count == 1
               ? s->laws.laws
               : laws_between(&s->laws, materials[place_i], materials[place_j]);
}

/* The image of the second sphere, relative to the present centers, to which a bond or rest leads.
 */
vec3 bonds_image(const abut_simulation *s, const int32_t rows[2], const int32_t shift[3]);

/* The vector from the center of the first sphere to that of the second one, by their rows. `shift`
 * counts periods from the second sphere's unwrapped center to its image. */
vec3 bonds_way(const abut_simulation *s, const int32_t rows[2], const int32_t shift[3]);

/* The law and the overlap of two spheres, with bonds considered. While a bond replaces the contact,
 * no law acts. After it has broken, the law counts only overlap beyond `rest`, the overlap that the
 * spheres had when they were bonded. If this leaves a gap, the law acts as across any gap. */
typedef struct pair_touch {
    const law *law;
    double overlap, rest; /* overlap: the whole overlap minus `rest` */
    bool is_hidden;       /* a bond hides the contact: the law is laws_none() */
    bool has_acted;       /* only set if rest > 0: the law acted in the last step */
} pair_touch;

/* The law and the overlap for a row of pairs, in this step or the last one. */
pair_touch bonds_touch(const abut_simulation *s, const interaction_table *t, abut_index row);

/* The largest rest that two spheres can have: the smaller radius. Bonded spheres do not overlap
 * more, so the law acts on spheres of at least half their radius. */
static inline double bonds_most_rest(const abut_simulation *s, const int32_t rows[2])
{
    const store *spheres = &s->store;
    return smaller(spheres->radii[spheres->places[rows[0]]],
                   spheres->radii[spheres->places[rows[1]]]);
}

/* Limits all rests to bonds_most_rest. Call it after radii have changed. */
void bonds_fit_rests(abut_simulation *s);

/* As pair_rows_find_before, but the row of a bond that breaks in this step continues no row. */
void pairs_find_before(const abut_simulation *s, const interaction_table *t, const abut_index *rows,
                       int32_t count, abut_index *rows_before);
abut_index pairs_row_before(const abut_simulation *s, const interaction_table *t, abut_index row);

/* Marks the rests of spheres that are beyond the reach of their law. Such rests end. */
void bonds_mark_parted(abut_simulation *s);

/* Whether bonds change the law of any pair. */
static inline bool bonds_show(const abut_simulation *s)
{
    return s->bonds.has_hidden || s->bonds.rest_count > 0;
}

/* The law and the overlap for a table row if bonds change no law. */
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
