/* Which law two partners have, that of their materials, and how stiff it is there. */
#ifndef DEM_LAW_OF_H
#define DEM_LAW_OF_H

#include "state.h"

/* The law that a table has for the materials of a row. */
const law *simulation_row_law(const abut_simulation *s, const law_table *laws,
                              const interaction_table *t, abut_index row);

/* The law of a row; of a body and its own image, the law that exerts nothing. */
const law *simulation_spot_law(const abut_simulation *s, const interaction_table *t,
                               abut_index row);

/* The material of what a row's body touches. */
int32_t simulation_other_material(const abut_simulation *s, const interaction_table *t,
                                  abut_index row);

/* Name the first row of spheres that has no law, of a table in which there is one:
 * ABUT_LAW_MISSING. */
abut_status simulation_name_missing_law(const abut_simulation *s, const interaction_table *t,
                                        abut_error *error);

/* The law of a contact with a wall, and that of two spheres. */
static inline const law *simulation_wall_law(const abut_simulation *s, abut_index place,
                                             abut_index wall)
{
    const abut_index own = s->store.materials[place], other = s->walls.walls[wall].material;
    return &s->laws.laws[laws_number(&s->laws, own, other)];
}

static inline const law *simulation_pair_law(const abut_simulation *s, abut_index i, abut_index j)
{
    const int32_t *materials = s->store.materials;
    const law *laws = s->laws.laws;
    /* one material is not looked up: that of j is seldom in the cache */
    return s->laws.material_count == 1 ? laws
                                       : &laws[laws_number(&s->laws, materials[i], materials[j])];
}

/* What a row, or a spot of bodies, stores: by its law, or as a law of users has said. */
static inline double simulation_stored(const interaction_table *t, abut_index at, const law *l,
                                       double radius, double overlap)
{
    return l->own ? table_stored(t, at)
                  : law_energy(l, radius, overlap, t->springs.spring + 3 * at);
}

/* How stiff a row, or a spot of bodies, of the last step is. A law of users is asked with what it
 * keeps there, which the contact needs not have. */
law_stiffness simulation_stiffness(const interaction_table *t, abut_index at, const law *l,
                                   own_contact contact);

/* The damper beside its spring along the normal, for this m* (docs/dem.md, section 2). */
double simulation_damper(const law *l, const law_stiffness *of, double mass);

#endif
