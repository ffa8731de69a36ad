/* Which law two partners have: that of their materials. */
#include "simulation.h"

const law *simulation_wall_law(const abut_simulation *s, abut_index place, abut_index wall)
{
    const abut_index number =
        laws_number(&s->laws, s->store.materials[place], s->walls.walls[wall].material);
    return &s->laws.laws[number];
}

const law *simulation_pair_law(const abut_simulation *s, abut_index i, abut_index j)
{
    const int32_t *materials = s->store.materials;
    return &s->laws.laws[laws_number(&s->laws, materials[i], materials[j])];
}

abut_status simulation_check_law(const abut_simulation *s, abut_index place, int32_t other,
                                 abut_error *error)
{
    const int32_t own = s->store.materials[place];
    if (!s->laws.is_missing[laws_number(&s->laws, own, other)]) {
        return ABUT_OK;
    }
    return error_set(error, ABUT_LAW_MISSING, s->store.rows[place], own, (double)other);
}

int32_t simulation_other_material(const abut_simulation *s, const spot_table *t,
                                  abut_meeting meeting, abut_index row)
{
    const abut_convex_columns *c = &t->columns;
    switch (meeting) {
    case ABUT_WITH_WALLS:
        break;
    case ABUT_WITH_SPHERES:
        return s->store.materials[s->store.places[c->j[row]]];
    case ABUT_WITH_BODIES:
        return s->solids.bodies[c->j[row]].material;
    }
    return (int32_t)s->walls.walls[c->mesh[row]].material;
}

const law *simulation_spot_law(const abut_simulation *s, const spot_table *t, abut_meeting meeting,
                               abut_index row)
{
    const abut_convex_columns *c = &t->columns;
    if (meeting == ABUT_WITH_BODIES && c->i[row] == c->j[row]) {
        return &s->laws.laws[laws_number_of_none(&s->laws)];
    }
    const int32_t own = s->solids.bodies[c->i[row]].material;
    return &s->laws.laws[laws_number(&s->laws, own, simulation_other_material(s, t, meeting, row))];
}
