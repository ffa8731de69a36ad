/* Which law two partners have: that of their materials. */
#include "simulation.h"

/* The material of a row's first partner. */
static int32_t own_material(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    const abut_index first = table_firsts(t)[row];
    return table_is_of_bodies(t->kind) ? s->solids.bodies[first].material
                                       : s->store.materials[first];
}

int32_t simulation_other_material(const abut_simulation *s, const interaction_table *t,
                                  abut_index row)
{
    const abut_index second = table_seconds(t)[row];
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
    for (abut_index row = 0; row < t->count; row++) {
        const int32_t own = own_material(s, t, row), other = simulation_other_material(s, t, row);
        if (s->laws.is_missing[laws_number(&s->laws, own, other)]) {
            const abut_index first = table_firsts(t)[row];
            return error_set(error, ABUT_LAW_MISSING, s->store.rows[first], own, (double)other);
        }
    }
    return ABUT_OK;
}

const law *simulation_spot_law(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    if (t->kind == ABUT_BODY_BODY && t->body.i[row] == t->body.j[row]) {
        return &s->laws.laws[laws_number_of_none(&s->laws)];
    }
    const int32_t own = own_material(s, t, row), other = simulation_other_material(s, t, row);
    return &s->laws.laws[laws_number(&s->laws, own, other)];
}
