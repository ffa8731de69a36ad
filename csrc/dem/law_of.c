/* Which law two partners have, that of their materials, and how stiff it is there. */
#include "law_of.h"

/* The material of a row's first partner. */
static int32_t own_material(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    const abut_index first = table_first(t, row);
    return table_is_of_bodies(t->kind) ? s->solids.bodies[first].material
                                       : s->store.materials[first];
}

int32_t simulation_other_material(const abut_simulation *s, const interaction_table *t,
                                  abut_index row)
{
    const abut_index second = table_second(t, row);
    switch (t->kind) {
    case ABUT_BODY_WALL:
    case ABUT_SPHERE_WALL:
        break;
    case ABUT_BODY_BODY:
        return s->solids.bodies[second].material;
    case ABUT_BODY_SPHERE:
        return s->store.materials[s->store.places[second]];
    case ABUT_SPHERE_SPHERE:
        return s->store.materials[second];
    }
    return (int32_t)s->walls.walls[second].material;
}

abut_status simulation_name_missing_law(const abut_simulation *s, const interaction_table *t,
                                        abut_error *error)
{
    row_walk w = {0};
    for (abut_index row; (row = table_walk(t, &w)) >= 0;) {
        const int32_t own = own_material(s, t, row), other = simulation_other_material(s, t, row);
        if (s->laws.laws[laws_number(&s->laws, own, other)].is_missing) {
            const abut_index first = table_first(t, row);
            return error_set(error, ABUT_LAW_MISSING, s->store.rows[first], own, (double)other);
        }
    }
    return ABUT_OK;
}

const law *simulation_row_law(const abut_simulation *s, const law_table *laws,
                              const interaction_table *t, abut_index row)
{
    const int32_t own = own_material(s, t, row), other = simulation_other_material(s, t, row);
    return &laws->laws[laws_number(laws, own, other)];
}

const law *simulation_spot_law(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    if (t->kind == ABUT_BODY_BODY && t->body.i[row] == t->body.j[row]) {
        return &s->laws.laws[laws_number_of_none(&s->laws)];
    }
    return simulation_row_law(s, &s->laws, t, row);
}

law_stiffness simulation_stiffness(const interaction_table *t, abut_index at, const law *l,
                                   own_contact contact)
{
    const abut_own_law *own = l->own;
    const double *kept = t->springs.history ? t->springs.history + at * t->extras.history : NULL;
    if (own && kept && kept[own_end(t->extras.history) + OWN_IDENTITY] == (double)own->identity) {
        contact.vectors = kept, contact.scalars = kept + 3 * t->extras.vectors;
    }
    return law_stiffness_at(l, &contact);
}

double simulation_damper(const law *l, const law_stiffness *of, double mass)
{
    const double part = l->exponent > 1.0 ? 5.0 / 6.0 : 1.0;
    return 2.0 * of->damping_ratio * sqrt(part * of->normal * mass);
}
